/* One run of the workload with given depths, and what is compared of it. A search is many of them.
 *
 * Two runs went alike when their digests are equal: every event that a host sees came at the same instant. Functions return 0, or
 * the exit status after one line. */
#ifndef BENCH_SIZE_RUN_H
#define BENCH_SIZE_RUN_H

#include "bench/model_options.h"
#include "bench/progress.h"
#include "bench/result.h"
#include "bench/source.h"

#define SIZE_OTHERS_MAX 32u

struct size_other { /* another trace, or another seed: the depths must do for it, too */
    struct source source;
    uint64_t seed;
};

/* What is run, again and again. */
struct size_workload {
    const struct model_options *model;
    const struct source *source;
    uint64_t seed;
    const struct size_other *others;
    size_t other_count;
    int is_quiet;
    struct progress progress; /* of all runs together */
    uint64_t runs, runs_planned;
};

struct size_outcome { /* digest and counts are of all that is run; the rest of the first */
    uint64_t digest;  /* of all events and their instants, in any order */
    uint64_t drops, requests, requests_done;
    int64_t end_ps; /* of the last completion */
    struct latency completion;
    double goodput_gbps;
    int is_complete;
    struct size_rates {
        double goodput_gbps, tail_ps; /* tail: p99.9, or the mean where that is not known */
    } other[SIZE_OTHERS_MAX];
};

struct size_run {
    struct rnicsim *sim;
    struct workload driver;
    struct collect collect;
    struct result result; /* but for the trace's digest */
    struct size_outcome outcome;
    struct size_workload *workload;
};

/* Runs the workload with `set`, "key=value" each, besides the model's own. size_run_free() also after a failure. */
int size_run(struct size_run *run, struct size_workload *workload, const char *const *set, size_t set_count);
void size_run_free(struct size_run *run);
/* The others with the same settings, added to the first's outcome; look: NULL, or sees each run before it is gone. */
typedef void size_run_look(void *context, const struct size_run *run);
int size_run_others(struct size_workload *workload, const char *const *set, size_t set_count,
                    struct size_outcome *outcome, size_run_look *look, void *context);
/* p99.9, or the mean where that is not known. */
double size_run_tail(const struct latency *latency);

#endif
