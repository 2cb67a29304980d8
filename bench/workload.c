#include "bench/workload.h"

#include "bench/generated.h"

#include <stdio.h>
#include <stdlib.h>

int workload_of_trace(struct workload *workload, const char *path, struct rnicsim_error *error)
{
    *workload = (struct workload){0};
    snprintf(workload->name, sizeof workload->name, "%s", path);
    return trace_replay_open(path, &workload->replay, error);
}

int workload_of_generated(struct workload *workload, const char *path, const char *text, struct rnicsim_error *error)
{
    int result = workload_of_trace(workload, path, error);
    snprintf(workload->name, sizeof workload->name, "gen: %.480s", text);
    snprintf(workload->temporary, sizeof workload->temporary, "%s", path);
    return result;
}

int workload_of_perftest(struct workload *workload, const struct perftest_options *options, const char *text,
                         uint64_t size_bytes, struct rnicsim_error *error)
{
    *workload = (struct workload){.perftest = calloc(1, sizeof *workload->perftest)};
    snprintf(workload->name, sizeof workload->name, "perftest: %.400s", text);
    if (options->all_sizes)
        snprintf(workload->name, sizeof workload->name, "perftest: %.400s (here: %llu bytes)", text,
                 (unsigned long long)size_bytes);
    if (workload->perftest != NULL && perftest_run_init(workload->perftest, options, size_bytes) == 0)
        return RNICSIM_OK;
    perftest_fail(error, "--perftest: out of memory for its samples");
    return RNICSIM_EINPUT;
}

void workload_close(struct workload *workload)
{
    trace_replay_close(workload->replay);
    if (workload->perftest != NULL)
        perftest_run_free(workload->perftest);
    free(workload->perftest);
    if (workload->temporary[0] != 0)
        generated_remove(workload->temporary);
    *workload = (struct workload){0};
}

int workload_create_objects(struct workload *workload, struct rnicsim *sim, struct rnicsim_error *error)
{
    struct trace_replay_counts counts;
    int result = workload->replay != NULL ? trace_replay_create_objects(workload->replay, sim, error)
                                          : perftest_run_create_objects(workload->perftest, sim, error);
    if (result != RNICSIM_OK || workload->faults == NULL)
        return result;
    workload_counts(workload, &counts);
    return fault_plan_apply(workload->faults, sim, counts.requests, error);
}

int workload_run(struct workload *workload, struct rnicsim *sim, int64_t until_ps, trace_replay_event *event,
                 void *context, struct rnicsim_error *error)
{
    return workload->replay != NULL ? trace_replay_run(workload->replay, sim, until_ps, event, context, error)
                                    : perftest_run_go(workload->perftest, until_ps, event, context, error);
}

void workload_counts(const struct workload *workload, struct trace_replay_counts *out)
{
    if (workload->replay != NULL) {
        trace_replay_counts(workload->replay, out);
        return;
    }
    const struct perftest_run *run = workload->perftest;
    uint64_t sides = (run->options.is_lat && !perftest_is_answered(&run->options)) || run->options.both_ways ? 2 : 1;
    uint64_t all = run->options.iters * run->options.qps * sides;
    *out = (struct trace_replay_counts){.requests = run->options.duration_s > 0 ? run->posted_requests : all,
                                        .receives = run->posted_receives,
                                        .posted_requests = run->posted_requests,
                                        .posted_receives = run->posted_receives};
}

int workload_is_whole(const struct workload *workload)
{
    return workload->replay != NULL ? trace_replay_is_whole(workload->replay)
                                    : perftest_run_is_whole(workload->perftest);
}

int workload_explain(const struct workload *workload, char *text, size_t text_bytes)
{
    struct rnicsim_error error;
    int waits = 0;
    for (uint32_t i = 0; workload->replay != NULL && waits == 0; i++)
        waits = trace_replay_explain(workload->replay, i, &error);
    if (waits > 0)
        snprintf(text, text_bytes, "%.511s", error.text);
    for (uint32_t host = 0; workload->replay == NULL && host < 2 && waits == 0; host++)
        waits = perftest_run_explain(workload->perftest, host, text, text_bytes);
    return waits > 0;
}
