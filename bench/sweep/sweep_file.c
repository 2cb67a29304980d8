/* Reads a sweep file, and knows its points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/sweep/sweep.h"
#include "traces/record.h"

#define WORD_BYTES 512
#define REPEATS_MAX 100000u

struct zip {
    int line;
    const char *text;
};

struct reading {
    struct sweep *sweep;
    struct zip zips[SWEEP_AXES_MAX];
    size_t zip_count;
};

const char *sweep_keep(struct sweep *sweep, const char *text)
{
    if (sweep->kept_count == sweep->kept_room) {
        size_t room = sweep->kept_room == 0 ? 64 : 2 * sweep->kept_room;
        char **larger = realloc(sweep->kept, room * sizeof *larger);
        if (larger == NULL)
            return NULL;
        sweep->kept = larger;
        sweep->kept_room = room;
    }
    char *copy = strdup(text);
    if (copy != NULL)
        sweep->kept[sweep->kept_count++] = copy;
    return copy;
}

void sweep_free(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->axis_count; i++)
        free(sweep->axes[i].values);
    for (size_t i = 0; i < sweep->kept_count; i++)
        free(sweep->kept[i]);
    free(sweep->kept);
    *sweep = (struct sweep){0};
}

/* Without the quotes around it. */
static int take_text(struct sweep *sweep, const char **out, const char *key, const char *value,
                     struct rnicsim_error *error)
{
    size_t length = strlen(value);
    char text[WORD_BYTES];
    int is_quoted = length >= 2 && value[0] == '"' && value[length - 1] == '"';
    if (*out != NULL)
        return trace_fail(error, "%s is given twice", key);
    snprintf(text, sizeof text, "%.*s", (int)(is_quoted ? length - 2 : length), value + is_quoted);
    *out = sweep_keep(sweep, text);
    return *out != NULL ? 0 : trace_fail(error, "out of memory");
}

static int take_number(uint64_t *out, const char *key, const char *value, uint64_t least, uint64_t most,
                       struct rnicsim_error *error)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != 0 || number < least || number > most)
        return trace_fail(error, "%s: \"%.60s\"; allowed are %llu to %llu", key, value, (unsigned long long)least,
                          (unsigned long long)most);
    *out = number;
    return 0;
}

static int take_set(struct sweep *sweep, const char *key, const struct rnicsim_ini_line *line,
                    struct rnicsim_error *error)
{
    char text[WORD_BYTES];
    if (sweep->set_count == SWEEP_SETS_MAX)
        return trace_fail(error, "set.%s: more than %u are not allowed", key, SWEEP_SETS_MAX);
    snprintf(text, sizeof text, "%s=%s", key, line->value);
    sweep->set_line[sweep->set_count] = line->number;
    sweep->set[sweep->set_count] = sweep_keep(sweep, text);
    return sweep->set[sweep->set_count++] != NULL ? 0 : trace_fail(error, "out of memory");
}

static int take_axis(struct sweep *sweep, const char *key, const struct rnicsim_ini_line *line,
                     struct rnicsim_error *error)
{
    if (key[0] == 0)
        return trace_fail(error,
                          "axis.: of what? allowed is axis.KEY, KEY a parameter, seed, board, host, trace, perftest, "
                          "gen, faults or an option of the workload");
    if (sweep_axis_of(sweep, key) < sweep->axis_count)
        return trace_fail(error, "axis.%s is given twice", key);
    if (sweep->axis_count == SWEEP_AXES_MAX)
        return trace_fail(error, "axis.%s: more than %u axes are not allowed", key, SWEEP_AXES_MAX);
    struct sweep_axis *axis = &sweep->axes[sweep->axis_count++];
    *axis = (struct sweep_axis){.key = sweep_keep(sweep, key), .line = line->number};
    if (axis->key == NULL)
        return trace_fail(error, "out of memory");
    sweep_axis_classify(axis);
    return sweep_axis_read(sweep, axis, line->value, error);
}

static int take_metrics(struct sweep *sweep, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    char word[WORD_BYTES];
    const char *at = line->value;
    sweep->metric_line = line->number;
    do {
        at = sweep_list_next(at, word, sizeof word);
        if (word[0] == 0 || sweep->metric_count == SWEEP_METRICS_MAX)
            return trace_fail(error,
                              "metric: \"%.100s\"; allowed are 1 to %u names of summary.json: goodput_gbps, p99.9",
                              line->value, SWEEP_METRICS_MAX);
        sweep->metrics[sweep->metric_count] = sweep_keep(sweep, word);
        if (sweep->metrics[sweep->metric_count++] == NULL)
            return trace_fail(error, "out of memory");
    } while (*at != 0);
    return 0;
}

