#include "bench/steady.h"

#include <math.h>
#include <string.h>

#include "bench/summary.h"

#define NORMAL_975 1.959964
#define SAMPLES_LEAST 20u
#define PS_PER_NS 1e3
#define PS_PER_US 1e6

void steady_begin(struct steady *steady, uint64_t total)
{
    *steady = (struct steady){.total = total};
}

_Static_assert(STEADY_STRETCHES % STEADY_BATCHES == 0, "a batch is whole stretches");

static size_t stretch_of(uint64_t done, uint64_t total)
{
    size_t stretch = (size_t)((unsigned __int128)(done - 1) * STEADY_STRETCHES / total);
    return stretch < STEADY_STRETCHES ? stretch : STEADY_STRETCHES - 1;
}

void steady_add(struct steady *steady, const struct rnicsim_event *event, uint64_t done)
{
    if (steady->total == 0 || event->kind != RNICSIM_SEND_DONE || event->status != 0 || done == 0)
        return;
    int64_t latency_ps = event->stamp_ps[RNICSIM_AT_SEEN] - event->stamp_ps[RNICSIM_AT_ARRIVAL];
    size_t stretch = stretch_of(done, steady->total), batch = stretch / (STEADY_STRETCHES / STEADY_BATCHES);
    steady->sum_ps[stretch] += (double)latency_ps;
    steady->count[stretch]++;
    steady->end_ps[batch] = event->at_ps;
    if (steady->batch[batch] == NULL)
        steady->batch[batch] = rnicsim_hist_create();
    steady->failed |= steady->batch[batch] == NULL || rnicsim_hist_add(steady->batch[batch], latency_ps) != 0;
}

void steady_free(struct steady *steady)
{
    for (size_t i = 0; i < STEADY_BATCHES; i++)
        rnicsim_hist_destroy(steady->batch[i]);
    memset(steady, 0, sizeof *steady);
}

size_t steady_mser(const double *mean, size_t count)
{
    double sum = 0, squares = 0, least = INFINITY;
    size_t best = 0;
    for (size_t i = count; i-- > 0;) {
        double n = (double)(count - i);
        sum += mean[i] - mean[count - 1]; /* near zero, for the squares' sake */
        squares += (mean[i] - mean[count - 1]) * (mean[i] - mean[count - 1]);
        double error = (squares - sum * sum / n) / (n * n);
        if (i <= count / 2 && error <= least * (1 + 1e-9)) { /* of equals the earlier */
            least = error > 0 ? error : 0;
            best = i;
        }
    }
    return best;
}

/* From tables up to 10; beyond, the expansion in 1/n around the normal quantile (Abramowitz and Stegun 26.7.5), whose error is below 0.001
 * there. */
double steady_student(uint64_t degrees)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    const double z = NORMAL_975, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, n = (double)degrees;
    if (degrees <= sizeof table / sizeof *table)
        return table[degrees - 1];
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

/* The first batch behind the warm-up. */
static size_t first_batch(const struct steady *steady)
{
    double mean[STEADY_STRETCHES];
    size_t stretch_of[STEADY_STRETCHES], count = 0;
    for (size_t i = 0; i < STEADY_STRETCHES; i++)
        if (steady->count[i] > 0) {
            stretch_of[count] = i;
            mean[count++] = steady->sum_ps[i] / (double)steady->count[i];
        }
    if (count < STEADY_BATCHES_LEAST)
        return 0;
    size_t begin = stretch_of[steady_mser(mean, count)];
    return begin == stretch_of[0] ? 0 : (begin * STEADY_BATCHES + STEADY_STRETCHES - 1) / STEADY_STRETCHES;
}

/* What one batch says of a percentile; of the mean with share_ppb 0. 0: it knows too little. */
static int value_of(const struct rnicsim_hist *hist, int64_t share_ppb, double *out)
{
    struct quantile quantile = {.known = share_ppb == 0};
    if (share_ppb > 0)
        quantile = quantile_of(hist, share_ppb);
    *out = share_ppb == 0 ? rnicsim_hist_mean(hist) : (double)quantile.ps;
    return quantile.known;
}

static struct steady_interval interval_of(const struct steady *steady, size_t first, int64_t share_ppb)
{
    double value, mean = 0, squares = 0;
    uint64_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = first; i < STEADY_BATCHES; i++) {
            if (steady->batch[i] == NULL)
                continue;
            if (!value_of(steady->batch[i], share_ppb, &value))
                return (struct steady_interval){0};
            count += pass == 0;
            mean += pass == 0 ? value : 0;
            squares += pass == 1 ? (value - mean) * (value - mean) : 0;
        }
        mean /= pass == 0 && count > 0 ? (double)count : 1;
    }
    if (count < STEADY_BATCHES_LEAST)
        return (struct steady_interval){0};
    return (struct steady_interval){1, steady_student(count - 1) * sqrt(squares / (double)(count - 1) / (double)count)};
}

