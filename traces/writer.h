/* Writes a trace, in the form that its name says, with constant memory; nothing is seen under that name before
 * trace_finish.
 *
 * .csv .wqe: text; .bin: binary; either with .zst after it: compressed. An existing file that is not regular
 * (/dev/stdout) is written to straight, as text whatever its name. Records must keep the rules of FORMAT.md, as when
 * read. Errors: one line, "file: ...". */
#ifndef TRACES_WRITER_H
#define TRACES_WRITER_H

#include "traces/header.h"

struct trace_writer;

/* The header is checked and must outlive the writer. 0, or -1: nothing is left to finish. */
int trace_create(const char *path, const struct trace_header *header, struct trace_writer **out,
                 struct rnicsim_error *error);
/* 0, or -1: the record was not written. */
int trace_put(struct trace_writer *writer, const struct trace_record *record, struct rnicsim_error *error);
/* Puts the file in its place and frees the writer, in any case; fails, and leaves nothing, if any trace_put failed.
 */
int trace_finish(struct trace_writer *writer, struct rnicsim_error *error);
/* Gives up; nothing is left behind. NULL is allowed. */
void trace_discard(struct trace_writer *writer);

#endif
