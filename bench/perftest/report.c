#include "bench/perftest/report.h"

#include <math.h>
#include <stdlib.h>

#define TAIL 2u /* the largest samples, which perftest leaves out */

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median(const uint64_t *delta, uint64_t n)
{
    return (n - 1) % 2 ? (delta[n / 2] + delta[n / 2 - 1]) / 2 : delta[n / 2];
}

/* perftest squares whole units: what is below one vanishes. */
static double stdev_in_whole_units(const uint64_t *delta, uint64_t n, double quotient, double average)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        int whole = (int)(average - (double)delta[i] / quotient);
        sum += (double)(whole * whole);
    }
    return sqrt(sum / (double)n);
}

static double sigma_of(const uint64_t *delta, uint64_t n, double quotient, double average)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        double off = average - (double)delta[i] / quotient;
        sum += off * off;
    }
    return sqrt(sum / (double)n);
}

struct perftest_lat_report perftest_lat_of(const uint64_t *posted_cyc, uint64_t iters, double cycles_per_unit,
                                           int rtt_factor, uint64_t *delta)
{
    double quotient = cycles_per_unit * rtt_factor, sum = 0;
    uint64_t count = iters - 1, n = count - TAIL;
    for (uint64_t i = 0; i < count; i++)
        delta[i] = posted_cyc[i + 1] - posted_cyc[i];
    qsort(delta, count, sizeof *delta, ascending);
    for (uint64_t i = 0; i < n; i++)
        sum += (double)delta[i] / quotient;
    struct perftest_lat_report report = {.iters = iters, .t_avg = sum / (double)n};
    report.t_min = (double)delta[0] / quotient;
    report.t_max = (double)delta[n] / quotient;
    report.t_typical = (double)median(delta, n) / quotient;
    report.t_stdev = stdev_in_whole_units(delta, n, quotient, report.t_avg);
    report.t_99 = (double)delta[(uint64_t)ceil((double)n * 0.99)] / quotient;
    report.t_999 = (double)delta[(uint64_t)ceil((double)n * 0.999)] / quotient;
    report.sigma = sigma_of(delta, n, quotient, report.t_avg);
    report.largest = (double)delta[count - 1] / quotient;
    return report;
}

static double mhz(const struct perftest_run *run)
{
    return (double)run->tsc_hz / 1e6;
}

struct perftest_lat_report perftest_report_lat(const struct perftest_run *run, uint32_t host, uint64_t *delta)
{
    const struct perftest_options *options = &run->options;
    const struct perftest_side *side = &run->side[host];
    struct perftest_lat_report report;
    int rtt_factor = perftest_is_answered(options) ? 1 : 2; /* a whole trip is told, or half of a ping-pong */
    if (options->duration_s == 0) {
        report =
            perftest_lat_of(side->posted_cyc, options->iters, options->in_cycles ? 1 : mhz(run), rtt_factor, delta);
    } else {
        double cycles = (double)(side->completed_cyc[0] - side->posted_cyc[0]), n = (double)side->sampled;
        report = (struct perftest_lat_report){.iters = side->sampled};
        report.t_avg = n > 0 ? cycles / mhz(run) / rtt_factor / n : 0;
        report.tps = n / (cycles / (mhz(run) * 1e6));
    }
    report.size_bytes = run->size_bytes;
    return report;
}

/* The fewest cycles a message between any post and any completion behind it, in whole cycles as perftest divides them. It goes
 * through all pairs of a list's first post and a signalled completion. */
static uint64_t least_cycles_per_message(const struct perftest_run *run, const struct perftest_side *side)
{
    const uint64_t *posted = side->posted_cyc, *completed = side->completed_cyc;
    uint64_t all = run->options.iters * run->options.qps, step = run->options.cq_mod, least = completed[0] - posted[0];
    for (uint64_t i = 0; i < all; i += run->options.post_list) {
        for (uint64_t j = (i / step + 1) * step - 1; j < all; j += step) {
            uint64_t each = (completed[j] - posted[i]) / (j - i + 1);
            least = each < least ? each : least;
        }
        if (all % step != 0) {
            uint64_t each = (completed[all - 1] - posted[i]) / (all - i);
            least = each < least ? each : least;
        }
    }
    return least;
}

struct perftest_bw_report perftest_report_bw(const struct perftest_run *run, uint32_t host)
{
    const struct perftest_options *options = &run->options;
    const struct perftest_side *side = &run->side[host];
    uint64_t format = options->in_gbits ? 125000000 : 0x100000;
    double hz = (double)run->tsc_hz, unit = (double)format;
    uint64_t all = options->duration_s > 0 ? side->sampled : options->iters * options->qps;
    uint64_t last = options->no_peak ? 0 : all - 1;
    double cycles = (double)(side->completed_cyc[last] - side->posted_cyc[0]), messages = (double)all;
    struct perftest_bw_report report = {.size_bytes = run->size_bytes, .iters = all};
    report.average = (double)run->size_bytes * messages * hz / (cycles * unit);
    report.message_rate_mps = messages * hz / (cycles * 1e6);
    if (!options->no_peak)
        report.peak =
            (double)(run->size_bytes * (uint64_t)run->tsc_hz) / (double)(least_cycles_per_message(run, side) * format);
    return report;
}
