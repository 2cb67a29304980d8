/* A sweep's table as CSV, JSON and text. All only print. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/csv.h"
#include "bench/metric.h"
#include "bench/result.h"
#include "bench/summary.h"
#include "bench/sweep/sweep_table.h"

#define ROWS_PRINTED 40u
#define WIDTH_MAX 24

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *workload_of(const struct sweep *sweep)
{
    const char *text = sweep->trace != NULL ? base_name(sweep->trace) : sweep->perftest ? sweep->perftest : sweep->gen;
    return text != NULL ? text : "of an axis";
}

void sweep_table_head(const struct sweep_table *table, FILE *out)
{
    const struct sweep *sweep = table->sweep;
    fprintf(out, "# rnicsim %s, schema %d, status %s\n", RNICSIM_VERSION, RESULT_SCHEMA, sweep_table_status(table));
    fprintf(out, "# sweep %s, digest %s, board %s, workload %s, seed %llu, repeats %llu\n", base_name(sweep->path),
            table->store->identity, sweep->board != NULL ? base_name(sweep->board) : "of an axis", workload_of(sweep),
            (unsigned long long)sweep->seed, (unsigned long long)sweep->repeats);
}

/* ---- CSV ---- */

static void put_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"") != NULL)
        csv_quoted(out, text);
    else
        fputs(text, out);
}

static void put_axes(const struct sweep *sweep, uint64_t point, FILE *out)
{
    fprintf(out, "%llu", (unsigned long long)point);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        fputc(',', out);
        put_field(out, sweep_value(sweep, i, point));
    }
}

static void put_head(const struct sweep *sweep, const char *more, int has_interval, FILE *out)
{
    fputs("point", out);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        fputc(',', out);
        put_field(out, sweep->axes[i].key);
    }
    fprintf(out, "%s", more);
    for (size_t i = 0; i < sweep->metric_count; i++) {
        const char *unit = metric_unit(sweep->metrics[i]);
        fprintf(out, ",%s%s%s%s", sweep->metrics[i], unit[0] ? "[" : "", unit, unit[0] ? "]" : "");
        if (has_interval)
            fprintf(out, ",%s ci95", sweep->metrics[i]);
    }
    fputc('\n', out);
}

void sweep_table_csv(const struct sweep_table *table, FILE *out)
{
    const struct sweep *sweep = table->sweep;
    int has_interval = sweep->repeats > 1;
    sweep_table_head(table, out);
    put_head(sweep, ",status", has_interval, out);
    for (uint64_t point = 0; point < sweep->points; point++) {
        put_axes(sweep, point, out);
        fprintf(out, ",%s", sweep_status_name((enum sweep_status)table->status[point]));
        for (size_t i = 0; i < sweep->metric_count; i++) {
            const struct sweep_cell *cell = sweep_table_cell(table, point, i);
            fprintf(out, cell->count > 0 ? ",%.9g" : ",", cell->mean);
            if (has_interval)
                fprintf(out, cell->count > 1 ? ",%.6g" : ",", cell->half_width);
        }
        fputc('\n', out);
    }
}

