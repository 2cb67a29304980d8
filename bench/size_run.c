#include "bench/size_run.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define OTHER_RUNS 3u /* configured, deep, proposed */

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A sum, so that the order of what happens at one instant is nothing. */
static uint64_t digest_event(const struct rnicsim_event *event)
{
    uint64_t who = ((uint64_t)event->kind << 40) | ((uint64_t)event->host << 32) | event->qpn;
    return mix((uint64_t)event->at_ps + mix(event->wr_id + mix(who + mix(event->status + 1))));
}

static void take_event(void *context, const struct rnicsim_event *event)
{
    struct size_run *run = context;
    struct size_workload *workload = run->workload;
    collect_event(&run->collect, event);
    run->outcome.digest += digest_event(event);
    progress_update(&workload->progress, workload->runs * run->outcome.requests + run->collect.done);
}

/* How many runs there will be is a guess: each FIFO with one less, and a few more. */
static void begin_progress(struct size_run *run)
{
    struct size_workload *workload = run->workload;
    struct trace_replay_counts counts;
    workload_counts(&run->driver, &counts);
    run->outcome.requests = counts.requests;
    if (workload->runs == 0) {
        workload->runs_planned = rnicsim_fifo_count(run->sim) / 2 + OTHER_RUNS;
        progress_start(&workload->progress, workload->runs_planned * counts.requests, workload->is_quiet);
    }
    if (workload->runs >= workload->runs_planned)
        workload->runs_planned = workload->runs + 1;
    workload->progress.total = workload->runs_planned * counts.requests;
}

/* All that is done with the workload. */
static int replay(struct size_run *run, const struct rnicsim_options *options)
{
    const struct source *source = run->workload->source;
    struct rnicsim_error error;
    uint64_t size_bytes = source->perftest != NULL ? perftest_size_bytes(&source->perftest_options, 0) : 0;
    int opened = source_open(source, size_bytes, NULL, &run->driver);
    if (opened != CLI_DONE)
        return opened;
    int result = rnicsim_create(options, &run->sim, &error);
    if (result == RNICSIM_OK)
        result = workload_create_objects(&run->driver, run->sim, &error);
    if (result == RNICSIM_OK) {
        begin_progress(run);
        result = workload_run(&run->driver, run->sim, RNICSIM_NEVER, take_event, run, &error);
    }
    if (result == RNICSIM_OK)
        return 0;
    progress_end(&run->workload->progress);
    return cli_fail_result(result, &error);
}

static int gather(struct size_run *run)
{
    struct result *result = &run->result;
    struct size_outcome *outcome = &run->outcome;
    result->sim = run->sim;
    result->collect = &run->collect;
    result->trace = run->driver.name;
    result->seed = run->workload->seed;
    if (run->collect.failed || result_gather(result, &run->driver) != 0)
        return cli_fail("out of memory for the result");
    outcome->drops = result->totals.drops;
    outcome->requests_done = result->requests_done;
    outcome->end_ps = result->end_ps;
    outcome->completion = result->completion;
    outcome->goodput_gbps = result->goodput_gbps;
    outcome->is_complete = strcmp(result->status, "complete") == 0;
    run->workload->runs++;
    return 0;
}

int size_run(struct size_run *run, struct size_workload *workload, const char *const *set, size_t set_count)
{
    struct model_options model;
    struct rnicsim_options options = {.seed = workload->seed};
    *run = (struct size_run){.workload = workload};
    int result = model_options_extend(&model, workload->model, set, set_count);
    if (result == CLI_DONE)
        result = model_options_apply(&model, &options);
    if (result == CLI_DONE && collect_init(&run->collect) != 0)
        result = cli_fail("out of memory for the statistics");
    if (result == CLI_DONE)
        result = replay(run, &options);
    model_options_free(&model);
    return result == CLI_DONE ? gather(run) : result;
}

void size_run_free(struct size_run *run)
{
    collect_free(&run->collect);
    result_free(&run->result);
    workload_close(&run->driver);
    rnicsim_destroy(run->sim);
    *run = (struct size_run){.sim = NULL};
}

double size_run_tail(const struct latency *latency)
{
    return latency->p999.known ? (double)latency->p999.ps : latency->mean_ps;
}

static void merge(struct size_outcome *outcome, const struct size_outcome *other, size_t number)
{
    outcome->digest += mix(other->digest + mix(number + 1)); /* which of them moved matters */
    outcome->drops += other->drops;
    outcome->requests += other->requests;
    outcome->requests_done += other->requests_done;
    outcome->is_complete &= other->is_complete;
    outcome->other[number] = (struct size_rates){other->goodput_gbps, size_run_tail(&other->completion)};
}

int size_run_others(struct size_workload *workload, const char *const *set, size_t set_count,
                    struct size_outcome *outcome, size_run_look *look, void *context)
{
    const struct source *first = workload->source;
    uint64_t seed = workload->seed;
    int result = 0;
    for (size_t i = 0; result == 0 && i < workload->other_count; i++) {
        struct size_run once;
        workload->source = &workload->others[i].source;
        workload->seed = workload->others[i].seed;
        result = size_run(&once, workload, set, set_count);
        if (result == 0 && look != NULL)
            look(context, &once);
        if (result == 0)
            merge(outcome, &once.outcome, i);
        size_run_free(&once);
    }
    workload->source = first;
    workload->seed = seed;
    return result;
}
