#include "bench/runs.h"

#include <stdio.h>
#include <string.h>

#include "bench/charts.h"
#include "bench/cli.h"
#include "bench/csv.h"
#include "bench/loads.h"
#include "bench/metric.h"
#include "bench/report.h"
#include "bench/simulate.h"
#include "bench/summary.h"
#include "bench/text.h"

#define AROUND_PS INT64_C(5000000) /* before and behind the instant at which a FIFO was fullest */
#define AROUND_CHANGES_MAX 20000u

struct runs {
    const struct run_options *options;
    struct source source; /* the options', read */
    struct perftest_table table;
    struct size_waterfall sizes[PERFTEST_SIZES_MAX];
    struct load_series loads;
    int64_t line_bps;
    struct simulate simulate; /* of several the last */
    struct results *results;  /* NULL: without -o, or put in place */
    struct capture_writer *capture;
    struct waves waves;
};

/* ---- simulations: n is the number of the size, or of the load ---- */

static int open_workload(const struct runs *runs, size_t n, struct workload *workload)
{
    char rate[64];
    int has_rate = runs->options->loads != NULL;
    if (has_rate)
        loads_rate(&runs->loads, n, runs->line_bps, rate, sizeof rate);
    uint64_t size_bytes = runs->source.perftest != NULL ? perftest_size_bytes(&runs->source.perftest_options, n) : 0;
    return source_open(&runs->source, size_bytes, has_rate ? rate : NULL, workload);
}

static struct simulate prepare(const struct runs *runs)
{
    const struct run_options *options = runs->options;
    return (struct simulate){.model = &options->model,
                             .checks_data = options->checks_data,
                             .seed = options->seed,
                             .horizon_off = options->horizon_off,
                             .quiet = options->quiet};
}

static int run_one(struct runs *runs, size_t n)
{
    struct simulate *simulate = &runs->simulate;
    simulate_free(simulate); /* of the one before */
    *simulate = prepare(runs);
    simulate->capture = runs->capture;
    if (waves_is_wanted(&runs->options->waves))
        waves_watch(&runs->waves, simulate);
    int result = open_workload(runs, n, &simulate->workload);
    if (result == CLI_DONE)
        result = source_digest(&runs->source, simulate->result.digest, sizeof simulate->result.digest);
    if (result == CLI_DONE)
        result = simulate_run(simulate);
    if (result == CLI_DONE && waves_is_wanted(&runs->options->waves))
        result = waves_take(&runs->waves, simulate);
    return result;
}

/* One simulation a size; a size that does not end is the last. */
static int run_perftest(struct runs *runs)
{
    const struct perftest_options *perftest = &runs->source.perftest_options;
    int is_text = !runs->options->quiet && !runs->options->json, result = CLI_DONE;
    runs->table.options = *perftest;
    for (size_t n = 0; result == CLI_DONE && perftest_size_bytes(perftest, n) > 0; n++) {
        result = run_one(runs, n);
        const struct workload *workload = &runs->simulate.workload;
        if (result != CLI_DONE || !workload_is_whole(workload))
            break;
        if (runs->table.count < PERFTEST_SIZES_MAX)
            runs->sizes[runs->table.count] =
                (struct size_waterfall){perftest_size_bytes(perftest, n), runs->simulate.result.waterfall};
        if (perftest_table_add(&runs->table, workload->perftest, is_text ? stdout : NULL) != 0)
            result = cli_fail("out of memory for perftest's report");
    }
    runs->simulate.result.perftest = &runs->table;
    runs->simulate.result.sizes = runs->sizes;
    return result;
}

static int run_loads(struct runs *runs)
{
    int result = loads_parse(runs->options->loads, &runs->loads);
    if (result == CLI_DONE)
        result = loads_line_bps(&runs->options->model, &runs->line_bps);
    for (size_t n = 0; result == CLI_DONE && n < runs->loads.asked; n++) {
        result = run_one(runs, n);
        if (result == CLI_DONE)
            loads_add(&runs->loads, &runs->simulate.result);
    }
    runs->simulate.result.loads = &runs->loads;
    return result;
}

/* The same simulation once more, up to behind the instant at which the fullest FIFO was fullest, for the chart of what happened
 * around it: exact, as the same seed gives the same run. */
static int look_again(struct runs *runs)
{
    struct result *result = &runs->simulate.result;
    if (runs->results == NULL || runs->options->no_charts || result->fifo_count == 0 ||
        result->fifos[0].info.high_water == 0)
        return CLI_DONE;
    size_t last = runs->loads.count > 0 ? runs->loads.count - 1 : runs->table.count > 0 ? runs->table.count - 1 : 0;
    int64_t at_ps = result->fifos[0].info.high_water_at_ps;
    struct simulate again = prepare(runs);
    again.quiet = 1;
    again.watch_room = AROUND_CHANGES_MAX;
    again.watch_fifo = result->fifos[0].index;
    again.watch_from_ps = at_ps > AROUND_PS ? at_ps - AROUND_PS : 0;
    again.watch_to_ps = at_ps + AROUND_PS;
    int status = open_workload(runs, last, &again.workload);
    if (status == CLI_DONE)
        status = simulate_run(&again);
    if (status == CLI_DONE && result_keep_around(result, &again.result, again.watch_fifo, again.watch_to_ps) != 0)
        status = cli_fail("out of memory for a chart");
    simulate_free(&again);
    return status;
}

