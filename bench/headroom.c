/* rnicsim headroom: how much of a receive buffer must lie above its pause threshold so that it never drops. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/rnicsim.h"
#include "bench/cli.h"
#include "bench/commands.h"

enum {
    OPTION_RATE = 7000,
    OPTION_CABLE,
    OPTION_FRAME,
    OPTION_OWN,
    OPTION_CELL,
    OPTION_INTERFACE,
    OPTION_REQUEST,
    OPTION_RESPONSE,
    OPTION_SMALL,
    OPTION_JSON
};

struct headroom_options {
    const char *rate, *cable, *frame, *own, *cell, *interface, *request, *response;
    uint64_t small_percent;
    int json;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct headroom_options *options = state->input;
    const char **text[] = {&options->rate, &options->cable,     &options->frame,   &options->own,
                           &options->cell, &options->interface, &options->request, &options->response};
    if (key >= OPTION_RATE && key <= OPTION_RESPONSE) {
        *text[key - OPTION_RATE] = value;
        return 0;
    }
    if (key == OPTION_SMALL)
        return cli_number(value, "--small", 100, &options->small_percent) ? CLI_TOLD : 0;
    if (key != OPTION_JSON)
        return ARGP_ERR_UNKNOWN;
    options->json = 1;
    return 0;
}

/* One of the quantities; `text` NULL: as it is. */
static int take(const char *text, enum rnicsim_quantity quantity, int64_t *value)
{
    struct rnicsim_error error;
    int result = text ? rnicsim_parse(text, quantity, value, &error) : RNICSIM_OK;
    return result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
}

static int ask(const struct headroom_options *options, struct rnicsim_headroom *headroom)
{
    int64_t cable = 3000, frame = 4178, own = -1, cell = 64, interface = 100000, request = 10000, response = -1;
    int standard = options->response && strcmp(options->response, "standard") == 0;
    int64_t rate = 0;
    if (!options->rate)
        return cli_fail("--rate is needed: \"100 Gbps\"; see headroom --help");
    if (take(options->rate, RNICSIM_RATE, &rate) || take(options->cable, RNICSIM_LENGTH, &cable) ||
        take(options->frame, RNICSIM_BYTES, &frame) || take(options->own, RNICSIM_BYTES, &own) ||
        take(options->cell, RNICSIM_BYTES, &cell) || take(options->interface, RNICSIM_DURATION, &interface) ||
        take(options->request, RNICSIM_DURATION, &request) ||
        take(standard ? NULL : options->response, RNICSIM_DURATION, &response))
        return CLI_INPUT;
    *headroom = (struct rnicsim_headroom){.rate_bps = rate,
                                          .cable_mm = cable,
                                          .interface_ps = interface,
                                          .request_ps = request,
                                          .response_ps = response,
                                          .own_bytes = (uint32_t)(own < 0 ? frame : own),
                                          .frame_bytes = (uint32_t)frame,
                                          .cell_bytes = (uint32_t)cell,
                                          .small_percent = (uint32_t)options->small_percent};
    return CLI_DONE;
}

static int print_json(const struct rnicsim_headroom *h)
{
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "quanta", (json_int_t)h->quanta, "cells",
                               (json_int_t)h->cells, "searched_cells", (json_int_t)h->searched_cells, "bytes",
                               (json_int_t)(h->cells * h->cell_bytes), "any_frames_bytes", (json_int_t)h->any_bytes,
                               "sonic_bytes", (json_int_t)h->sonic_bytes, "mlx5_bytes", (json_int_t)h->mlx5_bytes);
    if (object)
        json_object_set_new(object, "cisco_bytes", h->cisco_bytes < 0 ? json_null() : json_integer(h->cisco_bytes));
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2));
    json_decref(object);
    putchar('\n');
    return failed ? cli_fail("out of memory, or standard output cannot be written") : CLI_DONE;
}

static void print_text(const struct rnicsim_headroom *h)
{
    printf("peer obeys within          %" PRId64 " quanta (%.3f us)\n", h->quanta,
           (double)h->quanta * 512e6 / (double)h->rate_bps);
    printf("frames of %" PRIu32 " B, cells of %" PRIu32 " B\n", h->frame_bytes, h->cell_bytes);
    printf("  closed form              %" PRId64 " cells, %" PRId64 " B\n", h->cells, h->cells * h->cell_bytes);
    printf("  least without a drop     %" PRId64 " cells, searched over every phase\n", h->searched_cells);
    printf("frames of any size         %" PRId64 " B\n", h->any_bytes);
    printf("published calculators\n  SONiC, Mellanox xoff     %" PRId64 " B\n  mlx5 port buffer         %" PRId64
           " B\n",
           h->sonic_bytes, h->mlx5_bytes);
    if (h->cisco_bytes >= 0)
        printf("  Cisco, component list    %" PRId64 " B\n", h->cisco_bytes);
    else
        printf("  Cisco, component list    has no figures for this rate\n");
}

static int run(const struct headroom_options *options)
{
    struct rnicsim_headroom headroom;
    struct rnicsim_error error;
    int status = ask(options, &headroom);
    if (status != CLI_DONE)
        return status;
    int result = rnicsim_headroom(&headroom, &error);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    if (options->json)
        return print_json(&headroom);
    print_text(&headroom);
    return CLI_DONE;
}

int headroom_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"rate", OPTION_RATE, "RATE", 0, "the line: \"100 Gbps\"", 1},
        {"cable", OPTION_CABLE, "LENGTH", 0, "its length: \"3 m\" (the default)", 1},
        {"frame", OPTION_FRAME, "BYTES", 0, "the peer's frames, without FCS: \"4178 B\"", 1},
        {"own", OPTION_OWN, "BYTES", 0,
         "the longest own frame, behind which a pause frame may have to wait (as --frame)", 1},
        {"cell", OPTION_CELL, "BYTES", 0, "what the buffer is given away in: \"64 B\"", 1},
        {"interface", OPTION_INTERFACE, "TIME", 0, "MAC, PCS and PMA of one end, both ways: \"100 ns\"", 2},
        {"request", OPTION_REQUEST, "TIME", 0, "from the threshold to the pause frame on an idle line: \"10 ns\"", 2},
        {"response", OPTION_RESPONSE, "TIME|standard", 0,
         "from the pause frame at the peer until no frame begins: standard (31B.3.7, the default) or a time", 2},
        {"small", OPTION_SMALL, "PERCENT", 0, "SONiC's share of small packets (0)", 3},
        {"json", OPTION_JSON, NULL, 0,
         "cells, searched_cells, bytes, any_frames_bytes, sonic_bytes, mlx5_bytes, cisco_bytes", 4},
        {0}};
    const struct argp argp = {table,
                              parse,
                              NULL,
                              "How much of a receive buffer must lie above its pause threshold so that it never drops; "
                              "published calculators beside it.",
                              NULL,
                              NULL,
                              NULL};
    struct headroom_options options = {0};
    int result = cli_parse(&argp, "headroom", argc, argv, &options);
    return result < 0 ? run(&options) : result;
}
