/* Reads a trace, text or binary, compressed or not, record by record with constant memory.
 *
 * Every record that is handed out keeps the rules of FORMAT.md. Functions that can fail return -1 and one line of
 * error: "file:line: what is wrong, what is allowed", for the binary form "file: record N (byte B): ...". */
#ifndef TRACES_READER_H
#define TRACES_READER_H

#include "traces/header.h"

struct trace_reader;

/* 0, or -1: nothing is left to close. The whole header is read and checked. */
int trace_open(const char *path, struct trace_reader **out, struct rnicsim_error *error);
/* Valid until trace_close. */
const struct trace_header *trace_header(const struct trace_reader *reader);
/* 1 a record, 0 the end, -1 error. Whoever wants no half result stops at the first -1; a checker may go on while
 * trace_resumable: the next call then reads the next record. */
int trace_next(struct trace_reader *reader, struct trace_record *record, struct rnicsim_error *error);
/* After -1: 1 when the fault was in that record alone. */
int trace_resumable(const struct trace_reader *reader);
/* The line of the last record (text form), or its number, from 1 (binary form). */
uint64_t trace_line(const struct trace_reader *reader);
/* Puts the last record's place before a text, as in this reader's errors. */
void trace_locate(const struct trace_reader *reader, const char *what, struct rnicsim_error *error);
void trace_close(struct trace_reader *reader);

#endif
