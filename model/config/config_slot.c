#include <stdio.h>
#include <string.h>

#include "config/config_internal.h"
#include "config/config_text.h"

int config_slot_find(const struct config *config, const char *key, struct config_slot *out)
{
    for (size_t i = 0; i < config->room_count; i++) {
        const struct param_table *table = config->room[i].table;
        for (size_t row = 0; row < table->count; row++) {
            if (strcmp(table->desc[row].key, key) != 0)
                continue;
            *out = (struct config_slot){&config->room[i], row};
            return 0;
        }
    }
    return -1;
}

int config_slot_set(const struct config_slot *slot, const struct config_entry *entry, struct config_error *err)
{
    const struct param_desc *desc = &slot->room->table->desc[slot->row];
    struct config_note *note = &slot->room->note[slot->row];
    union param_value value;
    int line[CONFIG_KIND_COUNT];

    if (param_read(desc, entry->value, &value, err) != 0)
        return -1;
    for (int kind = 0; kind < CONFIG_KIND_COUNT; kind++)
        line[kind] = entry->note.line[kind] != 0 ? entry->note.line[kind] : note->line[kind];
    if (entry->note.layer >= note->layer) {
        memcpy((char *)slot->room->values + desc->offset, &value, param_value_bytes(desc->unit));
        *note = entry->note;
    }
    memcpy(note->line, line, sizeof(line));
    return 0;
}

int config_unknown_key(const struct config *config, const char *key, struct config_error *err)
{
    struct config_nearest nearest;
    char stage_key[CONFIG_KEY_BYTES];
    int of_stage = strncmp(key, "stage.", 6) == 0 && config->stage_count > 0;

    config_nearest_begin(&nearest, key);
    for (size_t i = 0; i < config->room_count && !of_stage; i++)
        for (size_t row = 0; row < config->room[i].table->count; row++)
            config_nearest_offer(&nearest, config->room[i].table->desc[row].key);
    for (size_t i = 0; i < config->stage_count; i++)
        for (int field = 0; field < STAGE_FIELD_COUNT; field++) {
            config_stage_key(&config->stage[i], (enum stage_field)field, stage_key);
            config_nearest_offer(&nearest, stage_key);
        }
    return config_error_set(err, "unknown key '%.80s', did you mean '%s'?", key, nearest.best);
}

/* "stage.PATH.NAME.field" in `key`, which is cut to pieces. -1: no such stage or field. */
static int find_stage_field(const struct config *config, char *key, struct stage_spec **stage, enum stage_field *field)
{
    char *dot = strrchr(key, '.');

    if (strncmp(key, "stage.", 6) != 0 || dot < key + 6)
        return -1;
    *dot = '\0';
    *stage = config_stage_find(config, key + 6);
    *field = config_stage_field_of(dot + 1);
    return *stage != NULL && *field != STAGE_FIELD_COUNT ? 0 : -1;
}

const struct config_note *config_note(const struct config *config, const char *key)
{
    char copy[CONFIG_KEY_BYTES];
    struct config_slot slot;
    struct stage_spec *stage;
    enum stage_field field;

    if (config_slot_find(config, key, &slot) == 0)
        return &slot.room->note[slot.row];
    if (config_text_copy(copy, sizeof(copy), key) == 0 && find_stage_field(config, copy, &stage, &field) == 0)
        return &stage->note[field];
    return NULL;
}

int config_range(const struct config *config, const char *key, int64_t *least, int64_t *most)
{
    char copy[CONFIG_KEY_BYTES];
    struct config_slot slot;
    struct stage_spec *stage;
    enum stage_field field;
    const struct param_desc *desc = NULL;

    if (config_slot_find(config, key, &slot) == 0)
        desc = &slot.room->table->desc[slot.row];
    else if (config_text_copy(copy, sizeof(copy), key) == 0 && find_stage_field(config, copy, &stage, &field) == 0)
        desc = config_stage_field_desc(field);
    if (desc == NULL || desc->unit == PARAM_TEXT || desc->unit == PARAM_CHOICE || desc->unit == PARAM_DIST)
        return -1;
    return param_range(desc, least, most, NULL);
}

static int set_value(struct config *config, const char *key, const struct config_entry *entry, struct config_error *err)
{
    char copy[CONFIG_KEY_BYTES];
    struct config_slot slot;
    struct stage_spec *stage;
    enum stage_field field;

    if (config_slot_find(config, key, &slot) == 0)
        return config_slot_set(&slot, entry, err);
    if (config_text_copy(copy, sizeof(copy), key) == 0 && find_stage_field(config, copy, &stage, &field) == 0)
        return config_stage_set(stage, field, entry, err);
    return config_unknown_key(config, key, err);
}

int config_set(struct config *config, const char *assignment, struct config_error *err)
{
    struct config_entry entry = {.note = {.class = PARAM_CLASS_ASSUMED, .layer = CONFIG_LAYER_SET, .origin = "-s"}};
    char key[INI_FILE_LINE_CHARS + 1] = "";
    struct config_error reason;
    const char *equals = strchr(assignment, '=');

    if (equals == NULL)
        return config_error_set(err, "-s %.80s: no '=', write -s key=value", assignment);
    size_t key_bytes = (size_t)(equals - assignment);
    if (key_bytes > INI_FILE_LINE_CHARS || config_text_copy(entry.value, sizeof(entry.value), equals + 1) != 0)
        return config_error_set(err, "-s %.80s...: too long, allowed up to %d characters", assignment,
                                INI_FILE_LINE_CHARS);
    memcpy(key, assignment, key_bytes);
    if (set_value(config, config_text_trim(key), &entry, &reason) != 0)
        return config_error_set(err, "-s %.160s: %s", assignment, reason.text);
    return 0;
}
