/* rnicsim run: replays a trace on two NICs and reports what was seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/charts.h"
#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/csv.h"
#include "bench/digest.h"
#include "bench/model_options.h"
#include "bench/progress.h"
#include "bench/summary.h"
#include "bench/text.h"

enum { OPTION_FORCE = 2000, OPTION_JSON, OPTION_SEED, OPTION_QUIET, OPTION_NO_CHARTS, OPTION_HORIZON_OFF };

struct run_options {
    struct model_options model;
    const char *trace, *folder;
    uint64_t seed;
    int force, json, quiet, no_charts, horizon_off;
};

struct run {
    struct run_options options;
    struct trace_replay *replay;
    struct rnicsim *sim;
    struct collect collect;
    struct progress progress;
    struct result result;
    struct results *results; /* NULL: without -o, or put in place */
};

static const struct argp_option run_option_table[] = {
    {NULL, 'o', "DIR", 0, "writes the results and charts into this folder", 2},
    {"force", OPTION_FORCE, NULL, 0, "with -o: replaces the results of another run", 2},
    {"no-charts", OPTION_NO_CHARTS, NULL, 0, "with -o: no charts", 2},
    {"json", OPTION_JSON, NULL, 0, "prints summary.json instead of the report", 2},
    {"quiet", OPTION_QUIET, NULL, 0, "no report and no progress bar", 2},
    {"seed", OPTION_SEED, "N", 0, "of all random numbers (1); the same seed gives the same results", 3},
    {"horizon-off", OPTION_HORIZON_OFF, NULL, 0, "decides one grant at a time: slower, the same results", 3},
    {0},
};

static error_t take_trace(struct run_options *options, const char *path)
{
    if (options->trace != NULL) {
        cli_fail("\"%s\" and \"%s\": one trace is allowed", options->trace, path);
        return CLI_TOLD;
    }
    options->trace = path;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct run_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->model;
        return 0;
    case ARGP_KEY_ARG:
        return take_trace(options, value);
    case 'o':
        options->folder = value;
        return 0;
    case OPTION_SEED:
        return cli_number(value, "--seed", INT64_MAX, &options->seed) != 0 ? CLI_TOLD : 0;
    case OPTION_FORCE:
        options->force = 1;
        return 0;
    case OPTION_JSON:
        options->json = 1;
        return 0;
    case OPTION_QUIET:
        options->quiet = 1;
        return 0;
    case OPTION_NO_CHARTS:
        options->no_charts = 1;
        return 0;
    case OPTION_HORIZON_OFF:
        options->horizon_off = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int create(struct run *run)
{
    struct rnicsim_options options = {.seed = run->options.seed, .horizon_off = run->options.horizon_off};
    struct rnicsim_error error;
    if (model_options_apply(&run->options.model, &options) != 0)
        return CLI_INPUT;
    int result = rnicsim_create(&options, &run->sim, &error);
    if (result == RNICSIM_OK)
        result = trace_replay_open(run->options.trace, &run->replay, &error);
    if (result == RNICSIM_OK)
        result = trace_replay_create_objects(run->replay, run->sim, &error);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    if (collect_init(&run->collect) != 0)
        return cli_fail("out of memory for the statistics");
    return CLI_DONE;
}

static void take_event(void *context, const struct rnicsim_event *event)
{
    struct run *run = context;
    collect_event(&run->collect, event);
    progress_update(&run->progress, run->collect.done);
}

static int simulate(struct run *run)
{
    struct trace_replay_counts counts;
    struct rnicsim_error error;
    trace_replay_counts(run->replay, &counts);
    progress_start(&run->progress, counts.requests, run->options.quiet);
    int result = trace_replay_run(run->replay, run->sim, take_event, run, &error);
    progress_end(&run->progress);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    if (run->collect.failed)
        return cli_fail("out of memory for the statistics");
    run->result.wall_s = progress_clock_s() - run->progress.started_s;
    run->result.sim = run->sim;
    run->result.collect = &run->collect;
    run->result.trace = run->options.trace;
    run->result.seed = run->options.seed;
    if (result_gather(&run->result, run->replay) != 0)
        return cli_fail("out of memory for the result");
    return CLI_DONE;
}

static int write_files(struct run *run)
{
    struct results *results = run->results;
    csv_write(&run->result, results);
    if (!run->options.no_charts)
        charts_write(&run->result, results);
    FILE *summary = results_open(results, "summary.json");
    if (summary != NULL && summary_write(&run->result, summary) != 0)
        results_fail(results, "summary.json");
    results_close(results, summary);
    run->results = NULL;
    return results_finish(results);
}

/* The text report tells it itself. */
static void warn_if_partial(const struct run *run)
{
    const struct result *result = &run->result;
    if (strcmp(result->status, "partial") != 0 || (!run->options.quiet && !run->options.json))
        return;
    cli_warn("status partial: %llu of %llu requests done; %.400s", (unsigned long long)result->requests_done,
             (unsigned long long)result->counts.requests,
             result->stuck[0] != 0 ? result->stuck : result->first_waiting);
}

static int report(struct run *run)
{
    int result = run->results != NULL ? write_files(run) : CLI_DONE;
    if (result != CLI_DONE)
        return result;
    warn_if_partial(run);
    if (run->options.json)
        summary_write(&run->result, stdout);
    else if (!run->options.quiet)
        text_print(&run->result, stdout);
    return CLI_DONE;
}

static int run_all(struct run *run)
{
    const struct run_options *options = &run->options;
    int result = options->folder != NULL ? results_begin(options->folder, options->force, &run->results) : CLI_DONE;
    if (result == CLI_DONE)
        result = create(run);
    if (result == CLI_DONE)
        result = digest_file(options->trace, run->result.digest, sizeof run->result.digest);
    if (result == CLI_DONE)
        result = simulate(run);
    if (result == CLI_DONE)
        result = report(run);
    results_discard(run->results);
    return result;
}

int run_main(int argc, char **argv)
{
    const struct argp_child children[] = {{model_options_argp(), 0, "The model:", 1}, {0}};
    const struct argp argp = {run_option_table,
                              parse,
                              "TRACE",
                              "Replays a trace of work requests on two NICs and a cable, and reports latency, jitter, "
                              "the bottleneck and how full each FIFO became.",
                              children,
                              NULL,
                              NULL};
    struct run run = {.options.seed = 1};
    int result = cli_parse(&argp, "run", argc, argv, &run.options);
    if (result < 0 && run.options.trace == NULL)
        result = cli_fail("which trace? rnicsim run -b BOARD TRACE; see rnicsim run --help");
    if (result < 0) {
        result = run_all(&run);
        collect_free(&run.collect);
        result_free(&run.result);
        trace_replay_close(run.replay);
        rnicsim_destroy(run.sim);
    }
    model_options_free(&run.options.model);
    return result;
}