void sweep_table_runs_csv(const struct sweep_table *table, FILE *out)
{
    const struct sweep *sweep = table->sweep;
    sweep_table_head(table, out);
    put_head(sweep, ",repeat,seed,status", 0, out);
    for (uint64_t run = 0; run < sweep->runs; run++) {
        put_axes(sweep, run / sweep->repeats, out);
        fprintf(out, ",%llu,%llu,%s", (unsigned long long)(run % sweep->repeats),
                (unsigned long long)(sweep->seed + run % sweep->repeats),
                sweep_status_name((enum sweep_status)table->run_status[run]));
        for (size_t i = 0; i < sweep->metric_count; i++) {
            double value = table->values[run * sweep->metric_count + i];
            fprintf(out, isnan(value) ? "," : ",%.9g", value);
        }
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *axes_json(const struct sweep *sweep, int *failed)
{
    json_t *axes = json_array();
    for (size_t i = 0; i < sweep->axis_count; i++) {
        json_t *axis = json_object(), *values = json_array();
        for (size_t k = 0; k < sweep->axes[i].count; k++)
            *failed |= json_array_append_new(values, json_string(sweep->axes[i].values[k])) != 0;
        summary_put(axis, "key", json_string(sweep->axes[i].key), failed);
        summary_put(axis, "values", values, failed);
        *failed |= json_array_append_new(axes, axis) != 0;
    }
    return axes;
}

static json_t *point_json(const struct sweep_table *table, uint64_t point, int *failed)
{
    const struct sweep *sweep = table->sweep;
    json_t *object = json_object(), *axes = json_object(), *metrics = json_object();
    for (size_t i = 0; i < sweep->axis_count; i++)
        summary_put(axes, sweep->axes[i].key, json_string(sweep_value(sweep, i, point)), failed);
    for (size_t i = 0; i < sweep->metric_count; i++) {
        const struct sweep_cell *cell = sweep_table_cell(table, point, i);
        json_t *value = json_object();
        summary_put(value, "mean", cell->count > 0 ? summary_number(cell->mean, 1e6) : json_null(), failed);
        summary_put(value, "ci95", cell->count > 1 ? summary_number(cell->half_width, 1e6) : json_null(), failed);
        summary_put(value, "n", summary_whole(cell->count), failed);
        summary_put(metrics, sweep->metrics[i], value, failed);
    }
    summary_put(object, "point", summary_whole(point), failed);
    summary_put(object, "axes", axes, failed);
    summary_put(object, "status", json_string(sweep_status_name((enum sweep_status)table->status[point])), failed);
    summary_put(object, "metrics", metrics, failed);
    return object;
}

static json_t *failures_json(const struct sweep_table *table, int *failed)
{
    const struct sweep *sweep = table->sweep;
    json_t *failures = json_array();
    char why[512];
    for (uint64_t run = 0; run < sweep->runs; run++) {
        if (table->run_status[run] != SWEEP_FAILED)
            continue;
        sweep_store_why(table->store, run, why, sizeof why);
        json_t *failure = json_object();
        summary_put(failure, "point", summary_whole(run / sweep->repeats), failed);
        summary_put(failure, "repeat", summary_whole(run % sweep->repeats), failed);
        summary_put(failure, "why", json_string(why), failed);
        *failed |= json_array_append_new(failures, failure) != 0;
    }
    return failures;
}

int sweep_table_json(const struct sweep_table *table, FILE *out)
{
    const struct sweep *sweep = table->sweep;
    json_t *object = json_object(), *points = json_array(), *metrics = json_array();
    int failed = object == NULL || points == NULL || metrics == NULL;
    summary_put(object, "schema", json_integer(RESULT_SCHEMA), &failed);
    summary_put(object, "version", json_string(RNICSIM_VERSION), &failed);
    summary_put(object, "status", json_string(sweep_table_status(table)), &failed);
    summary_put(object, "sweep", json_string(base_name(sweep->path)), &failed);
    summary_put(object, "digest", json_string(table->store->identity), &failed);
    summary_put(object, "board", text_or_null(sweep->board), &failed);
    summary_put(object, "workload", json_string(workload_of(sweep)), &failed);
    summary_put(object, "faults", text_or_null(sweep->faults), &failed);
    summary_put(object, "seed", summary_whole(sweep->seed), &failed);
    summary_put(object, "repeats", summary_whole(sweep->repeats), &failed);
    summary_put(object, "axes", axes_json(sweep, &failed), &failed);
    for (size_t i = 0; i < sweep->metric_count; i++) {
        json_t *metric = json_object();
        summary_put(metric, "name", json_string(sweep->metrics[i]), &failed);
        summary_put(metric, "unit", json_string(metric_unit(sweep->metrics[i])), &failed);
        failed |= json_array_append_new(metrics, metric) != 0;
    }
    summary_put(object, "metrics", metrics, &failed);
    for (uint64_t point = 0; !failed && point < sweep->points; point++)
        failed |= json_array_append_new(points, point_json(table, point, &failed)) != 0;
    summary_put(object, "points", points, &failed);
    summary_put(object, "failed", failures_json(table, &failed), &failed);
    failed = failed || summary_dump(object, out) != 0;
    json_decref(object);
    return failed ? -1 : 0;
}

/* ---- text ---- */

static int width_of(size_t length)
{
    return (int)(length < 10 ? 10 : length > WIDTH_MAX ? WIDTH_MAX : length);
}

static int axis_width(const struct sweep_axis *axis)
{
    size_t length = strlen(axis->key);
    for (size_t i = 0; i < axis->count; i++)
        length = strlen(axis->values[i]) > length ? strlen(axis->values[i]) : length;
    return width_of(length);
}

static void print_row(const struct sweep_table *table, uint64_t point, FILE *out)
{
    const struct sweep *sweep = table->sweep;
    for (size_t i = 0; i < sweep->axis_count; i++)
        fprintf(out, "  %*.*s", axis_width(&sweep->axes[i]), WIDTH_MAX, sweep_value(sweep, i, point));
    for (size_t i = 0; i < sweep->metric_count; i++) {
        const struct sweep_cell *cell = sweep_table_cell(table, point, i);
        int width = width_of(strlen(sweep->metrics[i]));
        if (cell->count == 0)
            fprintf(out, "  %*s", width, "n/a");
        else
            fprintf(out, "  %*.6g", width, cell->mean);
        if (sweep->repeats > 1 && cell->count > 1)
            fprintf(out, " +-%9.3g", cell->half_width);
        else if (sweep->repeats > 1)
            fprintf(out, " %11s", "");
    }
    if (table->status[point] != SWEEP_COMPLETE)
        fprintf(out, "  %s", sweep_status_name((enum sweep_status)table->status[point]));
    fputc('\n', out);
}

void sweep_table_print(const struct sweep_table *table, FILE *out)
{
    const struct sweep *sweep = table->sweep;
    for (size_t i = 0; i < sweep->axis_count; i++)
        fprintf(out, "  %*.*s", axis_width(&sweep->axes[i]), WIDTH_MAX, sweep->axes[i].key);
    for (size_t i = 0; i < sweep->metric_count; i++)
        fprintf(out, "  %*.*s%s", width_of(strlen(sweep->metrics[i])), WIDTH_MAX, sweep->metrics[i],
                sweep->repeats > 1 ? "      (95 %)" : "");
    fputc('\n', out);
    for (uint64_t point = 0; point < sweep->points && point < ROWS_PRINTED; point++)
        print_row(table, point, out);
    if (sweep->points > ROWS_PRINTED)
        fprintf(out, "  ... %llu more in sweep.csv\n", (unsigned long long)(sweep->points - ROWS_PRINTED));
}
