#include "bench/trace_gen.h"

#include <stdint.h>
#include <string.h>

#include "bench/cli.h"
#include "traces/generate.h"

enum {
    OPTION_QPS = 1300,
    OPTION_SIZE,
    OPTION_REQUESTS,
    OPTION_OPCODE,
    OPTION_ARRIVAL,
    OPTION_DEPTH,
    OPTION_RATE,
    OPTION_BURST,
    OPTION_BURST_RATE,
    OPTION_ZIPF,
    OPTION_MTU,
    OPTION_INLINE,
    OPTION_SEED,
    OPTION_SL,
    OPTION_WEIGHT,
    OPTION_RD_ATOMIC
};

struct gen_options {
    struct trace_generate generate;
    const char *out;
};

static const struct argp_option option_table[] = {
    {"qps", OPTION_QPS, "N", 0, "queue pairs from host 0 to host 1", 1},
    {"size", OPTION_SIZE, "DIST", 0,
     "bytes: 4096; 64-4096 (evenly); 64:0.9,65536:0.1 (weights); a file with lines of \"bytes cumulative_percent\"; or "
     "a published distribution: alistorage2019, fbhadoop, googlerpc2008, websearch",
     1},
    {"requests", OPTION_REQUESTS, "N", 0, "of all QPs together", 1},
    {"opcode", OPTION_OPCODE, "MIX", 0,
     "write, or write:0.7,send:0.3; write, write_imm, send, send_imm, read, cmp_swap, fetch_add (atomics have 8 bytes, "
     "whatever --size)",
     1},
    {NULL, 'o', "FILE", 0, "the trace to be written; its name says the form, as for trace convert", 1},
    {"arrival", OPTION_ARRIVAL, "KIND", 0,
     "closed (the default): each QP keeps --depth requests outstanding; open loop at --rate: poisson, periodic "
     "(constant gaps) or burst",
     2},
    {"rate", OPTION_RATE, "RATE", 0,
     "open loop, in the mean: requests a second \"2 MHz\", or their payload \"50 Gbps\"", 2},
    {"burst", OPTION_BURST, "N", 0, "requests in a burst", 2},
    {"burst-rate", OPTION_BURST_RATE, "RATE", 0, "within a burst; the random pauses between bursts make up --rate", 2},
    {"depth", OPTION_DEPTH, "N", 0, "of each send queue: most requests outstanding (closed 16, open 256)", 3},
    {"zipf", OPTION_ZIPF, "S", 0,
     "draws each request's QP, the i-th with a share in proportion to i^-S (0: evenly); without it they take turns", 3},
    {"sl", OPTION_SL, "LIST", 0, "service levels of the QPs in turn: 0,0,3 (0)", 3},
    {"weight", OPTION_WEIGHT, "LIST", 0, "weights of the QPs in turn: 1,2,4 (1)", 3},
    {"rd-atomic", OPTION_RD_ATOMIC, "N", 0, "READs and atomics of a QP under way, at most (16)", 3},
    {"mtu", OPTION_MTU, "BYTES", 0, "path MTU (4096)", 3},
    {"inline", OPTION_INLINE, "BYTES", 0, "messages of up to so many bytes are posted inline (0: none)", 3},
    {"seed", OPTION_SEED, "N", 0, "of all random numbers (1); the same options give the same bytes", 3},
    {0},
};

static error_t take_arrival(struct trace_generate *generate, const char *name)
{
    for (int i = 0; i < TRACE_ARRIVAL_COUNT; i++)
        if (strcmp(name, trace_arrival_name((enum trace_arrival)i)) == 0) {
            generate->arrival = (enum trace_arrival)i;
            return 0;
        }
    cli_fail("--arrival: \"%s\" is not known; allowed are closed, poisson, periodic and burst", name);
    return CLI_TOLD;
}

static error_t take_number(const char *what, const char *value, uint64_t *out)
{
    return cli_number(value, what, UINT32_MAX, out) != 0 ? CLI_TOLD : 0;
}

