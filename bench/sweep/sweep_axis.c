/* The values of an axis: a list, or a range. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/rnicsim.h"
#include "bench/sweep/sweep.h"

#define WORD_BYTES 512
#define UNIT_BYTES 32
#define ROUNDING 1e-9 /* a last value that misses the end by so many steps is the end */

static const struct {
    const char *key, *perftest_option, *gen_option;
} options[] = {
    {"size", "-s", "--size"},       {"qps", "-q", "--qps"},
    {"depth", "-t", "--depth"},     {"requests", "-n", "--requests"},
    {"mtu", "-m", "--mtu"},         {"inline", "-I", "--inline"},
    {"reads", "-o", "--rd-atomic"}, {"post_list", "-l", NULL},
    {"cq_mod", "-Q", NULL},         {"opcode", NULL, "--opcode"},
    {"arrival", NULL, "--arrival"}, {"rate", NULL, "--rate"},
    {"burst", NULL, "--burst"},     {"burst_rate", NULL, "--burst-rate"},
    {"zipf", NULL, "--zipf"},       {"weight", NULL, "--weight"},
    {"sl", NULL, "--sl"},
};

const char *sweep_axis_options(void)
{
    return "size, qps, depth, requests, mtu, inline, reads, post_list, cq_mod, opcode, arrival, rate, load, burst, "
           "burst_rate, zipf, weight, sl";
}

void sweep_axis_classify(struct sweep_axis *axis)
{
    static const struct {
        const char *key;
        enum sweep_kind kind;
    } words[] = {{"load", SWEEP_LOAD},   {"seed", SWEEP_SEED}, {"board", SWEEP_BOARD},   {"host", SWEEP_HOST},
                 {"trace", SWEEP_TRACE}, {"gen", SWEEP_GEN},   {"faults", SWEEP_FAULTS}, {"perftest", SWEEP_PERFTEST}};
    axis->kind = SWEEP_PARAM;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(axis->key, words[i].key) == 0)
            axis->kind = words[i].kind;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(axis->key, options[i].key) == 0) {
            axis->kind = SWEEP_OPTION;
            axis->perftest_option = options[i].perftest_option;
            axis->gen_option = options[i].gen_option;
        }
}

static int fail(struct rnicsim_error *error, const char *reason, const char *text)
{
    snprintf(error->text, sizeof error->text,
             "%s: \"%.120s\"; allowed are a list \"64, 128\", a range \"500..2500 step 250 ns\" or \"1..1024 log 11\"",
             reason, text);
    return -1;
}

const char *sweep_list_next(const char *at, char *out, size_t out_bytes)
{
    size_t used = 0, end = 0;
    int is_quoted = 0;
    if (at == NULL)
        return NULL;
    for (at += strspn(at, " \t"); *at != 0 && (is_quoted || *at != ','); at++) {
        is_quoted ^= *at == '"';
        if (*at == '"' || used + 1 >= out_bytes)
            continue;
        out[used++] = *at;
        if (is_quoted || !isspace((unsigned char)*at))
            end = used;
    }
    out[end] = 0;
    return *at == ',' ? at + 1 : at;
}

static int add_value(struct sweep *sweep, struct sweep_axis *axis, const char *text)
{
    if ((axis->count & (axis->count - 1)) == 0) { /* room doubles at powers of two */
        const char **larger = realloc(axis->values, (axis->count == 0 ? 1 : 2 * axis->count) * sizeof *larger);
        if (larger == NULL)
            return -1;
        axis->values = larger;
    }
    const char *copy = sweep_keep(sweep, text);
    if (copy == NULL)
        return -1;
    axis->values[axis->count++] = copy;
    return 0;
}

static int read_list(struct sweep *sweep, struct sweep_axis *axis, const char *text, struct rnicsim_error *error)
{
    char word[WORD_BYTES];
    const char *at = text;
    do {
        at = sweep_list_next(at, word, sizeof word);
        if (word[0] == 0)
            return fail(error, "an empty value", text);
        if (axis->count == SWEEP_VALUES_MAX)
            return fail(error, "too many values", text);
        if (add_value(sweep, axis, word) != 0)
            return fail(error, "out of memory", text);
    } while (*at != 0);
    return 0;
}

