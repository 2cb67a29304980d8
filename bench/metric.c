#include "bench/metric.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define NAME_BYTES 160
#define VALUE_BYTES 96

/* ---- names ---- */

static const json_t *element(const json_t *array, const char *name, size_t length)
{
    char *end;
    size_t index;
    const json_t *value;
    json_array_foreach((json_t *)(uintptr_t)array, index, value)
    {
        const char *own = json_string_value(json_object_get(value, "name"));
        if (own != NULL && strlen(own) == length && strncmp(own, name, length) == 0)
            return value;
    }
    unsigned long number = strtoul(name, &end, 10);
    return isdigit((unsigned char)name[0]) && end == name + length ? json_array_get(array, number) : NULL;
}

static const json_t *member(const json_t *value, const char *name, size_t length)
{
    char key[NAME_BYTES];
    if (json_is_array(value))
        return element(value, name, length);
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    return json_object_get(value, key);
}

/* A key may hold dots ("p99.9"): the longest that fits is tried first. */
static const json_t *walk(const json_t *value, const char *name)
{
    for (size_t length = strlen(name); length > 0; length--) {
        const char *rest = name + length;
        if (*rest != 0 && *rest != '.')
            continue;
        const json_t *inner = member(value, name, length);
        if (inner != NULL && *rest == 0)
            return inner;
        inner = inner != NULL ? walk(inner, rest + 1) : NULL;
        if (inner != NULL)
            return inner;
    }
    return NULL;
}

static const char *const prefixes[] = {"", "latency_ns.", "jitter_ns."};
static const char *const endings[] = {"", "_gbps", "_mps", "_ns"};

const json_t *metric_find(const json_t *summary, const char *name)
{
    char whole[NAME_BYTES + 32];
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            snprintf(whole, sizeof whole, "%s%.160s%s", prefixes[i], name, endings[k]);
            const json_t *found = walk(summary, whole);
            if (found != NULL)
                return found;
        }
    return NULL;
}

static double sum_of(const json_t *object)
{
    double sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        sum += json_number_value(value);
    }
    return sum;
}

int metric_number(const json_t *value, double *out)
{
    if (json_is_object(value))
        *out = sum_of(value);
    else if (json_is_number(value))
        *out = json_number_value(value);
    return json_is_object(value) || json_is_number(value);
}

/* Of what is called for short, too. */
static int is_time(const char *name)
{
    static const char *const words[] = {"min",   "p50", "avg",     "p99",     "p99.9", "p99.99",  "max",
                                        "stdev", "pdv", "p99_p50", "max_min", "ipdv",  "sim_time"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return 1;
    return strstr(name, "_ns") != NULL || strstr(name, ".backpressure") != NULL;
}

const char *metric_unit(const char *name)
{
    size_t length = strlen(name);
    int is_count = length > 2 && strcmp(name + length - 2, ".n") == 0;
    if (is_time(name) && !is_count)
        return "ns";
    if (strstr(name, "_gbps") != NULL || strncmp(name, "goodput", 7) == 0 || strcmp(name, "wire") == 0)
        return "Gb/s";
    return strstr(name, "_mps") != NULL || strcmp(name, "message_rate") == 0 ? "M/s" : "";
}

/* ---- assertions ---- */

enum relation { LESS, LESS_EQUAL, MORE, MORE_EQUAL, EQUAL, NOT_EQUAL, RELATIONS };
/* Those of two characters are looked for first. */
static const char *const relation_name[] = {"<=", ">=", "==", "!=", "<", ">"};
static const enum relation relation_of[] = {LESS_EQUAL, MORE_EQUAL, EQUAL, NOT_EQUAL, LESS, MORE};

struct assertion {
    char name[NAME_BYTES], value[VALUE_BYTES];
    enum relation relation;
};

static const struct unit {
    const char *name, *base;
    double factor;
} units[] = {
    {"ps", "ns", 1e-3},     {"ns", "ns", 1},       {"us", "ns", 1e3},   {"ms", "ns", 1e6},
    {"s", "ns", 1e9},       {"Gb/s", "Gb/s", 1},   {"Gbps", "Gb/s", 1}, {"Mb/s", "Gb/s", 1e-3},
    {"Mbps", "Gb/s", 1e-3}, {"Tbps", "Gb/s", 1e3}, {"GB/s", "Gb/s", 8}, {"MB/s", "Gb/s", 8e-3},
    {"M/s", "M/s", 1},      {"K/s", "M/s", 1e-3},  {"/s", "M/s", 1e-6}, {"MHz", "M/s", 1},
    {"kHz", "M/s", 1e-3},   {"%", "", 1e-2},       {"", "", 1},
};

static void trim(char *text)
{
    size_t length = strlen(text), first = strspn(text, " \t\"");
    while (length > first && strchr(" \t\"", text[length - 1]) != NULL)
        length--;
    memmove(text, text + first, length - first);
    text[length - first] = 0;
}

static int read_assertion(const char *text, struct assertion *out)
{
    for (size_t i = 0; i < sizeof relation_name / sizeof *relation_name; i++) {
        const char *at = strstr(text, relation_name[i]);
        if (at == NULL)
            continue;
        snprintf(out->name, sizeof out->name, "%.*s", (int)(at - text), text);
        snprintf(out->value, sizeof out->value, "%s", at + strlen(relation_name[i]));
        out->relation = relation_of[i];
        trim(out->name);
        trim(out->value);
        if (out->name[0] != 0 && out->value[0] != 0)
            return CLI_DONE;
    }
    return cli_fail(
        "--assert: \"%.200s\": allowed is NAME < VALUE, or <= > >= == != : \"p99.9 < 3 us\", \"drops == 0\"", text);
}

/* A time without a unit could be anything: it is refused. */
static int read_number(const struct assertion *assertion, double *out)
{
    const char *base = metric_unit(assertion->name);
    char *end;
    double number = strtod(assertion->value, &end);
    if (end == assertion->value)
        return cli_fail("--assert: \"%s\" is no number, and %s is one", assertion->value, assertion->name);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, end) == 0 && strcmp(units[i].base, base) == 0) {
            *out = number * units[i].factor;
            return CLI_DONE;
        }
    return cli_fail("--assert: %s is in %s: \"%s\" has %s", assertion->name, base[0] != 0 ? base : "no unit (or %)",
                    assertion->value, end[0] != 0 ? "another unit" : "none");
}

