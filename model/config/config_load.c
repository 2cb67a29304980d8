#include <stdio.h>
#include <string.h>

#include "config/config_internal.h"
#include "config/config_text.h"

#define STAGE_PREFIX "stage "
#define ENDPOINT_ROOM "pcie" /* the one that an endpoint file may give values of */

struct load {
    struct config *config;
    enum config_kind kind;
    const char *path;
    struct stage_spec *stage; /* whose section it is */
};

static const char stage_keys[] = "clock, width, interval, latency, depth, flow, sync, entry, holds";

static const char *a_kind(enum config_kind kind)
{
    static const char *const names[CONFIG_KIND_COUNT] = {"a nic", "a mac", "an endpoint", "a board", "a host"};

    return names[kind];
}

static int is_stage(const char *section)
{
    return strncmp(section, STAGE_PREFIX, strlen(STAGE_PREFIX)) == 0;
}

/* "nic rnic_512.nic:12" */
static void write_origin(const struct load *load, int line, char *origin)
{
    const char *slash = strrchr(load->path, '/');
    const char *base = slash != NULL ? slash + 1 : load->path;

    snprintf(origin, CONFIG_ORIGIN_BYTES, "%s %.100s:%d", config_kind_name(load->kind), base, line);
}

static int head_allows(enum config_kind kind, enum config_head_key key)
{
    switch (key) {
    case CONFIG_HEAD_ABOUT:
        return 1;
    case CONFIG_HEAD_NIC:
        return kind == CONFIG_NIC || kind == CONFIG_BOARD;
    case CONFIG_HEAD_MAC:
        return kind == CONFIG_MAC || kind == CONFIG_BOARD;
    case CONFIG_HEAD_ENDPOINT:
        return kind == CONFIG_ENDPOINT || kind == CONFIG_BOARD;
    case CONFIG_HEAD_HOST:
        return kind == CONFIG_HOST || kind == CONFIG_BOARD;
    default:
        return kind == CONFIG_BOARD;
    }
}

static int unknown_head_key(const struct load *load, const char *key, struct config_error *err)
{
    struct config_nearest nearest;

    config_nearest_begin(&nearest, key);
    for (int i = 0; i < CONFIG_HEAD_KEY_COUNT; i++)
        if (head_allows(load->kind, (enum config_head_key)i))
            config_nearest_offer(&nearest, config_head_key_name((enum config_head_key)i));
    return config_error_set(err,
                            "unknown key '%s' in the head of %s file, did you mean '%s'? (parameters stand in "
                            "sections, [room] and then key = value)",
                            key, a_kind(load->kind), nearest.best);
}

static int take_head(const struct load *load, const struct ini_file_line *line, struct config_error *err)
{
    char value[INI_FILE_LINE_CHARS + 1];
    int key = 0;

    while (key < CONFIG_HEAD_KEY_COUNT && (!head_allows(load->kind, (enum config_head_key)key) ||
                                           strcmp(config_head_key_name((enum config_head_key)key), line->key) != 0))
        key++;
    if (key == CONFIG_HEAD_KEY_COUNT)
        return unknown_head_key(load, line->key, err);
    char *text = load->config->head[load->kind][key];
    if (*text != '\0')
        return config_error_set(err, "%s given twice", line->key);
    snprintf(value, sizeof(value), "%s", line->value);
    char *bare = config_text_unquote(value);
    if (*bare == '\0')
        return config_error_set(err, "%s: empty text", line->key);
    if (config_text_copy(text, CONFIG_HEAD_BYTES, bare) != 0)
        return config_error_set(err, "%s: text too long, allowed up to %d characters", line->key,
                                CONFIG_HEAD_BYTES - 1);
    return 0;
}

static int begin_stage(struct load *load, const struct ini_file_line *line, struct config_error *err)
{
    const char *name = line->section + strlen(STAGE_PREFIX);
    struct config *config = load->config;
    char origin[CONFIG_ORIGIN_BYTES];

    if (load->kind == CONFIG_MAC) {
        config->unused_stage = (struct stage_spec){.path = "", .name = ""};
        load->stage = config->loaded[CONFIG_NIC] ? config_stage_find(config, name) : &config->unused_stage;
        return load->stage != NULL ? 0
                                   : config_error_set(err, "the nic has no stage %s, allowed are those it has", name);
    }
    if (load->kind != CONFIG_NIC)
        return config_error_set(err, "stages stand only in nic and mac files, this is %s file", a_kind(load->kind));
    write_origin(load, line->number, origin);
    if (config_stage_begin(config, name, origin, line->number, err) != 0)
        return -1;
    load->stage = &config->stage[config->stage_count - 1];
    return 0;
}