struct range {
    double from, to, step; /* step: or how many, with is_log */
    int is_log;
    char unit[UNIT_BYTES];
};

/* A number and the unit behind it, which ends before `end` or, NULL, with the text. Units that differ are refused. */
static const char *read_number(const char *at, double *out, char *unit, const char *end)
{
    char *rest, own[UNIT_BYTES];
    *out = strtod(at, &rest);
    if (rest == at || !isfinite(*out))
        return NULL;
    if (end != NULL && rest > end)
        return NULL;
    size_t length = end != NULL ? (size_t)(end - rest) : strlen(rest);
    for (; length > 0 && isspace((unsigned char)*rest); length--)
        rest++;
    while (length > 0 && isspace((unsigned char)rest[length - 1]))
        length--;
    if (length >= UNIT_BYTES)
        return NULL;
    snprintf(own, sizeof own, "%.*s", (int)length, rest);
    if (own[0] != 0 && unit[0] != 0 && strcmp(own, unit) != 0)
        return NULL;
    if (own[0] != 0)
        memcpy(unit, own, sizeof own);
    return rest + length;
}

/* strtod would take the first dot of "1..5": it is read from a copy that ends before. */
static int read_range(const char *text, struct range *out)
{
    char first[WORD_BYTES];
    const char *dots = strstr(text, ".."), *step = strstr(text, " step "), *log_at = strstr(text, " log ");
    const char *word = step != NULL ? step : log_at;
    *out = (struct range){.is_log = step == NULL};
    if (dots == NULL || word == NULL || word < dots || (size_t)(dots - text) >= sizeof first)
        return -1;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (read_number(first, &out->from, out->unit, NULL) == NULL ||
        read_number(dots + 2, &out->to, out->unit, word) == NULL)
        return -1;
    return read_number(word + (step != NULL ? 6 : 5), &out->step, out->unit, NULL) == NULL ? -1 : 0;
}

static int is_whole(double number)
{
    return number == floor(number) && fabs(number) < 1e15;
}

static int put_number(struct sweep *sweep, struct sweep_axis *axis, double number, const char *unit)
{
    char text[64];
    snprintf(text, sizeof text, "%.10g%s%s", number, unit[0] != 0 ? " " : "", unit);
    if (axis->count > 0 && strcmp(text, axis->values[axis->count - 1]) == 0)
        return 0; /* a log range of whole numbers may round two to one */
    return add_value(sweep, axis, text);
}

static double at_ratio(const struct range *range, size_t i)
{
    double n = range->step - 1;
    double number = n == 0 ? range->from : range->from * pow(range->to / range->from, (double)i / n);
    return is_whole(range->from) && is_whole(range->to) ? round(number) : number;
}

static int put_range(struct sweep *sweep, struct sweep_axis *axis, const struct range *range, const char *text,
                     struct rnicsim_error *error)
{
    double count = range->is_log ? range->step : floor((range->to - range->from) / range->step + ROUNDING) + 1;
    if (range->is_log && (range->from <= 0 || range->to < range->from || !is_whole(count) || count < 1))
        return fail(error, "an empty range, or none that has ratios", text);
    if (!(count >= 1) || range->step == 0)
        return fail(error, "an empty range", text);
    if (count > SWEEP_VALUES_MAX)
        return fail(error, "too many values", text);
    for (size_t i = 0; i < (size_t)count; i++)
        if (put_number(sweep, axis, range->is_log ? at_ratio(range, i) : range->from + (double)i * range->step,
                       range->unit) != 0)
            return fail(error, "out of memory", text);
    return 0;
}

int sweep_axis_read(struct sweep *sweep, struct sweep_axis *axis, const char *text, struct rnicsim_error *error)
{
    struct range range;
    int is_range = strstr(text, "..") != NULL && strchr(text, '"') == NULL && strstr(text, "../") == NULL;
    if (!is_range)
        return read_list(sweep, axis, text, error);
    if (read_range(text, &range) != 0)
        return fail(error, "no range", text);
    return put_range(sweep, axis, &range, text, error);
}
