/* The small pieces of the text form: numbers, sets of names, and appending to a buffer.
 *
 * Parsers return 0, or -1 with one line of error that begins with `what`, the column's or key's name. Appenders write
 * at `to` and return the new end; the caller has made sure of the room (20 characters for a number). */
#ifndef TRACES_TEXT_H
#define TRACES_TEXT_H

#include "traces/record.h"

/* Decimal or 0x hexadecimal, without sign or blanks. */
int trace_text_number(const char *text, uint64_t max, const char *what, uint64_t *out, struct rnicsim_error *error);
/* A decimal with at most so many digits behind the point, as a whole number of its last digit: "0.25" with 3 is 250. */
int trace_text_decimal(const char *text, unsigned digits, uint64_t max, const char *what, uint64_t *out,
                       struct rnicsim_error *error);
/* Names joined by '|'; name(i) is bit i. The empty text is 0. `text` is modified. */
int trace_text_set(char *text, const char *(*name)(uint32_t), uint32_t count, const char *what, uint32_t *out,
                   struct rnicsim_error *error);

char *trace_text_append(char *to, const char *text);
char *trace_text_append_number(char *to, uint64_t number);
char *trace_text_append_hex(char *to, uint64_t number);
char *trace_text_append_set(char *to, uint32_t bits, const char *(*name)(uint32_t), uint32_t count);

#endif
