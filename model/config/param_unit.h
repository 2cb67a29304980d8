/* The units in which values are written, and how many base units each is. */
#ifndef CONFIG_PARAM_UNIT_H
#define CONFIG_PARAM_UNIT_H

#include <stddef.h>
#include <stdint.h>

#include "config/param.h"

struct param_unit_name {
    enum param_unit kind;
    const char *name;
    int64_t multiplier; /* base units in one of these */
    int alias;          /* 1: understood, but never printed */
};

/* Reads "number unit", the unit mandatory ("number" alone for PARAM_COUNT), in base units. */
int param_unit_read(enum param_unit kind, const char *text, int64_t *out, struct config_error *err);

/* Finds the unit after a number: at most one space, then a name of this kind and nothing else. NULL: see err. */
const struct param_unit_name *param_unit_find(enum param_unit kind, const char *text, struct config_error *err);

/* The unit in which the value reads best: the largest of which it holds at least one (for bytes: a whole number). */
const struct param_unit_name *param_unit_natural(enum param_unit kind, int64_t value);

/* "4 ns"; `text` has PARAM_NUMBER_BYTES. */
void param_unit_print(enum param_unit kind, int64_t value, char *text);

/* The unit names, "ps, ns, us, ms, s"; for kinds without unit a word for what they are. `bytes` of text. */
void param_unit_list(enum param_unit kind, char *text, size_t bytes);

/* The base unit's name, for errors: "ps". */
const char *param_unit_base(enum param_unit kind);

#endif
