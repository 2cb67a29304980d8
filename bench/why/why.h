/* rnicsim why: what made the slowest requests slow, which limit binds, and what each parameter does to a target. All of it by running the
 * workload again: the same seed gives the same run. Functions that can fail return an exit status, after one line. */
#ifndef BENCH_WHY_WHY_H
#define BENCH_WHY_WHY_H

#include <stdio.h>

#include "bench/progress.h"
#include "bench/results.h"
#include "bench/simulate.h"
#include "bench/source.h"

#define WHY_WORST_MAX 100u
#define WHY_LIFTS_MAX 4u
#define WHY_TEXT_BYTES 256u

struct why_options {
    struct model_options model;
    struct source source;
    const char *folder, *target; /* target: a metric; NULL: as why_target() finds */
    uint64_t seed, worst;
    double percentile; /* 0 .. 100 */
    unsigned jobs, formats;
    int force, json, quiet, no_tornado, no_charts;
};

/* ---- one run (why_run.c) ---- */

struct why_outcome {
    double target; /* NAN: unknown */
    double goodput_gbps, message_rate_mps, mean_ns;
    struct bottlenecks bottlenecks;
    char full_key[96]; /* of the FIFO that the bottleneck names: the parameter that sets its depth */
    int is_complete;
};

/* What a run has shown. */
int why_outcome_of(const struct why_options *options, const struct result *result, struct why_outcome *out);
/* Runs it with settings, "key=value", besides the options' own. */
int why_run(const struct why_options *options, const char *const *set, size_t count, struct why_outcome *out);
/* Begins a simulation with them: its workload is open, and it is still to be run. */
int why_prepare(const struct why_options *options, struct model_options *model, struct simulate *simulate);

/* ---- the slowest requests (why_worst.c, why_event.c) ---- */

struct why_row {
    int64_t took_ps, usual_ps, least_ps; /* usual: the median of all requests; least: of all */
};

struct why_request {
    struct rnicsim_event event;
    int64_t latency_ps;
    struct why_row rows[WATERFALL_ROWS];
    int late_row;                    /* that is the most above its usual time */
    char event_text[WHY_TEXT_BYTES]; /* what made it late */
    /* who was before it there: requests that left that row earlier, and were in it or before meanwhile */
    uint64_t ahead_requests, ahead_bytes, ahead_most_bytes;
    uint32_t ahead_qpn; /* of the one with the most bytes */
};

struct why_worst {
    struct why_request *requests;
    size_t count, room;
    uint64_t all; /* requests that completed */
    struct quantile threshold;
    struct rnicsim_hist *rows[WATERFALL_ROWS];
};

/* The requests at or beyond the percentile, the slowest first. Fills `first` with the run's own result; simulate_free() it. */
int why_worst_find(struct why_worst *worst, const struct why_options *options, struct simulate *first);
void why_worst_free(struct why_worst *worst);
/* Runs it again, to see what happened while each was late. */
int why_event_find(struct why_worst *worst, const struct why_options *options);

/* ---- limits (why_lift.c) ---- */

struct why_lift {
    struct bottlenecks bottlenecks; /* before it is lifted */
    struct why_outcome before, after;
    char setting[WHY_TEXT_BYTES]; /* "pcie.tags=4096"; empty: no parameter lifts it */
    int is_lifted;                /* after is there */
};

struct why_limits {
    struct why_lift lift[WHY_LIFTS_MAX];
    size_t count;
};

/* The bottleneck now, then with its limit lifted the next one, and so on. */
int why_lift_all(struct why_limits *limits, const struct why_options *options, const struct why_outcome *now);

/* ---- the tornado (why_tornado.c) ---- */

struct why_bar {
    char key[96], value[640]; /* the parameter, as struct rnicsim_param_info has it */
    double at_low, at_high;   /* the target; NAN: that value is not allowed, or tells nothing */
};

struct why_tornado {
    struct why_bar *bars; /* the largest effect first; those without one are not in it */
    size_t count, tried;
    double target;
};

int why_tornado_run(struct why_tornado *tornado, const struct why_options *options, const struct why_outcome *now);
void why_tornado_free(struct why_tornado *tornado);
/* The larger of the two changes, as a share of the target. */
double why_tornado_effect(const struct why_bar *bar, double target);

/* ---- told (why_report.c) ---- */

struct why {
    struct why_options options;
    struct why_outcome now;
    struct simulate first;
    struct why_worst worst;
    struct why_limits limits;
    struct why_tornado tornado;
};

void why_print(const struct why *why, FILE *out);
/* 0, or -1: without memory, or the write failed. */
int why_json(const struct why *why, FILE *out);
void why_draw(const struct why *why, struct results *results);

#endif
