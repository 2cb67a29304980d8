#include "system/blame.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WHERE_BYTES 1024

struct blame {
    struct config_param_info info; /* of the value to blame */
    enum config_layer layer;
    int score; /* how well the error names it */
    int found;
};

/* 1: the text holds the word, and it does not go on. */
static int has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const char *next = at + length;
        int goes_on =
            isalnum((unsigned char)*next) || *next == '_' || (*next == '.' && isalnum((unsigned char)next[1]));
        if (!goes_on && (at == text || !isalnum((unsigned char)at[-1])))
            return 1;
    }
    return 0;
}

/* What can be wrong with a stage as a whole; the other fields are judged one by one. */
static int shapes_stage(const char *field)
{
    static const char *const fields[] = {"depth", "width", "start_beats", "flow", "clock"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i], field) == 0)
            return 1;
    return 0;
}

/* "stage.tx.mac.depth": is "stage tx.mac", or "path tx", in the text? 0: no; else how well it fits. */
static int names_stage(const char *text, const char *key)
{
    char stage[CONFIG_KEY_BYTES], path[CONFIG_KEY_BYTES];
    const char *field = strrchr(key, '.') + 1;
    if (strncmp(key, "stage.", 6) != 0 || !shapes_stage(field))
        return 0;
    snprintf(stage, sizeof stage, "stage %.*s", (int)(field - 1 - (key + 6)), key + 6);
    snprintf(path, sizeof path, "path %.*s", (int)strcspn(key + 6, "."), key + 6);
    if (!has_word(text, stage) && !has_word(text, path))
        return 0;
    return has_word(text, field) ? 2 : 1;
}

/* "stage payload.data_fifo: ...": the FIFO at a path's end is a parameter of the NIC. */
static int names_end(const char *text, const char *key)
{
    size_t length = strcspn(text, ":");
    const char *dot = memrchr(text, '.', length);
    if (strncmp(text, "stage ", 6) != 0 || strncmp(key, "nic.", 4) != 0 || !dot)
        return 0;
    size_t name = (size_t)(text + length - (dot + 1));
    return strlen(key + 4) == name && strncmp(key + 4, dot + 1, name) == 0;
}

static void consider(struct blame *blame, const struct config *config, const char *text, size_t index)
{
    struct config_param_info info;
    if (config_param(config, index, &info))
        return;
    int score = has_word(text, info.key) || names_end(text, info.key) ? 3 : names_stage(text, info.key);
    const struct config_note *note = config_note(config, info.key);
    if (score == 0 || !note)
        return;
    if (blame->found && (note->layer < blame->layer || (note->layer == blame->layer && score <= blame->score)))
        return;
    *blame = (struct blame){info, note->layer, score, 1};
}

/* "[stage tx.mac]": the place is the section's. */
static const char *section_origin(const struct config *config, const char *text)
{
    char section[CONFIG_KEY_BYTES];
    const struct stage_spec *stage;
    for (size_t i = 0; (stage = config_stage(config, i)); i++) {
        snprintf(section, sizeof section, "[stage %s.%s]", stage->path, stage->name);
        if (strstr(text, section))
            return stage->origin;
    }
    return 0;
}

/* "-s pcie.mps=384 B: allowed ...": the key is said once. */
static int put_place(const struct blame *blame, struct config_error *error)
{
    char where[WHERE_BYTES];
    const struct config_param_info *info = &blame->info;
    size_t length = strlen(info->key);
    int begins = strncmp(error->text, info->key, length) == 0 && strncmp(error->text + length, ": ", 2) == 0;
    const char *rest = error->text + (begins ? length + 2 : 0);
    if (info->changed)
        snprintf(where, sizeof where, "-s %s=%.80s", info->key, info->value);
    else if (begins)
        snprintf(where, sizeof where, "%s: %s = %.80s", info->origin, info->key, info->value);
    else
        snprintf(where, sizeof where, "%s", info->origin);
    return config_error_set(error, "%s: %s", where, rest);
}

int system_blame(const struct config *config, struct config_error *error)
{
    struct blame blame = {.found = 0};
    const char *section = section_origin(config, error->text);
    if (section)
        return config_error_set(error, "%s: %s", section, error->text);
    for (size_t i = 0; i < config_param_count(config); i++)
        consider(&blame, config, error->text, i);
    return blame.found ? put_place(&blame, error) : -1;
}
