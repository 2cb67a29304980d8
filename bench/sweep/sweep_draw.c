#include "bench/sweep/sweep_draw.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "bench/gnuplot.h"
#include "bench/metric.h"

#define NAME_BYTES 88
#define NS_PER_US 1e3
#define KNEE_RATIO 2.0

struct drawing {
    const struct sweep_table *table;
    const struct sweep *sweep;
    const struct sweep_chart *chart;
    size_t metric;
    uint64_t panel, panels;
    size_t x_count, by_count;
    char name[NAME_BYTES];
    double knee; /* of load_latency; -1: none */
};

static int has_by(const struct drawing *drawing)
{
    return drawing->chart->by < drawing->sweep->axis_count;
}

/* The point of the panel's values of all other axes, the last the fastest, and these two. */
static uint64_t point_of(const struct drawing *drawing, size_t by, size_t x)
{
    const struct sweep *sweep = drawing->sweep;
    size_t x_leader = sweep->axes[drawing->chart->x].leader;
    size_t by_leader = has_by(drawing) ? sweep->axes[drawing->chart->by].leader : SWEEP_AXES_MAX;
    uint64_t point = 0, panel = drawing->panel;
    for (size_t i = sweep->axis_count; i-- > 0;) {
        const struct sweep_axis *axis = &sweep->axes[i];
        if (axis->leader != i)
            continue;
        size_t index = i == x_leader ? x : i == by_leader ? by : (size_t)(panel % axis->count);
        if (i != x_leader && i != by_leader)
            panel /= axis->count;
        point += index * axis->stride;
    }
    return point;
}

/* ---- the data ---- */

static void put_label(FILE *out, const char *text)
{
    fputs(" \"", out);
    for (; *text != 0; text++)
        fputc(*text == '"' ? '\'' : *text, out);
    fputs("\"", out);
}

static void put_cell(FILE *out, const struct sweep_cell *cell)
{
    if (cell->count == 0)
        fputs(" NaN NaN", out);
    else
        fprintf(out, " %.9g %.6g", cell->mean, cell->half_width);
}

/* A block a curve: x, mean, half of the confidence interval, the value's number from 0, and as written. */
static void put_curves(const struct drawing *drawing, FILE *out)
{
    const struct sweep_axis *axis = &drawing->sweep->axes[drawing->chart->x];
    struct sweep_scale scale = sweep_scale_of(axis);
    for (size_t by = 0; by < drawing->by_count; by++) {
        fprintf(out, "%s\"x\" \"mean\" \"ci95\" \"number\" \"%s\"\n", by > 0 ? "\n\n" : "", axis->key);
        for (size_t x = 0; x < axis->count; x++) {
            fprintf(out, "%.10g", sweep_scale_at(&scale, axis, x));
            put_cell(out, sweep_table_cell(drawing->table, point_of(drawing, by, x), drawing->metric));
            fprintf(out, " %zu", x);
            put_label(out, axis->values[x]);
            fputc('\n', out);
        }
    }
}

/* Columns and rows by number, since cells are equally large whatever the values. */
static void put_map(const struct drawing *drawing, FILE *out)
{
    const struct sweep_axis *x_axis = &drawing->sweep->axes[drawing->chart->x];
    const struct sweep_axis *by_axis = &drawing->sweep->axes[drawing->chart->by];
    fputs("\"column\" \"row\" \"mean\" \"ci95\" \"x\" \"y\"\n", out);
    for (size_t by = 0; by < by_axis->count; by++)
        for (size_t x = 0; x < x_axis->count; x++) {
            fprintf(out, "%zu %zu", x, by);
            put_cell(out, sweep_table_cell(drawing->table, point_of(drawing, by, x), drawing->metric));
            put_label(out, x_axis->values[x]);
            put_label(out, by_axis->values[by]);
            fputc('\n', out);
        }
}

/* Of all repeats of a point, in us; NAN: unknown. */
static double latency_us(const struct drawing *drawing, uint64_t point, const char *name)
{
    const struct sweep *sweep = drawing->sweep;
    double sum = 0, value;
    uint64_t count = 0;
    for (uint64_t run = point * sweep->repeats; run < (point + 1) * sweep->repeats; run++) {
        if (drawing->table->run_status[run] == SWEEP_FAILED)
            continue;
        json_t *summary = sweep_store_read(drawing->table->store, run);
        if (summary != NULL && metric_number(metric_find(summary, name), &value)) {
            sum += value;
            count++;
        }
        json_decref(summary);
    }
    return count > 0 ? sum / (double)count / NS_PER_US : NAN;
}

