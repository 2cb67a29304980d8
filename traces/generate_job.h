/* What the two halves of the generator share: its options, read. */
#ifndef TRACES_GENERATE_JOB_H
#define TRACES_GENERATE_JOB_H

#include "traces/choice.h"
#include "traces/generate.h"
#include "traces/header.h"
#include "traces/sizes.h"
#include "traces/writer.h"

#define TRACE_GENERATE_LIST_BYTES 128u

struct trace_generate_list {
    uint32_t value[TRACE_GENERATE_LIST_BYTES / 2], count;
};

struct trace_generate_job {
    struct trace_generate options; /* depth is resolved */
    struct trace_sizes sizes;
    struct trace_choice opcodes;
    enum trace_opcode opcode[TRACE_CHOICE_LIST_MAX];
    struct trace_generate_list sl, weight; /* empty: not said */
    struct trace_choice qps;               /* empty: they take turns */
    struct trace_arrivals arrivals;
    struct trace_header header;
    uint64_t receives;   /* RECVs that a QP of host 1 holds; 0: no message needs one */
    uint64_t slot_bytes; /* of one message's buffer */
    struct trace_generate_qp {
        uint32_t requests, receives; /* so far */
    } * qp;
    uint32_t db_id[2]; /* of each host, the last */
};

#define TRACE_GENERATE_BASE UINT64_C(0x100000000) /* of each host's memory */
#define TRACE_GENERATE_KEY 1u
#define TRACE_GENERATE_START_PS 100000 /* for each RECV that stands at the start: more than the CPU needs */

/* Writes all records. 0, or -1 with one line of error. */
int trace_generate_records(struct trace_generate_job *job, struct trace_writer *writer, struct rnicsim_error *error);

#endif
