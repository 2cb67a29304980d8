/* What generated traces are drawn from: fixed-point logarithms against libm, the exponential distribution's mean and
 * variance, choices with weights, Zipf, sizes and arrivals. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "tests/traces/scratch.h"
#include "traces/arrivals.h"
#include "traces/logarithm.h"
#include "traces/random.h"
#include "traces/sizes.h"

void suite_traces_draws(void);

#define ONE 4294967296.0 /* 2^32 */
#define DRAWS 1000000
#define PUBLISHED RNICSIM_SOURCE_DIR "/traces/cdf/"

static void test_logarithm(void)
{
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t x = i < 100 ? i + 1 : trace_random(1, TRACE_RANDOM_GAP, i) >> i % 64;
        x += x == 0;
        double error = log2((double)x) - (double)trace_log2(x) / ONE;
        CU_ASSERT(error > -1e-12 && error < 1 / ONE * 2);
        uint64_t y = trace_random(2, TRACE_RANDOM_GAP, i) >> 27; /* up to 2^5 */
        double power = exp2(-(double)y / ONE);
        CU_ASSERT_DOUBLE_EQUAL((double)trace_exp2_negative(y) / 0x1p63, power, 0x1p-52);
    }
    for (unsigned i = 0; i < 64; i++)
        CU_ASSERT_EQUAL(trace_log2(UINT64_C(1) << i), (uint64_t)i << 32);
    CU_ASSERT_EQUAL(trace_exp2_negative(0), UINT64_C(1) << 63);
    CU_ASSERT_EQUAL(trace_exp2_negative((uint64_t)3 << 32), UINT64_C(1) << 60);
    CU_ASSERT_EQUAL(trace_exp2_negative((uint64_t)64 << 32), 0);
}

/* Evenly spread draws sum the distribution itself; random ones must lie within five sigma of it. */
static void test_exponential(void)
{
    double mean[2] = {0}, square[2] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t draws[2] = {(2 * i + 1) * (UINT64_MAX / (2 * DRAWS)), trace_random(1, TRACE_RANDOM_GAP, i)};
        for (int kind = 0; kind < 2; kind++) {
            double value = (double)trace_exponential(draws[kind]) / ONE;
            mean[kind] += value / DRAWS;
            square[kind] += value * value / DRAWS;
        }
        CU_ASSERT_DOUBLE_EQUAL((double)trace_exponential(draws[1]) / ONE, -log(((double)draws[1] + 1) / 0x1p64), 1e-9);
    }
    CU_ASSERT_DOUBLE_EQUAL(mean[0], 1, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(square[0] - mean[0] * mean[0], 1, 2e-5);
    CU_ASSERT_DOUBLE_EQUAL(mean[1], 1, 5e-3);                         /* sigma 1 / sqrt(n) */
    CU_ASSERT_DOUBLE_EQUAL(square[1] - mean[1] * mean[1], 1, 1.5e-2); /* sigma sqrt(8 / n) */
    CU_ASSERT_EQUAL(trace_exponential(UINT64_MAX), 0);
    CU_ASSERT_DOUBLE_EQUAL((double)trace_exponential(0) / ONE, 64 * log(2), 1e-9);
}

static void test_zipf(void)
{
    static const struct {
        uint64_t millionths;
        double exponent;
    } rows[] = {{0, 0}, {990000, 0.99}, {1200000, 1.2}, {10000000, 10}};
    for (size_t row = 0; row < 4; row++) {
        struct trace_choice choice = {0};
        double sum = 0;
        CU_ASSERT_EQUAL_FATAL(trace_choice_zipf(&choice, rows[row].millionths, 1000), 0);
        for (int rank = 1; rank <= 1000; rank++) {
            double weight = (double)trace_choice_weight(&choice, (size_t)rank - 1) / 0x1p46;
            CU_ASSERT_DOUBLE_EQUAL(weight, pow(rank, -rows[row].exponent), 0x1p-26);
            sum += weight;
        }
        CU_ASSERT_DOUBLE_EQUAL(sum, (double)trace_choice_total(&choice) / 0x1p46, 1e-6);
        CU_ASSERT_EQUAL(trace_choice_draw(&choice, 0), 0);
        CU_ASSERT(trace_choice_draw(&choice, UINT64_MAX) < 1000);
        trace_choice_free(&choice);
    }
}

/* ---- sizes ---- */

static double drawn_mean(const struct trace_sizes *sizes, uint32_t *least, uint32_t *most)
{
    double sum = 0;
    *least = UINT32_MAX, *most = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint32_t size = trace_sizes_draw(sizes, 1, i);
        sum += size;
        *least = size < *least ? size : *least;
        *most = size > *most ? size : *most;
    }
    return sum / DRAWS;
}

