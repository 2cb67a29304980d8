/* The records of a generated trace. */
#include "traces/generate_job.h"
#include "traces/random.h"

#define PS_PER_NS 1000
#define ATOMIC_BYTES 8u

/* A QP's buffers are used in turn; those of its RECVs lie behind all others. */
static uint64_t buffer(const struct trace_generate_job *job, uint32_t index, uint64_t ordinal)
{
    uint64_t depth = job->options.depth;
    return TRACE_GENERATE_BASE + (index * depth + ordinal % depth) * job->slot_bytes;
}

static uint64_t receive_buffer(const struct trace_generate_job *job, uint32_t index, uint64_t ordinal)
{
    uint64_t before = job->options.qps * job->options.depth;
    return TRACE_GENERATE_BASE + (before + index * job->receives + ordinal % job->receives) * job->slot_bytes;
}

static int put_receive(struct trace_generate_job *job, struct trace_writer *writer, uint32_t index,
                       struct trace_dep dep, struct rnicsim_error *error)
{
    uint32_t ordinal = job->qp[index].receives++;
    struct trace_record record = {.event = TRACE_RECV,
                                  .opcode = TRACE_OP_RECV,
                                  .host = 1,
                                  .thread = index,
                                  .qpn = index + 1,
                                  .db_id = job->db_id[1],
                                  .wr_id = ordinal,
                                  .len = trace_sizes_largest(&job->sizes),
                                  .nsge = 1,
                                  .laddr = receive_buffer(job, index, ordinal),
                                  .lkey = TRACE_GENERATE_KEY,
                                  .dep = dep};
    return trace_put(writer, &record, error);
}

/* What stands in the receive queues before anything is sent: one doorbell a QP. */
static int put_first_receives(struct trace_generate_job *job, struct trace_writer *writer, struct rnicsim_error *error)
{
    const struct trace_dep none = {0};
    for (uint32_t i = 0; i < job->options.qps; i++) {
        job->db_id[1]++;
        for (uint64_t k = 0; k < job->receives; k++)
            if (put_receive(job, writer, i, none, error) != 0)
                return -1;
    }
    return 0;
}

/* The k-th message that has come gives its RECV back. */
static int put_receive_again(struct trace_generate_job *job, struct trace_writer *writer, uint32_t index,
                             struct rnicsim_error *error)
{
    uint32_t come = job->qp[index].receives - (uint32_t)job->receives + 1;
    struct trace_dep dep = {.term = {{TRACE_DEP_RECV, come}, {TRACE_DEP_NONE, 0}}};
    job->db_id[1]++;
    return put_receive(job, writer, index, dep, error);
}

static int64_t start_ps(const struct trace_generate_job *job)
{
    return (int64_t)(job->receives * job->options.qps) * TRACE_GENERATE_START_PS;
}

/* What a request of a closed loop waits for. A thread's first starts the whole. */
static struct trace_dep closed_dep(const struct trace_generate_job *job, uint32_t index, int is_first)
{
    struct trace_dep dep = {.term = {{TRACE_DEP_POST, 0}, {TRACE_DEP_NONE, 0}}};
    uint32_t ordinal = job->qp[index].requests + 1;
    if (ordinal > job->options.depth)
        dep.term[0] = (struct trace_dep_term){TRACE_DEP_CQE, ordinal - (uint32_t)job->options.depth};
    else if (is_first)
        dep.think_ns = (uint32_t)(start_ps(job) / PS_PER_NS);
    return dep;
}

static uint32_t choose_qp(const struct trace_generate_job *job, uint64_t ordinal)
{
    if (job->qps.count == 0)
        return (uint32_t)(ordinal % job->options.qps);
    return (uint32_t)trace_choice_draw(&job->qps, trace_random(job->options.seed, TRACE_RANDOM_QP, ordinal));
}

static void fill_message(const struct trace_generate_job *job, uint32_t index, uint64_t ordinal,
                         struct trace_record *record)
{
    uint64_t draw = trace_random(job->options.seed, TRACE_RANDOM_OPCODE, ordinal);
    record->opcode = job->opcode[trace_choice_draw(&job->opcodes, draw)];
    record->len = trace_sizes_draw(&job->sizes, job->options.seed, ordinal);
    record->nsge = 1;
    record->laddr = buffer(job, index, job->qp[index].requests);
    record->lkey = TRACE_GENERATE_KEY;
    if (trace_opcode_is_atomic(record->opcode))
        record->len = ATOMIC_BYTES;
    if (record->opcode != TRACE_OP_SEND && record->opcode != TRACE_OP_SEND_IMM) {
        record->raddr = record->laddr;
        record->rkey = TRACE_GENERATE_KEY;
    }
    if (record->opcode == TRACE_OP_WRITE_IMM || record->opcode == TRACE_OP_SEND_IMM)
        record->imm = (uint32_t)ordinal;
    if (trace_opcode_is_answered(record->opcode))
        return;
    if (job->options.inline_bytes != 0 && record->len <= job->options.inline_bytes) {
        record->flags |= TRACE_INLINE;
        record->inlined = 1;
    }
}

static int put_request(struct trace_generate_job *job, struct trace_writer *writer, uint64_t ordinal,
                       struct rnicsim_error *error)
{
    uint32_t index = choose_qp(job, ordinal);
    int is_closed = job->options.arrival == TRACE_CLOSED, is_one_thread = !is_closed || job->qps.count > 0;
    struct trace_record record = {.event = TRACE_SEND,
                                  .thread = is_one_thread ? 0 : index,
                                  .qpn = index + 1,
                                  .db_id = ++job->db_id[0],
                                  .wr_id = ordinal,
                                  .flags = TRACE_SIGNALED};
    fill_message(job, index, ordinal, &record);
    if (is_closed) {
        record.dep = closed_dep(job, index, is_one_thread ? ordinal == 0 : job->qp[index].requests == 0);
    } else {
        int64_t at_ps = trace_arrivals_next(&job->arrivals, ordinal);
        if (at_ps < 0 || at_ps > RNICSIM_TIME_MAX - start_ps(job))
            return trace_fail(error, "request %llu would be due after 2^62 ps; up to 2^62 is allowed",
                              (unsigned long long)ordinal);
        record.t_ps = at_ps + start_ps(job);
    }
    job->qp[index].requests++;
    if (trace_put(writer, &record, error) != 0)
        return -1;
    return trace_opcode_is_received(record.opcode) ? put_receive_again(job, writer, index, error) : 0;
}

int trace_generate_records(struct trace_generate_job *job, struct trace_writer *writer, struct rnicsim_error *error)
{
    if (put_first_receives(job, writer, error) != 0)
        return -1;
    for (uint64_t ordinal = 0; ordinal < job->options.requests; ordinal++)
        if (put_request(job, writer, ordinal, error) != 0)
            return -1;
    return 0;
}