static void put_loads(struct drawing *drawing, FILE *out)
{
    static const char *const names[] = {"latency_ns.p50", "latency_ns.p99", "latency_ns.p99.9"};
    const struct sweep_axis *axis = &drawing->sweep->axes[drawing->chart->x];
    double first_p99 = NAN;
    fputs("\"load, %\" \"p50, us\" \"p99, us\" \"p99.9, us\"\n", out);
    for (size_t x = 0; x < axis->count; x++) {
        uint64_t point = point_of(drawing, 0, x);
        fprintf(out, "%s", axis->values[x]);
        for (size_t i = 0; i < 3; i++) {
            double us = latency_us(drawing, point, names[i]);
            fprintf(out, isnan(us) ? " NaN" : " %.6f", us);
            if (i == 1 && x == 0)
                first_p99 = us;
            if (i == 1 && drawing->knee < 0 && us > KNEE_RATIO * first_p99)
                drawing->knee = strtod(axis->values[x], NULL);
        }
        fputc('\n', out);
    }
}

/* ---- the script ---- */

static void put_titles(const struct drawing *drawing, FILE *out)
{
    const struct sweep *sweep = drawing->sweep;
    const struct sweep_axis *by = &sweep->axes[drawing->chart->by];
    char title[256];
    fprintf(out, "curves = %zu\narray curve[%zu]\n", drawing->by_count, drawing->by_count);
    for (size_t i = 0; i < drawing->by_count; i++) {
        snprintf(title, sizeof title, "%.80s = %.120s", has_by(drawing) ? by->key : "",
                 has_by(drawing) ? by->values[i] : "");
        char variable[32];
        snprintf(variable, sizeof variable, "curve[%zu]", i + 1);
        gnuplot_string(out, variable, has_by(drawing) ? title : sweep->metrics[drawing->metric]);
    }
}

/* What all points of this chart have in common. */
static void put_subtitle(const struct drawing *drawing, FILE *out)
{
    const struct sweep *sweep = drawing->sweep;
    const char *slash = strrchr(sweep->path, '/');
    size_t x_leader = sweep->axes[drawing->chart->x].leader;
    size_t by_leader = has_by(drawing) ? sweep->axes[drawing->chart->by].leader : SWEEP_AXES_MAX;
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%.100s%s%.100s", slash != NULL ? slash + 1 : sweep->path,
                                   sweep->board != NULL ? ", " : "", sweep->board != NULL ? sweep->board : "");
    for (size_t i = 0; i < sweep->axis_count && used < sizeof text; i++)
        if (sweep->axes[i].leader != x_leader && sweep->axes[i].leader != by_leader)
            used += (size_t)snprintf(text + used, sizeof text - used, ", %.60s = %.60s", sweep->axes[i].key,
                                     sweep_value(sweep, i, point_of(drawing, 0, 0)));
    gnuplot_string(out, "subtitle", text);
}

static void put_variables(const struct drawing *drawing, FILE *out)
{
    const struct sweep *sweep = drawing->sweep;
    const struct sweep_axis *x = &sweep->axes[drawing->chart->x];
    const char *metric = sweep->metrics[drawing->metric], *unit = metric_unit(metric);
    struct sweep_scale scale = sweep_scale_of(x);
    char title[192];
    fprintf(out, "# draws it again: gnuplot %s.gp; as PNG: gnuplot -e \"fmt='png'\" %s.gp\n", drawing->name,
            drawing->name);
    fprintf(out, "datafile = \"%s.dat\"\nout_file = \"%s\"\n", drawing->name, drawing->name);
    put_subtitle(drawing, out);
    gnuplot_string(out, "x_title", scale.title);
    snprintf(title, sizeof title, unit[0] != 0 ? "%.120s (%s)" : "%.120s%s", metric, unit);
    gnuplot_string(out, "y_title", title);
    fprintf(out, "x_is_numeric = %d\nx_is_log = %d\nx_count = %zu\ny_is_log = %d\nhas_interval = %d\nknee = %g\n",
            scale.is_numeric, scale.is_numeric && (scale.is_log || drawing->chart->log_x), x->count,
            drawing->chart->log_y, sweep->repeats > 1, drawing->knee);
    put_titles(drawing, out);
    if (has_by(drawing))
        gnuplot_string(out, "by_title", sweep_scale_of(&sweep->axes[drawing->chart->by]).title);
}

