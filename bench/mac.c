/* rnicsim mac: a MAC alone, frame by frame, in cycles: to be held against its RTL. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/mac_frames.h"
#include "bench/model_options.h"

enum { OPTION_SIZES = 6000, OPTION_COUNT, OPTION_IDLE, OPTION_FRAMES, OPTION_GAPS };

struct mac_options {
    struct model_options model;
    struct mac_frames frames;
    int gaps;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct mac_options *options = state->input;
    uint64_t number = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->model;
        return 0;
    case OPTION_SIZES:
        return mac_frames_take_sizes(&options->frames, value) ? CLI_TOLD : 0;
    case OPTION_FRAMES:
        options->frames.path = value;
        return 0;
    case OPTION_COUNT:
        if (cli_number(value, "--count", 1000000, &number))
            return CLI_TOLD;
        options->frames.count = (int64_t)number;
        return 0;
    case OPTION_IDLE:
        if (cli_number(value, "--idle", 1000000, &number))
            return CLI_TOLD;
        options->frames.idle = (int64_t)number;
        return 0;
    case OPTION_GAPS:
        options->gaps = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A row of two frames for each first lane and gap, of which the second start is in a lane that the line has. */
static int print_gaps(const struct rnicsim_mac *mac, const struct mac_frames *frames)
{
    int64_t word = rnicsim_mac_word_bytes(mac);
    printf("first_bytes,first_lane,gap_octets,second_lane,ok,bad,missing\n");
    for (int64_t bytes = frames->from; bytes <= frames->to; bytes += frames->step)
        for (int64_t lane = 0; lane < word; lane += 4)
            for (int64_t gap = 1; gap <= 16; gap++) {
                struct rnicsim_mac_pair pair = {.bytes = (uint32_t)bytes, .first_lane = lane, .gap_octets = gap};
                struct rnicsim_error error;
                int64_t second = (lane + 8 + (bytes > 60 ? bytes : 60) + 4 + gap) % word;
                if (second % 4 != 0)
                    continue;
                int result = rnicsim_mac_pair(mac, &pair, &error);
                if (result != RNICSIM_OK)
                    return cli_fail_result(result, &error);
                printf("%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%d,%d\n", bytes, lane, gap, second, pair.ok,
                       pair.bad, pair.missing);
            }
    return CLI_DONE;
}

static int run(const struct mac_options *options)
{
    struct rnicsim_mac *mac;
    struct rnicsim_error error;
    if (options->model.board || options->model.host)
        return cli_fail("-b and --host say nothing of a MAC alone; allowed are --mac and -s");
    int result =
        rnicsim_mac_create(NULL, options->model.mac, options->model.set, options->model.set_count, &mac, &error);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    int status = options->gaps ? print_gaps(mac, &options->frames) : mac_frames_print(mac, &options->frames);
    rnicsim_mac_destroy(mac);
    return status;
}

int mac_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"sizes", OPTION_SIZES, "FROM..TO", 0,
         "frames of these sizes, without FCS: \"60..1518\", \"64\", \"64..9018 step 64\"", 1},
        {"count", OPTION_COUNT, "N", 0, "so many of each size (1)", 1},
        {"idle", OPTION_IDLE, "N", 0, "cycles of the user interface between two frames (0: back to back)", 1},
        {"frames", OPTION_FRAMES, "FILE", 0,
         "or a file: \"CYCLE BYTES\" a line, from when on a frame is offered; \"CYCLE pause\": a pause frame is asked "
         "for",
         1},
        {"gaps", OPTION_GAPS, NULL, 0, "which gaps between two frames its receiver bears", 2},
        {0}};
    const struct argp_child children[] = {{model_options_argp(), 0, "The MAC (--mac, -s mac.KEY and nic.KEY):", 3},
                                          {0}};
    const struct argp argp = {
        table,
        parse,
        NULL,
        "A MAC alone, cycle by cycle, as CSV: when each frame is taken, starts and ends on the line, "
        "and comes out at the other end. With mac.fifo: latencies through its FIFOs.",
        children,
        NULL,
        NULL};
    struct mac_options options = {.frames = MAC_FRAMES_DEFAULT};
    int result = cli_parse(&argp, "mac", argc, argv, &options);
    if (result < 0)
        result = run(&options);
    model_options_free(&options.model);
    return result;
}
