/* Parameters: from one table per room come the struct, the parser, the range checks and the listing.
 *
 * A room writes one line a parameter in its params.def, ten arguments:
 *
 *   PARAM(field, "room.key", UNIT, "choices or empty", "default as text", "min as text", "max as text", CLASS,
 *         "source", "one sentence")
 *
 *   PARAM(lanes, "pcie.lanes", PARAM_COUNT, "pow2", "16", "1", "16", DOCUMENTED, "PCIe 3.0, 4.2.6", "Lanes of the link.")
 *   PARAM(flight, "pcie.flight", PARAM_TIME, "", "2 ns", "0 ps", "1 us", ASSUMED, "", "Wire delay, one way.")
 *
 * UNIT is one of enum param_unit, CLASS one of MEASURED DOCUMENTED ASSUMED CALIBRATED. An empty min is 0, an empty max
 * the largest value there is; min and max are empty for PARAM_CHOICE and PARAM_TEXT, and bound every time of a
 * PARAM_DIST. The choices of a number are empty, or "pow2": only powers of two are allowed. Its params.h makes the struct,
 * its params.c the table:
 *
 *   struct pcie_params {
 *   #define PARAM PARAM_FIELD
 *   #include "pcie/params.def"
 *   #undef PARAM
 *   };
 *   extern const struct param_table pcie_param_table;
 *
 *   #define PARAM(...) PARAM_ROW(struct pcie_params, __VA_ARGS__)
 *   static const struct param_desc rows[] = {
 *   #include "pcie/params.def"
 *   };
 *   #undef PARAM
 *   const struct param_table pcie_param_table = PARAM_TABLE("pcie", struct pcie_params, rows);
 *
 * Numbers are decimal and exact: no floating point anywhere, and what is no whole number of base units is refused.
 * Values lie in -(2^63-1) .. 2^63-1. A unit is mandatory where the kind has one, with at most one space before it. */
#ifndef CONFIG_PARAM_H
#define CONFIG_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include "config/config_error.h"

enum param_unit {
    PARAM_COUNT,     /* a number without unit */
    PARAM_TIME,      /* ps; written ps ns us ms s */
    PARAM_FREQUENCY, /* Hz; Hz kHz MHz GHz */
    PARAM_RATE,      /* bit/s; bps kbps Mbps Gbps */
    PARAM_BYTES,     /* B; B KiB MiB GiB, also byte, bytes */
    PARAM_BITS,      /* bit, also bits */
    PARAM_CYCLES,    /* cycle, also cycles */
    PARAM_PPM,       /* 0.001 ppm; written ppm */
    PARAM_LENGTH,    /* mm; mm cm m */
    PARAM_CHOICE,    /* index into the choices, "off|on" */
    PARAM_TEXT,      /* char[PARAM_TEXT_BYTES] */
    PARAM_DIST       /* struct param_dist */
};

enum param_class {
    PARAM_CLASS_MEASURED,
    PARAM_CLASS_DOCUMENTED,
    PARAM_CLASS_ASSUMED,
    PARAM_CLASS_CALIBRATED,
    PARAM_CLASS_COUNT
};

#define PARAM_POWER_OF_TWO "pow2" /* as the choices of a number */
#define PARAM_TEXT_BYTES 64
#define PARAM_PRINT_BYTES 640 /* holds any printed value: 16 points of a distribution */
#define PARAM_RANGE_BYTES 160
#define PARAM_DIST_POINTS 16

/* A distribution of a time, as its inverse CDF: written "0:173 50:200 99:226 100:653 ns", percent:time, or "200 ns".
 * There are always at least two points: the first has ppb 0, the last ppb 1000000000; unused points are zero. */
struct param_dist {
    int32_t count;
    struct {
        int64_t ppb; /* probability in 1e-9, strictly rising */
        int64_t ps;  /* never falling */
    } point[PARAM_DIST_POINTS];
};

/* Large enough for a value of any kind. */
union param_value {
    int64_t number;
    char text[PARAM_TEXT_BYTES];
    struct param_dist dist;
};

struct param_desc {
    const char *key; /* in full: "pcie.lanes" */
    enum param_unit unit;
    const char *choices; /* "off|on"; of a number "" or PARAM_POWER_OF_TWO */
    const char *fallback_text, *min_text, *max_text;
    enum param_class class;
    const char *source, *sentence;
    size_t offset; /* of the field in the room's struct */
};

struct param_table {
    const char *room;
    const struct param_desc *desc;
    size_t count;
    size_t struct_bytes;
};

#define PARAM_FIELD_PARAM_COUNT(field) int64_t field
#define PARAM_FIELD_PARAM_TIME(field) int64_t field
#define PARAM_FIELD_PARAM_FREQUENCY(field) int64_t field
#define PARAM_FIELD_PARAM_RATE(field) int64_t field
#define PARAM_FIELD_PARAM_BYTES(field) int64_t field
#define PARAM_FIELD_PARAM_BITS(field) int64_t field
#define PARAM_FIELD_PARAM_CYCLES(field) int64_t field
#define PARAM_FIELD_PARAM_PPM(field) int64_t field
#define PARAM_FIELD_PARAM_LENGTH(field) int64_t field
#define PARAM_FIELD_PARAM_CHOICE(field) int64_t field
#define PARAM_FIELD_PARAM_TEXT(field) char field[PARAM_TEXT_BYTES]
#define PARAM_FIELD_PARAM_DIST(field) struct param_dist field

#define PARAM_FIELD(field, key, unit, choices, fallback, min, max, class, source, sentence) PARAM_FIELD_##unit(field);
#define PARAM_ROW(structure, field, key, unit, choices, fallback, min, max, class, source, sentence) \
    {key, unit, choices, fallback, min, max, PARAM_CLASS_##class, source, sentence, offsetof(structure, field)},
#define PARAM_TABLE(room, structure, rows)                              \
    {                                                                   \
        room, rows, sizeof(rows) / sizeof((rows)[0]), sizeof(structure) \
    }

/* Parses and checks the range; `value` (an int64_t, char[PARAM_TEXT_BYTES] or struct param_dist) is written only on
 * success. The error is "pcie.lanes = 17: out of range, allowed 1 to 16". */
int param_parse(const struct param_desc *desc, const char *text, void *value, struct config_error *err);

/* The same, but the error is the reason alone: "out of range, allowed 1 to 16". */
int param_read(const struct param_desc *desc, const char *text, void *value, struct config_error *err);

/* Prints exactly, with the unit that reads best; param_parse() makes the same value of it. `text` has
 * PARAM_PRINT_BYTES. */
void param_print(const struct param_desc *desc, const void *value, char *text);

/* The least and the most of a number, in base units. */
int param_range(const struct param_desc *desc, int64_t *min, int64_t *max, struct config_error *err);

/* What is allowed: "1 to 16", "off, on". `text` has PARAM_RANGE_BYTES. */
void param_range_text(const struct param_desc *desc, char *text);

/* What a value of the kind takes in its struct. */
size_t param_value_bytes(enum param_unit unit);

const char *param_class_name(enum param_class class);

/* PARAM_CLASS_COUNT when there is none of that name. */
enum param_class param_class_of(const char *name);

#endif