/* As above, from 1. */
static error_t take_count(const char *what, const char *value, uint64_t *out)
{
    if (take_number(what, value, out) != 0)
        return CLI_TOLD;
    if (*out > 0)
        return 0;
    cli_fail("%s: 0 is not allowed; from 1 is", what);
    return CLI_TOLD;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct gen_options *options = state->input;
    struct trace_generate *generate = &options->generate;
    switch (key) {
    case 'o':
        return cli_take_text(&options->out, value);
    case OPTION_SIZE:
        return cli_take_text(&generate->size, value);
    case OPTION_OPCODE:
        return cli_take_text(&generate->opcode, value);
    case OPTION_RATE:
        return cli_take_text(&generate->rate, value);
    case OPTION_BURST_RATE:
        return cli_take_text(&generate->burst_rate, value);
    case OPTION_ZIPF:
        return cli_take_text(&generate->zipf, value);
    case OPTION_SL:
        return cli_take_text(&generate->sl, value);
    case OPTION_WEIGHT:
        return cli_take_text(&generate->weight, value);
    case OPTION_ARRIVAL:
        return take_arrival(generate, value);
    case OPTION_QPS:
        return take_count("--qps", value, &generate->qps);
    case OPTION_REQUESTS:
        return take_count("--requests", value, &generate->requests);
    case OPTION_DEPTH:
        return take_count("--depth", value, &generate->depth);
    case OPTION_BURST:
        return take_count("--burst", value, &generate->burst);
    case OPTION_MTU:
        return take_number("--mtu", value, &generate->mtu);
    case OPTION_RD_ATOMIC:
        return take_count("--rd-atomic", value, &generate->rd_atomic);
    case OPTION_INLINE:
        return take_number("--inline", value, &generate->inline_bytes);
    case OPTION_SEED:
        return cli_number(value, "--seed", INT64_MAX, &generate->seed) != 0 ? CLI_TOLD : 0;
    case ARGP_KEY_ARG:
        cli_fail("\"%s\": rnicsim trace gen takes options only", value);
        return CLI_TOLD;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp gen_argp = {
    option_table,
    parse,
    "--qps N --size DIST --requests N --opcode MIX -o FILE",
    "Makes the trace of a synthetic workload: host 0 posts to host 1, which posts the RECVs that SENDs and immediates "
    "need. What each option does in the trace: traces/FORMAT.md.",
    NULL,
    NULL,
    NULL};

/* -1: go on, as cli_parse() says. needs_file: -o, too, must be there. */
static int parse_all(int argc, char **argv, int needs_file, struct gen_options *options)
{
    const struct trace_generate *generate = &options->generate;
    *options = (struct gen_options){.generate = {.mtu = 4096, .seed = 1}};
    int result = cli_parse(&gen_argp, "trace gen", argc, argv, options);
    if (result >= 0)
        return result;
    if (generate->qps == 0 || generate->size == NULL || generate->requests == 0 || generate->opcode == NULL ||
        (needs_file && options->out == NULL))
        return cli_fail("--qps, --size, --requests%s are needed; see rnicsim trace gen --help",
                        needs_file ? ", --opcode and -o" : " and --opcode");
    return -1;
}

int trace_gen_parse(int argc, char **argv, struct trace_generate *generate, const char **file)
{
    struct gen_options options;
    int result = parse_all(argc, argv, 0, &options);
    *generate = options.generate;
    *file = options.out;
    return result < 0 ? CLI_DONE : result == CLI_DONE ? CLI_INPUT : result; /* --help is no workload */
}

int trace_gen_main(int argc, char **argv)
{
    struct gen_options options;
    struct rnicsim_error error;
    int result = parse_all(argc, argv, 1, &options);
    if (result >= 0)
        return result;
    return trace_generate(&options.generate, options.out, &error) == 0 ? CLI_DONE : cli_fail("%s", error.text);
}
