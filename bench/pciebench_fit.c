/* Fits a host: where its reads lie from the latencies, how it cuts transfers from the bandwidths, then what lies behind its cache and its
 * IOMMU, as far as points were measured that show it. */
#include "bench/pciebench_fit.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/pciebench_values.h"

#define NEAR_BYTES 262144   /* windows up to it are in any cache and any IOTLB */
#define FAR_BYTES 16777216  /* windows from it on are in no IOTLB of 4 KiB pages */
#define TYPICAL_NS 200      /* where the model is asked for the shape of latencies */
#define STAMP_NS (40.0 / 3) /* of pcie-bench's device */
#define SLEEPS_NS 100       /* a host whose median lies so far over its least latency sleeps */
#define LEAST_NS 28         /* the mean over the least latency of hosts that do not, pcie-bench/data @b2abf2f */
#define SPREAD_NS 4         /* likewise, half of nearly all latencies about the median, without the stamps */
#define FIT_LATENCIES 20000 /* samples */
#define FIT_TRANSACTIONS 20000
#define NEAR_MOST_NS 280 /* reads of near memory: 200 to 247 ns on five machines, 300 and more of the other node's */
#define NEAR_NS 205
#define DRAM_NS 52        /* the default of pcie.host_dram */
#define REFRESH_P99_NS 78 /* 1 % and 0.1 % of 7800 ns: so much before the longest wait the percentile stands */
#define REFRESH_P999_NS 8
#define RARE_PERCENT 99.99999
#define TRANSLATED_NS 30  /* 64 B transactions of a far window are further apart only behind an IOMMU */
#define CUTTING_POINTS 24 /* bandwidths at most to tell MPS and MRRS */
#define CUTTING_GAIN 0.015

struct fit {
    const struct pciebench_host *base;
    const char *path;
    struct pciebench_points points;
    struct pciebench_values values;
    const struct pciebench_point *reference; /* of the latencies: the smallest size with most percentiles */
    char kept[1024];                         /* which parameters could not be told, one a line */
};

static int is_near(const struct pciebench_point *point)
{
    return point->what.window_bytes <= NEAR_BYTES && point->what.offset == 0;
}

static int is_near_read(const struct pciebench_point *point)
{
    return point->what.test == RNICSIM_LAT_RD && is_near(point) && !point->what.cold;
}

static void keep(struct fit *fit, const char *line)
{
    size_t used = strlen(fit->kept);
    snprintf(fit->kept + used, sizeof fit->kept - used, "%s\n", line);
}

/* ---- what the model says ---- */

static int ask(const struct fit *fit, const struct pciebench_values *values, const struct pciebench_point *point,
               uint64_t samples, struct pciebench_answer *answer)
{
    struct pciebench_sets sets;
    struct rnicsim_error error;
    pciebench_values_set(values, fit->base, &sets);
    struct pciebench_host host = *fit->base;
    host.set = sets.set;
    host.set_count = sets.count;
    struct pciebench_case what = point->what;
    what.samples = samples;
    int result = pciebench_measure(&host, &what, answer, &error);
    return result == RNICSIM_OK ? 0 : cli_fail_result(result, &error);
}

static double predicted_ns(const struct pciebench_answer *answer)
{
    return answer->mean_ps / 1000;
}

/* ---- what was measured ---- */

/* The latency without the stamps: about its mean, but without the tail. */
static double center_ns(const struct pciebench_point *point)
{
    static const struct {
        double percent, weight;
    } part[] = {{5, 0.15}, {25, 0.225}, {50, 0.25}, {75, 0.2}, {90, 0.175}};
    double median = pciebench_quantile(point, 50), sum = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double ns = pciebench_quantile(point, part[i].percent);
        if (ns <= 0)
            return fabs(point->mean_ns - median) < STAMP_NS ? point->mean_ns : median;
        sum += part[i].weight * ns;
    }
    return fabs(sum - median) < STAMP_NS ? sum : median;
}

static void find_reference(struct fit *fit)
{
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i], *best = fit->reference;
        if (!is_near_read(point))
            continue;
        if (!best || point->quantiles > best->quantiles ||
            (point->quantiles == best->quantiles && point->what.bytes < best->what.bytes))
            fit->reference = point;
    }
}

