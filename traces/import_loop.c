#include "traces/import_loop.h"

#include <stdlib.h>

static struct trace_dep dep_on(enum trace_dep_kind kind, uint64_t count, uint32_t think_ns)
{
    struct trace_dep dep = {0};
    if (count == 0)
        return dep;
    dep.term[0].kind = kind;
    dep.term[0].count = (uint32_t)count;
    dep.think_ns = think_ns;
    return dep;
}

static const struct trace_dep after_post = {.term = {{TRACE_DEP_POST, 0}, {TRACE_DEP_NONE, 0}}};

/* The i-th post (from 1) of one side; the recorded ones are repeated, with doorbells that go on counting. */
static struct trace_record recorded_post(const struct trace_import_job *job, uint32_t host, uint64_t i)
{
    const struct trace_recorded *side = &job->side[host];
    struct trace_record post = side->rows[(i - 1) % side->count];
    post.host = (uint16_t)host;
    post.cqn = 1;
    post.db_id += (uint32_t)((i - 1) / side->count) * side->rows[side->count - 1].db_id;
    return post;
}

static struct trace_record receive(const struct trace_import_job *job, uint32_t host, uint32_t qpn, uint64_t i,
                                   size_t qp_index)
{
    uint32_t bytes = job->side[0].rows[0].len;
    uint64_t buffer_bytes = (bytes + 4095u) / 4096u * 4096u;
    return (struct trace_record){
        .event = TRACE_RECV,
        .opcode = TRACE_OP_RECV,
        .host = (uint16_t)host,
        .qpn = qpn,
        .cqn = 1,
        .db_id = (uint32_t)i,
        .len = bytes,
        .nsge = 1,
        .laddr = job->recv_base[host] + qp_index * buffer_bytes,
        .lkey = job->recv_key[host],
    };
}

/* Receives 1 .. rx_depth of one QP, posted before anything is sent. */
static int write_first_receives(const struct trace_import_job *job, struct trace_writer *writer, uint32_t host,
                                uint32_t qpn, size_t qp_index, uint64_t wanted, struct rnicsim_error *error)
{
    for (uint64_t i = 1; i <= job->options.rx_depth && i <= wanted; i++) {
        struct trace_record record = receive(job, host, qpn, i, qp_index);
        if (trace_put(writer, &record, error) != 0)
            return -1;
    }
    return 0;
}

/* One side's i-th turn: what it waits for, a receive posted again (send_lat), the post.
 * The second side of a ping-pong waits for the other's i-th message, the first for the one before; both for their own
 * last CQE. */
static int write_turn(const struct trace_import_job *job, struct trace_writer *writer, uint32_t host, uint64_t i,
                      int is_first, struct rnicsim_error *error)
{
    enum trace_dep_kind kind = job->is_send ? TRACE_DEP_RECV : TRACE_DEP_MEM;
    uint64_t waits_for = is_first ? i - 1 : i;
    struct trace_record post = recorded_post(job, host, i);
    if (job->is_send && waits_for > 0 && waits_for + job->options.rx_depth <= job->iterations) {
        struct trace_record again = receive(job, host, post.qpn, waits_for + job->options.rx_depth, 0);
        again.dep = dep_on(TRACE_DEP_RECV, waits_for, 0);
        if (trace_put(writer, &again, error) != 0)
            return -1;
    }
    if (i > 1) {
        post.dep = dep_on(TRACE_DEP_CQE, i - 1, job->options.think_ns);
        post.dep.term[1] = (struct trace_dep_term){kind, (uint32_t)waits_for};
    } else {
        post.dep = dep_on(kind, waits_for, job->options.think_ns);
        if (waits_for == 0 && job->is_send) /* behind its RECVs, not due at 0: this is no open loop */
            post.dep = after_post;
    }
    return trace_put(writer, &post, error);
}

/* write_lat: the server sends first; send_lat: the client. */
static int write_lat(const struct trace_import_job *job, struct trace_writer *writer, struct rnicsim_error *error)
{
    uint32_t first = job->is_send ? 0 : 1;
    for (uint32_t host = 0; job->is_send && host < 2; host++)
        if (write_first_receives(job, writer, host, job->side[host].rows[0].qpn, 0, job->iterations, error) != 0)
            return -1;
    for (uint64_t i = 1; i <= job->iterations; i++)
        if (write_turn(job, writer, first, i, 1, error) != 0 || write_turn(job, writer, 1 - first, i, 0, error) != 0)
            return -1;
    return 0;
}

