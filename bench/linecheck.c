/* rnicsim linecheck: whether a datapath keeps up with a line for every frame length, and what PCIe carries behind it. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "api/rnicsim.h"
#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/linecheck_pcie.h"

enum { OPTION_WIDTH = 256, OPTION_CLOCK, OPTION_RATE, OPTION_FCS, OPTION_SEGMENT, OPTION_JSON };

struct linecheck_options {
    const char *width, *clock, *rate, *segment;
    int fcs_on_bus, json;
    struct linecheck_pcie pcie;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct linecheck_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->pcie;
        state->child_inputs[1] = &options->pcie.model;
        return 0;
    case OPTION_WIDTH:
        options->width = value;
        return 0;
    case OPTION_CLOCK:
        options->clock = value;
        return 0;
    case OPTION_RATE:
        options->rate = value;
        return 0;
    case OPTION_SEGMENT:
        options->segment = value;
        return 0;
    case OPTION_FCS:
        options->fcs_on_bus = 1;
        return 0;
    case OPTION_JSON:
        options->json = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static double megahertz(int64_t hz)
{
    return (double)hz / 1e6;
}

static int print_json(const struct rnicsim_linecheck *check)
{
    json_t *object =
        json_pack("{s:I, s:f, s:I}", "worst_frame_bytes", (json_int_t)check->worst_frame_bytes, "min_clock_mhz",
                  megahertz(check->clock_least_hz), "bubbles", (json_int_t)check->bubble_cycles);
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(object);
    putchar('\n');
    return failed ? cli_fail("out of memory, or standard output cannot be written") : CLI_DONE;
}

static void print_text(const struct rnicsim_linecheck *check)
{
    printf("worst frame    %" PRIu32 " B with its FCS (%" PRIu32 " B on the bus)\n", check->worst_frame_bytes,
           check->fcs_on_bus ? check->worst_frame_bytes : check->worst_frame_bytes - 4);
    /* rounded up: a clock of what is printed is fast enough */
    printf("minimum clock  %.3f MHz\n", megahertz((check->clock_least_hz + 999) / 1000 * 1000));
    if (check->bubble_cycles >= 0)
        printf("keeps up: every frame may waste %" PRId64 " cycles\n", check->bubble_cycles);
    else
        printf("does not keep up: the worst frame lacks %" PRId64 " cycle%s\n", -check->bubble_cycles,
               check->bubble_cycles == -1 ? "" : "s");
}

static int run(const struct linecheck_options *options)
{
    if (!options->width || !options->clock || !options->rate)
        return cli_fail("--width, --clock and --rate are needed, or --pcie LINK; see linecheck --help");
    struct rnicsim_linecheck check = {.fcs_on_bus = options->fcs_on_bus};
    struct rnicsim_error error;
    int result = rnicsim_parse(options->width, RNICSIM_BITS, &check.width_bits, &error);
    if (result == RNICSIM_OK && options->segment)
        result = rnicsim_parse(options->segment, RNICSIM_BITS, &check.segment_bits, &error);
    if (result == RNICSIM_OK)
        result = rnicsim_parse(options->clock, RNICSIM_FREQUENCY, &check.clock_hz, &error);
    if (result == RNICSIM_OK)
        result = rnicsim_parse(options->rate, RNICSIM_RATE, &check.rate_bps, &error);
    if (result == RNICSIM_OK)
        result = rnicsim_linecheck(&check, &error);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    if (options->json)
        return print_json(&check);
    print_text(&check);
    return CLI_DONE;
}

int linecheck_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"width", OPTION_WIDTH, "BITS", 0, "width of the user interface: \"512 bit\"", 1},
        {"clock", OPTION_CLOCK, "FREQUENCY", 0, "its clock: \"250 MHz\"", 1},
        {"rate", OPTION_RATE, "RATE", 0, "the line: \"100 Gbps\"", 1},
        {"segment", OPTION_SEGMENT, "BITS", 0,
         "a frame may begin at each segment, not only at each beat (LBUS: \"128 bit\")", 1},
        {"fcs-on-bus", OPTION_FCS, NULL, 0, "the FCS is seen on the interface", 1},
        {"json", OPTION_JSON, NULL, 0, "worst_frame_bytes, min_clock_mhz, bubbles; of PCIe: write, read", 2},
        {0}};
    const struct argp_child children[] = {
        {linecheck_pcie_argp(), 0,
         "The PCIe side, with the same --width and --clock; --rate is what reads are to reach:", 3},
        {model_options_argp(), 0, "The model, for its PCIe:", 4},
        {0}};
    const struct argp argp = {table,
                              parse,
                              NULL,
                              "Whether a datapath that begins each frame in a new beat keeps up with a line; or, with "
                              "--pcie or -b, what PCIe carries at most.",
                              children,
                              NULL,
                              NULL};
    struct linecheck_options options = {0};
    int result = cli_parse(&argp, "linecheck", argc, argv, &options);
    if (result < 0)
        result = linecheck_pcie_is_asked(&options.pcie)
                     ? linecheck_pcie_run(&options.pcie, options.width, options.clock, options.rate, options.json)
                     : run(&options);
    linecheck_pcie_free(&options.pcie);
    return result;
}
