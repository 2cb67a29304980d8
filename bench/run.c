/* rnicsim run: its options. What it does with them: bench/runs.c. */
#include <stdint.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/gnuplot.h"
#include "bench/metric.h"
#include "bench/runs.h"

enum {
    OPTION_FORCE = 2000,
    OPTION_LOADS,
    OPTION_DATA,
    OPTION_PCAP,
    OPTION_PCAP_SIDE,
    OPTION_JSON,
    OPTION_SEED,
    OPTION_QUIET,
    OPTION_NO_CHARTS,
    OPTION_CHARTS,
    OPTION_ASSERT,
    OPTION_LANG,
    OPTION_TIMELINE,
    OPTION_VCD,
    OPTION_GOLDEN,
    OPTION_WINDOW,
    OPTION_HORIZON_OFF
};

static const struct argp_option run_option_table[] = {
    {"loads", OPTION_LOADS, "LIST", 0,
     "with an open loop of --gen, instead of its --rate: a run for each load, payload in percent of the line's rate: "
     "10,50,90; latency against load, and its knee",
     1},
    {NULL, 'o', "DIR", 0, "writes the results and charts into this folder", 2},
    {"force", OPTION_FORCE, NULL, 0, "with -o: replaces the results of another run", 2},
    {"data", OPTION_DATA, 0, 0, "payload holds bytes: are all where they should be? No time changes", 2},
    {"pcap", OPTION_PCAP, "FILE", 0, "writes the frames on the line as a capture, with the model's times", 2},
    {"pcap-side", OPTION_PCAP_SIDE, "SIDE", 0,
     "with --pcap: line (each frame when it is sent; the default), or a or b: what that NIC sends and gets", 2},
    {"timeline", OPTION_TIMELINE, "FILE", 0, "writes trace-event JSON, for Perfetto: requests, stages, levels of FIFOs",
     2},
    {"vcd", OPTION_VCD, "FILE", 0,
     "writes waveforms, for GTKWave: valid, last, ready, busy, level and item of each FIFO", 2},
    {"golden", OPTION_GOLDEN, "DIR", 0,
     "writes when each item passed from stage to stage, as CSV and for $readmemh: rnicsim compare holds RTL against it",
     2},
    {"window", OPTION_WINDOW, "STRETCH", 0,
     "of these three, instead of the whole run: \"10..20 us\", or \"request 5..20\", counted from 1", 2},
    {"no-charts", OPTION_NO_CHARTS, NULL, 0, "with -o: no charts", 2},
    {"charts", OPTION_CHARTS, "FORMATS", 0, "with -o: draws them as svg (the default), png or pdf: svg,pdf", 2},
    {"lang", OPTION_LANG, "LANGUAGE", 0, "with -o: of the headings in report.html, en (the default) or zh", 2},
    {"assert", OPTION_ASSERT, "TEXT", 0,
     "exit status 1 unless it holds, of any value of summary.json: \"p99.9 < 3 us\", \"drops == 0\", \"goodput >= 90 "
     "Gb/s\"; may be repeated",
     2},
    {"json", OPTION_JSON, NULL, 0, "prints summary.json instead of the report", 2},
    {"quiet", OPTION_QUIET, NULL, 0, "no report and no progress bar", 2},
    {"seed", OPTION_SEED, "N", 0, "of all random numbers (1); the same seed gives the same results", 3},
    {"horizon-off", OPTION_HORIZON_OFF, NULL, 0, "decides one grant at a time: slower, the same results", 3},
    {0},
};

static error_t take_side(struct run_options *options, const char *value)
{
    static const char *const side[] = {[CAPTURE_LINE] = "line", [CAPTURE_HOST_A] = "a", [CAPTURE_HOST_B] = "b"};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++)
        if (strcmp(value, side[i]) == 0) {
            options->pcap_side = (enum capture_side)i;
            return 0;
        }
    cli_fail("--pcap-side: \"%s\"; allowed are line, a and b", value);
    return CLI_TOLD;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct run_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->source;
        state->child_inputs[1] = &options->model;
        return 0;
    case OPTION_LOADS:
        return cli_take_text(&options->loads, value);
    case OPTION_DATA:
        return cli_take_flag(&options->checks_data);
    case OPTION_PCAP:
        return cli_take_text(&options->pcap, value);
    case OPTION_PCAP_SIDE:
        return take_side(options, value);
    case 'o':
        return cli_take_text(&options->folder, value);
    case OPTION_SEED:
        return cli_number(value, "--seed", INT64_MAX, &options->seed) != 0 ? CLI_TOLD : 0;
    case OPTION_FORCE:
        return cli_take_flag(&options->force);
    case OPTION_JSON:
        return cli_take_flag(&options->json);
    case OPTION_QUIET:
        return cli_take_flag(&options->quiet);
    case OPTION_NO_CHARTS:
        return cli_take_flag(&options->no_charts);
    case OPTION_TIMELINE:
        return cli_take_text(&options->waves.timeline, value);
    case OPTION_VCD:
        return cli_take_text(&options->waves.vcd, value);
    case OPTION_GOLDEN:
        return cli_take_text(&options->waves.golden, value);
    case OPTION_WINDOW:
        return cli_take_text(&options->waves.window, value);
    case OPTION_LANG:
        return page_lang_read(value, &options->lang) != 0 ? CLI_TOLD : 0;
    case OPTION_ASSERT:
        return metric_asserts_take(&options->asserts, value);
    case OPTION_CHARTS:
        return gnuplot_formats(value, &options->chart_formats) != 0 ? CLI_TOLD : 0;
    case OPTION_HORIZON_OFF:
        return cli_take_flag(&options->horizon_off);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* -1: go on. */
static int check_workload(const struct run_options *options)
{
    int result = source_check(&options->source, "run");
    if (result != CLI_DONE)
        return result;
    if (options->loads != NULL && options->source.gen == NULL)
        return cli_fail("--loads needs --gen, which makes a workload for each load");
    return -1;
}

int run_main(int argc, char **argv)
{
    const struct argp_child children[] = {{source_argp(), 0, NULL, 0}, {model_options_argp(), 0, "The model:", 1}, {0}};
    const struct argp argp = {
        run_option_table,
        parse,
        "[TRACE]",
        "Replays a trace of work requests, or runs perftest or a workload made for it, on two NICs and a cable, and "
        "reports latency, jitter, the bottleneck and how full each FIFO became.",
        children,
        NULL,
        NULL};
    struct run_options options = {.seed = 1, .chart_formats = GNUPLOT_SVG};
    int result = cli_parse(&argp, "run", argc, argv, &options);
    if (result < 0)
        result = check_workload(&options);
    if (result < 0)
        result = runs_all(&options);
    model_options_free(&options.model);
    return result;
}
