/* What follows from the proposed depths: thresholds, the largest consumers, the curve's chart. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gnuplot.h"
#include "bench/head.h"
#include "bench/model_options.h"
#include "bench/size_report.h"

#define CURVE "depth_curve"
#define FLAG_CYCLES 2 /* the flag is a register, and the sender's is another */

/* "stage.PATH.NAME.WHAT" in cycles; -1: there is no such stage. */
static double cycles_of(const struct rnicsim *sim, const char *path, const char *name, const char *what)
{
    struct rnicsim_param_info param;
    char key[192];
    snprintf(key, sizeof key, "stage.%s.%s.%s", path, name, what);
    return model_param(sim, key, &param) ? strtod(param.value, NULL) : -1;
}

uint64_t size_prog_full(const struct size_report *report, size_t number)
{
    const struct size_search *search = report->search;
    const struct size_fifo *fifo = &search->fifos[number];
    const struct rnicsim *sim = search->configured.result.sim;
    if (number == 0 || strcmp(search->fifos[number - 1].info.path, fifo->info.path) != 0 || fifo->info.fixed != NULL)
        return 0;
    const char *front = search->fifos[number - 1].info.name;
    double latency = cycles_of(sim, fifo->info.path, front, "latency"),
           interval = cycles_of(sim, fifo->info.path, front, "interval");
    if (latency < 0 || interval < 1)
        return 0;
    uint64_t in_flight = (uint64_t)(latency / interval) + FLAG_CYCLES;
    return fifo->depth > in_flight ? fifo->depth - in_flight : 0;
}

size_t size_largest(const struct size_report *report, enum memory_kind kind, size_t *fifos, size_t max)
{
    const struct size_memory *memory = report->fit->memory;
    size_t count = 0;
    for (size_t i = 0; i < report->search->count; i++) {
        if (memory[i].kind != kind || memory[i].count[kind] == 0)
            continue;
        size_t at = count < max ? count : max;
        while (at > 0 && memory[fifos[at - 1]].count[kind] < memory[i].count[kind]) {
            if (at < max)
                fifos[at] = fifos[at - 1];
            at--;
        }
        if (at < max)
            fifos[at] = i;
        count += count < max;
    }
    return count;
}

static void write_curve(const struct size_curve *curve, FILE *out)
{
    fputs("\"depth\" \"dropped frames\" \"back-pressure, us\" \"goodput, Gb/s\" \"mean, us\" \"requests done, %\"\n",
          out);
    for (size_t i = 0; i < curve->count; i++) {
        const struct size_curve_point *point = &curve->point[i];
        const struct size_outcome *outcome = &point->outcome;
        fprintf(out, "%" PRIu64 " %" PRIu64 " %.6f %.6f %.6f %.4f\n", point->depth, outcome->drops,
                (double)point->back_pressure_ps / 1e6, outcome->goodput_gbps, outcome->completion.mean_ps / 1e6,
                outcome->requests > 0 ? 100 * (double)outcome->requests_done / (double)outcome->requests : 0);
    }
}

void size_curve_draw(const struct size_report *report, struct results *results, unsigned formats)
{
    const struct result *result = &report->search->configured.result;
    const struct size_curve *curve = report->curve;
    if (curve->fifo == NULL)
        return;
    FILE *out = results_open(results, CURVE ".dat");
    if (out != NULL) {
        head_print(result, out);
        write_curve(curve, out);
    }
    results_close(results, out);
    out = results_open(results, CURVE ".gp");
    if (out == NULL)
        return;
    fprintf(out, "datafile = \"" CURVE ".dat\"\nout_file = \"" CURVE "\"\nchosen = %" PRIu64 "\n", curve->fifo->depth);
    gnuplot_string(out, "fifo_name", curve->fifo->name);
    gnuplot_string(out, "fifo_unit", curve->fifo->info.unit);
    gnuplot_string(out, "subtitle", rnicsim_board_name(result->sim));
    int failed = gnuplot_template(CURVE, out);
    results_close(results, out);
    if (!failed)
        gnuplot_draw(results, CURVE, formats);
}
