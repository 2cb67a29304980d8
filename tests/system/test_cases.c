/* Reports from users of RDMA NICs about tables and doorbells, each with its right number. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

/* Which table must grow: n operations (reads of payload) in flight give n / latency, 32 at 2 us 16 M/s. */
static void operation_table(void)
{
    static const int table[] = {8, 16, 32};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char operations[32];
        struct scenario s = scenario_default();
        struct rnicsim *sim;
        snprintf(operations, sizeof operations, "nic.operations=%d", table[i]);
        s.set[s.sets++] = operations;
        s.set[s.sets++] = "pcie.host_read=1700 ns";
        s.set[s.sets++] = "host.post_cost=1 ns";
        s.set[s.sets++] = "host.wqe_cost=1 ns";
        s.qps = 16;
        s.length_bytes = 64;
        s.outstanding = 64;
        s.messages = 8000;
        struct scenario_result result = scenario_run(&s, &sim);
        double rate_mps = (double)(result.done - 1) / (double)(result.last_done_ps - result.first_done_ps) * 1e6;
        /* from the grant on: until the payload of the last packet is in, and its turn to leave */
        double latency_us =
            (double)(result.last.stamp_ps[RNICSIM_AT_PAYLOAD] - result.last.stamp_ps[RNICSIM_AT_PACKET]) / 1e6;
        CU_ASSERT_DOUBLE_EQUAL(rate_mps, table[i] / 2.0, 0.06 * table[i] / 2.0);
        CU_ASSERT_DOUBLE_EQUAL(latency_us, 2.0, 0.15);
        CU_ASSERT(scenario_share(sim, "a", "scheduler", RNICSIM_DOWNSTREAM_FULL) > 0.5);
        rnicsim_destroy(sim);
    }
}

/* A table of 2,000 requests for all QPs, 32 of each: it is full with 63 busy QPs. The line is long enough that all are begun at once. */
static void shared_request_table(void)
{
    for (uint32_t qps = 62; qps <= 64; qps += 2) {
        struct scenario s = scenario_default();
        struct rnicsim *sim;
        s.set[s.sets++] = "nic.requests=2000";
        s.set[s.sets++] = "nic.qp_requests=32";
        s.set[s.sets++] = "mac.cable=40000 m";
        s.qps = qps;
        s.length_bytes = 64;
        s.outstanding = s.batch = 32;
        s.messages = qps * 32;
        CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, qps * 32);
        double waits = scenario_share(sim, "a", "scheduler", RNICSIM_NO_REQUEST);
        CU_ASSERT(qps * 32 <= 2000 ? waits == 0 : waits > 0.1);
        rnicsim_destroy(sim);
    }
}

/* A doorbell for many requests: the CPU's cost of a post is shared, and the rate grows; but a program that waits until it has so many
 * lets the first of them wait. */
static double rate_of(uint32_t batch, double *latency_us)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = "host.mmio_read=on"; /* a store that the program waits for */
    s.qps = 4;
    s.length_bytes = 64;
    s.batch = batch;
    s.outstanding = 64;
    s.messages = 6400;
    struct scenario_result result = scenario_run(&s, NULL);
    *latency_us = (double)(result.last.stamp_ps[RNICSIM_AT_SEEN] - result.last.stamp_ps[RNICSIM_AT_POST]) / 1e6;
    return (double)(result.done - 1) / (double)(result.last_done_ps - result.first_done_ps) * 1e6;
}

static void doorbell_batches(void)
{
    double before = 0, latency_us;
    for (uint32_t batch = 1; batch <= 16; batch *= 4) {
        double rate_mps = rate_of(batch, &latency_us);
        CU_ASSERT(rate_mps > 1.8 * before);
        before = rate_mps;
    }
}

/* Fetches of a WQE each, n under way: one QP's rate is n / (from the grant of the fetch until the scheduler has it), and the grants. */
static void prefetch(void)
{
    double one = 0;
    for (int n = 1; n <= 8; n *= 2) {
        char fetches[40];
        struct scenario s = scenario_default();
        snprintf(fetches, sizeof fetches, "nic.wqe_prefetch=%d", n);
        s.set[s.sets++] = fetches;
        s.set[s.sets++] = "nic.wqe_fetch_most=1";
        s.set[s.sets++] = "nic.wqe_cache=64";
        s.set[s.sets++] = "host.push=off";
        s.set[s.sets++] = "pcie.host_read=1 us";
        s.length_bytes = 64;
        s.flags = RNICSIM_INLINE;
        s.messages = 2000;
        struct scenario_result result = scenario_run(&s, NULL);
        double each_ns = (double)(result.last_done_ps - result.first_done_ps) / 1000.0 / (result.done - 1);
        one = n == 1 ? each_ns : one;
        CU_ASSERT(one > 1000 && one < 2000);
        CU_ASSERT_DOUBLE_EQUAL(each_ns * n / one, 1, 0.03 + 0.01 * n);
    }
}

void suite_system_cases(void);
void suite_system_cases(void)
{
    CU_pSuite suite = CU_add_suite("system: tables and doorbells, as reported", NULL, NULL);
    CU_add_test(suite, "operations in flight bound the rate", operation_table);
    CU_add_test(suite, "requests in a table that QPs share", shared_request_table);
    CU_add_test(suite, "requests behind one doorbell", doorbell_batches);
    CU_add_test(suite, "fetches of WQEs under way", prefetch);
}
