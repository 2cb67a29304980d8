/* The bytes of a file being written: to a temporary name beside it, renamed when finished, so that no half file is
 * ever seen.
 *
 * An existing file that is not regular (/dev/full, /dev/stdout, a pipe) is written to straight. Errors: one line with
 * the file's name; after one, only trace_output_discard is left to call. */
#ifndef TRACES_OUTPUT_H
#define TRACES_OUTPUT_H

#include <stddef.h>

#include "api/rnicsim.h"

struct trace_output;

int trace_output_open(const char *path, int compressed, struct trace_output **out, struct rnicsim_error *error);
int trace_output_write(struct trace_output *output, const void *bytes, size_t count, struct rnicsim_error *error);
/* Puts the file in its place and frees `output`, in any case; on error nothing is left behind. */
int trace_output_finish(struct trace_output *output, struct rnicsim_error *error);
/* Gives up: the temporary file is removed. NULL is allowed. */
void trace_output_discard(struct trace_output *output);

#endif
