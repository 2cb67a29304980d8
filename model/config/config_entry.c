#include "config/config_entry.h"

#include <string.h>

#include "config/config_nearest.h"
#include "config/config_text.h"

/* The first '@' outside of quotes, or NULL. */
static char *find_class(char *text)
{
    int quoted = 0;

    for (; *text != '\0'; text++) {
        if (*text == '"')
            quoted = !quoted;
        if (*text == '@' && !quoted)
            return text;
    }
    return NULL;
}

static int read_class(const char *name, enum param_class *out, struct config_error *err)
{
    struct config_nearest nearest;

    *out = param_class_of(name);
    if (*out != PARAM_CLASS_COUNT)
        return 0;
    config_nearest_begin(&nearest, name);
    for (int class = 0; class < PARAM_CLASS_COUNT; class ++)
        config_nearest_offer(&nearest, param_class_name((enum param_class) class));
    return config_error_set(err, "unknown class '@%.40s', did you mean '@%s'?", name, nearest.best);
}

static int read_source(char *text, struct config_note *note, struct config_error *err)
{
    const char *class = param_class_name(note->class);
    size_t length = strlen(text);

    if (length == 0 && note->class != PARAM_CLASS_ASSUMED)
        return config_error_set(err, "@%s without source, write @%s \"where it is from\"", class, class);
    if (length > 0 && (text[0] != '"' || strchr(text + 1, '"') != text + length - 1))
        return config_error_set(err, "'%.40s' after the class, allowed is one source in quotes", text);
    const char *bare = config_text_unquote(text);
    if (*bare == '\0' && note->class != PARAM_CLASS_ASSUMED)
        return config_error_set(err, "empty source, write @%s \"where it is from\"", class);
    if (config_text_copy(note->source, sizeof(note->source), bare) != 0)
        return config_error_set(err, "source too long, allowed up to %zu characters", sizeof(note->source) - 1);
    return 0;
}

int config_entry_split(const char *text, struct config_entry *out, struct config_error *err)
{
    memset(out, 0, sizeof(*out));
    out->note.class = PARAM_CLASS_ASSUMED;
    if (config_text_copy(out->value, sizeof(out->value), text) != 0)
        return config_error_set(err, "value too long, allowed up to %d characters", INI_FILE_LINE_CHARS);
    char *mark = find_class(out->value);
    if (mark != NULL) {
        *mark++ = '\0';
        char *rest = mark + strcspn(mark, " \t\"");
        char class_name[INI_FILE_LINE_CHARS + 1] = "";
        memcpy(class_name, mark, (size_t)(rest - mark));
        out->has_class = 1;
        if (read_class(class_name, &out->note.class, err) != 0)
            return -1;
        if (read_source(config_text_trim(rest), &out->note, err) != 0)
            return -1;
    }
    char *trimmed = config_text_trim(out->value);
    memmove(out->value, trimmed, strlen(trimmed) + 1);
    return 0;
}