static int holds(enum relation relation, double order)
{
    switch (relation) {
    case LESS:
        return order < 0;
    case LESS_EQUAL:
        return order <= 0;
    case MORE:
        return order > 0;
    case MORE_EQUAL:
        return order >= 0;
    case EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}

static int judge_text(const struct assertion *assertion, const char *text, const char *value)
{
    if (assertion->relation != EQUAL && assertion->relation != NOT_EQUAL)
        return cli_fail("--assert: %s is a text; allowed are == and !=", assertion->name);
    if (holds(assertion->relation, strcmp(value, assertion->value)))
        return CLI_DONE;
    cli_fail("assertion failed: %s: it is \"%s\"", text, value);
    return CLI_ASSERTION;
}

static int judge_number(const struct assertion *assertion, const char *text, double value)
{
    double limit = 0;
    int result = read_number(assertion, &limit);
    if (result != CLI_DONE)
        return result;
    if (holds(assertion->relation, value < limit ? -1 : value > limit ? 1 : 0))
        return CLI_DONE;
    const char *unit = metric_unit(assertion->name);
    cli_fail("assertion failed: %s: it is %.9g%s%s", text, value, unit[0] != 0 ? " " : "", unit);
    return CLI_ASSERTION;
}

int metric_check(const char *text)
{
    struct assertion assertion;
    return read_assertion(text, &assertion);
}

int metric_assert(const json_t *summary, const char *text)
{
    struct assertion assertion;
    double value;
    int result = read_assertion(text, &assertion);
    if (result != CLI_DONE)
        return result;
    const json_t *found = metric_find(summary, assertion.name);
    if (found == NULL)
        return cli_fail("--assert: the results have no \"%s\"; allowed are keys of summary.json, joined by dots",
                        assertion.name);
    if (json_is_string(found))
        return judge_text(&assertion, text, json_string_value(found));
    if (metric_number(found, &value))
        return judge_number(&assertion, text, value);
    cli_fail("assertion failed: %s: it is %s", text,
             json_is_null(found) ? "not known (null: too few samples, or nothing of that kind)" : "no single value");
    return CLI_ASSERTION;
}

error_t metric_asserts_take(struct metric_asserts *asserts, const char *text)
{
    if (asserts->count == METRIC_ASSERTS_MAX) {
        cli_fail("--assert: more than %u are not allowed", METRIC_ASSERTS_MAX);
        return CLI_TOLD;
    }
    asserts->text[asserts->count++] = text;
    return metric_check(text) == CLI_DONE ? 0 : CLI_TOLD;
}

int metric_asserts_judge(const struct metric_asserts *asserts, const json_t *summary)
{
    int worst = CLI_DONE;
    for (size_t i = 0; i < asserts->count; i++) {
        int result = metric_assert(summary, asserts->text[i]);
        worst = result > worst ? result : worst;
    }
    return worst;
}
