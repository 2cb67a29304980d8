/* Fits what reads and writes of a near window show: where reads lie, how they are spread, how transfers are cut, what keeps writes back. */
#include "bench/pciebench_fitting.h"

#include <math.h>

#include "bench/cli.h"

#define TYPICAL_NS 200   /* where the model is asked for the shape of latencies */
#define LEAST_NS 28      /* the mean over the least latency of hosts that do not sleep, pcie-bench/data @b2abf2f */
#define SPREAD_NS 4      /* likewise, half of nearly all latencies about the median, without the stamps */
#define NEAR_MOST_NS 280 /* reads of near memory: 200 to 247 ns on five machines, 300 and more of the other node's */
#define NEAR_NS 205
#define RARE_PERCENT 99.99999
#define CUTTING_POINTS 24 /* bandwidths at most to tell MPS and MRRS */
#define CUTTING_GAIN 0.015

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
        if (fitting_ask(fit, &plain, fit->reference, FITTING_LATENCIES, &answer))
            return CLI_INPUT;
        values->read = TYPICAL_NS + pciebench_quantile(fit->reference, 0) + LEAST_NS - fitting_predicted_ns(&answer);
        wake_ns = pciebench_quantile(fit->reference, 50) - pciebench_quantile(fit->reference, 0) - LEAST_NS;
        plain.read = values->read;
    }
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (!fitting_is_near_read(point))
            continue;
        if (fitting_ask(fit, &plain, point, FITTING_LATENCIES, &answer))
            return CLI_INPUT;
        double measured = fitting_center_ns(point);
        add_residual(&sums, point->what.bytes / 1024.0, measured - wake_ns - fitting_predicted_ns(&answer), measured);
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
    double center = fitting_center_ns(point), least = pciebench_quantile(point, 0), p95 = pciebench_quantile(point, 95),
           p99 = pciebench_quantile(point, 99);
    double last = 0;
    shape->count = 0;
    add_shape(shape, 0, least > 0 ? fmin(least + FITTING_STAMP_NS / 2 - center, -2 * SPREAD_NS) : -2 * SPREAD_NS);
    add_shape(shape, 1, -2 * SPREAD_NS);
    add_shape(shape, 50, 0);
    add_shape(shape, 95, fmax(SPREAD_NS, p95 - center - FITTING_STAMP_NS));
    for (int i = 0; i < point->quantiles; i++) {
        double percent = point->quantile[i].percent, over = point->quantile[i].ns - FITTING_STAMP_NS / 2 - center;
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
    double tail = pciebench_quantile(fit->reference, 99.9) - fitting_center_ns(fit->reference);
    if (values->read <= NEAR_MOST_NS || values->read_kib > 0.25 * values->read) {
        fitting_keep(fit, "pcie.host_remote: not to be told from pcie.host_read where that is near; kept 0 ns");
        return;
    }
    values->remote = values->read - NEAR_NS - FITTING_DRAM_NS;
    values->read = NEAR_NS;
    if (tail > 0)
        values->refresh = fitting_as_jedec(tail + FITTING_REFRESH_P999_NS);
    values->shape.count = 0;
    for (int i = 0; i <= 4; i++)
        add_shape(&values->shape, 25 * i, (i - 2) * SPREAD_NS / 2.0);
}

int fitting_find_reads(struct fit *fit)
{
    double least = pciebench_quantile(fit->reference, 0), median = pciebench_quantile(fit->reference, 50);
    if (least > 0 && median - least > FITTING_SLEEPS_NS) {
        spread_asleep(fit);
        fitting_keep(fit,
                     "pcie.host_idle: how soon it sleeps does not show; kept as found asleep between two latencies");
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
        near += !pciebench_is_latency(fit->points.point[i].what.test) && fitting_is_near(&fit->points.point[i]);
    size_t each = near / CUTTING_POINTS + 1, seen = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (pciebench_is_latency(point->what.test) || !fitting_is_near(point) || seen++ % each != 0)
            continue;
        if (fitting_ask(fit, values, point, FITTING_TRANSACTIONS, &answer))
            return CLI_INPUT;
        double error = answer.gbps / point->gbps - 1;
        sum += error * error;
        count++;
    }
    *out = count > 0 ? sqrt(sum / (double)count) : 0;
    return 0;
}

int fitting_find_cutting(struct fit *fit)
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
        fitting_keep(
            fit,
            "pcie.mps, pcie.mrrs: no other value fits the bandwidths better; kept 256 B and 512 B (lspci -vv tells)");
    return chosen == 0 ? 0 : locate(fit);
}

/* ---- writes ---- */

/* Lines that are held for longer, where writes were slower than the device. */
int fitting_find_write_line(struct fit *fit)
{
    double log_sum = 0;
    int count = 0, seen = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (point->what.test != RNICSIM_BW_WR || !fitting_is_near(point))
            continue;
        seen++;
        if (fitting_ask(fit, &fit->values, point, FITTING_TRANSACTIONS, &answer))
            return CLI_INPUT;
        if (point->gbps > 0.95 * answer.gbps)
            continue;
        log_sum += log(92 * 8.0 * point->what.bytes / point->gbps / ((point->what.bytes + 63) / 64));
        count++;
    }
    if (count > seen / 2)
        fit->values.write_line = exp(log_sum / count);
    else
        fitting_keep(
            fit,
            seen ? "pcie.host_write_lines, pcie.host_write_line: the device binds the writes; kept 92 lines of 300 ns"
                 : "pcie.host_write_lines, pcie.host_write_line: no writes; kept 92 lines of 300 ns");
    return 0;
}
