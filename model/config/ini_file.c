/* inih as packaged cuts lines at 200 characters, takes " ;" within quotes for a comment, and tells its handler neither
 * line numbers nor empty sections. So the reader below cleans each line, keeps the section and the value itself, and
 * inih gets a line that is short enough for it. */
#include "config/ini_file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config_text.h"

struct reader {
    FILE *file;
    const char *path;
    ini_file_handler handler;
    void *user;
    struct config_error *err;
    int failed;
    int number;
    char line[INI_FILE_LINE_CHARS + 1];
    char section[INI_FILE_SECTION_CHARS + 1];
    const char *value; /* in `line` */
};

static int fail(struct reader *reader, const char *reason)
{
    reader->failed = 1;
    return config_error_set(reader->err, "%.200s:%d: %s", reader->path, reader->number, reason);
}

static int report(struct reader *reader, const char *key, const char *value)
{
    struct ini_file_line line = {reader->number, reader->section, key, value};
    struct config_error reason = {""};

    if (reader->handler(reader->user, &line, &reason) != 0)
        return fail(reader, reason.text);
    return 0;
}

/* 1: a line is read; 0: the file has ended; -1: failed. */
static int read_line(struct reader *reader)
{
    size_t length = 0;
    int c;

    reader->number++;
    if (reader->number > INI_FILE_LINES_MAX)
        return fail(reader, "too many lines, allowed up to 20000");
    while ((c = getc(reader->file)) != EOF && c != '\n') {
        if (c == '\0')
            return fail(reader, "NUL byte, this is not a text file");
        if (length == INI_FILE_LINE_CHARS)
            return fail(reader, "line too long, allowed up to 400 characters");
        reader->line[length++] = (char)c;
    }
    reader->line[length] = '\0';
    if (ferror(reader->file))
        return fail(reader, strerror(errno));
    return c != EOF || length > 0;
}

static int strip_comment(struct reader *reader)
{
    int quoted = 0;

    for (char *at = reader->line; *at != '\0'; at++) {
        if (*at == '"')
            quoted = !quoted;
        if (!quoted && (*at == '#' || *at == ';'))
            *at = '\0';
        if (*at == '\0')
            break;
    }
    return quoted ? fail(reader, "quote not closed") : 0;
}

static int take_section(struct reader *reader, char *text)
{
    size_t length = strlen(text);

    if (text[length - 1] != ']')
        return fail(reader, "section without ']', write [name] alone on its line");
    text[length - 1] = '\0';
    if (config_text_copy(reader->section, sizeof(reader->section), config_text_trim(text + 1)) != 0)
        return fail(reader, "section name too long, allowed up to 60 characters");
    if (!config_text_is_name(reader->section, ". -"))
        return fail(reader, "bad section name, allowed letters, digits, _ . and -");
    return report(reader, NULL, NULL);
}

/* Writes the key alone for inih, and keeps the value. */
static int take_entry(struct reader *reader, char *text, char *key, size_t bytes)
{
    char *equals = strchr(text, '=');

    if (equals == NULL)
        return fail(reader, "neither [section] nor key = value");
    *equals = '\0';
    reader->value = config_text_trim(equals + 1);
    text = config_text_trim(text);
    if (!config_text_is_name(text, ".-"))
        return fail(reader, "bad key, allowed letters, digits, _ . and -");
    if (strlen(text) > INI_FILE_KEY_CHARS)
        return fail(reader, "key too long, allowed up to 48 characters");
    if (*reader->value == '\0')
        return fail(reader, "no value after '=', write key = value");
    snprintf(key, bytes, "%s = %d\n", text, reader->number);
    return 0;
}

/* inih's reader: one line into `out`, NULL at the end. */
static char *next_line(char *out, int bytes, void *user)
{
    struct reader *reader = user;

    if (reader->failed || read_line(reader) != 1 || strip_comment(reader) != 0)
        return NULL;
    char *text = reader->line;
    if (reader->number == 1 && strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3; /* a byte order mark, as some editors leave it */
    text = config_text_trim(text);
    out[0] = '\n';
    out[1] = '\0';
    if (*text == '[')
        return take_section(reader, text) == 0 ? out : NULL;
    if (*text != '\0' && take_entry(reader, text, out, (size_t)bytes) != 0)
        return NULL;
    return out;
}

/* inih's handler; 0 would be its error. The section and the value are the reader's own, whole. */
static int take_key(void *user, const char *section, const char *key, const char *value)
{
    struct reader *reader = user;

    (void)section;
    (void)value;
    return reader->failed || report(reader, key, reader->value) == 0;
}

int ini_file_read(const char *path, ini_file_handler handler, void *user, struct config_error *err)
{
    struct reader reader = {.path = path, .handler = handler, .user = user, .err = err};
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return config_error_set(err, "%.200s: is a directory, not a text file", path);
    reader.file = fopen(path, "r");
    if (reader.file == NULL)
        return config_error_set(err, "%.200s: cannot be read: %s", path, strerror(errno));
    int result = ini_parse_stream(next_line, &reader, take_key, &reader);
    fclose(reader.file);
    if (result != 0 && !reader.failed)
        return fail(&reader, "not an ini file");
    return reader.failed ? -1 : 0;
}
