/* Runs of a sweep as processes of their own, so many at a time: a run that fails, or dies, takes nobody with it.
 *
 * Functions return CLI_DONE, or an exit status after one line. */
#ifndef BENCH_SWEEP_SWEEP_POOL_H
#define BENCH_SWEEP_SWEEP_POOL_H

#include "bench/progress.h"
#include "bench/sweep/sweep_store.h"

#define SWEEP_JOBS_MAX 1024u

struct sweep_pool {
    const struct sweep *sweep;
    const struct sweep_store *store;
    uint64_t first, end; /* runs */
    unsigned jobs;       /* at a time */
    int is_quiet;
    uint64_t simulated; /* by this call, whether they ended well or not */
    uint64_t failed;    /* each left its reason in the store */
};

/* All runs that are not finished. That a run fails is no failure of this; that a metric is none of the first run's summary is. */
int sweep_pool_run(struct sweep_pool *pool);
/* Whether each metric is in the summary of that run. */
int sweep_pool_check_metrics(const struct sweep *sweep, const struct sweep_store *store, uint64_t run);

/* Whether points can begin: the first, and each value of each axis with the others' first, in a process of their own. An error names the
 * line in the sweep's file. identity: a digest of all that decides the results. */
int sweep_check(const struct sweep *sweep, char *identity, size_t identity_bytes);

#endif
