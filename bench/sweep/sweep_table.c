#include "bench/sweep/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/metric.h"
#include "bench/steady.h"

const char *sweep_status_name(enum sweep_status status)
{
    static const char *const name[] = {"complete", "partial", "failed"};
    return name[status];
}

const struct sweep_cell *sweep_table_cell(const struct sweep_table *table, uint64_t point, size_t metric)
{
    return &table->cells[point * table->sweep->metric_count + metric];
}

const char *sweep_table_status(const struct sweep_table *table)
{
    for (uint64_t point = 0; point < table->sweep->points; point++)
        if (table->status[point] != SWEEP_COMPLETE)
            return "partial";
    return "complete";
}

/* 0, or -1 after one line: the file is damaged. */
static int read_run(struct sweep_table *table, uint64_t run)
{
    const struct sweep *sweep = table->sweep;
    double *values = &table->values[run * sweep->metric_count];
    for (size_t i = 0; i < sweep->metric_count; i++)
        values[i] = NAN;
    table->run_status[run] = SWEEP_FAILED;
    if (!sweep_store_has(table->store, run)) {
        table->failed++;
        return 0;
    }
    json_t *summary = sweep_store_read(table->store, run);
    if (summary == NULL)
        return -1;
    const char *status = json_string_value(json_object_get(summary, "status"));
    table->run_status[run] = status != NULL && strcmp(status, "complete") == 0 ? SWEEP_COMPLETE : SWEEP_PARTIAL;
    for (size_t i = 0; i < sweep->metric_count; i++)
        if (!metric_number(metric_find(summary, sweep->metrics[i]), &values[i]))
            values[i] = NAN;
    json_decref(summary);
    return 0;
}

static struct sweep_cell mean_of(const struct sweep_table *table, uint64_t point, size_t metric)
{
    const struct sweep *sweep = table->sweep;
    struct sweep_cell cell = {0};
    double sum = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < sweep->repeats; i++) {
            double value = table->values[(point * sweep->repeats + i) * sweep->metric_count + metric];
            if (isnan(value))
                continue;
            cell.count += pass == 0;
            sum += pass == 0 ? value : 0;
            squares += pass == 1 ? (value - cell.mean) * (value - cell.mean) : 0;
            if (pass == 0)
                cell.mean = sum / (double)cell.count;
        }
    if (cell.count > 1)
        cell.half_width =
            steady_student(cell.count - 1) * sqrt(squares / (double)(cell.count - 1) / (double)cell.count);
    return cell;
}

static int allocate(struct sweep_table *table)
{
    const struct sweep *sweep = table->sweep;
    table->cells = calloc(sweep->points * sweep->metric_count, sizeof *table->cells);
    table->values = calloc(sweep->runs * sweep->metric_count, sizeof *table->values);
    table->status = calloc(sweep->points, sizeof *table->status);
    table->run_status = calloc(sweep->runs, sizeof *table->run_status);
    return table->cells != NULL && table->values != NULL && table->status != NULL && table->run_status != NULL
               ? CLI_DONE
               : cli_fail("out of memory for the sweep's table");
}

int sweep_table_make(struct sweep_table *table, const struct sweep *sweep, const struct sweep_store *store)
{
    *table = (struct sweep_table){.sweep = sweep, .store = store};
    if (allocate(table) != CLI_DONE)
        return CLI_INPUT;
    for (uint64_t run = 0; run < sweep->runs; run++) {
        uint64_t point = run / sweep->repeats;
        if (read_run(table, run) != 0)
            return CLI_INPUT;
        if (table->run_status[run] > table->status[point])
            table->status[point] = table->run_status[run];
    }
    for (uint64_t point = 0; point < sweep->points; point++)
        for (size_t i = 0; i < sweep->metric_count; i++)
            table->cells[point * sweep->metric_count + i] = mean_of(table, point, i);
    return CLI_DONE;
}

void sweep_table_free(struct sweep_table *table)
{
    free(table->cells);
    free(table->values);
    free(table->status);
    free(table->run_status);
    *table = (struct sweep_table){0};
}
