/* rnicsim validate: measurements of real systems beside what the model predicts for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/validate_report.h"

#define OPTION_JSON 6000
#define TARGETS_MAX 256

struct validate_options {
    const char *name[TARGETS_MAX]; /* none: all that are installed */
    size_t names;
    int json;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct validate_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (options->names == TARGETS_MAX) {
            cli_fail("too many targets, allowed are %d", TARGETS_MAX);
            return CLI_TOLD;
        }
        options->name[options->names++] = value;
        return 0;
    case OPTION_JSON:
        options->json = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* All are read and checked before the first runs. */
static int read_all(struct validation *validation, const struct validate_options *options)
{
    int status = CLI_DONE;
    validation->target = calloc(options->names, sizeof *validation->target);
    validation->constants = calloc(options->names, sizeof *validation->constants);
    if (!validation->target || !validation->constants)
        return cli_fail("out of memory for the targets");
    for (size_t i = 0; i < options->names && status == CLI_DONE; i++) {
        status = target_read(&validation->target[i], options->name[i]);
        if (status == CLI_DONE)
            status = validate_check(&validation->target[i], &validation->constants[i]);
        validation->targets++;
    }
    return status;
}

static int validate(const struct validate_options *options, int with_reads)
{
    struct validation *validation = calloc(1, sizeof *validation);
    int status = validation ? read_all(validation, options) : cli_fail("out of memory");
    for (size_t i = 0; status == CLI_DONE && i < validation->targets; i++)
        status = validate_target(&validation->target[i]);
    if (status == CLI_DONE && with_reads)
        status = validate_reads_all(validation->reads, &validation->reads_count);
    if (status == CLI_DONE)
        status = options->json ? validation_print_json(validation) : validation_print_text(validation);
    if (validation) {
        free(validation->target);
        free(validation->constants);
    }
    free(validation);
    return status;
}

static int validate_installed(struct validate_options *options)
{
    char *names = target_list();
    if (!names)
        return CLI_INPUT;
    for (const char *name = names; *name != 0 && options->names < TARGETS_MAX; name += strlen(name) + 1)
        options->name[options->names++] = name;
    int status = validate(options, 1);
    free(names);
    return status;
}

int validate_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"json", OPTION_JSON, NULL, 0, "predictions, calibrated, points, constants, reads", 1}, {0}};
    const struct argp argp = {
        table,
        parse,
        "[TARGET...]",
        "Runs measured targets on the model: predicted beside measured, with the error; points to "
        "which a constant was fitted are counted apart. Without TARGET (a name or a file) all that "
        "are installed, and whether " VALIDATE_READS_BOARD " reads at 100G on each host.",
        NULL,
        NULL,
        NULL};
    struct validate_options options = {.names = 0};
    int result = cli_parse(&argp, "validate", argc, argv, &options);
    if (result >= 0)
        return result;
    return options.names > 0 ? validate(&options, 0) : validate_installed(&options);
}
