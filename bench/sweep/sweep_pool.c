#include "bench/sweep/sweep_pool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/metric.h"
#include "bench/sweep/sweep_job.h"
#include "bench/workers.h"

/* In the child: its messages go to the run's file, its temporary files where the next sweep clears up. */
static int run_one(void *context, uint64_t run)
{
    const struct sweep_pool *pool = context;
    char path[SWEEP_PATH_BYTES];
    struct sweep_job job;
    json_t *summary = NULL;
    results_leave(pool->store->results);
    sweep_store_error_path(pool->store, run, path, sizeof path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || dup2(file, STDERR_FILENO) < 0)
        return CLI_INPUT;
    if (pool->store->results != NULL)
        setenv("TMPDIR", results_folder(pool->store->results), 1);
    int result = sweep_job_make(&job, pool->sweep, run);
    if (result == CLI_DONE)
        result = sweep_job_run(&job, &summary);
    if (result == CLI_DONE)
        result = sweep_store_write(pool->store, pool->sweep, run, summary);
    json_decref(summary);
    sweep_job_free(&job);
    return result;
}

int sweep_pool_check_metrics(const struct sweep *sweep, const struct sweep_store *store, uint64_t run)
{
    json_t *summary = sweep_store_read(store, run);
    int result = summary != NULL ? CLI_DONE : CLI_INPUT;
    for (size_t i = 0; result == CLI_DONE && i < sweep->metric_count; i++) {
        double number;
        const json_t *value = metric_find(summary, sweep->metrics[i]);
        if (value == NULL || (!json_is_null(value) && !metric_number(value, &number)))
            result = cli_fail("%s:%d: metric: \"%s\" is no number of summary.json; allowed are its keys, joined by "
                              "dots: goodput_gbps, latency_ns.p99, drops",
                              sweep->path, sweep->metric_line, sweep->metrics[i]);
    }
    json_decref(summary);
    return result;
}

/* One that has ended. 1: it ended well. */
static int reap(struct sweep_pool *pool, struct workers *workers, uint64_t *run)
{
    char path[SWEEP_PATH_BYTES];
    int is_good = workers_wait(workers, run) == CLI_DONE;
    pool->simulated++;
    pool->failed += !is_good;
    sweep_store_error_path(pool->store, *run, path, sizeof path);
    if (is_good)
        unlink(path);
    return is_good;
}

static uint64_t next_unfinished(const struct sweep_pool *pool, uint64_t run)
{
    while (run < pool->end && sweep_store_has(pool->store, run))
        run++;
    return run;
}

static int run_all(struct sweep_pool *pool, struct workers *workers, struct progress *progress)
{
    uint64_t next = next_unfinished(pool, pool->first), run = 0;
    int is_checked = 0;
    while (next < pool->end || workers->count > 0) {
        while (next < pool->end && workers->count < workers->most) {
            int reason = workers_start(workers, run_one, pool, next);
            if (reason != 0)
                return cli_fail("a process for a run cannot be started: %s", strerror(reason));
            next = next_unfinished(pool, next + 1);
        }
        int is_good = reap(pool, workers, &run);
        progress_step(progress);
        if (is_good && !is_checked) {
            is_checked = 1;
            if (sweep_pool_check_metrics(pool->sweep, pool->store, run) != CLI_DONE) {
                workers_kill(workers);
                return CLI_INPUT;
            }
        }
    }
    return CLI_DONE;
}

int sweep_pool_run(struct sweep_pool *pool)
{
    struct workers workers;
    struct progress progress;
    uint64_t left = 0;
    if (workers_init(&workers, pool->jobs))
        return cli_fail("out of memory for the sweep");
    for (uint64_t run = next_unfinished(pool, pool->first); run < pool->end; run = next_unfinished(pool, run + 1))
        left++;
    progress_start(&progress, left, pool->is_quiet);
    progress.what = "runs";
    int result = run_all(pool, &workers, &progress);
    progress_end(&progress);
    workers_free(&workers);
    return result;
}
