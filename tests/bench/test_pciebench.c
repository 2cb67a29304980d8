/* pcie-bench's figures of the judged systems against the model's: each point within its tolerance, or listed as an exception with its
 * error. Hosts are fitted on two latencies and a bandwidth; all else is predicted. */
#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/pciebench_measure.h"

#define DATA_DIR RNICSIM_SOURCE_DIR "/model/config"
#define MEDIAN_SAMPLES 20000
#define TAIL_SAMPLES 400000
#define A_FEW 13            /* every so many-th point, for quick runs */
#define TAIL_TOLERANCE 0.15 /* percentage points */

enum metric { MEDIAN, P99, P999, GBPS };
enum cache { WARM, COLD };
enum fitted { FITTED, PREDICTED };
enum test {
    LAT_RD = RNICSIM_LAT_RD,
    LAT_WRRD = RNICSIM_LAT_WRRD,
    BW_RD = RNICSIM_BW_RD,
    BW_WR = RNICSIM_BW_WR,
    BW_RDWR = RNICSIM_BW_RDWR
};

struct point {
    const char *host;
    enum test test;
    uint32_t bytes;
    uint64_t window_bytes;
    enum cache cache;
    enum metric metric;
    double measured;
    int tolerance; /* 1/1000 */
    enum fitted fitted;
};

static const struct point points[] = {
#define POINT(host, test, bytes, window, cache, metric, measured, tolerance, fitted) \
    {#host, test, bytes, window, cache, metric, measured, tolerance, fitted},
#define TAIL(host, over, percent)
#include "tests/bench/pciebench_points.def"
#undef POINT
#undef TAIL
};

struct tail {
    const char *host;
    double over_ns, percent;
};

static const struct tail tails[] = {
#define POINT(...)
#define TAIL(host, over, percent) {#host, over, percent},
#include "tests/bench/pciebench_points.def"
#undef POINT
#undef TAIL
};

struct exception {
    const char *host;
    enum test test;
    uint32_t bytes;
    uint64_t window_bytes;
    enum cache cache;
    enum metric metric;
    int error; /* 1/1000 */
};

/* The points that are not met, with the model's error. */
static const struct exception exceptions[] = {
#define EXCEPTION(host, test, bytes, window, cache, metric, error) {#host, test, bytes, window, cache, metric, error},
#include "tests/bench/pciebench_exceptions.def"
#undef EXCEPTION
};

static const struct exception *exception_of(const struct point *point)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        const struct exception *e = &exceptions[i];
        if (strcmp(e->host, point->host) == 0 && e->test == point->test && e->bytes == point->bytes &&
            e->window_bytes == point->window_bytes && e->cache == point->cache && e->metric == point->metric)
            return e;
    }
    return NULL;
}

static void measure(const char *host, enum test test, uint32_t bytes, uint64_t window_bytes, enum cache cache,
                    uint64_t samples, struct pciebench_answer *answer)
{
    struct pciebench_host where = {.host = host, .data_dir = DATA_DIR, .seed = 1};
    struct pciebench_case what = {.test = (enum rnicsim_pciebench_test)test,
                                  .bytes = bytes,
                                  .window_bytes = window_bytes,
                                  .cold = cache == COLD,
                                  .samples = samples};
    struct rnicsim_error error;
    int result = pciebench_measure(&where, &what, answer, &error);
    if (result != RNICSIM_OK)
        printf("    %s: %s\n", host, error.text);
    CU_ASSERT_EQUAL_FATAL(result, RNICSIM_OK);
}

static double error_of(const struct point *point)
{
    struct pciebench_answer answer;
    measure(point->host, point->test, point->bytes, point->window_bytes, point->cache,
            point->metric == MEDIAN ? MEDIAN_SAMPLES : 0, &answer);
    double model[] = {[MEDIAN] = (double)answer.median.ps / 1000,
                      [P99] = (double)answer.p99.ps / 1000,
                      [P999] = (double)answer.p999.ps / 1000,
                      [GBPS] = answer.gbps};
    return 1000 * (model[point->metric] / point->measured - 1);
}

static void print_exception(const struct point *point, double error)
{
    static const char *const test[] = {"LAT_RD", "LAT_WRRD", "BW_RD", "BW_WR", "BW_RDWR"};
    static const char *const metric[] = {"MEDIAN", "P99", "P999", "GBPS"};
    printf("EXCEPTION(%s, %s, %u, %llu, %s, %s, %.0f)\n", point->host, test[point->test], point->bytes,
           (unsigned long long)point->window_bytes, point->cache == COLD ? "COLD" : "WARM", metric[point->metric],
           error);
}

