/* What a chart of a sweep shows: its words in the file, and the axes that follow from them. */
#include <stdio.h>
#include <string.h>

#include "api/rnicsim.h"
#include "bench/sweep/sweep.h"
#include "traces/record.h"

#define WORD_BYTES 256
#define CURVES_MAX 12u /* that can be told apart */
#define PANELS_MAX 24u

static const char *const kind_name[] = {"lines", "heatmap", "bars", "load_latency"};

static int take_log(struct sweep_chart *chart, const char *value, struct rnicsim_error *error)
{
    chart->log_x = strchr(value, 'x') != NULL;
    chart->log_y = strchr(value, 'y') != NULL;
    return strspn(value, "xy") == strlen(value) && value[0] != 0
               ? 0
               : trace_fail(error, "chart: log=%.20s; allowed are x, y and xy", value);
}

static int take_word(struct sweep *sweep, struct sweep_chart *chart, char *word, struct rnicsim_error *error)
{
    char *equals = strchr(word, '=');
    if (equals == NULL)
        return trace_fail(error, "chart: \"%.60s\"; allowed are metric=NAME, x=KEY, by=KEY and log=x|y|xy", word);
    *equals = 0;
    if (strcmp(word, "log") == 0)
        return take_log(chart, equals + 1, error);
    const char **out = strcmp(word, "metric") == 0 ? &chart->metric
                       : strcmp(word, "x") == 0    ? &chart->x_key
                       : strcmp(word, "by") == 0   ? &chart->by_key
                                                   : NULL;
    if (out == NULL)
        return trace_fail(error, "chart: \"%.60s=\"; allowed are metric=NAME, x=KEY, by=KEY and log=x|y|xy", word);
    *out = sweep_keep(sweep, equals + 1);
    return *out != NULL ? 0 : trace_fail(error, "out of memory");
}

int sweep_chart_read(struct sweep *sweep, struct sweep_chart *chart, const char *text, struct rnicsim_error *error)
{
    char copy[WORD_BYTES * 2], *rest = NULL;
    unsigned kind = 0;
    snprintf(copy, sizeof copy, "%s", text);
    char *word = strtok_r(copy, " \t", &rest);
    while (kind < 4 && (word == NULL || strcmp(word, kind_name[kind]) != 0))
        kind++;
    if (kind == 4)
        return trace_fail(error, "chart: \"%.60s\"; allowed are lines, heatmap, bars and load_latency", text);
    chart->kind = (enum sweep_chart_kind)kind;
    while ((word = strtok_r(NULL, " \t", &rest)) != NULL)
        if (take_word(sweep, chart, word, error) != 0)
            return -1;
    return 0;
}

/* The first crossed axis with several values that does not go with `except`; axis_count: none. */
static size_t next_axis(const struct sweep *sweep, size_t except)
{
    size_t i = 0;
    while (i < sweep->axis_count && (sweep->axes[i].leader != i || sweep->axes[i].count < 2 ||
                                     (except < sweep->axis_count && sweep->axes[except].leader == i)))
        i++;
    return i;
}

static int find_axis(const struct sweep *sweep, const char *key, const char *what, size_t *out,
                     struct rnicsim_error *error)
{
    *out = sweep_axis_of(sweep, key);
    return *out < sweep->axis_count ? 0 : trace_fail(error, "chart: %s=%.60s: there is no axis.%.60s", what, key, key);
}

static int resolve_x(const struct sweep *sweep, struct sweep_chart *chart, struct rnicsim_error *error)
{
    if (chart->kind == SWEEP_LOAD_LATENCY) {
        chart->x = sweep_axis_of(sweep, "load");
        return chart->x < sweep->axis_count
                   ? 0
                   : trace_fail(error, "chart: load_latency needs axis.load, percent of the line");
    }
    if (chart->x_key != NULL)
        return find_axis(sweep, chart->x_key, "x", &chart->x, error);
    chart->x = next_axis(sweep, sweep->axis_count);
    return chart->x < sweep->axis_count ? 0 : trace_fail(error, "chart: there is no axis with several values");
}

static int resolve_by(const struct sweep *sweep, struct sweep_chart *chart, struct rnicsim_error *error)
{
    chart->by = SWEEP_AXES_MAX;
    if (chart->kind == SWEEP_LOAD_LATENCY)
        return 0;
    size_t by = next_axis(sweep, chart->x);
    if (chart->by_key != NULL && find_axis(sweep, chart->by_key, "by", &by, error) != 0)
        return -1;
    if (by < sweep->axis_count && sweep->axes[by].leader == sweep->axes[chart->x].leader)
        return trace_fail(error, "chart: by=%.60s goes with x; allowed is another axis", sweep->axes[by].key);
    if (by < sweep->axis_count)
        chart->by = by;
    else if (chart->kind == SWEEP_HEATMAP)
        return trace_fail(error, "chart: heatmap needs two axes with several values");
    return 0;
}

int sweep_chart_resolve(const struct sweep *sweep, struct sweep_chart *chart, struct rnicsim_error *error)
{
    size_t metric = 0;
    if (resolve_x(sweep, chart, error) != 0 || resolve_by(sweep, chart, error) != 0)
        return -1;
    while (chart->metric != NULL && metric < sweep->metric_count && strcmp(chart->metric, sweep->metrics[metric]) != 0)
        metric++;
    if (metric == sweep->metric_count)
        return trace_fail(error, "chart: metric=%.80s; allowed are those that metric = names", chart->metric);
    uint64_t curves = chart->by < sweep->axis_count ? sweep->axes[chart->by].count : 1;
    uint64_t panels = sweep->points / sweep->axes[chart->x].count / curves;
    if (chart->kind != SWEEP_HEATMAP && curves > CURVES_MAX)
        return trace_fail(error, "chart: %llu curves cannot be told apart; allowed are %u: another by=KEY, or heatmap",
                          (unsigned long long)curves, CURVES_MAX);
    if (panels > PANELS_MAX)
        return trace_fail(error, "chart: it would be %llu charts; allowed are %u: fewer axes or values",
                          (unsigned long long)panels, PANELS_MAX);
    return 0;
}
