#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_internal.h"
#include "config/config_text.h"

const char *config_kind_name(enum config_kind kind)
{
    static const char *const names[CONFIG_KIND_COUNT] = {"nic", "mac", "endpoint", "board", "host"};

    return names[kind];
}

const char *config_head_key_name(enum config_head_key key)
{
    static const char *const names[CONFIG_HEAD_KEY_COUNT] = {"board",    "part", "nic",  "mac",
                                                             "endpoint", "host", "about"};

    return names[key];
}

static int set_default(struct config_room *room, size_t row, struct config_error *err)
{
    const struct param_desc *desc = &room->table->desc[row];
    struct config_note *note = &room->note[row];
    size_t prefix = strlen(room->table->room);

    if (strncmp(desc->key, room->table->room, prefix) != 0 || desc->key[prefix] != '.')
        return config_error_set(err, "the table of '%s' holds the key '%s'", room->table->room, desc->key);
    note->class = desc->class;
    snprintf(note->origin, sizeof(note->origin), "default");
    if (config_text_copy(note->source, sizeof(note->source), desc->source) != 0)
        return config_error_set(err, "%s: the table's source is too long", desc->key);
    return param_parse(desc, desc->fallback_text, (char *)room->values + desc->offset, err);
}

static int create_room(struct config_room *room, const struct param_table *table, struct config_error *err)
{
    room->table = table;
    room->values = calloc(1, table->struct_bytes);
    room->note = calloc(table->count, sizeof(*room->note));
    if (room->values == NULL || room->note == NULL)
        return config_error_set(err, "out of memory");
    for (size_t row = 0; row < table->count; row++)
        if (set_default(room, row, err) != 0)
            return -1;
    return 0;
}

struct config *config_create(const struct param_table *const *tables, size_t count, struct config_error *err)
{
    struct config *config = calloc(1, sizeof(*config));

    if (config != NULL) {
        config->room = calloc(count, sizeof(*config->room));
        config->stage = calloc(CONFIG_STAGES_MAX, sizeof(*config->stage));
    }
    if (config == NULL || config->room == NULL || config->stage == NULL) {
        config_error_set(err, "out of memory");
        config_destroy(config);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        config->room_count++;
        if (create_room(&config->room[i], tables[i], err) != 0) {
            config_destroy(config);
            return NULL;
        }
    }
    return config;
}

void config_destroy(struct config *config)
{
    if (config == NULL)
        return;
    for (size_t i = 0; i < config->room_count; i++) {
        free(config->room[i].values);
        free(config->room[i].note);
    }
    free(config->room);
    free(config->stage);
    free(config);
}

struct config_room *config_room_find(const struct config *config, const char *room)
{
    for (size_t i = 0; i < config->room_count; i++)
        if (strcmp(config->room[i].table->room, room) == 0)
            return &config->room[i];
    return NULL;
}

const void *config_room(const struct config *config, const char *room)
{
    const struct config_room *found = config_room_find(config, room);

    return found != NULL ? found->values : NULL;
}

const char *config_head(const struct config *config, enum config_kind kind, const char *key)
{
    for (int i = 0; i < CONFIG_HEAD_KEY_COUNT; i++)
        if (strcmp(config_head_key_name((enum config_head_key)i), key) == 0 && config->head[kind][i][0] != '\0')
            return config->head[kind][i];
    return NULL;
}