static const char *template_of(enum sweep_chart_kind kind)
{
    static const char *const name[] = {"sweep_lines", "sweep_heatmap", "sweep_bars", "load_latency"};
    return name[kind];
}

/* 0: drawn, or told why not; -1: there is no gnuplot. */
static int draw_panel(struct drawing *drawing, struct results *results, unsigned formats)
{
    char file_name[NAME_BYTES + 8];
    snprintf(file_name, sizeof file_name, "%s.dat", drawing->name);
    FILE *out = results_open(results, file_name);
    if (out == NULL)
        return 0;
    drawing->knee = -1;
    sweep_table_head(drawing->table, out);
    if (drawing->chart->kind == SWEEP_LOAD_LATENCY)
        put_loads(drawing, out);
    else if (drawing->chart->kind == SWEEP_HEATMAP)
        put_map(drawing, out);
    else
        put_curves(drawing, out);
    results_close(results, out);
    snprintf(file_name, sizeof file_name, "%s.gp", drawing->name);
    out = results_open(results, file_name);
    if (out == NULL)
        return 0;
    sweep_table_head(drawing->table, out);
    put_variables(drawing, out);
    int failed = gnuplot_template(template_of(drawing->chart->kind), out);
    results_close(results, out);
    return failed || formats == 0 ? 0 : gnuplot_draw(results, drawing->name, formats);
}

/* sweep_lines_goodput_gbps, with numbers where several have the same kind and metric. */
static void name_panel(struct drawing *drawing, size_t chart_number)
{
    static const char *const kind[] = {"lines", "heatmap", "bars", "load_latency"};
    const struct sweep *sweep = drawing->sweep;
    size_t same = 1;
    for (size_t i = 0; i < chart_number; i++)
        same += sweep->charts[i].kind == drawing->chart->kind;
    const char *metric = drawing->chart->kind == SWEEP_LOAD_LATENCY ? "ns" : sweep->metrics[drawing->metric];
    int used = snprintf(drawing->name, sizeof drawing->name, "sweep_%s_%.40s", kind[drawing->chart->kind], metric);
    for (char *at = drawing->name; *at != 0; at++)
        *at = isalnum((unsigned char)*at) ? *at : '_';
    if (same > 1)
        used += snprintf(drawing->name + used, sizeof drawing->name - (size_t)used, "_%zu", same);
    if (drawing->panels > 1)
        snprintf(drawing->name + used, sizeof drawing->name - (size_t)used, "_part%llu",
                 (unsigned long long)drawing->panel + 1);
}

static int is_shown(const struct drawing *drawing)
{
    const struct sweep_chart *chart = drawing->chart;
    if (chart->kind == SWEEP_LOAD_LATENCY)
        return drawing->metric == 0;
    return chart->metric == NULL || strcmp(chart->metric, drawing->sweep->metrics[drawing->metric]) == 0;
}

void sweep_draw_all(const struct sweep_table *table, struct results *results, unsigned formats)
{
    const struct sweep *sweep = table->sweep;
    for (size_t i = 0; i < sweep->chart_count; i++) {
        struct drawing drawing = {.table = table, .sweep = sweep, .chart = &sweep->charts[i]};
        drawing.x_count = sweep->axes[drawing.chart->x].count;
        drawing.by_count = has_by(&drawing) ? sweep->axes[drawing.chart->by].count : 1;
        drawing.panels = sweep->points / drawing.x_count / drawing.by_count;
        for (drawing.metric = 0; drawing.metric < sweep->metric_count; drawing.metric++)
            for (drawing.panel = 0; is_shown(&drawing) && drawing.panel < drawing.panels; drawing.panel++) {
                name_panel(&drawing, i);
                if (draw_panel(&drawing, results, formats) != 0)
                    formats = 0;
            }
    }
}
