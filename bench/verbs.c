/* rnicsim verbs: programs that use libibverbs, unmodified, on the model and in its time. */
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/model_options.h"
#include "traces/verbs/launch.h"

#define OPTION_HOST 1001
#define OPTION_SEED 1002
#define WORDS_MOST 256

struct verbs_options {
    struct model_options model;
    uint64_t seed;
    const char *command[VERBS_PROGRAMS]; /* of --host a, b */
    char *words[WORDS_MOST + 1];         /* of the program behind -- */
    int count;
};

static error_t take_host(struct verbs_options *options, const char *value, struct argp_state *state)
{
    int host = value[0] - 'a';
    if (host < 0 || host >= VERBS_PROGRAMS || value[1] != 0) {
        cli_fail("--host \"%s\": allowed are a and b, each followed by a command", value);
        return CLI_TOLD;
    }
    if (state->next >= state->argc || options->command[host] != NULL) {
        cli_fail("--host %s: one command is allowed, as in --host %s 'ib_write_lat'", value, value);
        return CLI_TOLD;
    }
    options->command[host] = state->argv[state->next++];
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct verbs_options *options = state->input;
    switch (key) {
    case 'b':
        options->model.board = value;
        return 0;
    case 's':
        return model_options_set(&options->model, value);
    case OPTION_HOST:
        return take_host(options, value, state);
    case OPTION_SEED:
        return cli_number(value, "--seed", UINT64_MAX, &options->seed) == 0 ? 0 : CLI_TOLD;
    case ARGP_KEY_ARG:
        if (options->count == WORDS_MOST) {
            cli_fail("a program with more than %d words; allowed are as many", WORDS_MOST);
            return CLI_TOLD;
        }
        options->words[options->count++] = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_options[] = {
    {"board", 'b', "BOARD|FILE", 0, "the board: a name (see rnicsim boards) or a board file", 1},
    {"set", 's', "KEY=VALUE", 0, "sets a parameter (see rnicsim params); may be repeated", 1},
    {"host", OPTION_HOST, "a|b COMMAND", 0, "runs COMMAND on host a or b; twice: on both", 2},
    {"seed", OPTION_SEED, "N", 0, "of random draws", 2},
    {0}};

static const struct argp argp = {
    argp_options,
    parse,
    "-- PROGRAM ARGUMENT...",
    "Runs programs that use libibverbs on the model: they find a device rdma0, and every clock that they look at shows "
    "simulated time. Two programs, or two processes of one, are the two hosts, and reach each other at 127.0.0.1.",
    NULL,
    NULL,
    NULL};

static int run(struct verbs_options *options, struct rnicsim *sim, const char *library)
{
    static char *shell[VERBS_PROGRAMS][4];
    struct rnicsim_error error;
    struct verbs_launch launch = {.sim = sim, .library = library, .tsc_hz = model_tsc_hz(sim)};
    for (int host = 0; host < VERBS_PROGRAMS; host++) {
        if (options->command[host] == NULL)
            continue;
        memcpy(shell[host], ((char *[]){"sh", "-c", (char *)options->command[host], NULL}), sizeof shell[host]);
        launch.program[launch.programs++] =
            (struct verbs_program){(char)('a' + host), shell[host], options->command[host]};
    }
    if (options->count > 0)
        launch.program[launch.programs++] = (struct verbs_program){'-', options->words, options->words[0]};
    int result = verbs_launch(&launch, &error);
    if (result == RNICSIM_OK || result == RNICSIM_EMODEL)
        return result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
    cli_fail("%s", error.text);
    return CLI_ASSERTION;
}

static int verbs_run(struct verbs_options *options)
{
    char library[4096];
    struct rnicsim *sim;
    struct rnicsim_error error;
    struct rnicsim_options create = {.seed = options->seed, .data = 1};
    int has_host = options->command[0] != NULL || options->command[1] != NULL;
    if ((options->count > 0) == has_host)
        return cli_fail("which program? allowed is -- PROGRAM ARGUMENT..., or --host a COMMAND and --host b COMMAND");
    if (verbs_find_library(library, sizeof library, &error) != RNICSIM_OK)
        return cli_fail("%s", error.text);
    int result = model_options_create(&options->model, &create, &sim);
    if (result != CLI_DONE)
        return result;
    result = run(options, sim, library);
    rnicsim_destroy(sim);
    return result;
}

int verbs_main(int argc, char **argv)
{
    struct verbs_options options = {.seed = 1};
    int result = cli_parse(&argp, "verbs", argc, argv, &options);
    if (result < 0)
        result = verbs_run(&options);
    model_options_free(&options.model);
    return result;
}