static int take_chart(struct sweep *sweep, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    if (sweep->chart_count == SWEEP_CHARTS_MAX)
        return trace_fail(error, "chart: more than %u are not allowed", SWEEP_CHARTS_MAX);
    struct sweep_chart *chart = &sweep->charts[sweep->chart_count++];
    *chart = (struct sweep_chart){.line = line->number};
    return sweep_chart_read(sweep, chart, line->value, error);
}

static int take_zip(struct reading *reading, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    struct zip *zip = &reading->zips[reading->zip_count];
    if (reading->zip_count == SWEEP_AXES_MAX)
        return trace_fail(error, "zip: more than %u are not allowed", SWEEP_AXES_MAX);
    *zip = (struct zip){line->number, sweep_keep(reading->sweep, line->value)};
    reading->zip_count++;
    return zip->text != NULL ? 0 : trace_fail(error, "out of memory");
}

static int take_line(void *context, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    struct reading *reading = context;
    struct sweep *sweep = reading->sweep;
    const struct {
        const char *key;
        const char **out;
    } texts[] = {{"board", &sweep->board},       {"host", &sweep->host}, {"trace", &sweep->trace},
                 {"perftest", &sweep->perftest}, {"gen", &sweep->gen},   {"faults", &sweep->faults}};
    if (strcmp(line->section, "sweep") != 0)
        return trace_fail(error, "section [%.40s]; allowed is [sweep]", line->section);
    if (line->key == NULL)
        return 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(line->key, texts[i].key) == 0)
            return take_text(sweep, texts[i].out, line->key, line->value, error);
    if (strncmp(line->key, "axis.", 5) == 0)
        return take_axis(sweep, line->key + 5, line, error);
    if (strncmp(line->key, "set.", 4) == 0)
        return take_set(sweep, line->key + 4, line, error);
    if (strcmp(line->key, "metric") == 0)
        return take_metrics(sweep, line, error);
    if (strcmp(line->key, "chart") == 0)
        return take_chart(sweep, line, error);
    if (strcmp(line->key, "zip") == 0)
        return take_zip(reading, line, error);
    if (strcmp(line->key, "repeats") == 0)
        return take_number(&sweep->repeats, "repeats", line->value, 1, REPEATS_MAX, error);
    if (strcmp(line->key, "seed") == 0)
        return take_number(&sweep->seed, "seed", line->value, 0, INT64_MAX, error);
    return trace_fail(
        error,
        "unknown key \"%.60s\"; allowed are board, host, trace, perftest, gen, faults, set.KEY, axis.KEY, zip, "
        "repeats, seed, metric and chart",
        line->key);
}

/* ---- what the whole must be ---- */

static int zip_one(struct sweep *sweep, const struct zip *zip)
{
    char word[WORD_BYTES];
    const char *at = zip->text;
    size_t leader = SWEEP_AXES_MAX;
    do {
        at = sweep_list_next(at, word, sizeof word);
        size_t axis = sweep_axis_of(sweep, word);
        if (axis == sweep->axis_count)
            return cli_fail("%s:%d: zip: there is no axis.%.60s", sweep->path, zip->line, word);
        if (sweep->axes[axis].leader != axis)
            return cli_fail("%s:%d: zip: %s is in two zips", sweep->path, zip->line, word);
        leader = leader == SWEEP_AXES_MAX ? axis : leader;
        if (sweep->axes[axis].count != sweep->axes[leader].count)
            return cli_fail("%s:%d: zip: %s has %zu values, %s %zu; allowed are equally many", sweep->path, zip->line,
                            sweep->axes[leader].key, sweep->axes[leader].count, word, sweep->axes[axis].count);
        sweep->axes[axis].leader = leader;
    } while (*at != 0);
    return CLI_DONE;
}

/* The last crossed axis is the fastest. */
static int count_points(struct sweep *sweep)
{
    sweep->points = 1;
    for (size_t i = sweep->axis_count; i-- > 0;) {
        struct sweep_axis *axis = &sweep->axes[i];
        if (axis->leader != i)
            continue;
        axis->stride = (size_t)sweep->points;
        if (sweep->points * sweep->repeats > SWEEP_RUNS_MAX / axis->count)
            return cli_fail("%s:%d: axis.%s: more than %u runs in all are not allowed", sweep->path, axis->line,
                            axis->key, SWEEP_RUNS_MAX);
        sweep->points *= axis->count;
    }
    sweep->runs = sweep->points * sweep->repeats;
    return CLI_DONE;
}

static int has_axis(const struct sweep *sweep, enum sweep_kind kind)
{
    for (size_t i = 0; i < sweep->axis_count; i++)
        if (sweep->axes[i].kind == kind)
            return 1;
    return 0;
}

