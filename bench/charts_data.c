#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "bench/charts.h"

#define PS_PER_US 1e6
#define FIFOS_DRAWN 20u
#define BINS_MAX 128u
#define CURVE_STEP 0.0005 /* a point for each such share of the samples ... */
#define CURVE_RATIO 0.97  /* ... and, in the tail, for each such ratio of what is left */

struct curve {
    FILE *out;
    uint64_t count, below;  /* samples in all, and before this value */
    int64_t min_ps, max_ps; /* exact, while a value of a histogram is the edge of a bin */
    double last_share;
    int started;
};

/* Of thousands of values, those that a chart can show. */
static void put_point(void *context, int64_t value_ps, uint64_t count)
{
    struct curve *curve = context;
    double total = (double)curve->count;
    double at_least = (double)(curve->count - curve->below) / total;
    curve->below += count;
    double share = (double)curve->below / total;
    int is_last = curve->below == curve->count;
    value_ps = is_last ? curve->max_ps : curve->started ? value_ps : curve->min_ps;
    if (curve->started && !is_last && share - curve->last_share < CURVE_STEP &&
        1 - share > CURVE_RATIO * (1 - curve->last_share))
        return;
    if (!curve->started)
        fprintf(curve->out, "%.6f 0.000000 1.000000e+00\n", (double)value_ps / PS_PER_US);
    fprintf(curve->out, "%.6f %.6f %.6e\n", (double)value_ps / PS_PER_US, share * 100, at_least);
    curve->last_share = share;
    curve->started = 1;
}

static void put_curve(FILE *out, const char *name, const struct rnicsim_hist *hist)
{
    struct curve curve = {.out = out,
                          .count = rnicsim_hist_count(hist),
                          .min_ps = rnicsim_hist_min(hist),
                          .max_ps = rnicsim_hist_max(hist)};
    fprintf(out, "\"%s latency, us\" \"at or below, %%\" \"share at least as long\"\n", name);
    rnicsim_hist_each(hist, put_point, &curve);
}

void charts_data_distribution(const struct result *result, FILE *out)
{
    put_curve(out, "completion", result->collect->completion);
    fputs("\n\n", out);
    put_curve(out, "delivery", result->collect->delivery);
}

void charts_data_waterfall(const struct result *result, FILE *out)
{
    double start_ns = 0;
    int row_number = 0;
    fputs("\"row\" \"start, ns\" \"mean, ns\" \"share, %\" \"stage\"\n", out);
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        const struct waterfall_row *row = &result->waterfall.rows[i];
        if (row->sum_ps == 0)
            continue;
        fprintf(out, "%d %.3f %.3f %.3f \"%s\"\n", row_number++, start_ns, row->mean_ns, row->share * 100, row->name);
        start_ns += row->mean_ns;
    }
}

void charts_data_occupancy(const struct result *result, FILE *out)
{
    fputs("\"row\" \"high water, %\" \"p99.9, %\" \"label\" \"FIFO\"\n", out);
    for (size_t i = 0; i < result->fifo_count && i < FIFOS_DRAWN; i++) {
        const struct result_fifo *fifo = &result->fifos[i];
        if (fifo->info.high_water == 0)
            break;
        const char *times = isdigit((unsigned char)fifo->info.unit[0]) ? "x " : ""; /* "64 B" */
        fprintf(out, "%zu %.3f %.3f \"%" PRIu64 " of %" PRIu64 " %s%s\" \"%s\"\n", i, fifo->fullness * 100,
                (double)fifo->info.p999 / (double)fifo->info.depth * 100, fifo->info.high_water, fifo->info.depth,
                times, fifo->info.unit, fifo->name);
    }
}

static void put_bins(FILE *out, const int64_t *time_ps, size_t levels)
{
    size_t width = (levels + BINS_MAX - 1) / BINS_MAX;
    double total = 0;
    for (size_t i = 0; i < levels; i++)
        total += (double)time_ps[i];
    for (size_t first = 0; total > 0 && first < levels; first += width) {
        size_t last = first + width - 1 < levels - 1 ? first + width - 1 : levels - 1;
        double sum = 0;
        for (size_t i = first; i <= last; i++)
            sum += (double)time_ps[i];
        if (sum > 0)
            fprintf(out, "%zu %zu %.6e\n", first, last, sum / total * 100);
    }
}

/* The first in the list is the fullest. */
void charts_data_fullest(const struct result *result, FILE *out)
{
    size_t index = result->fifos[0].index;
    size_t levels = rnicsim_fifo_levels(result->sim, index, NULL, 0);
    int64_t *time_ps = calloc(levels + 1, sizeof *time_ps);
    fputs("\"level from\" \"level to\" \"share of the time, %\"\n", out);
    if (time_ps == NULL)
        return;
    rnicsim_fifo_levels(result->sim, index, time_ps, levels);
    put_bins(out, time_ps, levels);
    free(time_ps);
}

/* Of the fullest, in microseconds from the instant at which it was fullest; a level holds until the next line's instant. */
void charts_data_around(const struct result *result, FILE *out)
{
    const struct result_around *around = &result->around;
    uint64_t level = 0;
    fputs("\"us from the high water\" \"level\"\n", out);
    for (size_t i = 0; i < around->count; i++) {
        level = around->change[i].level;
        fprintf(out, "%.6f %" PRIu64 "\n", (double)(around->change[i].at_ps - around->high_water_at_ps) / PS_PER_US,
                level);
    }
    fprintf(out, "%.6f %" PRIu64 "\n", (double)(around->to_ps - around->high_water_at_ps) / PS_PER_US, level);
}

void charts_data_loads(const struct result *result, FILE *out)
{
    fputs("\"load, %\" \"p50, us\" \"p99, us\" \"p99.9, us\" \"goodput, Gb/s\"\n", out);
    for (size_t i = 0; i < result->loads->count; i++) {
        const struct load_point *point = &result->loads->point[i];
        fprintf(out, "%.6g", point->load_pct);
        quantile_print_us(out, point->latency.p50, " %.6f", " NaN");
        quantile_print_us(out, point->latency.p99, " %.6f", " NaN");
        quantile_print_us(out, point->latency.p999, " %.6f", " NaN");
        fprintf(out, " %.6f\n", point->goodput_gbps);
    }
}

/* perftest's rows, one a size. */
void charts_data_sizes(const struct result *result, FILE *out)
{
    const struct perftest_table *table = result->perftest;
    if (table->options.is_lat)
        fputs("\"bytes\" \"t_min\" \"t_typical\" \"99%\" \"99.9%\"\n", out);
    else
        fputs("\"bytes\" \"average bandwidth\" \"M messages/s\"\n", out);
    for (size_t i = 0; i < table->count; i++) {
        const struct perftest_lat_report *lat = &table->row[i].lat;
        const struct perftest_bw_report *bw = &table->row[i].bw;
        if (table->options.is_lat)
            fprintf(out, "%" PRIu64 " %.6f %.6f %.6f %.6f\n", lat->size_bytes, lat->t_min, lat->t_typical, lat->t_99,
                    lat->t_999);
        else
            fprintf(out, "%" PRIu64 " %.6f %.6f\n", bw->size_bytes, bw->average, bw->message_rate_mps);
    }
}
