/* The binary form: little-endian header tables, 64-byte records with 16-byte extension blocks, and a closing record.
 *
 * The layout, byte by byte: FORMAT.md, "Binary form". The codec's state is what a record may leave out: each host's
 * last db_id. */
#ifndef TRACES_BINARY_H
#define TRACES_BINARY_H

#include "traces/header.h"
#include "traces/input.h"

#define TRACE_BINARY_MAGIC "RNICTRC1"
#define TRACE_BINARY_RECORD_BYTES 64u
#define TRACE_BINARY_RECORD_MAX (64u + 16u * (3u + TRACE_SGE_MAX - 1u)) /* with all its extension blocks */

struct trace_binary {
    const struct trace_header *header; /* for the QPs' default cqn */
    uint32_t *last_db_id;              /* by host */
    uint64_t count;                    /* records so far */
};

int trace_binary_init(struct trace_binary *binary, const struct trace_header *header, struct rnicsim_error *error);
void trace_binary_free(struct trace_binary *binary);

/* After the magic was peeked at. 0, or -1. */
int trace_binary_read_header(struct trace_input *input, struct trace_header *header, struct rnicsim_error *error);
/* 1 a record, 0 the closing record was there and nothing after it, -1: the rest cannot be read. */
int trace_binary_read_record(struct trace_binary *binary, struct trace_input *input, struct trace_record *record,
                             struct rnicsim_error *error);

/* Malloc'ed bytes, or NULL: out of memory. */
unsigned char *trace_binary_format_header(const struct trace_header *header, size_t *length);
/* Into TRACE_BINARY_RECORD_MAX bytes; returns how many. */
size_t trace_binary_format_record(struct trace_binary *binary, const struct trace_record *record, unsigned char *bytes);
void trace_binary_format_end(const struct trace_binary *binary, unsigned char *bytes);

#endif
