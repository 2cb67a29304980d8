#include "config/param_unit.h"

#include <stdio.h>
#include <string.h>

#include "config/param_number.h"

/* Within a kind, printable names rise. */
static const struct param_unit_name names[] = {
    {PARAM_TIME, "ps", 1, 0},
    {PARAM_TIME, "ns", 1000, 0},
    {PARAM_TIME, "us", 1000000, 0},
    {PARAM_TIME, "ms", 1000000000, 0},
    {PARAM_TIME, "s", 1000000000000, 0},
    {PARAM_FREQUENCY, "Hz", 1, 0},
    {PARAM_FREQUENCY, "kHz", 1000, 0},
    {PARAM_FREQUENCY, "MHz", 1000000, 0},
    {PARAM_FREQUENCY, "GHz", 1000000000, 0},
    {PARAM_RATE, "bps", 1, 0},
    {PARAM_RATE, "kbps", 1000, 0},
    {PARAM_RATE, "Mbps", 1000000, 0},
    {PARAM_RATE, "Gbps", 1000000000, 0},
    {PARAM_BYTES, "B", 1, 0},
    {PARAM_BYTES, "KiB", 1024, 0},
    {PARAM_BYTES, "MiB", 1048576, 0},
    {PARAM_BYTES, "GiB", 1073741824, 0},
    {PARAM_BYTES, "byte", 1, 1},
    {PARAM_BYTES, "bytes", 1, 1},
    {PARAM_BITS, "bit", 1, 0},
    {PARAM_BITS, "bits", 1, 1},
    {PARAM_CYCLES, "cycle", 1, 0},
    {PARAM_CYCLES, "cycles", 1, 1},
    {PARAM_PPM, "ppm", 1000, 0},
    {PARAM_LENGTH, "mm", 1, 0},
    {PARAM_LENGTH, "cm", 10, 0},
    {PARAM_LENGTH, "m", 1000, 0},
};

/* By enum param_unit: the base unit, an example of a value, and a word for kinds without units. */
static const struct {
    const char *base, *example, *word;
} kinds[] = {
    [PARAM_COUNT] = {"", "4", "count"},
    [PARAM_TIME] = {"ps", "4 ns", ""},
    [PARAM_FREQUENCY] = {"Hz", "250 MHz", ""},
    [PARAM_RATE] = {"bit/s", "100 Gbps", ""},
    [PARAM_BYTES] = {"B", "64 B", ""},
    [PARAM_BITS] = {"bit", "512 bit", ""},
    [PARAM_CYCLES] = {"cycle", "3 cycle", ""},
    [PARAM_PPM] = {"0.001 ppm", "100 ppm", ""},
    [PARAM_LENGTH] = {"mm", "3 m", ""},
    [PARAM_CHOICE] = {"", "", "choice"},
    [PARAM_TEXT] = {"", "", "text"},
    [PARAM_DIST] = {"ps", "0:170 50:200 100:650 ns", "percent:time, ps to s"},
};

#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

const char *param_unit_base(enum param_unit kind)
{
    return kinds[kind].base;
}

void param_unit_list(enum param_unit kind, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "%s", kinds[kind].word);

    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (names[i].kind != kind || names[i].alias || used >= bytes)
            continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "", names[i].name);
    }
}

const struct param_unit_name *param_unit_find(enum param_unit kind, const char *text, struct config_error *err)
{
    enum param_unit family = kind == PARAM_DIST ? PARAM_TIME : kind;
    char allowed[64];

    if (*text == ' ')
        text++;
    if (*text == '\0') {
        config_error_set(err, "missing unit, write for example '%s'", kinds[kind].example);
        return NULL;
    }
    if (*text == ' ') {
        config_error_set(err, "more than one space before the unit, write for example '%s'", kinds[kind].example);
        return NULL;
    }
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (names[i].kind == family && strcmp(names[i].name, text) == 0)
            return &names[i];
    param_unit_list(family, allowed, sizeof(allowed));
    config_error_set(err, "unknown unit '%.40s', allowed %s", text, allowed);
    return NULL;
}

int param_unit_read(enum param_unit kind, const char *text, int64_t *out, struct config_error *err)
{
    struct param_number number;

    if (param_number_read(&text, &number, err) != 0)
        return -1;
    if (kind == PARAM_COUNT) {
        if (*text != '\0')
            return config_error_set(err, "'%.40s' after the number, this value has no unit", text);
        return param_number_scale(&number, 1, "", out, err);
    }
    const struct param_unit_name *unit = param_unit_find(kind, text, err);
    if (unit == NULL)
        return -1;
    return param_number_scale(&number, unit->multiplier, kinds[kind].base, out, err);
}

const struct param_unit_name *param_unit_natural(enum param_unit kind, int64_t value)
{
    const struct param_unit_name *best = NULL;
    int64_t magnitude = value < 0 ? -value : value;

    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (names[i].kind != kind || names[i].alias)
            continue;
        /* A KiB is no power of ten: its decimals would be many. */
        int whole = kind != PARAM_BYTES || magnitude % names[i].multiplier == 0;
        if (best == NULL || (magnitude >= names[i].multiplier && whole))
            best = &names[i];
    }
    return best;
}

void param_unit_print(enum param_unit kind, int64_t value, char *text)
{
    const struct param_unit_name *unit = param_unit_natural(kind, value);
    int length = param_number_print(value, unit == NULL ? 1 : unit->multiplier, text);

    if (unit != NULL)
        snprintf(text + length, (size_t)(PARAM_NUMBER_BYTES - length), " %s", unit->name);
}