/* ---- the capture, and waves ---- */

static int has_several(const struct runs *runs)
{
    const struct perftest_options *perftest = &runs->source.perftest_options;
    return runs->options->loads != NULL || (runs->source.perftest != NULL && perftest_size_bytes(perftest, 1) > 0);
}

/* A window of requests is found by a run of its own. */
static int begin_waves(struct runs *runs)
{
    const struct waves_options *options = &runs->options->waves;
    runs->waves.options = options;
    int result = waves_check(options);
    if (result != CLI_DONE || !waves_is_wanted(options))
        return result;
    if (has_several(runs))
        return cli_fail("--timeline, --vcd and --golden: of one run; allowed without --loads, and with one size of "
                        "--perftest");
    result = waves_window_read(options->window, &runs->waves.window);
    if (result != CLI_DONE || runs->waves.window.first == 0)
        return result;
    struct simulate before = prepare(runs);
    before.quiet = 1;
    result = open_workload(runs, 0, &before.workload);
    if (result == CLI_DONE)
        result = waves_find_requests(&runs->waves, &before);
    simulate_free(&before);
    return result;
}

static int begin_capture(struct runs *runs)
{
    const struct run_options *options = runs->options;
    struct rnicsim_error error;
    if (options->pcap == NULL)
        return CLI_DONE;
    if (has_several(runs))
        return cli_fail("--pcap: one run is captured; allowed without --loads, and with one size of --perftest");
    return capture_create(options->pcap, options->pcap_side, &runs->capture, &error) == 0 ? CLI_DONE
                                                                                          : cli_fail("%s", error.text);
}

static int end_capture(struct runs *runs)
{
    struct rnicsim_error error;
    struct capture_writer *capture = runs->capture;
    runs->capture = NULL;
    return capture == NULL || capture_finish(capture, &error) == 0 ? CLI_DONE : cli_fail("%s", error.text);
}

/* ---- the report ---- */

static int write_files(struct runs *runs)
{
    struct results *results = runs->results;
    const struct result *result = &runs->simulate.result;
    csv_write(result, results);
    if (!runs->options->no_charts)
        charts_write(result, results, runs->options->chart_formats);
    report_write(result, results, runs->options->lang);
    FILE *summary = results_open(results, "summary.json");
    if (summary != NULL && summary_write(result, summary) != 0)
        results_fail(results, "summary.json");
    results_close(results, summary);
    runs->results = NULL;
    return results_finish(results);
}

/* The text report tells it itself. */
static void warn_if_partial(const struct runs *runs)
{
    const struct result *result = &runs->simulate.result;
    if (strcmp(result->status, "partial") != 0 || (!runs->options->quiet && !runs->options->json))
        return;
    cli_warn("status partial: %llu of %llu requests done; %.400s", (unsigned long long)result->requests_done,
             (unsigned long long)result->counts.requests,
             result->stuck[0] != 0 ? result->stuck : result->first_waiting);
}

static int judge(const struct runs *runs)
{
    const struct run_options *options = runs->options;
    if (options->asserts.count == 0)
        return CLI_DONE;
    json_t *summary = summary_make(&runs->simulate.result, 1);
    if (summary == NULL)
        return cli_fail("out of memory for the result");
    int worst = metric_asserts_judge(&options->asserts, summary);
    json_decref(summary);
    return worst;
}

static int report(struct runs *runs)
{
    int result = runs->results != NULL ? write_files(runs) : CLI_DONE;
    if (result != CLI_DONE)
        return result;
    warn_if_partial(runs);
    if (runs->options->json)
        summary_write(&runs->simulate.result, stdout);
    else if (!runs->options->quiet)
        text_print(&runs->simulate.result, stdout);
    return judge(runs);
}

int runs_all(const struct run_options *options)
{
    struct runs runs = {.options = options, .source = options->source};
    int result = options->folder != NULL
                     ? results_begin(options->folder, options->force ? RESULTS_REPLACE : RESULTS_NEW, &runs.results)
                     : CLI_DONE;
    if (result == CLI_DONE)
        result = source_parse(&runs.source);
    if (result == CLI_DONE)
        result = begin_capture(&runs);
    if (result == CLI_DONE)
        result = begin_waves(&runs);
    if (result == CLI_DONE)
        result = options->source.perftest != NULL ? run_perftest(&runs)
                 : options->loads != NULL         ? run_loads(&runs)
                                                  : run_one(&runs, 0);
    if (result == CLI_DONE)
        result = end_capture(&runs);
    if (result == CLI_DONE && waves_is_wanted(&options->waves))
        result = waves_write(&runs.waves, &runs.simulate.result);
    if (result == CLI_DONE)
        result = look_again(&runs);
    if (result == CLI_DONE)
        result = report(&runs);
    results_discard(runs.results);
    capture_discard(runs.capture);
    waves_free(&runs.waves);
    simulate_free(&runs.simulate);
    source_free(&runs.source);
    return result;
}
