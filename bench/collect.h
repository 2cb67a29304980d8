/* Takes in every event of a run and keeps what the reports need: latencies by opcode and size, the sums of the waterfall,
 * jitter, and what went wrong. Constant memory: at most COLLECT_ROWS kinds of request, the rest together, and the first
 * COLLECT_ERRORS errors.
 *
 * Latency counts from AT_ARRIVAL: from a request's intended time, so that what an overloaded sender posts late is late.
 * Completion latency is up to AT_SEEN, of signalled requests that succeeded. Delivery latency is up to delivered_at_ps, of every message, taken when the receiver sees it: where an ACK means "accepted", the sender's CQE may
 * come before the data is visible. Both stand under the opcode of the request that was sent. */
#ifndef BENCH_COLLECT_H
#define BENCH_COLLECT_H

#include <stddef.h>

#include "api/rnicsim.h"
#include "traces/map.h"

#define COLLECT_ROWS 24u
#define COLLECT_ERRORS 1000u
#define COLLECT_FIRST 16u

struct collect_row {
    enum rnicsim_opcode opcode;
    uint32_t length_bytes;
    int is_rest; /* all kinds for which there was no row */
    struct rnicsim_hist *completion, *delivery;
};

struct collect_error {
    int64_t at_ps;
    uint64_t wr_id;
    uint32_t host, qpn, status;
    enum rnicsim_opcode opcode;
};

/* A QP that completes requests: what it got, and how long they took. */
struct collect_qp {
    uint32_t host, qpn;
    uint64_t requests, payload_bytes;
    int64_t first_arrival_ps, last_seen_ps;
    int64_t last_ps, min_ps, max_ps; /* completion latency */
    __int128 sum_ps;
};

struct collect {
    struct collect_row rows[COLLECT_ROWS + 1];
    size_t row_count;
    struct rnicsim_hist *completion, *delivery; /* of all requests */
    __int128 stretch_ps[RNICSIM_STAMP_COUNT];   /* [i]: from stamp i - 1 to stamp i, summed */
    uint64_t stretch_count;                     /* requests in these sums */
    unsigned __int128 ipdv_ps;
    uint64_t ipdv_count;
    struct trace_map qp_index; /* (host, QP) to an index into qps */
    struct collect_qp *qps;    /* in the order of their first completions */
    struct collect_error *errors;
    uint64_t error_count;                      /* of them the first COLLECT_ERRORS are kept */
    uint64_t delivered_bytes[2];               /* to each host, of whole messages */
    struct rnicsim_event first[COLLECT_FIRST]; /* of the requests that were done first */
    size_t first_count;
    uint64_t done; /* requests, however they ended */
    int failed;    /* memory ran out; stays */
};

/* Payload over the time from its first request until its last completion. */
double collect_qp_gbps(const struct collect_qp *qp);

/* 0, or -1 without memory. */
int collect_init(struct collect *collect);
/* A trace_replay_event; context is the struct collect. */
void collect_event(void *context, const struct rnicsim_event *event);
void collect_free(struct collect *collect);

#endif