static int check_points(struct fit *fit)
{
    int sizes = 0, bandwidths = 0, last = 1;
    uint32_t first = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        last = point->line;
        bandwidths += !pciebench_is_latency(point->what.test);
        if (!is_near_read(point) || point->what.bytes == first)
            continue;
        first = sizes++ == 0 ? point->what.bytes : first;
    }
    find_reference(fit);
    if (sizes >= 2 && bandwidths >= 1)
        return 0;
    return cli_fail(
        "%s:%d: LAT_RD of %d size%s and %d bandwidth%s, needed are LAT_RD of two sizes, warm, in a window up to "
        "256 KiB, and one bandwidth",
        fit->path, last, sizes, sizes == 1 ? "" : "s", bandwidths, bandwidths == 1 ? "" : "s");
}

/* ---- where reads lie ---- */

/* Least squares, each residual as a share of its latency: ns = shift + slope * KiB, neither slope below 0. */
struct line_sums {
    double weight, x, y, xx, xy;
};

static void add_residual(struct line_sums *sums, double kib, double residual_ns, double measured_ns)
{
    double weight = 1 / (measured_ns * measured_ns);
    sums->weight += weight;
    sums->x += weight * kib;
    sums->y += weight * residual_ns;
    sums->xx += weight * kib * kib;
    sums->xy += weight * kib * residual_ns;
}

static void solve(const struct line_sums *sums, double *shift, double *slope)
{
    double det = sums->weight * sums->xx - sums->x * sums->x;
    *slope = det > 1e-12 * sums->weight * sums->xx ? (sums->weight * sums->xy - sums->x * sums->y) / det : 0;
    *slope = *slope > 0 ? *slope : 0;
    *shift = (sums->y - *slope * sums->x) / sums->weight;
}

static int locate(struct fit *fit)
{
    struct pciebench_values *values = &fit->values, plain = *values;
    struct line_sums sums = {0};
    double wake_ns = 0;
    plain.read = TYPICAL_NS;
    plain.read_kib = 0;
    plain.shape.count = plain.wake.count = 0;
    if (values->wake.count > 0) { /* where it is awake, the least latencies tell */
        struct pciebench_answer answer;
        if (ask(fit, &plain, fit->reference, FIT_LATENCIES, &answer))
            return CLI_INPUT;
        values->read = TYPICAL_NS + pciebench_quantile(fit->reference, 0) + LEAST_NS - predicted_ns(&answer);
        wake_ns = pciebench_quantile(fit->reference, 50) - pciebench_quantile(fit->reference, 0) - LEAST_NS;
        plain.read = values->read;
    }
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (!is_near_read(point))
            continue;
        if (ask(fit, &plain, point, FIT_LATENCIES, &answer))
            return CLI_INPUT;
        double measured = center_ns(point);
        add_residual(&sums, point->what.bytes / 1024.0, measured - wake_ns - predicted_ns(&answer), measured);
    }
    double shift;
    solve(&sums, &shift, &values->read_kib);
    if (values->wake.count == 0)
        values->read = TYPICAL_NS + shift;
    for (int i = 1; i < values->wake.count; i++) /* the first is 0: awake */
        values->wake.point[i].ns = fmax(values->wake.point[i].ns + shift, 0);
    return 0;
}

/* ---- how they are spread ---- */

static double as_jedec(double ns)
{
    static const double jedec[] = {160, 260, 350};
    for (int i = 0; i < 3; i++)
        if (fabs(ns - jedec[i]) < 45)
            return jedec[i];
    return ns;
}

static void add_shape(struct pciebench_shape *shape, double percent, double ns)
{
    if (shape->count > 0 && ns < shape->point[shape->count - 1].ns)
        ns = shape->point[shape->count - 1].ns;
    shape->point[shape->count++] = (struct pciebench_quantile){percent, ns};
}

/* Most latencies within a few ns, the stamps aside; the least and the tail as measured. */
static void spread_awake(struct fit *fit)
{
    const struct pciebench_point *point = fit->reference;
    struct pciebench_shape *shape = &fit->values.shape;
    double center = center_ns(point), least = pciebench_quantile(point, 0), p95 = pciebench_quantile(point, 95),
           p99 = pciebench_quantile(point, 99);
    double last = 0;
    shape->count = 0;
    add_shape(shape, 0, least > 0 ? fmin(least + STAMP_NS / 2 - center, -2 * SPREAD_NS) : -2 * SPREAD_NS);
    add_shape(shape, 1, -2 * SPREAD_NS);
    add_shape(shape, 50, 0);
    add_shape(shape, 95, fmax(SPREAD_NS, p95 - center - STAMP_NS));
    for (int i = 0; i < point->quantiles; i++) {
        double percent = point->quantile[i].percent, over = point->quantile[i].ns - STAMP_NS / 2 - center;
        if (percent > 99 && p99 <= 0 && last == 0) /* between 95 and the first over 99: halfway */
            add_shape(shape, 99, over / 2);
        if (percent < 99)
            continue;
        add_shape(shape, percent, over);
        last = percent;
    }
    if (last < 100)
        add_shape(shape, 100, shape->point[shape->count - 1].ns);
}

