#include <stdio.h>
#include <string.h>

#include "config/config_internal.h"
#include "config/config_text.h"
#include "config/param_unit.h"

#define CYCLES_MAX "1000000 cycle"

/* The numbers of a stage are parameters like any other; depth and holds have a form of their own. */
static const struct param_desc fields[STAGE_FIELD_COUNT] = {
    [STAGE_CLOCK] = {"clock", PARAM_TEXT, "", "", "", "", PARAM_CLASS_ASSUMED, "", "The clock's name.",
                     offsetof(struct stage_spec, clock)},
    [STAGE_WIDTH] = {"width", PARAM_BITS, PARAM_POWER_OF_TWO, "", "8 bit", "65536 bit", PARAM_CLASS_ASSUMED, "",
                     "Bits of a beat.", offsetof(struct stage_spec, width_bits)},
    [STAGE_INTERVAL] = {"interval", PARAM_CYCLES, "", "", "1 cycle", CYCLES_MAX, PARAM_CLASS_ASSUMED, "",
                        "Cycles between two beats.", offsetof(struct stage_spec, interval_cyc)},
    [STAGE_LATENCY] = {"latency", PARAM_CYCLES, "", "", "1 cycle", CYCLES_MAX, PARAM_CLASS_ASSUMED, "",
                       "Cycles from a beat in to that beat out.", offsetof(struct stage_spec, latency_cyc)},
    [STAGE_DEPTH] = {"depth", PARAM_COUNT, "", "", "1", "1048576", PARAM_CLASS_ASSUMED, "", "Room of the input FIFO.",
                     offsetof(struct stage_spec, depth)},
    [STAGE_FLOW] = {"flow", PARAM_CHOICE, "cut|store", "", "", "", PARAM_CLASS_ASSUMED, "",
                    "Cut-through, or store-and-forward.", offsetof(struct stage_spec, store)},
    [STAGE_SYNC] = {"sync", PARAM_CYCLES, "", "2 cycle", "2 cycle", "3 cycle", PARAM_CLASS_ASSUMED, "",
                    "Synchroniser flops where the clock changes.", offsetof(struct stage_spec, sync_cyc)},
    [STAGE_START] = {"start_beats", PARAM_COUNT, "", "1", "1", "1024", PARAM_CLASS_ASSUMED, "",
                     "Cut-through: beats that must be there before an item starts.",
                     offsetof(struct stage_spec, start_beats)},
    [STAGE_GAP] = {"gap", PARAM_CYCLES, "", "0 cycle", "0 cycle", CYCLES_MAX, PARAM_CLASS_ASSUMED, "",
                   "Cycles between two items, beside the interval.", offsetof(struct stage_spec, gap_cyc)},
    [STAGE_PAUSE] =
        {"pause", PARAM_CYCLES, "", "0 cycle", "0 cycle", CYCLES_MAX, PARAM_CLASS_ASSUMED, "",
         "Cycles lost at most by a long item, one for each beat above pause_beats: the FIFO behind is full meanwhile.",
         offsetof(struct stage_spec, pause_cyc)},
    [STAGE_PAUSE_BEATS] = {"pause_beats", PARAM_COUNT, "", "32", "1", "1024", PARAM_CLASS_ASSUMED, "",
                           "Beats of an item up to which nothing is lost.", offsetof(struct stage_spec, pause_beats)},
    [STAGE_ENTRY] = {"entry", PARAM_BITS, "", "0 bit", "0 bit", "65536 bit", PARAM_CLASS_ASSUMED, "",
                     "Of a depth in packets: bits of a slot in memory. 0: the whole item, in beats.",
                     offsetof(struct stage_spec, entry_bits)},
    [STAGE_HOLDS] = {"holds", PARAM_TEXT, "", "", "", "", PARAM_CLASS_ASSUMED, "", "What the FIFO holds.",
                     offsetof(struct stage_spec, holds)},
};

const char *config_stage_field_name(enum stage_field field)
{
    return fields[field].key;
}

const struct param_desc *config_stage_field_desc(enum stage_field field)
{
    return &fields[field];
}

enum stage_field config_stage_field_of(const char *name)
{
    int field = 0;

    while (field < STAGE_FIELD_COUNT && strcmp(fields[field].key, name) != 0)
        field++;
    return (enum stage_field)field;
}

int config_stage_field_needs_class(enum stage_field field)
{
    return field == STAGE_WIDTH || field == STAGE_INTERVAL || field == STAGE_LATENCY || field == STAGE_DEPTH ||
           field == STAGE_GAP || field == STAGE_PAUSE || field == STAGE_ENTRY;
}

size_t config_stage_count(const struct config *config)
{
    return config->stage_count;
}

const struct stage_spec *config_stage(const struct config *config, size_t index)
{
    return index < config->stage_count ? &config->stage[index] : NULL;
}

void config_stage_key(const struct stage_spec *stage, enum stage_field field, char *key)
{
    snprintf(key, CONFIG_KEY_BYTES, "stage.%s.%s.%s", stage->path, stage->name, fields[field].key);
}

struct stage_spec *config_stage_find(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->stage_count; i++) {
        struct stage_spec *stage = &config->stage[i];
        size_t path_bytes = strlen(stage->path);
        if (strncmp(stage->path, name, path_bytes) == 0 && name[path_bytes] == '.' &&
            strcmp(stage->name, name + path_bytes + 1) == 0)
            return stage;
    }
    return NULL;
}