/* An exception that is met by now, or whose error has moved, is to be listed anew. */
static void check(const struct point *point)
{
    const struct exception *known = exception_of(point);
    double error = error_of(point);
    int is_met = fabs(error) <= point->tolerance;
    int is_as_known = known && fabs(error - known->error) <= fmax(25, 0.1 * abs(known->error));
    if (known ? is_met || !is_as_known : !is_met)
        print_exception(point, error);
    CU_ASSERT(known ? !is_met && is_as_known : is_met);
}

static void check_host(const char *host)
{
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        if (strcmp(points[i].host, host) == 0)
            check(&points[i]);
}

static void a_few_of_all(void)
{
    for (size_t i = 0; i < sizeof points / sizeof *points; i += A_FEW)
        check(&points[i]);
}

static void hsw_e5_2620v3(void)
{
    check_host("hsw_e5_2620v3");
}

static void bdw_e5_2630v4(void)
{
    check_host("bdw_e5_2630v4");
}

static void hsw_e3_1226v3(void)
{
    check_host("hsw_e3_1226v3");
}

static void behind_an_iommu(void)
{
    check_host("hsw_e5_2620v3_iommu");
    check_host("bdw_e5_2630v4_iommu");
    check_host("hsw_e3_1226v3_iommu");
}

/* Stamps are 40/3 ns apart and a latency of n stamps lies between n - 1 and n + 1: "more than n stamps" is on average "longer than n + 1/2".
 * The latencies of the command path lie about 461.0 and 466.0 ns, without the tail, where the median stamp says 466.7. */
static const struct {
    const char *host;
    double middle_ns;
} middles[] = {{"hsw_e5_2620v3", 461.0}, {"bdw_e5_2630v4", 466.0}};
#define STAMP_NS (40.0 / 3)
#define MEDIAN_STAMP 35

static double over_middle_ns(const struct tail *tail)
{
    size_t i = 0;
    while (strcmp(middles[i].host, tail->host) != 0)
        i++;
    return tail->over_ns + (MEDIAN_STAMP + 0.5) * STAMP_NS - middles[i].middle_ns;
}

/* Between two places where the model tells its tail, it falls evenly. */
static double tail_percent(const struct pciebench_answer *answer, double over_ns)
{
    int k = 0;
    while (k + 1 < PCIEBENCH_TAILS && pciebench_tail_ns(k + 1) < over_ns)
        k++;
    if (k + 1 == PCIEBENCH_TAILS)
        return answer->tail_percent[k];
    double part = (over_ns - pciebench_tail_ns(k)) / (pciebench_tail_ns(k + 1) - pciebench_tail_ns(k));
    return answer->tail_percent[k] + part * (answer->tail_percent[k + 1] - answer->tail_percent[k]);
}

/* One is not met, by 0.164: short waits are rarer than evenly spread refreshes make them, on each machine and by either path, as the loop of
 * the bench falls into step with the refreshes (10 times 794 ns are 140 ns more than 7.8 us). Where the ranks' refreshes lie is not known. */
#define TAIL_LOCKED 0.2

static int is_locked(const struct tail *tail)
{
    return strcmp(tail->host, "bdw_e5_2630v4") == 0 && tail->over_ns == 40;
}

static void refresh_tail(void)
{
    struct pciebench_answer answer = {0};
    const char *host = "";
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        if (strcmp(host, tails[i].host) != 0)
            measure(host = tails[i].host, LAT_RD, 8, UINT64_C(1) << 26, COLD, TAIL_SAMPLES, &answer);
        double percent = tail_percent(&answer, over_middle_ns(&tails[i]));
        double tolerance = is_locked(&tails[i]) ? TAIL_LOCKED : TAIL_TOLERANCE;
        if (fabs(percent - tails[i].percent) > tolerance)
            printf("    %s over %.0f ns: %.3f %%, measured %.3f\n", host, tails[i].over_ns, percent, tails[i].percent);
        CU_ASSERT_DOUBLE_EQUAL(percent, tails[i].percent, tolerance);
    }
}

void suite_bench_pciebench(void);
void suite_bench_pciebench(void)
{
    CU_pSuite suite = CU_add_suite("bench/pciebench: a few figures", NULL, NULL);
    CU_add_test(suite, "a few of all", a_few_of_all);
}

void suite_bench_pciebench_slow(void);
void suite_bench_pciebench_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/pciebench: all figures", NULL, NULL);
    CU_add_test(suite, "hsw_e5_2620v3", hsw_e5_2620v3);
    CU_add_test(suite, "bdw_e5_2630v4", bdw_e5_2630v4);
    CU_add_test(suite, "hsw_e3_1226v3", hsw_e3_1226v3);
    CU_add_test(suite, "behind an IOMMU", behind_an_iommu);
    CU_add_test(suite, "refresh tail", refresh_tail);
}