/* The longest latency is one in millions: what lies before it does not rise towards it. */
static void set_apart_longest(struct pciebench_shape *shape)
{
    struct pciebench_quantile longest = shape->point[--shape->count], before = shape->point[shape->count - 1];
    if (before.percent < RARE_PERCENT)
        add_shape(shape, RARE_PERCENT, fmin(before.ns + (before.ns > 0 ? before.ns / 2 : 0), longest.ns));
    add_shape(shape, 100, longest.ns);
}

/* From the percentiles less the least. Where the tail leaps, what lies before the leap is kept apart from it. */
static void spread_asleep(struct fit *fit)
{
    const struct pciebench_point *point = fit->reference;
    struct pciebench_shape *wake = &fit->values.wake;
    double awake = pciebench_quantile(point, 0) + LEAST_NS;
    wake->count = 0;
    add_shape(wake, 0, 0);
    for (int i = 1; i < point->quantiles; i++) {
        const struct pciebench_quantile *before = &point->quantile[i - 1], *q = &point->quantile[i];
        if (q->ns > 4 * before->ns && q->percent < 100 && before->percent >= 90)
            add_shape(wake, before->percent + 0.6 * (q->percent - before->percent), 1.2 * before->ns - awake);
        add_shape(wake, q->percent, fmax(q->ns - awake, 0));
    }
    if (wake->point[wake->count - 1].percent < 100)
        add_shape(wake, 100, wake->point[wake->count - 1].ns);
}

/* Near memory is never so far: the other node's, which no cache of this one holds. Its tail is then its DRAM's refresh. */
static void find_remote(struct fit *fit)
{
    struct pciebench_values *values = &fit->values;
    double tail = pciebench_quantile(fit->reference, 99.9) - center_ns(fit->reference);
    if (values->read <= NEAR_MOST_NS || values->read_kib > 0.25 * values->read) {
        keep(fit, "pcie.host_remote: not to be told from pcie.host_read where that is near; kept 0 ns");
        return;
    }
    values->remote = values->read - NEAR_NS - DRAM_NS;
    values->read = NEAR_NS;
    if (tail > 0)
        values->refresh = as_jedec(tail + REFRESH_P999_NS);
    values->shape.count = 0;
    for (int i = 0; i <= 4; i++)
        add_shape(&values->shape, 25 * i, (i - 2) * SPREAD_NS / 2.0);
}

static int spread(struct fit *fit)
{
    double least = pciebench_quantile(fit->reference, 0), median = pciebench_quantile(fit->reference, 50);
    if (least > 0 && median - least > SLEEPS_NS) {
        spread_asleep(fit);
        keep(fit, "pcie.host_idle: how soon it sleeps does not show; kept as found asleep between two latencies");
        set_apart_longest(&fit->values.wake);
    } else {
        spread_awake(fit);
        set_apart_longest(&fit->values.shape);
    }
    int result = locate(fit);
    if (result == 0 && fit->values.wake.count == 0)
        find_remote(fit);
    return result;
}

/* ---- how it cuts transfers ---- */

/* The root mean square of the bandwidths' errors. */
static int misfit(const struct fit *fit, const struct pciebench_values *values, double *out)
{
    double sum = 0;
    size_t count = 0, near = 0;
    for (size_t i = 0; i < fit->points.count; i++)
        near += !pciebench_is_latency(fit->points.point[i].what.test) && is_near(&fit->points.point[i]);
    size_t each = near / CUTTING_POINTS + 1, seen = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (pciebench_is_latency(point->what.test) || !is_near(point) || seen++ % each != 0)
            continue;
        if (ask(fit, values, point, FIT_TRANSACTIONS, &answer))
            return CLI_INPUT;
        double error = answer.gbps / point->gbps - 1;
        sum += error * error;
        count++;
    }
    *out = count > 0 ? sqrt(sum / (double)count) : 0;
    return 0;
}

