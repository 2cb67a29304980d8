/* rnicsim why: its options, and what it does in which order. */
#include "bench/why/why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/gnuplot.h"
#include "bench/parallel.h"
#include "bench/results.h"

enum {
    OPTION_PERCENTILE = 6000,
    OPTION_TARGET,
    OPTION_NO_TORNADO,
    OPTION_FORCE,
    OPTION_NO_CHARTS,
    OPTION_CHARTS,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_SEED
};

#define JOBS_MAX 1024u
#define WORST_DEFAULT 5u

static const struct argp_option option_table[] = {
    {"percentile", OPTION_PERCENTILE, "P", 0, "the slowest requests from this percentile of latency on (99)", 1},
    {NULL, 'n', "N", 0, "so many of them at most, 1 to 100 (5)", 1},
    {"target", OPTION_TARGET, "NAME", 0,
     "what the tornado is about: a name of summary.json (p99, else the mean where there are too few samples)", 1},
    {"no-tornado", OPTION_NO_TORNADO, NULL, 0, "without it: its runs are two for each parameter", 1},
    {NULL, 'j', "N", 0, "runs at a time (as many as there are cores)", 1},
    {NULL, 'o', "DIR", 0, "writes why.json and the tornado into this folder", 2},
    {"force", OPTION_FORCE, NULL, 0, "with -o: replaces other results", 2},
    {"no-charts", OPTION_NO_CHARTS, NULL, 0, "with -o: no chart", 2},
    {"charts", OPTION_CHARTS, "FORMATS", 0, "with -o: draws it as svg (the default), png or pdf: svg,pdf", 2},
    {"json", OPTION_JSON, NULL, 0, "prints why.json instead of the report", 2},
    {"quiet", OPTION_QUIET, NULL, 0, "no report and no progress bar", 2},
    {"seed", OPTION_SEED, "N", 0, "of all random numbers (1); the same seed gives the same results", 3},
    {0},
};

static const char why_text[] =
    "What made the slowest requests slow, which limit binds, and what each parameter does.\v"
    "Runs the workload, then again to see what happened while each of the slowest requests was late: a retransmission, "
    "a slow answer of the host (a refresh, an IOTLB miss, a stall, a replay), who was before it. Then lifts the limit "
    "that binds and runs again, and the next one. Then runs with 20 % less and 20 % more of each parameter that is a "
    "number (of whole numbers those that can move by 20 to 30 %).";

static error_t take_percentile(struct why_options *options, const char *value)
{
    char *end;
    options->percentile = strtod(value, &end);
    if (end != value && *end == 0 && options->percentile >= 0 && options->percentile < 100)
        return 0;
    cli_fail("--percentile \"%.60s\": allowed is 0 to below 100: 99.9", value);
    return CLI_TOLD;
}

static error_t take_count(const char *value, const char *what, uint64_t most, uint64_t *out)
{
    if (cli_number(value, what, most, out) != 0)
        return CLI_TOLD;
    if (*out > 0)
        return 0;
    cli_fail("%s 0: allowed are 1 to %llu", what, (unsigned long long)most);
    return CLI_TOLD;
}

