/* Finds every fault of a trace: those that the reader refuses, and requests that could be read but never succeed on a
 * real NIC.
 *
 * The second kind (FORMAT.md, "Check"): keys without an MR, ranges outside it, missing access rights (only when the
 * trace has MR lines), impossible flags, sizes and opcodes. Checking goes on after a fault wherever the next record
 * can be found. */
#ifndef TRACES_CHECK_H
#define TRACES_CHECK_H

#include <stdint.h>

#include "api/rnicsim.h"

/* `text` is one line, with its place; `line` is the place as a number: a line (text form) or record (binary form), 0
 * for the file. */
typedef void trace_check_fault(void *context, uint64_t line, const char *text);

/* How many faults there are; at most `max` are reported to `fault`, and checking stops there. */
uint64_t trace_check(const char *path, trace_check_fault *fault, void *context, uint64_t max);

#endif
