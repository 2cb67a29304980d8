/* What every subcommand does alike: one line on standard error for a mistake, one way to read options, exit statuses. */
#ifndef BENCH_CLI_H
#define BENCH_CLI_H

#include <argp.h>
#include <errno.h>

#include "api/rnicsim.h"

#define CLI_TOLD ECANCELED

enum cli_status { CLI_DONE = 0, CLI_ASSERTION = 1, CLI_INPUT = 2, CLI_MODEL = 3 };

/* Prints "rnicsim: ..." as one line and returns CLI_INPUT. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the error of an API call that returned `result`; returns the exit status: a dead model is not the user's fault. */
int cli_fail_result(int result, const struct rnicsim_error *error);
/* "rnicsim: warning: ..." */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parses argv[1..] of the subcommand `name` ("run"). argv[0] is not looked at. Returns -1: go on; else the exit status:
 * after --help, or after an option that is not known or has no value. A parser that has told of a mistake itself, with
 * cli_fail, returns CLI_TOLD. */
int cli_parse(const struct argp *argp, const char *name, int argc, char **argv, void *input);

/* What an option without more to it does. */
static inline error_t cli_take_text(const char **out, const char *value)
{
    *out = value;
    return 0;
}
static inline error_t cli_take_flag(int *out)
{
    *out = 1;
    return 0;
}

/* A whole decimal number within a range. Returns 0, or CLI_INPUT with a message that begins with `what`. */
int cli_number(const char *text, const char *what, uint64_t max, uint64_t *out);

/* A number with thousands separated by commas; the text is in `text` (of 32 bytes). */
const char *cli_count(uint64_t number, char *text);

#endif