static error_t take_jobs(struct why_options *options, const char *value)
{
    uint64_t jobs = 0;
    if (take_count(value, "-j", JOBS_MAX, &jobs) != 0)
        return CLI_TOLD;
    options->jobs = (unsigned)jobs;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct why_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->source;
        state->child_inputs[1] = &options->model;
        return 0;
    case OPTION_PERCENTILE:
        return take_percentile(options, value);
    case 'n':
        return take_count(value, "-n", WHY_WORST_MAX, &options->worst);
    case OPTION_TARGET:
        return cli_take_text(&options->target, value);
    case OPTION_NO_TORNADO:
        return cli_take_flag(&options->no_tornado);
    case 'j':
        return take_jobs(options, value);
    case 'o':
        return cli_take_text(&options->folder, value);
    case OPTION_FORCE:
        return cli_take_flag(&options->force);
    case OPTION_NO_CHARTS:
        return cli_take_flag(&options->no_charts);
    case OPTION_CHARTS:
        return gnuplot_formats(value, &options->formats) != 0 ? CLI_TOLD : 0;
    case OPTION_JSON:
        return cli_take_flag(&options->json);
    case OPTION_QUIET:
        return cli_take_flag(&options->quiet);
    case OPTION_SEED:
        return cli_number(value, "--seed", INT64_MAX, &options->seed) != 0 ? CLI_TOLD : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int read_source(struct source *source)
{
    int result = source_parse(source);
    if (result == CLI_DONE && source->perftest != NULL && source->perftest_options.all_sizes)
        return cli_fail("--perftest: -a is for rnicsim run; one size is looked into");
    return result;
}

static int report(struct why *why, struct results **results)
{
    const struct why_options *options = &why->options;
    if (*results != NULL) {
        if (!options->no_charts)
            why_draw(why, *results);
        FILE *json = results_open(*results, "why.json");
        if (json != NULL && why_json(why, json) != 0)
            results_fail(*results, "why.json");
        results_close(*results, json);
        struct results *finished = *results;
        *results = NULL;
        int result = results_finish(finished);
        if (result != CLI_DONE)
            return result;
    }
    if (options->json)
        return why_json(why, stdout) == 0 ? CLI_DONE : cli_fail("standard output cannot be written");
    if (!options->quiet)
        why_print(why, stdout);
    return CLI_DONE;
}

/* p99 where it is known. */
static void choose_target(struct why *why)
{
    const struct latency *latency = &why->first.result.completion;
    if (why->options.target == NULL)
        why->options.target = latency->p99.known ? "latency_ns.p99" : "latency_ns.avg";
}

static int find_all(struct why *why)
{
    struct why_options *options = &why->options;
    int result = why_prepare(options, &options->model, &why->first);
    if (result == CLI_DONE)
        result = source_digest(&options->source, why->first.result.digest, RESULT_DIGEST_BYTES);
    if (result == CLI_DONE)
        result = why_worst_find(&why->worst, options, &why->first);
    if (result == CLI_DONE)
        choose_target(why);
    if (result == CLI_DONE)
        result = why_outcome_of(options, &why->first.result, &why->now);
    if (result == CLI_DONE)
        result = why_event_find(&why->worst, options);
    if (result == CLI_DONE)
        result = why_lift_all(&why->limits, options, &why->now);
    if (result == CLI_DONE && !options->no_tornado)
        result = why_tornado_run(&why->tornado, options, &why->now);
    return result;
}

static int run_all(struct why *why)
{
    struct why_options *options = &why->options;
    struct results *results = NULL;
    int result = options->folder != NULL
                     ? results_begin(options->folder, options->force ? RESULTS_REPLACE : RESULTS_NEW, &results)
                     : CLI_DONE;
    if (result == CLI_DONE)
        result = read_source(&options->source);
    if (result == CLI_DONE)
        result = find_all(why);
    if (result == CLI_DONE)
        result = report(why, &results);
    results_discard(results);
    return result;
}

int why_main(int argc, char **argv)
{
    const struct argp_child children[] = {{source_argp(), 0, NULL, 0}, {model_options_argp(), 0, "The model:", 1}, {0}};
    const struct argp argp = {option_table, parse, "[TRACE]", why_text, children, NULL, NULL};
    struct why why = {
        .options = {
            .seed = 1, .percentile = 99, .worst = WORST_DEFAULT, .jobs = parallel_cores(), .formats = GNUPLOT_SVG}};
    int result = cli_parse(&argp, "why", argc, argv, &why.options);
    if (result < 0) {
        result = source_check(&why.options.source, "why");
        if (result == CLI_DONE)
            result = run_all(&why);
        why_worst_free(&why.worst);
        why_tornado_free(&why.tornado);
        simulate_free(&why.first);
        source_free(&why.options.source);
    }
    model_options_free(&why.options.model);
    return result;
}
