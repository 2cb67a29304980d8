/* What every record of a trace must keep, whatever its form: applied by the reader and by the writer alike.
 *
 * The rules are those without which a record cannot be replayed (unknown QP, times or doorbells that go backwards,
 * sizes); what a record could be but should not is traces/check.h's. The list is in FORMAT.md, "Rules". Memory: per
 * QP and per thread, not per record. */
#ifndef TRACES_RULES_H
#define TRACES_RULES_H

#include "traces/header.h"

struct trace_rules {
    const struct trace_header *header;
    struct trace_rules_qp {
        uint32_t db_id[2];    /* the last of SEND and of RECV events */
    } * qps;                  /* as header->qps */
    struct trace_map threads; /* (host, thread) to an index into last_ps */
    int64_t *last_ps;
    struct trace_record previous; /* only the fields that trace_same_doorbell reads */
    int started, open_loop;       /* is there a previous one; has its doorbell an absolute time */
};

/* The header must outlive the rules. 0, or -1. */
int trace_rules_init(struct trace_rules *rules, const struct trace_header *header, struct rnicsim_error *error);
/* 0, or -1 with what is wrong and what is allowed; a refused record leaves no trace in the rules. */
int trace_rules_check(struct trace_rules *rules, const struct trace_record *record, struct rnicsim_error *error);
void trace_rules_free(struct trace_rules *rules);

#endif
