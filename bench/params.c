/* rnicsim params and rnicsim boards: what can be set, what is in effect and where it comes from. */
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/model_options.h"

#define OPTION_EFFECTIVE 1100

struct params_options {
    struct model_options model;
    const char *key;
    int effective;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct params_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->model;
        return 0;
    case ARGP_KEY_ARG:
        if (options->key != NULL) {
            cli_fail("\"%s\" and \"%s\": one KEY is allowed", options->key, value);
            return CLI_TOLD;
        }
        options->key = value;
        return 0;
    case OPTION_EFFECTIVE:
        options->effective = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "mac" and "mac." stand for all of mac's. */
static int is_wanted(const char *wanted, const char *key)
{
    size_t length = wanted == NULL ? 0 : strlen(wanted);
    if (length == 0)
        return 1;
    return strncmp(wanted, key, length) == 0 && (key[length] == 0 || key[length] == '.' || wanted[length - 1] == '.');
}

static void print_effective(const struct rnicsim_param_info *param)
{
    printf("%-32s = %-28s %-11s %s\n", param->key, param->value, param->class_name, param->origin);
}

static const char *or_none(const char *text)
{
    return text != NULL && text[0] != 0 ? text : "none";
}

static void print_described(const struct rnicsim_param_info *param, const char *board)
{
    printf("%s\n  %s\n  unit %s, default %s, allowed %s\n  on %s: %s, %s, from %s", param->key, param->sentence,
           or_none(param->unit), or_none(param->fallback), or_none(param->range), board, param->value,
           param->class_name, param->origin);
    if (param->source != NULL && param->source[0] != 0)
        printf(", source: %s", param->source);
    putchar('\n');
}

static int print_params(struct rnicsim *sim, const struct params_options *options)
{
    struct rnicsim_param_info param;
    size_t shown = 0;
    for (size_t i = 0; i < rnicsim_param_count(sim); i++) {
        if (rnicsim_param(sim, i, &param) != RNICSIM_OK || !is_wanted(options->key, param.key))
            continue;
        shown++;
        if (options->effective)
            print_effective(&param);
        else
            print_described(&param, rnicsim_board_name(sim));
    }
    if (shown == 0)
        return cli_fail("\"%s\" is no parameter of this board; rnicsim params lists them", options->key);
    return CLI_DONE;
}

static int params_all(struct params_options *options)
{
    struct rnicsim_options create = {.seed = 1};
    struct rnicsim *sim;
    char board[128], line[256];
    /* Any board serves to list what can be set. */
    if (options->model.board == NULL && !options->effective &&
        rnicsim_board_at(NULL, 0, board, sizeof board, line, sizeof line) == RNICSIM_OK)
        options->model.board = board;
    int result = model_options_create(&options->model, &create, &sim);
    if (result != CLI_DONE)
        return result;
    result = print_params(sim, options);
    rnicsim_destroy(sim);
    return result;
}

int params_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"effective", OPTION_EFFECTIVE, NULL, 0, "the values in effect for a board, each with its class and origin", 2},
        {0}};
    const struct argp_child children[] = {{model_options_argp(), 0, "The model:", 1}, {0}};
    const struct argp argp = {table,
                              parse,
                              "[KEY]",
                              "Lists the parameters: unit, default, range, class, source. KEY: one of them, or a group "
                              "(mac).",
                              children,
                              NULL,
                              NULL};
    struct params_options options = {0};
    int result = cli_parse(&argp, "params", argc, argv, &options);
    if (result < 0)
        result = params_all(&options);
    model_options_free(&options.model);
    return result;
}

static error_t parse_nothing(int key, char *value, struct argp_state *state)
{
    (void)state;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    cli_fail("\"%s\": rnicsim boards takes no argument", value);
    return CLI_TOLD;
}

int boards_main(int argc, char **argv)
{
    const struct argp argp = {NULL, parse_nothing, "", "Lists the boards that -b can name.", NULL, NULL, NULL};
    char name[128], line[256];
    int result = cli_parse(&argp, "boards", argc, argv, NULL);
    if (result >= 0)
        return result;
    size_t count = 0;
    for (; rnicsim_board_at(NULL, count, name, sizeof name, line, sizeof line) == RNICSIM_OK; count++)
        printf("%-16s %s\n", name, line);
    return count > 0 ? CLI_DONE : model_options_no_boards();
}