/* `tolerance` is five times the error of the mean of so many draws, as a share. */
static void expect_sizes(const char *text, double mean, double tolerance, uint32_t least, uint32_t most)
{
    struct trace_sizes sizes = {0};
    struct rnicsim_error error = {""};
    uint32_t drawn_least, drawn_most;
    int result = trace_sizes_parse(&sizes, text, &error);
    if (result != 0)
        printf("\n    %s: %s", text, error.text);
    CU_ASSERT_EQUAL_FATAL(result, 0);
    CU_ASSERT_DOUBLE_EQUAL((double)trace_sizes_mean(&sizes) / 0x1p20, mean, mean * 1e-6);
    double drawn = drawn_mean(&sizes, &drawn_least, &drawn_most);
    if (fabs(drawn - mean) > mean * tolerance)
        printf("\n    %s: mean %.3f, drawn %.3f", text, mean, drawn);
    CU_ASSERT_DOUBLE_EQUAL(drawn, mean, mean * tolerance);
    CU_ASSERT(drawn_least >= least && drawn_most <= most);
    CU_ASSERT_EQUAL(trace_sizes_largest(&sizes), most);
    trace_sizes_free(&sizes);
}

static void test_sizes(void)
{
    expect_sizes("4096", 4096, 0, 4096, 4096);
    expect_sizes("64-4096", 2080, 3e-3, 64, 4096);
    expect_sizes("0-1", 0.5, 5e-3, 0, 1);
    expect_sizes("64:0.9,65536:0.1", 64 * 0.9 + 65536 * 0.1, 1.5e-2, 64, 65536);
    expect_sizes("10,20-30:2.5,40:0.5", (10 + 25 * 2.5 + 40 * 0.5) / 4, 2e-3, 10, 40);
}

/* The means of the published ones, worked out beside from the same figures: half of (from + 1 + to), piece by piece. */
static void test_published(void)
{
    expect_sizes(PUBLISHED "alistorage2019.cdf", 40870.3, 2.4e-2, 1, 2000000);
    expect_sizes(PUBLISHED "fbhadoop.cdf", 120421.25, 2.8e-2, 1, 10000000);
    expect_sizes(PUBLISHED "websearch.cdf", 1711250.5, 1.2e-2, 1, 30000000);
    expect_sizes(PUBLISHED "googlerpc2008.cdf", 2892.12125005, 1.2e-1, 1, 15158197);
}

static void test_cdf(void)
{
    static const struct {
        const char *text, *expected;
    } bad[] = {{"", ":0: the distribution does not end at 100"},
               {"10 50\n", ":1: the distribution does not end at 100"},
               {"10 50\n5 100\n", ":2: 5 bytes behind 10"},
               {"10 50\n20 40\n", ":2: the percentage falls"},
               {"10\n", ":1: a line must have two numbers"},
               {"10 20 30\n", ":1: a line must have two numbers"},
               {"10 101\n", ":1: percent: \"101\""},
               {"2147483649 100\n", ":1: size is \"2147483649\""},
               {"1.5 100\n", ":1: size is \"1.5\""}};
    struct scratch scratch;
    struct rnicsim_error error;
    scratch_open(&scratch);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trace_sizes sizes = {0};
        scratch_write(scratch_path(&scratch, "my.cdf"), bad[i].text, strlen(bad[i].text));
        CU_ASSERT_EQUAL(trace_sizes_parse(&sizes, scratch.path, &error), -1);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, bad[i].expected));
        trace_sizes_free(&sizes);
    }
    const char *good = "# a mass of 64, then evenly up to 128\n\n64 25 # here\n\t128 100\n";
    scratch_write(scratch_path(&scratch, "my.cdf"), good, strlen(good));
    expect_sizes(scratch.path, 64 * 0.25 + 96.5 * 0.75, 2e-3, 64, 128);
    scratch_close(&scratch);
}

static void test_bad_sizes(void)
{
    static const char *const bad[] = {"",           "x",   "-5",       "5-",        "5-3",
                                      "4294967296", "64:", "64:0",     "64:-1,1:1", "64,",
                                      "64:1:1,32",  "1e3", "/no/such", "0x10",      "64:1.0000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trace_sizes sizes = {0};
        struct rnicsim_error error = {""};
        CU_ASSERT_EQUAL(trace_sizes_parse(&sizes, bad[i], &error), -1);
        CU_ASSERT(error.text[0] != 0 && strchr(error.text, '\n') == NULL);
        trace_sizes_free(&sizes);
    }
}

/* ---- arrivals ---- */