static int find_cutting(struct fit *fit)
{
    static const struct {
        int mps, mrrs;
    } choice[] = {{256, 512}, {256, 4096}, {128, 512}};
    double best = 0;
    int chosen = 0;
    if (pciebench_is_known(fit->base, "pcie.mps") || pciebench_is_known(fit->base, "pcie.mrrs"))
        return 0;
    for (int i = 0; i < 3; i++) {
        struct pciebench_values values = fit->values;
        double error;
        values.mps = choice[i].mps;
        values.mrrs = choice[i].mrrs;
        int result = misfit(fit, &values, &error);
        if (result != 0)
            return result;
        if (i == 0 || error < best - CUTTING_GAIN) {
            best = error;
            chosen = i;
        }
    }
    fit->values.mps = choice[chosen].mps;
    fit->values.mrrs = choice[chosen].mrrs;
    if (chosen == 0)
        keep(fit,
             "pcie.mps, pcie.mrrs: no other value fits the bandwidths better; kept 256 B and 512 B (lspci -vv tells)");
    return chosen == 0 ? 0 : locate(fit);
}

/* ---- writes ---- */

/* Lines that are held for longer, where writes were slower than the device. */
static int find_write_line(struct fit *fit)
{
    double log_sum = 0;
    int count = 0, seen = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (point->what.test != RNICSIM_BW_WR || !is_near(point))
            continue;
        seen++;
        if (ask(fit, &fit->values, point, FIT_TRANSACTIONS, &answer))
            return CLI_INPUT;
        if (point->gbps > 0.95 * answer.gbps)
            continue;
        log_sum += log(92 * 8.0 * point->what.bytes / point->gbps / ((point->what.bytes + 63) / 64));
        count++;
    }
    if (count > seen / 2)
        fit->values.write_line = exp(log_sum / count);
    else
        keep(fit,
             seen ? "pcie.host_write_lines, pcie.host_write_line: the device binds the writes; kept 92 lines of 300 ns"
                  : "pcie.host_write_lines, pcie.host_write_line: no writes; kept 92 lines of 300 ns");
    return 0;
}

/* ---- what lies behind the cache ---- */

/* How much longer cold reads of 64 B or less take, of windows within `least` .. `most`. Returns how many; < 0: failed. */
static int cold_excess(const struct fit *fit, uint64_t least, uint64_t most, double *excess_ns)
{
    struct pciebench_values plain = fit->values;
    double sum = 0;
    int count = 0;
    plain.dram = plain.refresh = 0;
    plain.shape.count = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (point->what.test != RNICSIM_LAT_RD || !point->what.cold || point->what.window_bytes < least ||
            point->what.window_bytes > most || point->what.offset > 0)
            continue;
        if (ask(fit, &plain, point, FIT_LATENCIES, &answer))
            return -1;
        sum += fit->values.wake.count > 0 ? pciebench_quantile(point, 50) - (double)answer.median.ps / 1000
                                          : center_ns(point) - predicted_ns(&answer);
        count++;
    }
    *excess_ns = count > 0 ? sum / count : 0;
    return count;
}

/* The longest wait for a refresh, as far as the percentiles of small cold reads of a far window tell: P(longer than x) =
 * (refresh - x) / 7800 ns. */
static void find_refresh(struct fit *fit)
{
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        double p99 = pciebench_quantile(point, 99), p999 = pciebench_quantile(point, 99.9);
        if (point->what.test != RNICSIM_LAT_RD || !point->what.cold || point->what.bytes > 64 || p999 <= 0 ||
            point->what.window_bytes < FAR_BYTES)
            continue;
        sum += p999 - center_ns(point) + REFRESH_P999_NS + (p99 > 0 ? p99 - center_ns(point) + REFRESH_P99_NS : 0);
        count += 1 + (p99 > 0);
    }
    if (fit->values.remote > 0)
        return;
    if (count == 0 || fit->values.iommu || fit->values.wake.count > 0) {
        keep(fit, "pcie.host_refresh: no percentiles of a cold 64 MiB window; kept 260 ns");
        return;
    }
    fit->values.refresh = as_jedec(sum / count);
}

static int find_dram(struct fit *fit)
{
    double excess;
    int count = cold_excess(fit, 0, NEAR_BYTES, &excess);
    if (count < 0)
        return CLI_INPUT;
    if (count == 0 && (count = cold_excess(fit, NEAR_BYTES + 1, UINT64_MAX, &excess)) < 0)
        return CLI_INPUT;
    if (count == 0 || excess > SLEEPS_NS)
        keep(fit, "pcie.host_dram: no cold latencies of a small window; kept 52 ns");
    else
        fit->values.dram = fmax(excess, 0);
    return 0;
}

