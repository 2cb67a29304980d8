/* The bytes of a trace file, decompressed if need be (zstd, recognised by its magic), with constant memory.
 *
 * Errors: one line without the file's name (the reader adds where). A stream that is cut inside a zstd frame is an
 * error, never an early end. */
#ifndef TRACES_INPUT_H
#define TRACES_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "api/rnicsim.h"

struct trace_input;

/* Refuses directories, missing and empty files. */
int trace_input_open(const char *path, struct trace_input **out, struct rnicsim_error *error);
/* How many bytes were read, less than wanted only at the end; -1: error. */
int64_t trace_input_read(struct trace_input *input, void *bytes, size_t wanted, struct rnicsim_error *error);
/* The next bytes without taking them: how many are there, up to wanted (at most 64). */
int64_t trace_input_peek(struct trace_input *input, const void **bytes, size_t wanted, struct rnicsim_error *error);
/* A line into a buffer of TRACE_LINE_MAX + 1 bytes, without its end ("\n" or "\r\n"), ended by a zero: 1, 0 at the
 * end, -1 error. NUL bytes, over-long lines and a last line without an end are errors. */
int trace_input_line(struct trace_input *input, char *line, struct rnicsim_error *error);
/* How many (decompressed) bytes were taken. */
uint64_t trace_input_offset(const struct trace_input *input);
void trace_input_close(struct trace_input *input);

#endif
