/* A choice among numbered things with weights, by inverse cumulative sum in integers: the same on every machine. */
#ifndef TRACES_CHOICE_H
#define TRACES_CHOICE_H

#include <stddef.h>

#include "api/rnicsim.h"

#define TRACE_CHOICE_LIST_MAX 64u /* entries of a list that a user writes */

/* All zero is an empty one. */
struct trace_choice {
    uint64_t *upto; /* the sum of the weights up to and with this one */
    size_t count;
};

/* Adds thing number `count`. 0, or -1: memory is out, or the sum passes 2^64. */
int trace_choice_add(struct trace_choice *choice, uint64_t weight);
uint64_t trace_choice_weight(const struct trace_choice *choice, size_t index);
uint64_t trace_choice_total(const struct trace_choice *choice);
/* The thing that a uniform draw of 64 bits falls on. */
size_t trace_choice_draw(const struct trace_choice *choice, uint64_t draw);
/* Ranks 1 .. count with weights rank^-S; exponent_millionths is S in 1e-6, up to 10. Right to 2^-40 of the greatest
 * weight. 0, or -1 without memory. */
int trace_choice_zipf(struct trace_choice *choice, uint64_t exponent_millionths, size_t count);
void trace_choice_free(struct trace_choice *choice);

/* Reads "name:weight,name:weight" (or "name,name": equal weights) into the choice; `take` is told each name in turn.
 * 0, or -1 with one line of error that begins with `what`. */
typedef int trace_choice_take(void *context, const char *name, struct rnicsim_error *error);
int trace_choice_parse(struct trace_choice *choice, const char *text, const char *what, trace_choice_take *take,
                       void *context, struct rnicsim_error *error);

#endif
