#include "bench/simulate.h"

#include <stdio.h>

#include "bench/cli.h"

#define FRAMES_AT_ONCE 64u

static int create(struct simulate *simulate)
{
    struct rnicsim_options options = {
        .seed = simulate->seed, .horizon_off = simulate->horizon_off, .data = simulate->checks_data ? 2 : 0};
    struct rnicsim_error error;
    int result = model_options_create(simulate->model, &options, &simulate->sim);
    if (result != CLI_DONE)
        return result;
    result = workload_create_objects(&simulate->workload, simulate->sim, &error);
    if (result == RNICSIM_OK && simulate->watch_room > 0)
        result = rnicsim_fifo_watch(simulate->sim, simulate->watch_fifo, simulate->watch_from_ps, simulate->watch_to_ps,
                                    simulate->watch_room, &error);
    if (result == RNICSIM_OK && simulate->watch != NULL)
        result = simulate->watch(simulate, simulate->watch_context, &error);
    if (result == RNICSIM_OK && simulate->capture != NULL)
        result = rnicsim_frames_watch(simulate->sim, &error);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    if (collect_init(&simulate->collect) != 0)
        return cli_fail("out of memory for the statistics");
    return CLI_DONE;
}

/* Frames that have passed by now. */
static void take_frames(struct simulate *simulate)
{
    struct rnicsim_frame frames[FRAMES_AT_ONCE];
    size_t count;
    while (!simulate->capture_failed && (count = rnicsim_frames(simulate->sim, frames, FRAMES_AT_ONCE)) > 0)
        for (size_t i = 0; i < count && !simulate->capture_failed; i++)
            simulate->capture_failed = capture_put(simulate->capture, &frames[i], &simulate->capture_error) != 0;
}

static void take_event(void *context, const struct rnicsim_event *event)
{
    struct simulate *simulate = context;
    collect_event(&simulate->collect, event);
    steady_add(&simulate->steady, event, simulate->collect.done);
    if (simulate->event != NULL)
        simulate->event(simulate->event_context, event);
    if (simulate->capture != NULL)
        take_frames(simulate);
    progress_update(&simulate->progress, simulate->collect.done);
}

static int gather(struct simulate *simulate)
{
    struct result *result = &simulate->result;
    result->wall_s = progress_clock_s() - simulate->progress.started_s;
    result->sim = simulate->sim;
    result->collect = &simulate->collect;
    result->trace = simulate->workload.name;
    result->faults = simulate->workload.faults != NULL ? simulate->workload.faults->text : NULL;
    result->seed = simulate->seed;
    result->checks_data = simulate->checks_data;
    if (result_gather(result, &simulate->workload) != 0 ||
        steady_find(&simulate->steady, result->totals.first_post_ps, &result->steady) != 0)
        return cli_fail("out of memory for the result");
    return CLI_DONE;
}

/* The model's own fault, if any. */
static int judge_data(const struct rnicsim_totals *totals)
{
    struct rnicsim_error error;
    if (totals->data_wrong_messages == 0)
        return CLI_DONE;
    snprintf(error.text, sizeof error.text, "--data: %llu messages are not where, or not as they should be",
             (unsigned long long)totals->data_wrong_messages);
    return cli_fail_result(RNICSIM_EMODEL, &error);
}

int simulate_run(struct simulate *simulate)
{
    struct trace_replay_counts counts;
    struct rnicsim_error error;
    int result = create(simulate);
    if (result != CLI_DONE)
        return result;
    workload_counts(&simulate->workload, &counts);
    progress_start(&simulate->progress, counts.requests, simulate->quiet);
    steady_begin(&simulate->steady, counts.requests);
    int64_t until_ps = simulate->watch_room > 0 ? simulate->watch_to_ps + 1 : RNICSIM_NEVER;
    result = workload_run(&simulate->workload, simulate->sim, until_ps, take_event, simulate, &error);
    progress_end(&simulate->progress);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    if (simulate->capture != NULL)
        take_frames(simulate);
    if (simulate->capture_failed)
        return cli_fail("%s", simulate->capture_error.text);
    if (simulate->collect.failed)
        return cli_fail("out of memory for the statistics");
    result = gather(simulate);
    return result == CLI_DONE ? judge_data(&simulate->result.totals) : result;
}

void simulate_free(struct simulate *simulate)
{
    collect_free(&simulate->collect);
    steady_free(&simulate->steady);
    result_free(&simulate->result);
    workload_close(&simulate->workload);
    rnicsim_destroy(simulate->sim);
}
