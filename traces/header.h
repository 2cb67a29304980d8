/* Fills, checks and searches the tables of a trace's header.
 *
 * Each add checks the entry by itself and against its table (ranges are those of rnicsim.h); it returns 0, or -1 with
 * one line in error and the header unchanged. Strings are copied. */
#ifndef TRACES_HEADER_H
#define TRACES_HEADER_H

#include "traces/record.h"

int trace_header_add_host(struct trace_header *header, const struct trace_host *host, struct rnicsim_error *error);
int trace_header_add_qp(struct trace_header *header, const struct trace_qp *qp, struct rnicsim_error *error);
int trace_header_add_mr(struct trace_header *header, const struct trace_mr *mr, struct rnicsim_error *error);
/* One line of text without line ends, at most TRACE_NOTE_MAX bytes. */
int trace_header_add_note(struct trace_header *header, const char *text, struct rnicsim_error *error);

/* To be called when all are added: every peer exists, is of the same type and names its peer back. 0, or -1 with
 * error and, if bad_qp is not NULL, the QP at fault. */
int trace_header_validate(const struct trace_header *header, const struct trace_qp **bad_qp,
                          struct rnicsim_error *error);

/* NULL: there is none. */
const struct trace_qp *trace_header_qp(const struct trace_header *header, uint32_t host, uint32_t qpn);
const struct trace_mr *trace_header_mr(const struct trace_header *header, uint32_t host, uint32_t key);

/* One more than the highest host number in the tables: how many hosts a replay needs. */
uint32_t trace_header_hosts_needed(const struct trace_header *header);

void trace_header_free(struct trace_header *header);

#endif
