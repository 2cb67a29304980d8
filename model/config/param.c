#include "config/param.h"

#include <stdio.h>
#include <string.h>

#include "config/config_text.h"
#include "config/param_dist.h"
#include "config/param_number.h"
#include "config/param_unit.h"

static const char *const class_names[PARAM_CLASS_COUNT] = {
    [PARAM_CLASS_MEASURED] = "measured",
    [PARAM_CLASS_DOCUMENTED] = "documented",
    [PARAM_CLASS_ASSUMED] = "assumed",
    [PARAM_CLASS_CALIBRATED] = "calibrated",
};

const char *param_class_name(enum param_class class)
{
    return class_names[class];
}

enum param_class param_class_of(const char *name)
{
    int class = 0;

    while (class < PARAM_CLASS_COUNT && strcmp(class_names[class], name) != 0)
        class ++;
    return (enum param_class) class;
}

size_t param_value_bytes(enum param_unit unit)
{
    if (unit == PARAM_TEXT)
        return PARAM_TEXT_BYTES;
    return unit == PARAM_DIST ? sizeof(struct param_dist) : sizeof(int64_t);
}

/* The index-th of "off|on"; its length in *bytes, NULL past the last. */
static const char *choice_at(const char *choices, int64_t index, int *bytes)
{
    for (; index > 0 && choices != NULL; index--) {
        choices = strchr(choices, '|');
        choices += choices != NULL;
    }
    if (choices != NULL)
        *bytes = (int)strcspn(choices, "|");
    return choices;
}

static void choices_text(const struct param_desc *desc, char *text)
{
    int bytes;
    size_t used = 0;
    const char *name;

    text[0] = '\0';
    for (int64_t i = 0; (name = choice_at(desc->choices, i, &bytes)) != NULL && used < PARAM_RANGE_BYTES; i++)
        used += (size_t)snprintf(text + used, PARAM_RANGE_BYTES - used, "%s%.*s", i > 0 ? ", " : "", bytes, name);
}

/* A number of which only powers of two are allowed. */
static int is_power_of_two(const struct param_desc *desc)
{
    return desc->unit != PARAM_CHOICE && strcmp(desc->choices, PARAM_POWER_OF_TWO) == 0;
}

void param_range_text(const struct param_desc *desc, char *text)
{
    const char *min = *desc->min_text != '\0' ? desc->min_text : "0";
    const char *only = is_power_of_two(desc) ? "powers of two, " : "";

    if (desc->unit == PARAM_CHOICE)
        choices_text(desc, text);
    else if (desc->unit == PARAM_TEXT)
        snprintf(text, PARAM_RANGE_BYTES, "up to %d characters", PARAM_TEXT_BYTES - 1);
    else if (*desc->max_text == '\0')
        snprintf(text, PARAM_RANGE_BYTES, "%s%s or more", only, min);
    else
        snprintf(text, PARAM_RANGE_BYTES, "%s%s to %s", only, min, desc->max_text);
}

int param_range(const struct param_desc *desc, int64_t *min, int64_t *max, struct config_error *err)
{
    enum param_unit unit = desc->unit == PARAM_DIST ? PARAM_TIME : desc->unit;
    struct config_error reason;

    *min = 0;
    *max = INT64_MAX;
    if (*desc->min_text != '\0' && param_unit_read(unit, desc->min_text, min, &reason) != 0)
        return config_error_set(err, "the table's minimum '%s': %s", desc->min_text, reason.text);
    if (*desc->max_text != '\0' && param_unit_read(unit, desc->max_text, max, &reason) != 0)
        return config_error_set(err, "the table's maximum '%s': %s", desc->max_text, reason.text);
    return 0;
}

static int check_range(const struct param_desc *desc, int64_t smallest, int64_t largest, struct config_error *err)
{
    char allowed[PARAM_RANGE_BYTES];
    int64_t min, max;

    if (param_range(desc, &min, &max, err) != 0)
        return -1;
    int outside = smallest < min || largest > max;
    if (!outside && !(is_power_of_two(desc) && (smallest & (smallest - 1)) != 0))
        return 0;
    param_range_text(desc, allowed);
    return config_error_set(err, "%s, allowed %s", outside ? "out of range" : "not a power of two", allowed);
}

