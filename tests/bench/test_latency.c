/* Percentiles are known from ten samples beyond them on, jitter by each of its names, and what collect keeps. */
#include <CUnit/CUnit.h>

#include "bench/collect.h"
#include "bench/latency.h"

void suite_bench_latency(void);

static void test_known(void)
{
    static const struct {
        int64_t share_ppb;
        uint64_t least;
    } cases[] = {{QUANTILE_P50, 20}, {QUANTILE_P99, 1000}, {QUANTILE_P999, 10000}, {QUANTILE_P9999, 100000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT(!quantile_is_known(0, cases[i].share_ppb));
        CU_ASSERT(!quantile_is_known(cases[i].least - 1, cases[i].share_ppb));
        CU_ASSERT(quantile_is_known(cases[i].least, cases[i].share_ppb));
        CU_ASSERT(quantile_is_known(UINT64_MAX, cases[i].share_ppb));
    }
}

static void test_numbers(void)
{
    struct rnicsim_hist *hist = rnicsim_hist_create();
    for (int64_t i = 1; i <= 1000; i++)
        rnicsim_hist_add(hist, i); /* exact below 8,192 */
    struct latency latency = latency_of(hist);
    CU_ASSERT_EQUAL(latency.count, 1000);
    CU_ASSERT_EQUAL(latency.min_ps, 1);
    CU_ASSERT_EQUAL(latency.max_ps, 1000);
    CU_ASSERT_DOUBLE_EQUAL(latency.mean_ps, 500.5, 1e-9);
    CU_ASSERT(latency.p50.known && latency.p50.ps == 500);
    CU_ASSERT(latency.p99.known && latency.p99.ps == 990);
    CU_ASSERT(!latency.p999.known);
    struct jitter jitter = latency_jitter(&latency, 300, 3);
    CU_ASSERT(jitter.known && !jitter.pdv.known);
    CU_ASSERT(jitter.p99_p50.known && jitter.p99_p50.ps == 490);
    CU_ASSERT_EQUAL(jitter.max_min_ps, 999);
    CU_ASSERT_DOUBLE_EQUAL(jitter.ipdv_ps, 100, 1e-9);
    rnicsim_hist_destroy(hist);
}

static struct rnicsim_event make_event(uint32_t qpn, uint32_t bytes, int64_t latency_ps)
{
    struct rnicsim_event event = {.kind = RNICSIM_SEND_DONE,
                                  .qpn = qpn,
                                  .opcode = RNICSIM_WRITE,
                                  .sent_opcode = RNICSIM_WRITE,
                                  .length_bytes = bytes};
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++)
        event.stamp_ps[i] = 1000 + latency_ps * i / (RNICSIM_STAMP_COUNT - 1);
    event.at_ps = event.stamp_ps[RNICSIM_AT_SEEN];
    return event;
}

/* A stretch whose end was not passed is nothing, and the sum stays the whole. */
static void test_collect(void)
{
    struct collect collect;
    CU_ASSERT_EQUAL_FATAL(collect_init(&collect), 0);
    static const int64_t latency_ps[] = {1700, 3400, 1700};
    for (int i = 0; i < 3; i++) {
        struct rnicsim_event event = make_event(1, 64, latency_ps[i]);
        event.stamp_ps[RNICSIM_AT_PAYLOAD] = RNICSIM_NEVER;
        collect_event(&collect, &event);
        event = make_event(2, 64, 1700); /* another QP: no part of the first one's IPDV */
        collect_event(&collect, &event);
    }
    __int128 sum_ps = 0;
    for (int i = 1; i < RNICSIM_STAMP_COUNT; i++)
        sum_ps += collect.stretch_ps[i];
    CU_ASSERT(sum_ps == 1700 * 5 + 3400);
    CU_ASSERT(collect.stretch_ps[RNICSIM_AT_PAYLOAD] == 300);
    CU_ASSERT_EQUAL(collect.ipdv_count, 4);
    CU_ASSERT(collect.ipdv_ps == 3400);
    CU_ASSERT_EQUAL(collect.row_count, 1);
    struct rnicsim_event failed = make_event(1, 64, 1700);
    failed.status = 12;
    collect_event(&collect, &failed);
    CU_ASSERT_EQUAL(collect.error_count, 1);
    CU_ASSERT_EQUAL(collect.done, 7);
    CU_ASSERT_EQUAL(rnicsim_hist_count(collect.completion), 6);
    collect_free(&collect);
}

static void test_many_sizes(void)
{
    struct collect collect;
    CU_ASSERT_EQUAL_FATAL(collect_init(&collect), 0);
    for (uint32_t bytes = 0; bytes < 100; bytes++) {
        struct rnicsim_event event = make_event(1, bytes, 1700);
        collect_event(&collect, &event);
    }
    CU_ASSERT_EQUAL(collect.row_count, COLLECT_ROWS + 1);
    CU_ASSERT(collect.rows[COLLECT_ROWS].is_rest);
    CU_ASSERT_EQUAL(rnicsim_hist_count(collect.rows[COLLECT_ROWS].completion), 100 - COLLECT_ROWS);
    collect_free(&collect);
}

void suite_bench_latency(void)
{
    CU_pSuite suite = CU_add_suite("bench/latency", NULL, NULL);
    CU_add_test(suite, "ten samples beyond", test_known);
    CU_add_test(suite, "numbers", test_numbers);
    CU_add_test(suite, "collect", test_collect);
    CU_add_test(suite, "many sizes", test_many_sizes);
}
