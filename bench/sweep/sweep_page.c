#include "bench/sweep/sweep_page.h"

#include <math.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/metric.h"

#define POINTS_SHOWN 500u
#define FAILED_SHOWN 50u
#define COLUMNS_BYTES 2048

static void put_what(struct page *page, const struct sweep_table *table)
{
    const struct sweep *sweep = table->sweep;
    const char *workload = sweep->trace != NULL ? sweep->trace : sweep->perftest != NULL ? sweep->perftest : sweep->gen;
    page_heading(page, PAGE_WHAT);
    page_table(page, "|");
    const char *const rows[][2] = {{"board", sweep->board != NULL ? sweep->board : "of an axis"},
                                   {"host", sweep->host != NULL ? sweep->host : "the board's own"},
                                   {"workload", workload != NULL ? workload : "of an axis"},
                                   {"faults", sweep->faults != NULL ? sweep->faults : "none"},
                                   {"digest", table->store->identity},
                                   {"status", sweep_table_status(table)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        page_row(page);
        page_cell(page, "%s", rows[i][0]);
        page_cell(page, "%s", rows[i][1]);
    }
    for (size_t i = 0; i < sweep->set_count; i++) {
        page_row(page);
        page_cell(page, "set");
        page_cell(page, "%s", sweep->set[i]);
    }
    page_row(page);
    page_cell(page, "points, repeats, seed");
    page_cell(page, "%llu, %llu, %llu", (unsigned long long)sweep->points, (unsigned long long)sweep->repeats,
              (unsigned long long)sweep->seed);
    page_table_end(page);
}

/* "size = 64, pcie.tags = 4" */
static void name_point(const struct sweep *sweep, uint64_t point, char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sweep->axis_count && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s = %s", i > 0 ? ", " : "", sweep->axes[i].key,
                                 sweep_value(sweep, i, point));
}

/* The points with the least and the greatest mean of a metric. 0: none is known. */
static int find_range(const struct sweep_table *table, size_t metric, uint64_t *least, uint64_t *most)
{
    int found = 0;
    for (uint64_t point = 0; point < table->sweep->points; point++) {
        const struct sweep_cell *cell = sweep_table_cell(table, point, metric);
        if (cell->count == 0)
            continue;
        if (!found || cell->mean < sweep_table_cell(table, *least, metric)->mean)
            *least = point;
        if (!found || cell->mean > sweep_table_cell(table, *most, metric)->mean)
            *most = point;
        found = 1;
    }
    return found;
}

/* Which axis moves a metric the most: the mean over its values, its range as a share of the whole range. */
static size_t strongest_axis(const struct sweep_table *table, size_t metric, double *share)
{
    const struct sweep *sweep = table->sweep;
    uint64_t least = 0, most = 0;
    size_t strongest = sweep->axis_count;
    *share = 0;
    if (!find_range(table, metric, &least, &most))
        return strongest;
    double all = sweep_table_cell(table, most, metric)->mean - sweep_table_cell(table, least, metric)->mean;
    for (size_t axis = 0; axis < sweep->axis_count; axis++) {
        double low = INFINITY, high = -INFINITY;
        if (sweep->axes[axis].leader != axis || sweep->axes[axis].count < 2)
            continue;
        for (size_t i = 0; i < sweep->axes[axis].count; i++) {
            double sum = 0, n = 0;
            for (uint64_t point = 0; point < sweep->points; point++) {
                const struct sweep_cell *cell = sweep_table_cell(table, point, metric);
                if (sweep_index(sweep, axis, point) == i && cell->count > 0) {
                    sum += cell->mean;
                    n++;
                }
            }
            low = n > 0 && sum / n < low ? sum / n : low;
            high = n > 0 && sum / n > high ? sum / n : high;
        }
        if (all > 0 && (high - low) / all > *share) {
            *share = (high - low) / all;
            strongest = axis;
        }
    }
    return strongest;
}

static void put_verdict(struct page *page, const struct sweep_table *table)
{
    const struct sweep *sweep = table->sweep;
    const char *metric = sweep->metrics[0], *unit = metric_unit(metric);
    char low[400], high[400];
    uint64_t least = 0, most = 0;
    double share;
    page_heading(page, PAGE_VERDICT);
    page_say(page, "%llu of %llu runs ended well.", (unsigned long long)(sweep->runs - table->failed),
             (unsigned long long)sweep->runs);
    if (!find_range(table, 0, &least, &most))
        return;
    name_point(sweep, least, low, sizeof low);
    name_point(sweep, most, high, sizeof high);
    page_say(page, "%s goes from %.6g %s (%s) to %.6g %s (%s).", metric, sweep_table_cell(table, least, 0)->mean, unit,
             low, sweep_table_cell(table, most, 0)->mean, unit, high);
    size_t axis = strongest_axis(table, 0, &share);
    if (axis < sweep->axis_count)
        page_say(page,
                 "It depends the most on %s: averaged over all else, that axis moves it by %.0f %% of this range.",
                 sweep->axes[axis].key, share * 100);
}

