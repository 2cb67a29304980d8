/* rnicsim trace: info, check, convert, import, import-pcap and gen of trace files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/trace_gen.h"
#include "traces/capture.h"
#include "traces/capture_check.h"
#include "traces/check.h"
#include "traces/convert.h"
#include "traces/import.h"
#include "traces/import_pcap.h"
#include "traces/info.h"

#define PATHS_MAX 2
#define NOTES_MAX 16u
#define FAULTS_MAX 1000u

enum {
    OPTION_TOOL = 1200,
    OPTION_CLIENT,
    OPTION_SERVER,
    OPTION_TX_DEPTH,
    OPTION_RX_DEPTH,
    OPTION_CQ_MOD,
    OPTION_POST_LIST,
    OPTION_MTU,
    OPTION_THINK,
    OPTION_ITERATIONS,
    OPTION_NOTE
};

struct paths {
    const char *path[PATHS_MAX];
    int count, wanted;
};

static error_t parse_path(int key, char *value, struct argp_state *state)
{
    struct paths *paths = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (paths->count < paths->wanted)
        paths->path[paths->count] = value;
    paths->count++;
    return 0;
}

/* As cli_parse, for a subcommand whose arguments are so many files. */
static int parse_paths(const struct argp *argp, const char *name, int argc, char **argv, struct paths *paths)
{
    int result = cli_parse(argp, name, argc, argv, paths);
    if (result < 0 && paths->count != paths->wanted)
        return cli_fail("%s: %d files were given; needed are %s", name, paths->count, argp->args_doc);
    return result;
}

static int info_main(int argc, char **argv)
{
    const struct argp argp = {NULL, parse_path, "FILE", "Tells what a trace consists of.", NULL, NULL, NULL};
    struct paths paths = {.wanted = 1};
    struct rnicsim_error error;
    int result = parse_paths(&argp, "trace info", argc, argv, &paths);
    if (result >= 0)
        return result;
    return trace_info(paths.path[0], stdout, &error) == 0 ? CLI_DONE : cli_fail("%s", error.text);
}

static void print_fault(void *context, uint64_t line, const char *text)
{
    (void)context;
    (void)line;
    printf("%s\n", text);
}

static int check_main(int argc, char **argv)
{
    const struct argp argp = {
        NULL,
        parse_path,
        "FILE",
        "Lists every fault of a trace with its line, or of a capture (pcap, pcapng) with its packet; exit status 2 if "
        "there "
        "is one. Of a capture it also tells PSN gaps, duplicates, retransmissions and round trips.",
        NULL,
        NULL,
        NULL};
    struct paths paths = {.wanted = 1};
    int result = parse_paths(&argp, "trace check", argc, argv, &paths);
    if (result >= 0)
        return result;
    uint64_t faults = capture_is(paths.path[0]) ? capture_check(paths.path[0], print_fault, NULL, FAULTS_MAX, stdout)
                                                : trace_check(paths.path[0], print_fault, NULL, FAULTS_MAX);
    if (faults == 0) {
        printf("%s: no fault\n", paths.path[0]);
        return CLI_DONE;
    }
    return cli_fail("%s: %s%" PRIu64 " fault%s", paths.path[0], faults >= FAULTS_MAX ? "at least " : "", faults,
                    faults == 1 ? "" : "s");
}

static int convert_main(int argc, char **argv)
{
    const struct argp argp = {NULL,
                              parse_path,
                              "FROM TO",
                              "Converts a trace, exactly; the form follows from the name of TO: .wqe or .csv is text, "
                              ".bin binary, with .zst after it compressed.",
                              NULL,
                              NULL,
                              NULL};
    struct paths paths = {.wanted = 2};
    struct rnicsim_error error;
    int result = parse_paths(&argp, "trace convert", argc, argv, &paths);
    if (result >= 0)
        return result;
    return trace_convert(paths.path[0], paths.path[1], &error) == 0 ? CLI_DONE : cli_fail("%s", error.text);
}

struct import_options {
    struct trace_import import;
    const char *notes[NOTES_MAX];
    const char *out;
};

static error_t take_number(const char *what, const char *value, uint32_t *out)
{
    uint64_t number;
    if (cli_number(value, what, UINT32_MAX, &number) != 0)
        return CLI_TOLD;
    *out = (uint32_t)number;
    return 0;
}

static error_t take_note(struct import_options *options, const char *text)
{
    if (options->import.note_count == NOTES_MAX) {
        cli_fail("--note: at most %u are allowed", NOTES_MAX);
        return CLI_TOLD;
    }
    options->notes[options->import.note_count++] = text;
    return 0;
}