static int64_t end_of_warmup(const struct steady *steady, size_t first, int64_t first_post_ps)
{
    int64_t end_ps = first_post_ps;
    for (size_t i = 0; i < first; i++)
        end_ps = steady->end_ps[i] > end_ps ? steady->end_ps[i] : end_ps;
    return end_ps - first_post_ps;
}

int steady_find(const struct steady *steady, int64_t first_post_ps, struct steady_state *out)
{
    struct rnicsim_hist *all = rnicsim_hist_create();
    size_t first = first_batch(steady);
    int failed = all == NULL || steady->failed;
    *out = (struct steady_state){0};
    for (size_t i = first; !failed && i < STEADY_BATCHES; i++)
        if (steady->batch[i] != NULL) {
            failed = rnicsim_hist_merge(all, steady->batch[i]) != 0;
            out->batches++;
        }
    if (!failed && rnicsim_hist_count(all) >= SAMPLES_LEAST) {
        out->known = 1;
        out->left_out = steady->total * first / STEADY_BATCHES;
        out->warmup_ps = end_of_warmup(steady, first, first_post_ps);
        out->latency = latency_of(all);
        out->mean = interval_of(steady, first, 0);
        out->p50 = interval_of(steady, first, QUANTILE_P50);
        out->p99 = interval_of(steady, first, QUANTILE_P99);
        out->p999 = interval_of(steady, first, QUANTILE_P999);
    }
    rnicsim_hist_destroy(all);
    return failed ? -1 : 0;
}

/* ---- told ---- */

static void print_value(const char *name, int is_known, double value_ps, struct steady_interval interval, FILE *out)
{
    if (!is_known)
        return;
    fprintf(out, "   %s %.1f", name, value_ps / PS_PER_NS);
    if (interval.known)
        fprintf(out, " +- %.2g", interval.half_ps / PS_PER_NS);
}

void steady_print(const struct steady_state *state, FILE *out)
{
    const struct latency *latency = &state->latency;
    if (!state->known)
        return;
    if (state->left_out > 0)
        fprintf(out, "Steady, ns   without a warm-up of %llu requests (%.3f us)\n            ",
                (unsigned long long)state->left_out, (double)state->warmup_ps / PS_PER_US);
    else
        fputs("Steady, ns   from the start", out);
    print_value("mean", 1, latency->mean_ps, state->mean, out);
    print_value("p50", latency->p50.known, (double)latency->p50.ps, state->p50, out);
    print_value("p99", latency->p99.known, (double)latency->p99.ps, state->p99, out);
    fputc('\n', out);
}

static json_t *ns(int is_known, double ps)
{
    return is_known ? summary_number(ps / PS_PER_NS, 1e3) : json_null();
}

json_t *steady_json(const struct steady_state *state, int *failed)
{
    const struct latency *latency = &state->latency;
    if (!state->known)
        return json_null();
    json_t *object = json_object(), *values = json_object(), *intervals = json_object();
    summary_put(values, "min", ns(1, (double)latency->min_ps), failed);
    summary_put(values, "p50", ns(latency->p50.known, (double)latency->p50.ps), failed);
    summary_put(values, "avg", ns(1, latency->mean_ps), failed);
    summary_put(values, "p99", ns(latency->p99.known, (double)latency->p99.ps), failed);
    summary_put(values, "p99.9", ns(latency->p999.known, (double)latency->p999.ps), failed);
    summary_put(values, "p99.99", ns(latency->p9999.known, (double)latency->p9999.ps), failed);
    summary_put(values, "max", ns(1, (double)latency->max_ps), failed);
    summary_put(values, "n", json_integer((json_int_t)latency->count), failed);
    summary_put(intervals, "avg", ns(state->mean.known, state->mean.half_ps), failed);
    summary_put(intervals, "p50", ns(state->p50.known, state->p50.half_ps), failed);
    summary_put(intervals, "p99", ns(state->p99.known, state->p99.half_ps), failed);
    summary_put(intervals, "p99.9", ns(state->p999.known, state->p999.half_ps), failed);
    summary_put(object, "warmup_requests", json_integer((json_int_t)state->left_out), failed);
    summary_put(object, "warmup_ns", ns(1, (double)state->warmup_ps), failed);
    summary_put(object, "batches", json_integer(state->batches), failed);
    summary_put(object, "latency_ns", values, failed);
    summary_put(object, "ci95_ns", intervals, failed);
    return object;
}