static void put_axes(struct page *page, const struct sweep *sweep)
{
    page_heading(page, PAGE_AXES);
    page_table(page, "axis|values|from|to|goes with");
    for (size_t i = 0; i < sweep->axis_count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        page_row(page);
        page_cell(page, "%s", axis->key);
        page_cell(page, "%zu", axis->count);
        page_cell(page, "%s", axis->values[0]);
        page_cell(page, "%s", axis->values[axis->count - 1]);
        page_cell(page, "%s", axis->leader != i ? sweep->axes[axis->leader].key : "");
    }
    page_table_end(page);
}

static void put_points(struct page *page, const struct sweep_table *table)
{
    const struct sweep *sweep = table->sweep;
    char columns[COLUMNS_BYTES];
    size_t used = (size_t)snprintf(columns, sizeof columns, "point");
    for (size_t i = 0; i < sweep->axis_count && used < sizeof columns; i++)
        used += (size_t)snprintf(columns + used, sizeof columns - used, "|%s", sweep->axes[i].key);
    for (size_t i = 0; i < sweep->metric_count && used < sizeof columns; i++) {
        const char *unit = metric_unit(sweep->metrics[i]);
        used += (size_t)snprintf(columns + used, sizeof columns - used, "|%s%s%s", sweep->metrics[i],
                                 unit[0] != 0 ? ", " : "", unit);
    }
    page_heading(page, PAGE_POINTS);
    page_table(page, columns);
    for (uint64_t point = 0; point < sweep->points && point < POINTS_SHOWN; point++) {
        page_row(page);
        page_cell(page, "%llu", (unsigned long long)point);
        for (size_t i = 0; i < sweep->axis_count; i++)
            page_cell(page, "%s", sweep_value(sweep, i, point));
        for (size_t i = 0; i < sweep->metric_count; i++) {
            const struct sweep_cell *cell = sweep_table_cell(table, point, i);
            if (cell->count == 0)
                page_cell(page, "n/a");
            else if (cell->count == 1)
                page_cell(page, "%.6g", cell->mean);
            else
                page_cell(page, "%.6g ± %.3g", cell->mean, cell->half_width);
        }
    }
    page_table_end(page);
    if (sweep->points > POINTS_SHOWN)
        page_say(page, "%llu more are in sweep.csv.", (unsigned long long)(sweep->points - POINTS_SHOWN));
}

static void put_failed(struct page *page, const struct sweep_table *table)
{
    const struct sweep *sweep = table->sweep;
    char why[512], name[400];
    unsigned shown = 0;
    if (table->failed == 0)
        return;
    page_heading(page, PAGE_FAILED);
    page_table(page, "point|axes|why");
    for (uint64_t run = 0; run < sweep->runs && shown < FAILED_SHOWN; run++) {
        if (table->run_status[run] != SWEEP_FAILED)
            continue;
        sweep_store_why(table->store, run, why, sizeof why);
        name_point(sweep, run / sweep->repeats, name, sizeof name);
        page_row(page);
        page_cell(page, "%llu", (unsigned long long)(run / sweep->repeats));
        page_cell(page, "%s", name);
        page_cell(page, "%s", why);
        shown++;
    }
    page_table_end(page);
}

void sweep_page_write(const struct sweep_table *table, struct results *results, enum page_lang lang)
{
    const char *slash = strrchr(table->sweep->path, '/');
    char subtitle[256];
    FILE *out = results_open(results, PAGE_NAME);
    if (out == NULL)
        return;
    struct page page = {out, lang};
    snprintf(subtitle, sizeof subtitle, "rnicsim %s, %.200s", RNICSIM_VERSION,
             slash != NULL ? slash + 1 : table->sweep->path);
    page_begin(&page, PAGE_SWEEP_REPORT, subtitle);
    put_what(&page, table);
    put_verdict(&page, table);
    put_axes(&page, table->sweep);
    page_charts(&page, results);
    put_points(&page, table);
    put_failed(&page, table);
    page_end(&page);
    results_close(results, out);
}