/* ---- IOMMU ---- */

/* The mean time of 64 B transactions in far windows; 0: none were measured. */
static double far_ns(const struct fit *fit, enum rnicsim_pciebench_test test)
{
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        if (point->what.test != test || point->what.bytes != 64 || point->what.window_bytes < FAR_BYTES)
            continue;
        sum += 512 / point->gbps;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

/* Of bandwidths of 64 B over the windows in between, the entries that fit best. */
static int find_entries(struct fit *fit)
{
    static const int entries[] = {32, 64, 96, 112, 120, 128, 160, 192, 256, 512, 1024};
    double best = DBL_MAX;
    int seen = 0;
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        struct pciebench_values values = fit->values;
        double sum = 0;
        values.iommu_entries = entries[e];
        for (size_t i = 0; i < fit->points.count; i++) {
            const struct pciebench_point *point = &fit->points.point[i];
            struct pciebench_answer answer;
            if (pciebench_is_latency(point->what.test) || point->what.bytes != 64 ||
                point->what.window_bytes <= NEAR_BYTES || point->what.window_bytes >= FAR_BYTES)
                continue;
            seen++;
            if (ask(fit, &values, point, FIT_TRANSACTIONS, &answer))
                return CLI_INPUT;
            sum += pow(answer.gbps / point->gbps - 1, 2);
        }
        if (sum < best) {
            best = sum;
            fit->values.iommu_entries = entries[e];
        }
    }
    if (seen == 0) {
        fit->values.iommu_entries = 0;
        keep(fit, "pcie.iommu_entries: no bandwidths of 64 B in windows from 512 KiB to 8 MiB; kept 119");
    }
    return 0;
}

static int find_iommu(struct fit *fit)
{
    double excess, read_ns = far_ns(fit, RNICSIM_BW_RD), write_ns = far_ns(fit, RNICSIM_BW_WR);
    int count = cold_excess(fit, FAR_BYTES, UINT64_MAX, &excess);
    if (count < 0)
        return CLI_INPUT;
    excess -= fit->values.dram >= 0 ? fit->values.dram : DRAM_NS;
    fit->values.iommu = (count > 0 && excess > SLEEPS_NS) || read_ns > TRANSLATED_NS || write_ns > TRANSLATED_NS;
    if (!fit->values.iommu) {
        keep(fit, "pcie.iommu: nothing shows one; kept off");
        return 0;
    }
    if (count > 0)
        fit->values.iommu_miss = excess;
    else
        keep(fit, "pcie.iommu_miss: no cold latencies of a window from 16 MiB on; kept 265 ns");
    if (read_ns > 0)
        fit->values.iommu_walk = read_ns;
    if (write_ns > 0)
        fit->values.iommu_write_walk = write_ns;
    if (read_ns <= 0 || write_ns <= 0)
        keep(fit,
             "pcie.iommu_walk, pcie.iommu_write_walk: both need bandwidths of 64 B in a window from 16 MiB on; kept 51 "
             "and 46.5 ns where there are none");
    return find_entries(fit);
}

static int find_all(struct fit *fit)
{
    fit->values = (struct pciebench_values){.mps = 256,
                                            .mrrs = 512,
                                            .dram = -1,
                                            .refresh = -1,
                                            .write_line = -1,
                                            .iommu_miss = -1,
                                            .iommu_walk = -1,
                                            .iommu_write_walk = -1};
    int (*const step[])(struct fit *) = {spread, find_cutting, find_write_line, find_dram, find_iommu};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (step[i](fit) != 0)
            return CLI_INPUT;
    find_refresh(fit);
    return 0;
}

/* ---- residuals ---- */

struct residual {
    const char *what;
    double measured, fitted;
};

static int residuals_of(const struct fit *fit, const struct pciebench_point *point, struct residual out[3])
{
    struct pciebench_answer answer;
    if (ask(fit, &fit->values, point, 0, &answer))
        return -1;
    if (!pciebench_is_latency(point->what.test)) {
        out[0] = (struct residual){"gbps", point->gbps, answer.gbps};
        return 1;
    }
    struct quantile known[] = {answer.median, answer.p99, answer.p999};
    static const double percent[] = {50, 99, 99.9};
    static const char *const name[] = {"median_ns", "p99_ns", "p99.9_ns"};
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (pciebench_quantile(point, percent[i]) > 0)
            out[count++] =
                (struct residual){name[i], pciebench_quantile(point, percent[i]), (double)known[i].ps / 1000};
    return count;
}

