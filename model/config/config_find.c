#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config_data.h"
#include "config/config_internal.h"
#include "config/config_text.h"

static int is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Writes DATA_DIR/boards, which need not be there; `folder` has PATH_MAX. */
static void find_folder(const char *data_dir, enum config_kind kind, char *folder)
{
    char name[32];

    snprintf(name, sizeof(name), "%ss", config_kind_name(kind));
    if (data_dir == NULL)
        config_data_folder(name, folder, PATH_MAX);
    else if (snprintf(folder, PATH_MAX, "%s/%s", data_dir, name) >= PATH_MAX)
        folder[0] = '\0'; /* and then nothing is found */
}

/* The names in a folder: config_data_list(). */
static char *list_stems(const char *folder, enum config_kind kind)
{
    char ending[32];

    snprintf(ending, sizeof(ending), ".%s", config_kind_name(kind));
    return config_data_list(folder, ending);
}

static int unknown_name(const char *folder, enum config_kind kind, const char *name, struct config_error *err)
{
    char *names = list_stems(folder, kind);
    char known[300] = "";
    size_t used = 0;

    for (const char *at = names; at != NULL && *at != '\0' && used < sizeof(known); at += strlen(at) + 1)
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", used > 0 ? ", " : "", at);
    free(names);
    if (used == 0)
        return config_error_set(err, "unknown %s '%.60s', no %s files in %.200s", config_kind_name(kind), name,
                                config_kind_name(kind), folder);
    return config_error_set(err, "unknown %s '%.60s', known are %s%s", config_kind_name(kind), name, known,
                            used < sizeof(known) ? "" : "...");
}

/* `length` is what snprintf said of the path. */
static int check_length(const char *name, int length, size_t bytes, struct config_error *err)
{
    return length < 0 || (size_t)length >= bytes ? config_error_set(err, "%.200s: path too long", name) : 0;
}

/* A bare name: DATA_DIR/boards/NAME.board. */
static int find_named(const char *data_dir, enum config_kind kind, const char *name, char *path, size_t bytes,
                      struct config_error *err)
{
    char folder[PATH_MAX];

    find_folder(data_dir, kind, folder);
    int length = snprintf(path, bytes, "%s/%s.%s", folder, name, config_kind_name(kind));
    if (check_length(name, length, bytes, err) != 0)
        return -1;
    return is_file(path) ? 0 : unknown_name(folder, kind, name, err);
}

int config_find(const char *data_dir, enum config_kind kind, const char *name_or_path, char *path, size_t bytes,
                struct config_error *err)
{
    if (strchr(name_or_path, '/') == NULL && !is_file(name_or_path))
        return find_named(data_dir, kind, name_or_path, path, bytes, err);
    return check_length(name_or_path, snprintf(path, bytes, "%s", name_or_path), bytes, err);
}

int config_find_beside(const char *data_dir, enum config_kind kind, const char *name_or_path, const char *beside,
                       char *path, size_t bytes, struct config_error *err)
{
    const char *slash = strrchr(beside, '/');
    int folder_bytes = slash == NULL || *name_or_path == '/' ? 0 : (int)(slash + 1 - beside);
    int length = snprintf(path, bytes, "%.*s%s", folder_bytes, beside, name_or_path);

    if (check_length(name_or_path, length, bytes, err) != 0)
        return -1;
    if (strchr(name_or_path, '/') != NULL || is_file(path))
        return 0;
    return find_named(data_dir, kind, name_or_path, path, bytes, err);
}

struct about {
    char *line;
    size_t bytes;
};

static int take_about(void *user, const struct ini_file_line *line, struct config_error *err)
{
    struct about *about = user;
    char value[INI_FILE_LINE_CHARS + 1];

    (void)err;
    if (*line->section != '\0')
        return -1; /* the head has ended */
    snprintf(value, sizeof(value), "%s", line->value);
    if (strcmp(line->key, "about") == 0)
        snprintf(about->line, about->bytes, "%s", config_text_unquote(value));
    return 0;
}

int config_board_at(const char *data_dir, size_t index, char *name, size_t name_bytes, char *line, size_t line_bytes)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct about about = {line, line_bytes};

    find_folder(data_dir, CONFIG_BOARD, folder);
    char *names = list_stems(folder, CONFIG_BOARD);
    const char *at = names;
    for (; at != NULL && *at != '\0' && index > 0; index--)
        at += strlen(at) + 1;
    int found = at != NULL && *at != '\0' && config_text_copy(name, name_bytes, at) == 0;
    free(names);
    if (!found)
        return -1;
    snprintf(line, line_bytes, "%s", "");
    if (snprintf(path, sizeof(path), "%s/%s.board", folder, name) < PATH_MAX)
        ini_file_read(path, take_about, &about, NULL);
    return 0;
}
