/* A perftest command line: "write_lat -s 64 -n 5000", options and defaults as in perftest 4.5 (v4.5-0.17).
 *
 * The tools: write, send, read and atomic, each _lat and _bw, also with "ib_" before them. Refused: what perftest 4.5 does not have, what it
 * refuses itself (a post list in a latency test, say), and, with that said, what it has and the model does not (events, say).
 * Options about addresses, devices and connection (-d -i -p -x -F -R -z -S -T -u) are taken and change nothing: nothing is lost yet. */
#ifndef BENCH_PERFTEST_OPTIONS_H
#define BENCH_PERFTEST_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "api/rnicsim.h"

#define PERFTEST_SIZES_MAX 23          /* -a: 2 to 2^23 bytes */
#define PERFTEST_SAMPLES_MAX 20000000u /* kept for one report */

struct perftest_options {
    char tool[16]; /* without "ib_" */
    enum perftest_verb { PERFTEST_WRITE, PERFTEST_SEND, PERFTEST_READ, PERFTEST_ATOMIC } verb;
    int is_lat, is_send;              /* is_send: the verb is SEND */
    enum rnicsim_transport transport; /* -c; DC and SRD are refused */
    int compares;                     /* -A CMP_AND_SWAP, else FETCH_AND_ADD */
    uint64_t size_bytes;
    uint64_t iters; /* of one QP; 0 with a duration */
    uint32_t qps, tx_depth, rx_depth, cq_mod, post_list, mtu_bytes, inline_bytes;
    uint32_t duration_s, margin_s;   /* duration 0: so many iterations */
    uint32_t service_level, outs;    /* outs: READs and atomics of a QP under way, -o */
    uint32_t gap_us;                 /* before each post of a latency test */
    int all_sizes, both_ways;        /* -a, -b */
    int use_srq;                     /* receive buffers of all QPs in one queue, of rx_depth */
    int no_peak, in_gbits;           /* -N, --report_gbits */
    int in_cycles, sorted, unsorted; /* -C, -H, -U */
    /* what the user said, of what has dependent defaults */
    int has_cq_mod, has_inline, has_margin, has_iters, has_size, has_outs, has_type;
};

/* Whether the peer answers with data: then it only waits for its TCP connection. */
static inline int perftest_is_answered(const struct perftest_options *options)
{
    return options->verb >= PERFTEST_READ;
}

/* 0, or -1 and one line. */
int perftest_parse(const char *text, struct perftest_options *out, struct rnicsim_error *error);
/* The n-th size that is run, from 0; 0: there is none. */
uint64_t perftest_size_bytes(const struct perftest_options *options, size_t n);

/* ---- between the files of this folder ---- */

/* Checks what contradicts, fills what depends on other options: perftest's own order. 0, or -1 and one line. */
int perftest_apply_rules(struct perftest_options *options, struct rnicsim_error *error);
int perftest_fail(struct rnicsim_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