static int check_option(const struct sweep *sweep, const struct sweep_axis *axis)
{
    int is_perftest = sweep->perftest != NULL || has_axis(sweep, SWEEP_PERFTEST);
    int is_gen = sweep->gen != NULL || has_axis(sweep, SWEEP_GEN);
    int has = (is_perftest && axis->perftest_option != NULL) || (is_gen && axis->gen_option != NULL);
    if (axis->kind == SWEEP_LOAD ? is_gen : has)
        return CLI_DONE;
    return cli_fail("%s:%d: axis.%s: %s has no such option; allowed there are parameters, or of perftest and gen: %s",
                    sweep->path, axis->line, axis->key,
                    is_perftest ? "perftest"
                    : is_gen    ? "gen"
                                : "a trace",
                    sweep_axis_options());
}

static int check_workload(const struct sweep *sweep)
{
    int workloads = (sweep->trace != NULL || has_axis(sweep, SWEEP_TRACE)) +
                    (sweep->perftest != NULL || has_axis(sweep, SWEEP_PERFTEST)) +
                    (sweep->gen != NULL || has_axis(sweep, SWEEP_GEN));
    if (workloads != 1)
        return cli_fail("%s: %s workload; allowed is one of trace, perftest and gen", sweep->path,
                        workloads == 0 ? "no" : "more than one");
    if (sweep->board == NULL && !has_axis(sweep, SWEEP_BOARD))
        return cli_fail("%s: which board? board = NAME is needed", sweep->path);
    if (sweep->repeats > 1 && has_axis(sweep, SWEEP_SEED))
        return cli_fail("%s: repeats and axis.seed: allowed is one of them", sweep->path);
    if (sweep->metric_count == 0)
        return cli_fail("%s: metric is needed: names of summary.json, as goodput_gbps, latency_ns.p99.9", sweep->path);
    for (size_t i = 0; i < sweep->axis_count; i++)
        if ((sweep->axes[i].kind == SWEEP_OPTION || sweep->axes[i].kind == SWEEP_LOAD) &&
            check_option(sweep, &sweep->axes[i]) != CLI_DONE)
            return CLI_INPUT;
    return CLI_DONE;
}

/* A file beside the sweep's own; else it stays as it is (a board's name, or a path that is told to be wrong later). */
static int resolve(struct sweep *sweep, const char **path)
{
    const char *slash = strrchr(sweep->path, '/');
    char joined[2 * WORD_BYTES];
    if (*path == NULL || (*path)[0] == '/' || slash == NULL)
        return CLI_DONE;
    snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - sweep->path), sweep->path, *path);
    if (access(joined, F_OK) != 0)
        return CLI_DONE;
    *path = sweep_keep(sweep, joined);
    return *path != NULL ? CLI_DONE : cli_fail("out of memory for the sweep");
}

static int resolve_all(struct sweep *sweep)
{
    int failed = resolve(sweep, &sweep->board) | resolve(sweep, &sweep->host) | resolve(sweep, &sweep->trace);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        struct sweep_axis *axis = &sweep->axes[i];
        int is_path = axis->kind == SWEEP_BOARD || axis->kind == SWEEP_HOST || axis->kind == SWEEP_TRACE;
        for (size_t k = 0; is_path && k < axis->count; k++)
            failed |= resolve(sweep, &axis->values[k]);
    }
    return failed ? CLI_INPUT : CLI_DONE;
}

static int resolve_charts(struct sweep *sweep)
{
    struct rnicsim_error error;
    for (size_t i = 0; i < sweep->chart_count; i++)
        if (sweep_chart_resolve(sweep, &sweep->charts[i], &error) != 0)
            return cli_fail("%s:%d: %s", sweep->path, sweep->charts[i].line, error.text);
    return CLI_DONE;
}

int sweep_read(struct sweep *sweep, const char *path)
{
    struct reading reading = {.sweep = sweep};
    struct rnicsim_error error;
    *sweep = (struct sweep){.path = path, .seed = 1, .repeats = 1};
    if (rnicsim_ini_read(path, take_line, &reading, &error) != RNICSIM_OK)
        return cli_fail("%s", error.text);
    for (size_t i = 0; i < sweep->axis_count; i++)
        sweep->axes[i].leader = i;
    for (size_t i = 0; i < reading.zip_count; i++)
        if (zip_one(sweep, &reading.zips[i]) != CLI_DONE)
            return CLI_INPUT;
    int result = check_workload(sweep);
    if (result == CLI_DONE)
        result = count_points(sweep);
    if (result == CLI_DONE)
        result = resolve_all(sweep);
    return result == CLI_DONE ? resolve_charts(sweep) : result;
}

size_t sweep_index(const struct sweep *sweep, size_t axis, uint64_t point)
{
    const struct sweep_axis *leader = &sweep->axes[sweep->axes[axis].leader];
    return (size_t)(point / leader->stride % leader->count);
}

const char *sweep_value(const struct sweep *sweep, size_t axis, uint64_t point)
{
    return sweep->axes[axis].values[sweep_index(sweep, axis, point)];
}

size_t sweep_axis_of(const struct sweep *sweep, const char *key)
{
    size_t i = 0;
    while (i < sweep->axis_count && strcmp(sweep->axes[i].key, key) != 0)
        i++;
    return i;
}
