#include "bench/sweep/sweep_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/metric.h"
#include "bench/sweep/sweep_job.h"

struct worker {
    pid_t pid;
    uint64_t run;
};

/* In the child: its messages go to the run's file, its temporary files where the next sweep clears up. */
static int run_one(const struct sweep_pool *pool, uint64_t run)
{
    char path[SWEEP_PATH_BYTES];
    struct sweep_job job;
    json_t *summary = NULL;
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

/* -1: no process can be made. The child dies with its parent, however that ends. */
static pid_t start(const struct sweep_pool *pool, uint64_t run)
{
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CLI_INPUT);
    results_leave(pool->store->results);
    _exit(run_one(pool, run));
}

static void end_all(struct worker *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        kill(workers[i].pid, SIGKILL);
    for (unsigned i = 0; i < count; i++)
        while (waitpid(workers[i].pid, NULL, 0) < 0 && errno == EINTR)
            continue;
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
static int reap(struct sweep_pool *pool, struct worker *workers, unsigned *count, uint64_t *run)
{
    char path[SWEEP_PATH_BYTES];
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
        continue;
    unsigned i = 0;
    while (i < *count && workers[i].pid != ended)
        i++;
    if (i == *count)
        return 0;
    *run = workers[i].run;
    workers[i] = workers[--*count];
    pool->simulated++;
    int is_good = WIFEXITED(status) && WEXITSTATUS(status) == CLI_DONE;
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

static int run_all(struct sweep_pool *pool, struct worker *workers, struct progress *progress)
{
    uint64_t next = next_unfinished(pool, pool->first), run = 0;
    unsigned count = 0;
    int is_checked = 0;
    while (next < pool->end || count > 0) {
        while (next < pool->end && count < pool->jobs) {
            workers[count] = (struct worker){start(pool, next), next};
            if (workers[count].pid < 0) {
                end_all(workers, count);
                return cli_fail("a process for a run cannot be started: %s", strerror(errno));
            }
            count++;
            next = next_unfinished(pool, next + 1);
        }
        int is_good = reap(pool, workers, &count, &run);
        progress_step(progress);
        if (is_good && !is_checked) {
            is_checked = 1;
            if (sweep_pool_check_metrics(pool->sweep, pool->store, run) != CLI_DONE) {
                end_all(workers, count);
                return CLI_INPUT;
            }
        }
    }
    return CLI_DONE;
}

int sweep_pool_run(struct sweep_pool *pool)
{
    struct worker *workers = calloc(pool->jobs, sizeof *workers);
    struct progress progress;
    uint64_t left = 0;
    if (workers == NULL)
        return cli_fail("out of memory for the sweep");
    for (uint64_t run = next_unfinished(pool, pool->first); run < pool->end; run = next_unfinished(pool, run + 1))
        left++;
    progress_start(&progress, left, pool->is_quiet);
    progress.what = "runs";
    int result = run_all(pool, workers, &progress);
    progress_end(&progress);
    free(workers);
    return result;
}
