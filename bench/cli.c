#include "bench/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_HELP 'h'

/* A message is one line whatever a file's name holds. */
static void print_line(const char *kind, const char *format, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    for (char *at = text; *at != 0; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    fprintf(stderr, "rnicsim: %s%s\n", kind, text);
}

int cli_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
    return CLI_INPUT;
}

int cli_fail_result(int result, const struct rnicsim_error *error)
{
    if (result != RNICSIM_EMODEL)
        return cli_fail("%s", error->text);
    cli_fail("the model found itself wrong (please report it): %s", error->text);
    return CLI_MODEL;
}

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

/* Wraps a subcommand's parser: --help, and which option was not understood. argp's own messages are two lines and exit
 * with another status, so they are off. */
struct wrapper {
    void *input;
    int helped;
    const char *at; /* the word at which parsing stopped */
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct wrapper *wrapper = state->input;
    (void)value;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = wrapper->input;
        return 0;
    case OPTION_HELP:
        wrapper->helped = 1;
        return 0;
    case ARGP_KEY_ERROR:
        wrapper->at = state->next > 0 ? state->argv[state->next - 1] : "";
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cli_parse(const struct argp *argp, const char *name, int argc, char **argv, void *input)
{
    const struct argp_option options[] = {{"help", OPTION_HELP, NULL, 0, "this text", -1}, {0}};
    struct argp inner = *argp;
    inner.doc = NULL; /* told once, by the whole */
    const struct argp_child children[] = {{&inner, 0, NULL, 0}, {0}};
    const struct argp whole = {options, parse, NULL, argp->doc, children, NULL, NULL};
    struct wrapper wrapper = {.input = input};
    char title[64];
    snprintf(title, sizeof title, "rnicsim %s", name);
    error_t result = argp_parse(&whole, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &wrapper);
    if (wrapper.helped) {
        argp_help(&whole, stdout, ARGP_HELP_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, title);
        return CLI_DONE;
    }
    if (result != 0 && result != CLI_TOLD)
        return cli_fail("\"%s\" is no option of %s, or its value is missing or not wanted; see %s --help", wrapper.at,
                        title, title);
    return result == 0 ? -1 : CLI_INPUT;
}

int cli_number(const char *text, const char *what, uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || number > max)
        return cli_fail("%s: \"%s\" is no number that is allowed, 0 to %" PRIu64, what, text, max);
    *out = number;
    return 0;
}

const char *cli_count(uint64_t number, char *text)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
    return text;
}
