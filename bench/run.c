/* rnicsim run: replays a trace, or runs perftest's programs, on two NICs and reports what was seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/charts.h"
#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/csv.h"
#include "bench/digest.h"
#include "bench/simulate.h"
#include "bench/summary.h"
#include "bench/text.h"

enum {
    OPTION_FORCE = 2000,
    OPTION_PERFTEST,
    OPTION_JSON,
    OPTION_SEED,
    OPTION_QUIET,
    OPTION_NO_CHARTS,
    OPTION_HORIZON_OFF
};

#define AROUND_PS INT64_C(5000000) /* before and behind the instant at which a FIFO was fullest */
#define AROUND_CHANGES_MAX 20000u

struct run_options {
    struct model_options model;
    const char *trace, *perftest, *folder;
    uint64_t seed;
    int force, json, quiet, no_charts, horizon_off;
};

struct run {
    struct run_options options;
    struct perftest_options perftest;
    struct perftest_table table;
    struct simulate simulate; /* of perftest's sizes the last */
    struct results *results;  /* NULL: without -o, or put in place */
};

static const struct argp_option run_option_table[] = {
    {"perftest", OPTION_PERFTEST, "TOOL OPTIONS", 0,
     "instead of a trace: \"write_lat -s 64 -n 5000\", options as in perftest 4.5; also write_bw, send_lat, send_bw",
     1},
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
    case OPTION_PERFTEST:
        options->perftest = value;
        return 0;
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

static int write_files(struct run *run)
{
    struct results *results = run->results;
    const struct result *result = &run->simulate.result;
    csv_write(result, results);
    if (!run->options.no_charts)
        charts_write(result, results);
    FILE *summary = results_open(results, "summary.json");
    if (summary != NULL && summary_write(result, summary) != 0)
        results_fail(results, "summary.json");
    results_close(results, summary);
    run->results = NULL;
    return results_finish(results);
}

/* The text report tells it itself. */
static void warn_if_partial(const struct run *run)
{
    const struct result *result = &run->simulate.result;
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
        summary_write(&run->simulate.result, stdout);
    else if (!run->options.quiet)
        text_print(&run->simulate.result, stdout);
    return CLI_DONE;
}

static struct simulate prepare(const struct run *run)
{
    const struct run_options *options = &run->options;
    return (struct simulate){
        .model = &options->model, .seed = options->seed, .horizon_off = options->horizon_off, .quiet = options->quiet};
}

/* size_bytes: of perftest. */
static int open_workload(const struct run *run, uint64_t size_bytes, struct workload *workload)
{
    struct rnicsim_error error;
    int result = run->options.perftest != NULL
                     ? workload_of_perftest(workload, &run->perftest, run->options.perftest, size_bytes, &error)
                     : workload_of_trace(workload, run->options.trace, &error);
    return result == RNICSIM_OK ? CLI_DONE : cli_fail("%s", error.text);
}

static int run_trace(struct run *run)
{
    struct simulate *simulate = &run->simulate;
    *simulate = prepare(run);
    int result = open_workload(run, 0, &simulate->workload);
    if (result == CLI_DONE)
        result = digest_file(run->options.trace, simulate->result.digest, sizeof simulate->result.digest);
    return result == CLI_DONE ? simulate_run(simulate) : result;
}

static int run_size(struct run *run, uint64_t size_bytes)
{
    struct simulate *simulate = &run->simulate;
    int is_text = !run->options.quiet && !run->options.json;
    simulate_free(simulate); /* of the size before */
    *simulate = prepare(run);
    int result = open_workload(run, size_bytes, &simulate->workload);
    if (result != CLI_DONE)
        return result;
    digest_text(run->options.perftest, simulate->result.digest, sizeof simulate->result.digest);
    simulate->result.perftest = &run->table;
    result = simulate_run(simulate);
    if (result != CLI_DONE || !workload_is_whole(&simulate->workload))
        return result;
    if (perftest_table_add(&run->table, simulate->workload.perftest, is_text ? stdout : NULL) != 0)
        return cli_fail("out of memory for perftest's report");
    return CLI_DONE;
}

/* One simulation a size; a size that does not end is the last. */
static int run_perftest(struct run *run)
{
    struct rnicsim_error error;
    uint64_t size_bytes;
    int result = CLI_DONE;
    if (perftest_parse(run->options.perftest, &run->perftest, &error) != 0)
        return cli_fail("%s", error.text);
    run->table.options = run->perftest;
    for (size_t n = 0; result == CLI_DONE && (size_bytes = perftest_size_bytes(&run->perftest, n)) > 0; n++) {
        if (n > run->table.count)
            break;
        result = run_size(run, size_bytes);
    }
    return result;
}

/* The same simulation once more, up to behind the instant at which the fullest FIFO was fullest, for the chart of what happened
 * around it: exact, as the same seed gives the same run. */
static int look_again(struct run *run)
{
    struct result *result = &run->simulate.result;
    if (run->results == NULL || run->options.no_charts || result->fifo_count == 0 ||
        result->fifos[0].info.high_water == 0)
        return CLI_DONE;
    int64_t at_ps = result->fifos[0].info.high_water_at_ps;
    struct simulate again = prepare(run);
    again.quiet = 1;
    again.watch_room = AROUND_CHANGES_MAX;
    again.watch_fifo = result->fifos[0].index;
    again.watch_from_ps = at_ps > AROUND_PS ? at_ps - AROUND_PS : 0;
    again.watch_to_ps = at_ps + AROUND_PS;
    const struct perftest_run *perftest = run->simulate.workload.perftest;
    int status = open_workload(run, perftest != NULL ? perftest->size_bytes : 0, &again.workload);
    if (status == CLI_DONE)
        status = simulate_run(&again);
    if (status == CLI_DONE && result_keep_around(result, &again.result, again.watch_fifo, again.watch_to_ps) != 0)
        status = cli_fail("out of memory for a chart");
    simulate_free(&again);
    return status;
}

static int run_all(struct run *run)
{
    const struct run_options *options = &run->options;
    int result = options->folder != NULL ? results_begin(options->folder, options->force, &run->results) : CLI_DONE;
    if (result == CLI_DONE)
        result = options->perftest != NULL ? run_perftest(run) : run_trace(run);
    if (result == CLI_DONE)
        result = look_again(run);
    if (result == CLI_DONE)
        result = report(run);
    results_discard(run->results);
    return result;
}

static int check_workload(const struct run_options *options)
{
    if (options->trace == NULL && options->perftest == NULL)
        return cli_fail("which trace? rnicsim run -b BOARD TRACE, or --perftest \"write_lat -s 64\"; see rnicsim run "
                        "--help");
    if (options->trace != NULL && options->perftest != NULL)
        return cli_fail("\"%s\" and --perftest: one workload is allowed", options->trace);
    return -1;
}

int run_main(int argc, char **argv)
{
    const struct argp_child children[] = {{model_options_argp(), 0, "The model:", 1}, {0}};
    const struct argp argp = {
        run_option_table,
        parse,
        "[TRACE]",
        "Replays a trace of work requests, or runs perftest, on two NICs and a cable, and reports latency, jitter, "
        "the bottleneck and how full each FIFO became.",
        children,
        NULL,
        NULL};
    struct run run = {.options.seed = 1};
    int result = cli_parse(&argp, "run", argc, argv, &run.options);
    if (result < 0)
        result = check_workload(&run.options);
    if (result < 0) {
        result = run_all(&run);
        simulate_free(&run.simulate);
    }
    model_options_free(&run.options.model);
    return result;
}