/* "PATH.NAME" into the stage. */
static int take_name(struct stage_spec *stage, const char *name, struct config_error *err)
{
    const char *dot = strchr(name, '.');
    size_t path_bytes = dot != NULL ? (size_t)(dot - name) : 0;

    if (path_bytes == 0 || path_bytes >= sizeof(stage->path) || !config_text_is_name(dot + 1, "") ||
        config_text_copy(stage->name, sizeof(stage->name), dot + 1) != 0)
        return config_error_set(err, "bad stage name '%.60s', write [stage PATH.NAME], up to %zu and %zu characters",
                                name, sizeof(stage->path) - 1, sizeof(stage->name) - 1);
    memcpy(stage->path, name, path_bytes);
    return 0;
}

int config_stage_begin(struct config *config, const char *name, const char *origin, int line, struct config_error *err)
{
    if (config->stage_count == CONFIG_STAGES_MAX)
        return config_error_set(err, "too many stages, allowed up to %d", CONFIG_STAGES_MAX);
    if (config_stage_find(config, name) != NULL)
        return config_error_set(err, "stage %s given twice", name);

    struct stage_spec *stage = &config->stage[config->stage_count];
    if (take_name(stage, name, err) != 0)
        return -1;
    config->stage_line[config->stage_count] = line;
    config->stage_count++;
    snprintf(stage->origin, sizeof(stage->origin), "%s", origin);
    stage->sync_cyc = 2;
    stage->start_beats = 1;
    stage->pause_beats = 32;
    for (int field = 0; field < STAGE_FIELD_COUNT; field++) {
        stage->note[field].class = PARAM_CLASS_ASSUMED;
        snprintf(stage->note[field].origin, sizeof(stage->note[field].origin), "default");
    }
    return 0;
}

/* "64 beats" or "8 packets": the number is a count, its unit says of what. */
static int set_depth(struct stage_spec *stage, const char *text, struct config_error *err)
{
    static const char *const units[] = {"beats", "beat", "packets", "packet"};
    const char *unit = text + strspn(text, "+-.0123456789");
    char number[INI_FILE_LINE_CHARS + 1] = "";
    int index = 0;

    memcpy(number, text, (size_t)(unit - text));
    unit += *unit == ' ';
    if (*unit == '\0')
        return config_error_set(err, "missing unit, write for example '64 beats' or '8 packets'");
    while (index < 4 && strcmp(unit, units[index]) != 0)
        index++;
    if (index == 4)
        return config_error_set(err, "unknown unit '%.40s', allowed beats, packets", unit);
    if (param_read(&fields[STAGE_DEPTH], number, &stage->depth, err) != 0)
        return -1;
    stage->depth_in_beats = index < 2;
    return 0;
}

static int set_holds(struct stage_spec *stage, const char *text, struct config_error *err)
{
    char copy[INI_FILE_LINE_CHARS + 1];

    snprintf(copy, sizeof(copy), "%s", text);
    char *bare = config_text_unquote(copy);
    if (bare == copy)
        return config_error_set(err, "text without quotes, write holds = \"...\"");
    if (config_text_copy(stage->holds, sizeof(stage->holds), bare) != 0)
        return config_error_set(err, "text too long, allowed up to %zu characters", sizeof(stage->holds) - 1);
    return 0;
}

int config_stage_set(struct stage_spec *stage, enum stage_field field, const struct config_entry *entry,
                     struct config_error *err)
{
    char copy[INI_FILE_LINE_CHARS + 1];
    int result;

    snprintf(copy, sizeof(copy), "%s", entry->value);
    const char *text = config_text_trim(copy);
    if (field == STAGE_DEPTH)
        result = set_depth(stage, text, err);
    else if (field == STAGE_HOLDS)
        result = set_holds(stage, text, err);
    else
        result = param_read(&fields[field], text, (char *)stage + fields[field].offset, err);
    if (result != 0)
        return -1;
    int line = stage->note[field].line[CONFIG_NIC];
    stage->note[field] = entry->note;
    if (entry->note.layer != CONFIG_LAYER_NIC)
        stage->note[field].line[CONFIG_NIC] = line;
    return 0;
}

int config_stage_check(const struct config *config, int *line, struct config_error *err)
{
    for (size_t i = 0; i < config->stage_count; i++) {
        const struct stage_spec *stage = &config->stage[i];
        *line = config->stage_line[i];
        for (int field = 0; field < STAGE_SYNC; field++)
            if (stage->note[field].line[CONFIG_NIC] == 0)
                return config_error_set(err, "stage %s.%s lacks '%s'", stage->path, stage->name, fields[field].key);
    }
    return 0;
}

static void depth_text(const struct stage_spec *stage, struct config_param_info *out)
{
    const char *unit = stage->depth_in_beats ? "beats" : "packets";

    snprintf(out->value, sizeof(out->value), "%lld %s", (long long)stage->depth, unit);
    snprintf(out->unit, sizeof(out->unit), "beats, packets");
}

void config_stage_info(const struct stage_spec *stage, enum stage_field field, struct config_param_info *out)
{
    const struct config_note *note = &stage->note[field];

    config_stage_key(stage, field, out->key);
    param_range_text(&fields[field], out->range);
    if (field == STAGE_DEPTH) {
        depth_text(stage, out);
    } else {
        param_print(&fields[field], (const char *)stage + fields[field].offset, out->value);
        param_unit_list(fields[field].unit, out->unit, sizeof(out->unit));
    }
    out->fallback = fields[field].fallback_text;
    out->class_name = param_class_name(note->class);
    out->source = note->source;
    out->origin = note->origin;
    out->sentence = fields[field].sentence;
    out->changed = note->layer == CONFIG_LAYER_SET;
}
