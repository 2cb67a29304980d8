/* Histograms against a sorted array: exact below 8,192, within 1/4096 above, exact count, min, max, sum. */
#include "kernel/hist.h"
#include "kernel/rnd.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>

void suite_kernel_hist(void);

#define SAMPLES 5000

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The value of rank ceil(count * share): the definition in the header, on the sorted samples. */
static int64_t percentile_by_sorting(const int64_t *sorted, uint64_t count, int64_t share_ppb)
{
    unsigned __int128 rank = ((unsigned __int128)count * (uint64_t)share_ppb + 999999999u) / 1000000000u;
    return sorted[rank == 0 ? 0 : rank - 1];
}

static void check_trial(uint64_t trial, int bits)
{
    static int64_t value[SAMPLES];
    static const int64_t share[] = {0,         1,         10000000,  250000000, 500000000,
                                    900000000, 990000000, 999000000, 999900000, 1000000000};
    struct hist hist;
    __int128 sum = 0;
    size_t count = 1 + rnd_u64(7, trial, 0, 1) % SAMPLES;
    hist_init(&hist);
    for (size_t i = 0; i < count; i++) {
        value[i] = (int64_t)(rnd_u64(7, trial, i, 0) >> 1 >> (63 - bits));
        if (i % 3 == 0) /* values of every size, ties included */
            value[i] >>= rnd_u64(7, trial, i, 2) % (unsigned)(bits + 1);
        CU_ASSERT_EQUAL(hist_add(&hist, value[i]), 0);
        sum += value[i];
    }
    qsort(value, count, sizeof *value, by_value);
    CU_ASSERT_EQUAL(hist.count, count);
    CU_ASSERT_EQUAL(hist.min, value[0]);
    CU_ASSERT_EQUAL(hist.max, value[count - 1]);
    CU_ASSERT(hist.sum == sum);
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        int64_t want = percentile_by_sorting(value, count, share[i]);
        int64_t got = hist_percentile(&hist, share[i]);
        CU_ASSERT(got >= want && got - want <= want / 4096 && got <= hist.max);
        if (want < 8192)
            CU_ASSERT_EQUAL(got, want);
    }
    hist_free(&hist);
}

static void percentiles(void)
{
    for (uint64_t trial = 0; trial < 60; trial++)
        check_trial(trial, 1 + (int)(trial % 62));
}

struct walk {
    int64_t last;
    uint64_t count;
    int rises;
};

static void step(void *context, int64_t value, uint64_t count)
{
    struct walk *walk = context;
    walk->rises &= value > walk->last;
    walk->last = value;
    walk->count += count;
}

struct below {
    int64_t limit;
    uint64_t count;
};

static void add_below(void *context, int64_t value, uint64_t count)
{
    struct below *below = context;
    if (value <= below->limit)
        below->count += count;
}

/* Samples in the steps that end at `limit` or before. */
static uint64_t at_or_below(const struct hist *hist, int64_t limit)
{
    struct below below = {.limit = limit};
    hist_each(hist, add_below, &below);
    return below.count;
}

static void each_and_below(void)
{
    struct hist hist;
    struct walk walk = {.last = -1, .rises = 1};
    hist_init(&hist);
    for (int64_t i = 0; i < 20000; i++)
        hist_add(&hist, i);
    hist_add(&hist, INT64_MAX);
    hist_add(&hist, 0);
    hist_each(&hist, step, &walk);
    CU_ASSERT(walk.rises && walk.count == 20002 && walk.last == INT64_MAX);
    CU_ASSERT_EQUAL(at_or_below(&hist, 0), 2);
    CU_ASSERT_EQUAL(at_or_below(&hist, 8191), 8193);
    CU_ASSERT_EQUAL(at_or_below(&hist, 8192), 8193); /* 8,192 and 8,193 share a step */
    CU_ASSERT_EQUAL(at_or_below(&hist, 8193), 8195);
    CU_ASSERT_EQUAL(at_or_below(&hist, INT64_MAX), 20002);
    CU_ASSERT(hist.sum_of_squares > (unsigned __int128)INT64_MAX * INT64_MAX);
    hist_free(&hist);
}

/* Every power of two and its neighbours falls into a step that holds it, and steps do not overlap. */
static void octave_borders(void)
{
    for (int bit = 0; bit < 63; bit++)
        for (int64_t off = -1; off <= 1; off++) {
            struct hist hist;
            int64_t value = (INT64_C(1) << bit) + off;
            hist_init(&hist);
            hist_add(&hist, value);
            hist_add(&hist, INT64_MAX);
            int64_t got = hist_percentile(&hist, 500000000);
            CU_ASSERT(got >= value && got - value <= value / 4096);
            hist_free(&hist);
        }
}

void suite_kernel_hist(void)
{
    CU_pSuite suite = CU_add_suite("kernel hist", NULL, NULL);
    CU_add_test(suite, "percentiles against a sorted array", percentiles);
    CU_add_test(suite, "each step, at or below", each_and_below);
    CU_add_test(suite, "octave borders", octave_borders);
}