static double error_percent(const struct residual *residual)
{
    return 100 * (residual->fitted / residual->measured - 1);
}

static void print_residual(FILE *out, const char *before, const struct pciebench_case *what,
                           const struct residual *residual)
{
    fprintf(out, "%s%-8s %4u B  window %10llu  %-4s  %-9s  measured %11.2f  fitted %11.2f  %+7.2f %%\n", before,
            pciebench_test_name(what->test), what->bytes, (unsigned long long)what->window_bytes,
            what->cold ? "cold" : "warm", residual->what, residual->measured, residual->fitted,
            error_percent(residual));
}

static json_t *json_residual(const struct pciebench_case *what, const struct residual *residual)
{
    return json_pack("{s:s, s:i, s:I, s:s, s:s, s:f, s:f, s:f}", "test", pciebench_test_name(what->test), "size_bytes",
                     (int)what->bytes, "window_bytes", (json_int_t)what->window_bytes, "cache",
                     what->cold ? "cold" : "warm", "metric", residual->what, "measured", residual->measured, "fitted",
                     residual->fitted, "error_percent", error_percent(residual));
}

/* Into the host file as comments, and for the reader to `print` or `all`. */
static int tell_residuals(const struct fit *fit, FILE *file, FILE *print, json_t *all)
{
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct residual residual[3];
        int count = residuals_of(fit, point, residual);
        if (count < 0)
            return CLI_INPUT;
        for (int k = 0; k < count; k++) {
            print_residual(file, "# ", &point->what, &residual[k]);
            if (print)
                print_residual(print, "", &point->what, &residual[k]);
            if (all)
                json_array_append_new(all, json_residual(&point->what, &residual[k]));
        }
    }
    return 0;
}

static void tell_kept(const struct fit *fit, FILE *out, const char *before)
{
    char text[sizeof fit->kept], *rest = text;
    memcpy(text, fit->kept, sizeof text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line;)
        fprintf(out, "%s%s\n", before, line);
}

/* The file's name without folder and ending. */
static void name_of(const char *path, char *name, size_t bytes)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, bytes, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
}

static int write_host(const struct fit *fit, FILE *file, const char *out, int json)
{
    char name[100];
    json_t *all = json ? json_array() : NULL;
    FILE *print = json ? NULL : out ? stdout : stderr;
    name_of(out ? out : "fitted", name, sizeof name);
    pciebench_values_write(&fit->values, fit->base, name, fit->path, file);
    fprintf(file, "\n# could not be told apart, defaults were kept:\n");
    tell_kept(fit, file, "#   ");
    fprintf(file, "# residuals of the points that were fitted:\n");
    int result = tell_residuals(fit, file, print, all);
    if (print && result == 0) {
        fprintf(print, "could not be told apart, defaults were kept:\n");
        tell_kept(fit, print, "  ");
    }
    if (all && result == 0) {
        FILE *to = out ? stdout : stderr;
        result = json_dumpf(all, to, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) ? cli_fail("out of memory") : 0;
        fputc('\n', to);
    }
    json_decref(all);
    return result;
}

/* Under another name until it is whole. */
static int write_file(const struct fit *fit, const char *out, int json)
{
    char part[4096];
    if (!out)
        return write_host(fit, stdout, out, json);
    snprintf(part, sizeof part, "%s.part", out);
    FILE *file = fopen(part, "w");
    if (!file)
        return cli_fail("%s: cannot be written: %s", part, strerror(errno));
    int result = write_host(fit, file, out, json), failed = ferror(file);
    failed |= fclose(file) != 0;
    if (result == 0 && (failed || rename(part, out) != 0))
        result = cli_fail("%s: cannot be written: %s", out, strerror(errno));
    if (result != 0)
        remove(part);
    return result;
}

int pciebench_fit(const struct pciebench_host *base, const char *path, const char *system, const char *out, int json)
{
    struct fit fit = {.base = base, .path = path};
    int result = pciebench_csv_read(path, system, &fit.points);
    if (result == 0)
        result = check_points(&fit);
    if (result == 0)
        result = find_all(&fit);
    if (result == 0)
        result = write_file(&fit, out, json);
    free(fit.points.point);
    return result;
}