static int begin_section(struct load *load, const struct ini_file_line *line, struct config_error *err)
{
    struct config_nearest nearest;

    if (is_stage(line->section))
        return begin_stage(load, line, err);
    if (load->kind == CONFIG_ENDPOINT && strcmp(line->section, ENDPOINT_ROOM) != 0)
        return config_error_set(err, "section [%s], an endpoint file has only [" ENDPOINT_ROOM "]", line->section);
    if (load->kind == CONFIG_MAC && strcmp(line->section, "mac") != 0 && strcmp(line->section, "nic") != 0)
        return config_error_set(err, "section [%s], a mac file has only [mac], [nic] and [stage PATH.NAME]",
                                line->section);
    if (config_room_find(load->config, line->section) != NULL)
        return 0;
    config_nearest_begin(&nearest, line->section);
    for (size_t i = 0; i < load->config->room_count; i++)
        config_nearest_offer(&nearest, load->config->room[i].table->room);
    return config_error_set(err, "unknown section [%s], did you mean [%s]?", line->section, nearest.best);
}

/* Splits the line and fills the note but for the class and source, which stand in it. */
static int read_entry(const struct load *load, const struct ini_file_line *line, int needs_class,
                      struct config_entry *entry, struct config_error *err)
{
    if (config_entry_split(line->value, entry, err) != 0)
        return -1;
    if (needs_class && !entry->has_class)
        return config_error_set(err, "value without class, write @measured, @documented, @assumed or @calibrated");
    entry->note.layer = (enum config_layer)(CONFIG_LAYER_NIC + (int)load->kind);
    entry->note.line[load->kind] = line->number;
    write_origin(load, line->number, entry->note.origin);
    return 0;
}

static int given_twice(const char *key, int first_line, struct config_error *err)
{
    return config_error_set(err, "%s given twice, first in line %d", key, first_line);
}

static int take_param(const struct load *load, const struct ini_file_line *line, struct config_error *err)
{
    struct config_entry entry;
    struct config_error reason;
    struct config_slot slot;
    char key[CONFIG_KEY_BYTES * 2];

    snprintf(key, sizeof(key), "%s.%s", line->section, line->key);
    if (config_slot_find(load->config, key, &slot) != 0)
        return config_unknown_key(load->config, key, err);
    int first_line = slot.room->note[slot.row].line[load->kind];
    if (first_line != 0)
        return given_twice(key, first_line, err);
    if (read_entry(load, line, 1, &entry, &reason) != 0)
        return config_error_set(err, "%s: %s", key, reason.text);
    if (config_slot_set(&slot, &entry, &reason) != 0)
        return config_error_set(err, "%s = %.60s: %s", key, entry.value, reason.text);
    return 0;
}

static int unknown_stage_key(const char *key, struct config_error *err)
{
    struct config_nearest nearest;

    config_nearest_begin(&nearest, key);
    for (int i = 0; i < STAGE_FIELD_COUNT; i++)
        config_nearest_offer(&nearest, config_stage_field_name((enum stage_field)i));
    return config_error_set(err, "unknown key '%s' of a stage, did you mean '%s'? (allowed %s)", key, nearest.best,
                            stage_keys);
}

static int take_stage(const struct load *load, const struct ini_file_line *line, struct config_error *err)
{
    struct stage_spec *stage = load->stage;
    enum stage_field field = config_stage_field_of(line->key);
    struct config_entry entry;
    struct config_error reason;
    char key[CONFIG_KEY_BYTES];

    if (field == STAGE_FIELD_COUNT)
        return unknown_stage_key(line->key, err);
    config_stage_key(stage, field, key);
    if (stage->note[field].line[load->kind] != 0)
        return given_twice(key, stage->note[field].line[load->kind], err);
    if (read_entry(load, line, config_stage_field_needs_class(field), &entry, &reason) != 0)
        return config_error_set(err, "%s: %s", key, reason.text);
    if (config_stage_set(stage, field, &entry, &reason) != 0)
        return config_error_set(err, "%s = %.60s: %s", key, entry.value, reason.text);
    return 0;
}

static int take_line(void *user, const struct ini_file_line *line, struct config_error *err)
{
    struct load *load = user;

    if (line->key == NULL)
        return begin_section(load, line, err);
    if (*line->section == '\0')
        return take_head(load, line, err);
    if (is_stage(line->section))
        return take_stage(load, line, err);
    return take_param(load, line, err);
}

int config_load(struct config *config, const char *path, enum config_kind kind, struct config_error *err)
{
    struct load load = {config, kind, path, NULL};
    struct config_error reason;
    int line;

    if (config->loaded[kind])
        return config_error_set(err, "%.200s: %s file is loaded already, allowed is one", path, a_kind(kind));
    config->loaded[kind] = 1;
    if (ini_file_read(path, take_line, &load, err) != 0)
        return -1;
    if (config_stage_check(config, &line, &reason) != 0)
        return config_error_set(err, "%.200s:%d: %s", path, line, reason.text);
    return 0;
}
