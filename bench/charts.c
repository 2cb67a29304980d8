#include "bench/charts.h"

#include <inttypes.h>
#include <string.h>

#include "bench/gnuplot.h"
#include "bench/head.h"

struct chart {
    const char *name;
    void (*data)(const struct result *result, FILE *out);
};

static void put_variables(const struct result *result, const char *name, FILE *out)
{
    char text[512];
    const char *slash = strrchr(result->trace, '/'), *here = strstr(result->trace, " (here: ");
    const char *workload = slash != NULL ? slash + 1 : result->trace;
    int is_of_all = (strstr(name, "_size") != NULL || strcmp(name, "load_latency") == 0) && here != NULL;
    fprintf(out, "# draws it again: gnuplot %s.gp; as PNG: gnuplot -e \"fmt='png'\" %s.gp\n", name, name);
    fprintf(out, "datafile = \"%s.dat\"\nout_file = \"%s\"\n", name, name);
    snprintf(text, sizeof text, "%s, host %s, %.*s", rnicsim_board_name(result->sim), rnicsim_host_name(result->sim),
             (int)(is_of_all ? (size_t)(here - workload) : strlen(workload)), workload);
    gnuplot_string(out, "subtitle", text);
    if (result->perftest != NULL)
        fprintf(out, "tool = \"%s\"\nrate_unit = \"%s\"\nlatency_unit = \"%s\"\n", result->perftest->options.tool,
                result->perftest->options.in_gbits ? "Gb/s" : "MiB/s",
                result->perftest->options.in_cycles ? "cycles" : "us");
    if (result->loads != NULL)
        fprintf(out, "knee = %g\n",
                result->loads->knee < 0 ? -1.0 : result->loads->point[result->loads->knee].load_pct);
    if (result->fifo_count > 0) {
        const struct result_fifo *fifo = &result->fifos[0];
        gnuplot_string(out, "fifo_name", fifo->name);
        gnuplot_string(out, "fifo_unit", fifo->info.unit);
        fprintf(out, "fifo_depth = %" PRIu64 "\nfifo_high_water = %" PRIu64 "\n", fifo->info.depth,
                fifo->info.high_water);
    }
}

static int write_script(const struct result *result, struct results *results, const char *name)
{
    char file_name[64];
    snprintf(file_name, sizeof file_name, "%s.gp", name);
    FILE *out = results_open(results, file_name);
    if (out == NULL)
        return -1;
    head_print(result, out);
    put_variables(result, name, out);
    int failed = gnuplot_template(name, out);
    results_close(results, out);
    return failed;
}

static void write_data(const struct result *result, struct results *results, const struct chart *chart)
{
    char file_name[64];
    snprintf(file_name, sizeof file_name, "%s.dat", chart->name);
    FILE *out = results_open(results, file_name);
    if (out == NULL)
        return;
    head_print(result, out);
    chart->data(result, out);
    results_close(results, out);
}

/* Whether there is something to draw: an empty chart would make gnuplot fail. */
static int has_data(const struct result *result, const struct chart *chart)
{
    if (chart->data == charts_data_distribution)
        return result->completion.count > 0 && result->delivery.count > 0;
    if (chart->data == charts_data_waterfall)
        return result->waterfall.sum_ps > 0;
    if (chart->data == charts_data_requests)
        return result->collect->first_count > 0;
    if (chart->data == charts_data_pcie)
        return result->duration_ps > 0;
    if (chart->data == charts_data_around)
        return result->around.count > 1;
    if (chart->data == charts_data_loads)
        return result->loads != NULL && result->loads->count > 1;
    if (chart->data == charts_data_waterfall_sizes)
        return result->sizes != NULL && result->perftest->count > 1 && result->waterfall.sum_ps > 0;
    if (chart->data == charts_data_sizes)
        return result->perftest != NULL && result->perftest->count > 1 &&
               result->perftest->options.is_lat == (strcmp(chart->name, "latency_size") == 0);
    return result->fifo_count > 0 && result->fifos[0].info.high_water > 0;
}

void charts_write(const struct result *result, struct results *results, unsigned formats)
{
    static const struct chart charts[] = {
        {"latency_cdf", charts_data_distribution},
        {"latency_ccdf", charts_data_distribution},
        {"waterfall", charts_data_waterfall},
        {"requests", charts_data_requests},
        {"pcie_kinds", charts_data_pcie},
        {"fifo_occupancy", charts_data_occupancy},
        {"fifo_fullest", charts_data_fullest},
        {"fifo_around", charts_data_around},
        {"load_latency", charts_data_loads},
        {"bandwidth_size", charts_data_sizes},
        {"rate_size", charts_data_sizes},
        {"latency_size", charts_data_sizes},
        {"waterfall_size", charts_data_waterfall_sizes},
    };
    int is_drawing = 1;
    for (size_t i = 0; i < sizeof charts / sizeof *charts && !results_has_failed(results); i++) {
        if (!has_data(result, &charts[i]))
            continue;
        write_data(result, results, &charts[i]);
        if (write_script(result, results, charts[i].name) != 0)
            continue;
        is_drawing = is_drawing && !results_has_failed(results) && gnuplot_draw(results, charts[i].name, formats) == 0;
    }
}