static size_t qp_index_of(const struct trace_import_job *job, uint32_t qpn)
{
    return (size_t)(trace_header_qp(&job->header, 0, qpn) - job->header.qps) / 2;
}

/* How many of the rows from `at` on share one doorbell. */
static size_t list_length(const struct trace_recorded *side, size_t at)
{
    size_t length = 1;
    while (at + length < side->count && trace_same_doorbell(&side->rows[at], &side->rows[at + length]))
        length++;
    return length;
}

static int write_list(const struct trace_import_job *job, struct trace_writer *writer, size_t at, size_t length,
                      uint64_t last, struct rnicsim_error *error)
{
    uint32_t depth = job->options.tx_depth, cq_mod = job->options.cq_mod;
    for (size_t i = 0; i < length; i++) {
        struct trace_record post = recorded_post(job, 0, at + i + 1);
        if (i == 0 && last > depth)
            post.dep = dep_on(TRACE_DEP_CQE, (last - depth + cq_mod - 1) / cq_mod, job->options.think_ns);
        else if (i == 0 && at > 0)
            post.dep = after_post;
        if (trace_put(writer, &post, error) != 0)
            return -1;
    }
    return 0;
}

/* The server's receives of one list: the k-th that arrives is posted again as the (k + rx_depth)-th. */
static int write_receives_again(const struct trace_import_job *job, struct trace_writer *writer, uint32_t qpn,
                                uint64_t first, uint64_t last, uint64_t wanted, struct rnicsim_error *error)
{
    size_t qp_index = qp_index_of(job, qpn);
    uint32_t peer_qpn = job->header.qps[2 * qp_index].peer_qpn;
    for (uint64_t i = first; i <= last && i + job->options.rx_depth <= wanted; i++) {
        struct trace_record record = receive(job, 1, peer_qpn, i + job->options.rx_depth, qp_index);
        record.dep = dep_on(TRACE_DEP_RECV, i, 0);
        if (trace_put(writer, &record, error) != 0)
            return -1;
    }
    return 0;
}

static int write_bw_lists(const struct trace_import_job *job, struct trace_writer *writer, uint64_t *posted,
                          const uint64_t *wanted, struct rnicsim_error *error)
{
    const struct trace_recorded *side = &job->side[0];
    for (size_t at = 0, length; at < side->count; at += length) {
        uint32_t qpn = side->rows[at].qpn;
        size_t qp_index = qp_index_of(job, qpn);
        length = list_length(side, at);
        posted[qp_index] += length;
        uint64_t last = posted[qp_index];
        if (write_list(job, writer, at, length, last, error) != 0)
            return -1;
        if (job->is_send &&
            write_receives_again(job, writer, qpn, last - length + 1, last, wanted[qp_index], error) != 0)
            return -1;
    }
    return 0;
}

static int write_bw(const struct trace_import_job *job, struct trace_writer *writer, struct rnicsim_error *error)
{
    size_t qps = job->header.qp_count / 2;
    uint64_t *counts = calloc(2 * qps, sizeof *counts); /* posted, then wanted, by QP */
    if (counts == NULL)
        return trace_fail(error, "out of memory for %zu QPs", qps);
    uint64_t *wanted = counts + qps;
    int result = 0;
    for (size_t i = 0; i < job->side[0].count; i++)
        wanted[qp_index_of(job, job->side[0].rows[i].qpn)]++;
    for (size_t i = 0; job->is_send && result == 0 && i < qps; i++)
        result = write_first_receives(job, writer, 1, job->header.qps[2 * i].peer_qpn, i, wanted[i], error);
    if (result == 0)
        result = write_bw_lists(job, writer, counts, wanted, error);
    free(counts);
    return result;
}

int trace_import_loop_write(struct trace_import_job *job, struct trace_writer *writer, struct rnicsim_error *error)
{
    return job->is_lat ? write_lat(job, writer, error) : write_bw(job, writer, error);
}
