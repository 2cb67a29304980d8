/* Steady state: how much of a run's beginning is warm-up, what latency is without it, and how far its mean and percentiles can be trusted.
 *
 * Warm-up is found by MSER (White, Cobb and Spratt, 2000) on the means of 512 equal stretches of requests: that part of the first half is left
 * out with which the standard error of the rest's mean is the least. Intervals are of batch means: the requests are cut into 32 equal batches,
 * those behind the warm-up each give a mean and percentiles, and Student's t over them 95 % intervals. A percentile needs in each batch
 * what it needs anywhere (bench/quantile.h); fewer than ten batches, or too few samples, and it is not known. */
#ifndef BENCH_STEADY_H
#define BENCH_STEADY_H

#include <jansson.h>

#include "bench/latency.h"

#define STEADY_STRETCHES 512u
#define STEADY_BATCHES 32u
#define STEADY_BATCHES_LEAST 10u

struct steady {
    uint64_t total; /* requests that are to come; 0: not known */
    double sum_ps[STEADY_STRETCHES];
    uint64_t count[STEADY_STRETCHES];
    int64_t end_ps[STEADY_BATCHES]; /* the latest completion in it */
    struct rnicsim_hist *batch[STEADY_BATCHES];
    int failed; /* memory ran out */
};

struct steady_interval {
    int known;
    double half_ps; /* the value +- this, 95 % */
};

struct steady_state {
    int known;         /* there are enough samples to say anything */
    uint64_t left_out; /* requests of the warm-up */
    int64_t warmup_ps; /* since the first post */
    unsigned batches;  /* behind it, with samples */
    struct latency latency;
    struct steady_interval mean, p50, p99, p999;
};

void steady_begin(struct steady *steady, uint64_t total);
/* done: requests done so far, with this one. */
void steady_add(struct steady *steady, const struct rnicsim_event *event, uint64_t done);
/* 0, or -1 without memory. */
int steady_find(const struct steady *steady, int64_t first_post_ps, struct steady_state *out);
void steady_free(struct steady *steady);

/* The first stretch that is not warm-up, of `count` means. */
size_t steady_mser(const double *mean, size_t count);
/* The 97.5 % quantile of Student's t, degrees of freedom >= 1, to three digits. */
double steady_student(uint64_t degrees);

void steady_print(const struct steady_state *state, FILE *out);
/* The object of summary.json; null when nothing is known. */
json_t *steady_json(const struct steady_state *state, int *failed);

#endif