static int read_choice(const struct param_desc *desc, const char *text, int64_t *out, struct config_error *err)
{
    char allowed[PARAM_RANGE_BYTES];
    int bytes;
    const char *name;

    for (int64_t i = 0; (name = choice_at(desc->choices, i, &bytes)) != NULL; i++) {
        if ((size_t)bytes == strlen(text) && strncmp(name, text, (size_t)bytes) == 0) {
            *out = i;
            return 0;
        }
    }
    choices_text(desc, allowed);
    return config_error_set(err, "unknown choice, allowed %s", allowed);
}

static int read_text(char *text, char *out, struct config_error *err)
{
    char *bare = config_text_unquote(text);

    if (strchr(bare, '"') != NULL)
        return config_error_set(err, "quote within the text");
    if (strlen(bare) >= PARAM_TEXT_BYTES)
        return config_error_set(err, "text too long, allowed up to %d characters", PARAM_TEXT_BYTES - 1);
    memset(out, 0, PARAM_TEXT_BYTES);
    return config_text_copy(out, PARAM_TEXT_BYTES, bare);
}

static int read_kind(const struct param_desc *desc, char *text, union param_value *out, struct config_error *err)
{
    switch (desc->unit) {
    case PARAM_CHOICE:
        return read_choice(desc, text, &out->number, err);
    case PARAM_TEXT:
        return read_text(text, out->text, err);
    case PARAM_DIST:
        if (param_dist_read(text, &out->dist, err) != 0)
            return -1;
        return check_range(desc, out->dist.point[0].ps, out->dist.point[out->dist.count - 1].ps, err);
    default:
        if (param_unit_read(desc->unit, text, &out->number, err) != 0)
            return -1;
        return check_range(desc, out->number, out->number, err);
    }
}

int param_read(const struct param_desc *desc, const char *text, void *value, struct config_error *err)
{
    char copy[PARAM_PRINT_BYTES];
    union param_value parsed;

    if (config_text_copy(copy, sizeof(copy), text) != 0)
        return config_error_set(err, "value too long, allowed up to %d characters", PARAM_PRINT_BYTES - 1);
    char *trimmed = config_text_trim(copy);
    if (*trimmed == '\0')
        return config_error_set(err, "no value");
    if (read_kind(desc, trimmed, &parsed, err) != 0)
        return -1;
    memcpy(value, &parsed, param_value_bytes(desc->unit));
    return 0;
}

int param_parse(const struct param_desc *desc, const char *text, void *value, struct config_error *err)
{
    struct config_error reason;

    if (param_read(desc, text, value, &reason) != 0)
        return config_error_set(err, "%s = %.60s: %s", desc->key, text, reason.text);
    return 0;
}

/* Quoted unless it is a plain word: bare, a '#' would begin a comment and a '@' a class. */
static void print_text(const char *value, char *text)
{
    const char *quote = config_text_is_name(value, "./+-") ? "" : "\"";

    snprintf(text, PARAM_PRINT_BYTES, "%s%s%s", quote, value, quote);
}

void param_print(const struct param_desc *desc, const void *value, char *text)
{
    union param_value copy;
    int bytes = 0;

    memcpy(&copy, value, param_value_bytes(desc->unit));
    switch (desc->unit) {
    case PARAM_CHOICE: {
        const char *name = choice_at(desc->choices, copy.number, &bytes);
        snprintf(text, PARAM_PRINT_BYTES, "%.*s", bytes, name != NULL ? name : "");
        break;
    }
    case PARAM_TEXT:
        print_text(copy.text, text);
        break;
    case PARAM_DIST:
        param_dist_print(&copy.dist, text);
        break;
    default:
        param_unit_print(desc->unit, copy.number, text);
    }
}
