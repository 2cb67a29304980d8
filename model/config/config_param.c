#include <stdio.h>

#include "config/config_internal.h"
#include "config/param_unit.h"

/* A stage's `holds` is a description, no value: it is not listed. */
#define LISTED_STAGE_FIELDS STAGE_HOLDS

static void slot_info(const struct config_room *room, size_t row, struct config_param_info *out)
{
    const struct param_desc *desc = &room->table->desc[row];
    const struct config_note *note = &room->note[row];

    snprintf(out->key, sizeof(out->key), "%s", desc->key);
    param_print(desc, (const char *)room->values + desc->offset, out->value);
    param_range_text(desc, out->range);
    param_unit_list(desc->unit, out->unit, sizeof(out->unit));
    out->fallback = desc->fallback_text;
    out->class_name = param_class_name(note->class);
    out->source = note->source;
    out->origin = note->origin;
    out->sentence = desc->sentence;
    out->changed = note->layer == CONFIG_LAYER_SET;
}

size_t config_param_count(const struct config *config)
{
    size_t count = config->stage_count * LISTED_STAGE_FIELDS;

    for (size_t i = 0; i < config->room_count; i++)
        count += config->room[i].table->count;
    return count;
}

int config_param(const struct config *config, size_t index, struct config_param_info *out)
{
    for (size_t i = 0; i < config->room_count; i++) {
        const struct config_room *room = &config->room[i];
        if (index < room->table->count) {
            slot_info(room, index, out);
            return 0;
        }
        index -= room->table->count;
    }
    if (index >= config->stage_count * LISTED_STAGE_FIELDS)
        return -1;
    config_stage_info(&config->stage[index / LISTED_STAGE_FIELDS], (enum stage_field)(index % LISTED_STAGE_FIELDS),
                      out);
    return 0;
}
