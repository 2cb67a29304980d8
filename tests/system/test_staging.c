/* Received payload that goes through memory on the board: what a packet takes, what a channel carries, and who is told to be the bottleneck. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_system_staging(void);

static const double packet_ns = 4096 / 19.2; /* of DDR4-2400: 19.2 GB/s */

/* One packet: written (a row is opened), turned around, read from the same row, and the way back; in user cycles of 4 ns each. */
static void one_packet(void)
{
    int64_t delivered_ps[2];
    for (int staged = 0; staged < 2; staged++) {
        struct scenario s = scenario_default();
        s.length_bytes = 4096;
        s.messages = 1;
        s.set[s.sets++] = staged ? "nic.staging=on" : "nic.staging=off";
        s.set[s.sets++] = "transport.ack_point=visible";
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(!result.failed && result.done == 1);
        delivered_ps[staged] = result.last.delivered_at_ps;
    }
    double more_ns = (double)(delivered_ps[1] - delivered_ps[0]) / 1000, expected_ns = 2 * packet_ns + 28.3 + 10 + 60;
    if (more_ns < expected_ns || more_ns > expected_ns + 20)
        printf("\n    %.1f ns more, expected %.1f and up to five cycles", more_ns, expected_ns);
    CU_ASSERT(more_ns >= expected_ns && more_ns <= expected_ns + 20);
}

/* Long WRITEs, as many under way as the memory takes; nothing is lost. */
static double goodput_gbps(const char *channels, const char *rate, double *share)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    s.messages = 300;
    s.outstanding = 16;
    s.set[s.sets++] = "nic.staging=on";
    s.set[s.sets++] = channels;
    s.set[s.sets++] = rate;
    s.set[s.sets++] = "nic.memory_row_miss=0 ns";
    s.set[s.sets++] = "nic.memory_turnaround=0 ns";
    s.set[s.sets++] = "transport.ack_point=issued";
    s.set[s.sets++] = "transport.window=48";
    s.set[s.sets++] = "stage.rx.cdc.depth=65536 beats";
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == s.messages && result.totals.drops == 0);
    *share = scenario_share(sim, "b", "memory", RNICSIM_WORK);
    rnicsim_destroy(sim);
    return result.goodput_gbps;
}

/* Each byte twice, and 350 of 7800 ns of refresh: 73.3 Gb/s of a channel of DDR4-2400, so 100G does not go through; two carry it. */
static void a_channel_is_too_slow_for_100g(void)
{
    double share, found = goodput_gbps("nic.memory_channels=1", "nic.memory_rate=153.6 Gbps", &share);
    const double expected = 153.6 / 2 * (1 - 350.0 / 7800);
    if (found < 0.985 * expected || found > expected * 1.002)
        printf("\n    %.2f Gb/s, expected %.2f; memory at work %.3f", found, expected, share);
    CU_ASSERT(found >= 0.985 * expected && found <= expected * 1.002);
    CU_ASSERT(share > 0.9);
    found = goodput_gbps("nic.memory_channels=2", "nic.memory_rate=153.6 Gbps", &share);
    CU_ASSERT(found > 95 && share < 0.75);
    /* a slower one in proportion */
    found = goodput_gbps("nic.memory_channels=1", "nic.memory_rate=80 Gbps", &share);
    CU_ASSERT_DOUBLE_EQUAL(found, 40 * (1 - 350.0 / 7800), 0.6);
}

/* A row for each access, as small ones far apart have it: the row's time is added, to the write and to the read: many writes come before the
 * first one's read, so that no read finds its row open. */
static void rows(void)
{
    double each_ns[2];
    for (int misses = 0; misses < 2; misses++) {
        struct scenario s = scenario_default();
        s.length_bytes = 64;
        s.qps = 8;
        s.outstanding = 16;
        s.messages = 4000;
        s.set[s.sets++] = "nic.staging=on";
        s.set[s.sets++] = "nic.memory_row=64 B"; /* no two are alike */
        s.set[s.sets++] = misses ? "nic.memory_row_miss=100 ns" : "nic.memory_row_miss=0 ns";
        s.set[s.sets++] = "nic.memory_rate=2 Gbps"; /* 256 ns for 64 B */
        s.set[s.sets++] = "nic.memory_turnaround=0 ns";
        s.set[s.sets++] = "nic.memory_refresh=0 ns";
        s.set[s.sets++] = "transport.ack_point=issued";
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(!result.failed && result.done == s.messages);
        each_ns[misses] = (double)result.last_done_ps / 1000 / result.done; /* from the first post, at 0 */
    }
    CU_ASSERT_DOUBLE_EQUAL(each_ns[0], 513, 1);
    CU_ASSERT_DOUBLE_EQUAL(each_ns[1], 713, 2);
}

void suite_system_staging(void)
{
    CU_pSuite suite = CU_add_suite("system: memory on the board", NULL, NULL);
    CU_add_test(suite, "one packet", one_packet);
    CU_add_test(suite, "a channel is too slow for 100G", a_channel_is_too_slow_for_100g);
    CU_add_test(suite, "rows", rows);
}
