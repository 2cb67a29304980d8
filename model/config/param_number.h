/* Decimal numbers, exactly: read, scaled to base units and printed with integer arithmetic only. */
#ifndef CONFIG_PARAM_NUMBER_H
#define CONFIG_PARAM_NUMBER_H

#include <stdint.h>

#include "config/config_error.h"

#define PARAM_NUMBER_BYTES 64

/* whole + fraction / 10^digits, with a sign. */
struct param_number {
    int negative;
    uint64_t whole;    /* at most 2^63-1 */
    uint64_t fraction; /* without trailing zeros */
    int digits;        /* of the fraction, 0 .. 18 */
};

/* Reads "[-+]digits[.digits]" and moves *text past it. */
int param_number_read(const char **text, struct param_number *out, struct config_error *err);

/* number × multiplier (1 .. 2^40); refused when it is no whole number or above 2^63-1. `base` names the result's unit
 * in the error, empty for none. */
int param_number_scale(const struct param_number *number, int64_t multiplier, const char *base, int64_t *out,
                       struct config_error *err);

/* Prints value / multiplier with all its decimals; the multiplier has no prime factors but 2 and 5. `text` has
 * PARAM_NUMBER_BYTES. Returns the length. */
int param_number_print(int64_t value, int64_t multiplier, char *text);

#endif