static error_t parse_import(int key, char *value, struct argp_state *state)
{
    struct import_options *options = state->input;
    struct trace_import *import = &options->import;
    switch (key) {
    case 'o':
        options->out = value;
        return 0;
    case OPTION_TOOL:
        import->tool = value;
        return 0;
    case OPTION_CLIENT:
        import->client_path = value;
        return 0;
    case OPTION_SERVER:
        import->server_path = value;
        return 0;
    case OPTION_TX_DEPTH:
        return take_number("--tx-depth", value, &import->tx_depth);
    case OPTION_RX_DEPTH:
        return take_number("--rx-depth", value, &import->rx_depth);
    case OPTION_CQ_MOD:
        return take_number("--cq-mod", value, &import->cq_mod);
    case OPTION_POST_LIST:
        return take_number("--post-list", value, &import->post_list);
    case OPTION_MTU:
        return take_number("--mtu", value, &import->mtu);
    case OPTION_THINK:
        return take_number("--think", value, &import->think_ns);
    case OPTION_ITERATIONS:
        return cli_number(value, "--iterations", UINT64_MAX, &import->iterations) != 0 ? CLI_TOLD : 0;
    case OPTION_NOTE:
        return take_note(options, value);
    case ARGP_KEY_ARG:
        cli_fail("\"%s\": rnicsim trace import takes options only", value);
        return CLI_TOLD;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int import_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"tool", OPTION_TOOL, "TOOL", 0, "write_lat, send_lat, write_bw or send_bw", 1},
        {"client", OPTION_CLIENT, "FILE", 0, "what the verbs recorder wrote for the client", 1},
        {"server", OPTION_SERVER, "FILE", 0, "the same for the server; needed for write_lat and send_lat", 1},
        {NULL, 'o', "OUT", 0, "the trace to be written", 1},
        {"tx-depth", OPTION_TX_DEPTH, "N", 0, "perftest's -t", 2},
        {"rx-depth", OPTION_RX_DEPTH, "N", 0, "perftest's -r", 2},
        {"cq-mod", OPTION_CQ_MOD, "N", 0, "perftest's -Q", 2},
        {"post-list", OPTION_POST_LIST, "N", 0, "perftest's -l", 2},
        {"mtu", OPTION_MTU, "BYTES", 0, "path MTU (4096)", 2},
        {"think", OPTION_THINK, "NS", 0, "think time after each wait, ns", 2},
        {"iterations", OPTION_ITERATIONS, "N", 0, "repeats what was recorded, latency tools only", 2},
        {"note", OPTION_NOTE, "TEXT", 0, "a line of provenance; may be repeated", 3},
        {0},
    };
    const struct argp argp = {table,
                              parse_import,
                              "--tool TOOL --client FILE [--server FILE] -o OUT",
                              "Makes a closed-loop trace of recorded perftest posts.",
                              NULL,
                              NULL,
                              NULL};
    struct import_options options = {0};
    struct rnicsim_error error;
    int result = cli_parse(&argp, "trace import", argc, argv, &options);
    if (result >= 0)
        return result;
    if (options.import.tool == NULL || options.import.client_path == NULL || options.out == NULL)
        return cli_fail("--tool, --client and -o are needed; see rnicsim trace import --help");
    options.import.notes = options.notes;
    return trace_import_perftest(&options.import, options.out, &error) == 0 ? CLI_DONE : cli_fail("%s", error.text);
}

struct pcap_options {
    struct paths paths;
    const char *out;
};

static error_t parse_pcap(int key, char *value, struct argp_state *state)
{
    struct pcap_options *options = state->input;
    if (key == 'o') {
        options->out = value;
        return 0;
    }
    state->input = &options->paths;
    error_t result = parse_path(key, value, state);
    state->input = options;
    return result;
}

static int import_pcap_main(int argc, char **argv)
{
    static const struct argp_option table[] = {{NULL, 'o', "OUT", 0, "the trace to be written", 1}, {0}};
    const struct argp argp = {
        table,
        parse_pcap,
        "FILE -o OUT",
        "Makes a trace of a capture (pcap, pcapng; RoCE or native InfiniBand): the requests of each "
        "QP. Lists what could not be known.",
        NULL,
        NULL,
        NULL};
    struct pcap_options options = {.paths = {.wanted = 1}};
    struct rnicsim_error error;
    int result = cli_parse(&argp, "trace import-pcap", argc, argv, &options);
    if (result >= 0)
        return result;
    if (options.paths.count != 1 || options.out == NULL)
        return cli_fail("one FILE and -o are needed; see rnicsim trace import-pcap --help");
    return trace_import_pcap(options.paths.path[0], options.out, stdout, &error) == 0 ? CLI_DONE
                                                                                      : cli_fail("%s", error.text);
}

static int print_help(void)
{
    printf("Usage: rnicsim trace info FILE\n"
           "       rnicsim trace check FILE\n"
           "       rnicsim trace convert FROM TO\n"
           "       rnicsim trace import --tool TOOL --client FILE [--server FILE] -o OUT\n"
           "       rnicsim trace import-pcap FILE -o OUT\n"
           "       rnicsim trace gen --qps N --size DIST --requests N --opcode MIX [OPTION...] -o FILE\n\n"
           "  Each tells its options with --help. The format: traces/FORMAT.md.\n");
    return CLI_DONE;
}

int trace_main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*main)(int argc, char **argv);
    } commands[] = {{"info", info_main},
                    {"check", check_main},
                    {"convert", convert_main},
                    {"import", import_main},
                    {"import-pcap", import_pcap_main},
                    {"gen", trace_gen_main}};
    if (argc < 2)
        return cli_fail(
            "trace: allowed are info, check, convert, import, import-pcap and gen; see rnicsim trace --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].main(argc - 1, argv + 1);
    return cli_fail("trace %s: allowed are info, check, convert, import, import-pcap and gen", argv[1]);
}
