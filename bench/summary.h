/* summary.json: the whole result in one object, whose keys other tools rely on (DESIGN, section 1).
 *
 * Numbers are rounded to three decimals (shares, rates and ns alike) so that they are short, and the same on any machine.
 * goodput_gbps and wire_gbps are those of the busier direction; backpressure is in ns.
 * Only wall_time_s, packets_per_wall_s and realtime_factor depend on it. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "bench/result.h"

/* The object, to be released with json_decref(); NULL without memory. Without has_wall the three keys that depend on the machine's clock
 * are not in it, so that the same run has the same bytes. */
json_t *summary_make(const struct result *result, int has_wall);
/* 0, or -1: without memory, or the write failed. */
int summary_write(const struct result *result, FILE *out);

/* ---- for other results in JSON ---- */

/* What every result begins with: schema, version, status, board, host, changed parameters, trace, digest, seed. *failed is set when
 * memory is out. */
void summary_identity(json_t *object, const struct result *result, int *failed);
/* A member of the object, which takes the value over. */
static inline void summary_put(json_t *object, const char *key, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, key, value) != 0;
}
static inline json_t *summary_whole(uint64_t number)
{
    return json_integer((json_int_t)number);
}
/* Rounded to so many steps a unit: 1e3 for three decimals. */
json_t *summary_number(double value, double steps);
/* 0, or -1: the write failed. */
int summary_dump(const json_t *object, FILE *out);

#endif