static void test_gap(void)
{
    static const struct {
        const char *rate;
        double gap_ps;
    } rows[] = {{"2 MHz", 5e5}, {"1 Hz", 1e12}, {"10 GHz", 100}, {"3 MHz", 1e12 / 3e6}, {"50 Gbps", 1000 * 8 / 0.05}};
    unsigned __int128 gap;
    struct rnicsim_error error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CU_ASSERT_EQUAL_FATAL(trace_arrivals_gap(rows[i].rate, "rate", (uint64_t)1000 << 20, &gap, &error), 0);
        CU_ASSERT_DOUBLE_EQUAL((double)gap / ONE, rows[i].gap_ps, rows[i].gap_ps * 1e-9);
    }
    CU_ASSERT_EQUAL(trace_arrivals_gap("50", "rate", 1, &gap, &error), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "rate \"50\": allowed are"));
    CU_ASSERT_EQUAL(trace_arrivals_gap("50 Gbps", "rate", 0, &gap, &error), -1);
}

static void test_periodic(void)
{
    struct trace_arrivals arrivals = {.arrival = TRACE_PERIODIC};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(trace_arrivals_gap("3 MHz", "rate", 0, &arrivals.gap, &error), 0);
    for (uint64_t i = 0; i < 100000; i++) /* 2^-32 ps less a gap: one ps less where a third was whole */
        CU_ASSERT_EQUAL((trace_arrivals_next(&arrivals, i) + 1) * 3 / 1000000, (int64_t)i);
}

/* Gaps of a Poisson process: mean and standard deviation are the same, within five sigma. */
static void test_poisson(void)
{
    struct trace_arrivals arrivals = {.arrival = TRACE_POISSON, .gap = (unsigned __int128)250000 << 32, .seed = 7};
    double sum = 0, square = 0;
    int64_t before_ps = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        int64_t at_ps = trace_arrivals_next(&arrivals, i);
        double gap = (double)(at_ps - before_ps) / 250000;
        CU_ASSERT(at_ps >= before_ps);
        sum += gap, square += gap * gap;
        before_ps = at_ps;
    }
    double mean = sum / DRAWS;
    CU_ASSERT_DOUBLE_EQUAL(mean, 1, 5e-3);
    CU_ASSERT_DOUBLE_EQUAL(square / DRAWS - mean * mean, 1, 1.5e-2);
}

/* Within a burst the gaps are constant; over all, pauses make up the mean rate. */
static void test_burst(void)
{
    struct trace_arrivals arrivals = {.arrival = TRACE_BURST,
                                      .gap = (unsigned __int128)1000000 << 32,
                                      .burst_gap = (unsigned __int128)100000 << 32,
                                      .burst = 32,
                                      .seed = 7};
    int64_t before_ps = trace_arrivals_next(&arrivals, 0);
    CU_ASSERT_EQUAL(before_ps, 0);
    for (uint64_t i = 1; i < DRAWS; i++) {
        int64_t at_ps = trace_arrivals_next(&arrivals, i), gap_ps = at_ps - before_ps;
        int is_within = i % 32 != 0; /* where instants are whole ps */
        CU_ASSERT(is_within ? gap_ps >= 99999 && gap_ps <= 100001 : gap_ps >= 99999);
        before_ps = at_ps;
    }
    CU_ASSERT_DOUBLE_EQUAL((double)before_ps / 1e6 / DRAWS, 1, 2.6e-2); /* five sigma of 31,250 pauses */
}

static void test_no_end(void)
{
    struct trace_arrivals arrivals = {.arrival = TRACE_PERIODIC, .gap = (unsigned __int128)RNICSIM_TIME_MAX << 31};
    CU_ASSERT_EQUAL(trace_arrivals_next(&arrivals, 0), 0);
    CU_ASSERT_EQUAL(trace_arrivals_next(&arrivals, 1), RNICSIM_TIME_MAX / 2);
    CU_ASSERT_EQUAL(trace_arrivals_next(&arrivals, 2), RNICSIM_TIME_MAX);
    CU_ASSERT_EQUAL(trace_arrivals_next(&arrivals, 3), -1);
}

void suite_traces_draws(void)
{
    CU_pSuite suite = CU_add_suite("traces/draws", NULL, NULL);
    CU_add_test(suite, "logarithms and powers", test_logarithm);
    CU_add_test(suite, "exponential distribution", test_exponential);
    CU_add_test(suite, "Zipf", test_zipf);
    CU_add_test(suite, "sizes", test_sizes);
    CU_add_test(suite, "published distributions", test_published);
    CU_add_test(suite, "distribution files", test_cdf);
    CU_add_test(suite, "sizes that are refused", test_bad_sizes);
    CU_add_test(suite, "offered rates", test_gap);
    CU_add_test(suite, "periodic arrivals", test_periodic);
    CU_add_test(suite, "Poisson arrivals", test_poisson);
    CU_add_test(suite, "bursts", test_burst);
    CU_add_test(suite, "no arrival after the end of time", test_no_end);
}
