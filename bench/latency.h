/* What is told of a distribution of latencies, and the jitter measures, each by its name.
 *
 * min, max, mean are exact, percentiles to 1 part in 4,096; all ps. PDV is p99.9 - min (RFC 5481); IPDV is |D(i) - D(i-1)|
 * of completions of one QP that follow each other. */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include "bench/quantile.h"

struct latency {
    uint64_t count;
    int64_t min_ps, max_ps; /* 0 without samples, as are the next two */
    double mean_ps, stdev_ps;
    struct quantile p50, p99, p999, p9999;
};

struct jitter {
    int known; /* there are at least two samples */
    struct quantile pdv, p99_p50;
    int64_t max_min_ps;
    double stdev_ps;
    int ipdv_known;
    double ipdv_ps; /* mean */
};

struct latency latency_of(const struct rnicsim_hist *hist);
struct jitter latency_jitter(const struct latency *latency, double ipdv_sum_ps, uint64_t ipdv_count);

#endif
