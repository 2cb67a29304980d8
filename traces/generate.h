/* Makes a trace of a synthetic workload: host 0 posts to host 1, over so many QPs.
 *
 * Closed loop: each QP is a thread of its own and keeps `depth` requests outstanding; with a Zipf distribution one thread
 * draws the QP of each request and waits where that QP has `depth` outstanding. Open loop: each request is due at its
 * own time (traces/arrivals.h); one thread posts them all. Host 1 posts RECVs for messages that need one, and again
 * for each that has come, in a thread a QP; the first requests start when the first RECVs have had 100 ns each. Every
 * request is signalled. Same options, same bytes, on any machine; memory grows with the QPs, not with the requests. */
#ifndef TRACES_GENERATE_H
#define TRACES_GENERATE_H

#include "traces/arrivals.h"

#define TRACE_GENERATE_QPS_MAX 32768u /* both ends of each are in the trace's table of 65,536 */

struct trace_generate {
    uint64_t requests;     /* 1 .. 4,000,000,000, of all QPs together */
    uint64_t qps;          /* 1 .. TRACE_GENERATE_QPS_MAX */
    uint64_t depth;        /* of a QP's send queue, 1 .. 32768; 0: 16 in closed loop, else 256 */
    uint64_t mtu;          /* bytes */
    uint64_t inline_bytes; /* up to so many are posted inline; 0 .. 1024 */
    uint64_t burst;        /* requests; TRACE_BURST needs it, the others have 0 */
    uint64_t seed;         /* of all draws */
    const char *size;      /* traces/sizes.h */
    const char *opcode;    /* "write:0.7,send:0.3"; write, write_imm, send, send_imm */
    enum trace_arrival arrival;
    const char *rate;        /* open loop, as trace_arrivals_gap() reads it; NULL in closed loop */
    const char *burst_rate;  /* within a burst */
    uint64_t rd_atomic;      /* of each QP; 0: TRACE_RD_ATOMIC */
    const char *sl, *weight; /* of the QPs in turn, "0,0,3"; NULL: service level 0, weight 1 */
    const char *zipf;        /* exponent: the share of QP i is in proportion to i^-S; NULL: QPs take turns */
};

/* 0, or -1 with one line of error and nothing written. */
int trace_generate(const struct trace_generate *generate, const char *out_path, struct rnicsim_error *error);

#endif
