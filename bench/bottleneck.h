/* Names the bottleneck of a run, and the next one.
 *
 * The rule, in this order:
 * 1. A PCIe link that works, or has no credit (PH, PD, NPH), no replay buffer, or replays, or a read engine that works, or has no tag
 *    or space for completions while no link is saturated, for at least 90 % of the time and more than any other stage works, and does
 *    not work for at least 10 %: that lack.
 *    Else a saturated server: of all stages, the one that works for the largest share of the time, if that is at least 90 %. A
 *    server that is always busy bounds the rate, whatever waits where. Below 90 % idle time is left, which some other limit
 *    must explain. The next one is the next-busiest stage: it will bound the rate when the first is made faster.
 * 2. Else a FIFO too shallow: stages wait for space behind them for at least 30 % of the time, and none is saturated. Waiting
 *    spreads upstream, so of all such stages the one farthest downstream counts, and its FIFO is named, with the cause "full". If it is the one
 *    in front of dispatch, and dispatch lacks something (as in 3) for at least 30 % of the time, that is named instead.
 * 3. Else lacking resource: of all (stage, cause) with at least 30 % of the time: retry first, then no_tag, no_credit_CPLH and no_credit_CPLD first, since a
 *    full payload buffer is their shadow; then the largest of no_buffer, window_full, context_busy, no_wqe, no_receive_wqe,
 *    context_miss, srq_busy, no_retransmit and retry.
 *    Such a wait is bounded by a number of slots over a round trip, not by a server. Bubbles and no_input do not count.
 * 4. Else nothing is saturated: more load would find room, and what counts is latency. The bottleneck is the largest row of
 *    the waterfall, with the cause "latency"; the next one is the next-largest.
 * The next one is the next-busiest stage: the waits beside the first are mostly its shadows. Shares below 1 % are not named. */
#ifndef BENCH_BOTTLENECK_H
#define BENCH_BOTTLENECK_H

#include <stddef.h>

#include "api/rnicsim.h"
#include "bench/waterfall.h"

#define BOTTLENECK_SATURATED 0.90
#define BOTTLENECK_STARVED 0.10
#define BOTTLENECK_WAITING 0.30
#define BOTTLENECK_LEAST 0.01

struct bottleneck {
    char stage[96]; /* "a mac_tx line"; empty: there is none */
    const char *cause;
    double share; /* of the time; with the cause "latency": of the mean completion latency */
};

struct bottlenecks {
    struct bottleneck first, next;
    struct bottleneck busiest; /* whatever the rule says */
};

/* Ties go to the stage that comes first. */
struct bottlenecks bottleneck_find(const struct rnicsim_stage_info *stages, size_t count,
                                   const struct waterfall *waterfall);
/* "a path name", into `name`. */
void bottleneck_stage_name(const struct rnicsim_stage_info *stage, char *name, size_t name_bytes);
/* What all causes sum to; 0 for a stage that has no time. */
int64_t bottleneck_stage_time(const struct rnicsim_stage_info *stage);

#endif
