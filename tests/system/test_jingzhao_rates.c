/* Rates of JingZhao2's RTL (see test_jingzhao.c): one QP of any payload, 16 QPs of 64 B as measured there; others, and those of receivers,
 * are from runs of the same RTL on such a bench, made for this test. */
#include "tests/system/jingzhao.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_system_jingzhao_rates(void);

static int by_time(const void *a, const void *b)
{
    const struct rnicsim_event *x = a, *y = b;
    return x->stamp_ps[RNICSIM_AT_PORT] < y->stamp_ps[RNICSIM_AT_PORT] ? -1 : 1;
}

/* Cycles a packet between the packets `first` and `last` at the transmit port. */
static double interval(struct bench *bench, size_t first, size_t last)
{
    qsort(bench->event, bench->events, sizeof *bench->event, by_time);
    CU_ASSERT_FATAL(bench->events > last);
    return cycles(bench->event[last].stamp_ps[RNICSIM_AT_PORT], bench->event[first].stamp_ps[RNICSIM_AT_PORT]) /
           (double)(last - first);
}

/* Within a block of WQEs: the QP goes back to the ring after every packet. */
static void one_qp(void)
{
    for (uint32_t bytes = 64; bytes <= 4096; bytes *= 4) {
        struct bench bench;
        char event[64];
        bench_warm(&bench, RNICSIM_WRITE, 1, bytes);
        bench_post(&bench, RNICSIM_WRITE, 1, bytes, BLOCK);
        bench_run(&bench);
        snprintf(event, sizeof event, "one QP, %u B: cycles a packet", bytes);
        is_close(event, 126, interval(&bench, 0, BLOCK - 1), 0.05 * 126);
        rnicsim_destroy(bench.sim);
    }
}

/* As many QPs as there are cells, each with its block: at the sender from when the blocks are there, until the unacknowledged packets bind. */
static void many_qps(void)
{
    static const struct {
        uint32_t qps, bytes;
        double measured;
        size_t first, last;
    } row[] = {{16, 64, 20.2, 16, 208}, {8, 64, 20.3, 16, 112}, {4, 64, 32.9, 16, 48},
               {8, 1024, 25, 16, 48},   {8, 4096, 73, 16, 80},  {4, 4096, 73, 16, 48}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bench bench;
        char event[64];
        bench_warm(&bench, RNICSIM_WRITE, row[i].qps, row[i].bytes);
        for (uint32_t qpn = 1; qpn <= row[i].qps; qpn++)
            bench_post(&bench, RNICSIM_WRITE, qpn, row[i].bytes, BLOCK);
        bench_run(&bench);
        snprintf(event, sizeof event, "%u QPs, %u B: cycles a packet", row[i].qps, row[i].bytes);
        is_close(event, row[i].measured, interval(&bench, row[i].first, row[i].last), 0.05 * row[i].measured);
        rnicsim_destroy(bench.sim);
    }
}

/* From the first doorbell on. With more QPs than cells some take each other's: each of their packets has a block of WQEs read. Large packets
 * come to be held up by the receiver, whose buffer is full. */
static void all_packets(void)
{
    static const struct {
        uint32_t qps, bytes, each;
        double measured;
    } row[] = {{2, 64, 16, 68.77},   {4, 64, 16, 39.76},    {8, 64, 16, 28.97},  {16, 64, 16, 29.79},
               {17, 64, 8, 54.25},   {20, 64, 8, 94.04},    {32, 64, 8, 179.0},  {2, 4096, 16, 76.42},
               {8, 4096, 16, 81.88}, {16, 4096, 16, 84.99}, {4, 1024, 16, 40.24}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bench bench;
        char event[64];
        bench_warm(&bench, RNICSIM_WRITE, row[i].qps, row[i].bytes);
        for (uint32_t qpn = 1; qpn <= row[i].qps; qpn++)
            bench_post(&bench, RNICSIM_WRITE, qpn, row[i].bytes, row[i].each);
        bench_run(&bench);
        CU_ASSERT_EQUAL(bench.events, row[i].qps * row[i].each);
        snprintf(event, sizeof event, "%u QPs, %u B, all packets", row[i].qps, row[i].bytes);
        is_close(event, row[i].measured, interval(&bench, 0, bench.events - 1), 0.05 * row[i].measured);
        rnicsim_destroy(bench.sim);
    }
}

/* READs, once the requests under way bind: as fast as their answers are taken by the requester, whose station looks up payload and CQE of each. */
static void reads(void)
{
    static const struct {
        uint32_t bytes;
        double measured;
    } row[] = {{64, 30.8}, {1024, 34}, {4096, 82}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bench bench;
        char event[64];
        bench_warm(&bench, RNICSIM_READ, 16, row[i].bytes);
        for (uint32_t qpn = 1; qpn <= 16; qpn++)
            bench_post(&bench, RNICSIM_READ, qpn, row[i].bytes, 14);
        bench_run(&bench);
        snprintf(event, sizeof event, "16 QPs, READs of %u B: cycles a packet", row[i].bytes);
        is_close(event, row[i].measured, interval(&bench, 184, 216), 0.05 * row[i].measured);
        rnicsim_destroy(bench.sim);
    }
}

/* And at the receiver: a station takes 22 cycles for payload and ACK, or 13 more than the payload's beats and 5. A SEND waits for its
 * receive WQE first, one after the other. */
static void receive_rates(void)
{
    static const struct {
        enum rnicsim_opcode opcode;
        uint32_t bytes;
        double measured;
    } row[] = {{RNICSIM_WRITE, 64, 22}, {RNICSIM_WRITE, 1024, 34}, {RNICSIM_WRITE, 4096, 82},
               {RNICSIM_SEND, 64, 77},  {RNICSIM_SEND, 1024, 77},  {RNICSIM_SEND, 4096, 96}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bench bench;
        char event[64];
        bench_warm(&bench, row[i].opcode, 16, row[i].bytes);
        for (uint32_t qpn = 1; qpn <= 16; qpn++) /* within a block of receive WQEs */
            bench_post(&bench, row[i].opcode, qpn, row[i].bytes, BLOCK - 2);
        bench_run(&bench);
        qsort(bench.event, bench.events, sizeof *bench.event, by_time);
        double cycles_each =
            cycles(bench.event[208].stamp_ps[RNICSIM_AT_RESPONDED], bench.event[112].stamp_ps[RNICSIM_AT_RESPONDED]) /
            96;
        snprintf(event, sizeof event, "received %s of %u B: cycles a packet",
                 row[i].opcode == RNICSIM_SEND ? "SENDs" : "WRITEs", row[i].bytes);
        is_close(event, row[i].measured, cycles_each, 0.05 * row[i].measured);
        rnicsim_destroy(bench.sim);
    }
}

/* Items of a stage of NIC a's core. */
static uint64_t items_of(struct rnicsim *sim, const char *name)
{
    struct rnicsim_stage_info stage;
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++)
        if (rnicsim_stage(sim, i, &stage) == RNICSIM_OK && !strcmp(stage.nic, "a") && !strcmp(stage.name, name))
            return stage.items;
    CU_FAIL("no such stage");
    return 0;
}

/* The unit that all channels share is never used twice within its interval. */
static void units_keep_their_interval(void)
{
    struct bench bench;
    static struct rnicsim_lookup_info lookup[LOOKUPS_MAX];
    bench_open(&bench, 16);
    for (uint32_t qpn = 1; qpn <= 16; qpn++)
        bench_post(&bench, RNICSIM_WRITE, qpn, 200, BLOCK);
    bench_run(&bench);
    size_t n = rnicsim_lookups(bench.sim, 0, lookup, LOOKUPS_MAX);
    CU_ASSERT(n > 1000 && n <= LOOKUPS_MAX);
    for (int unit = 0; unit < 2; unit++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                if (!strcmp(lookup[i].unit, lookup[j].unit) &&
                    !strcmp(lookup[i].unit, unit ? "context" : "translation"))
                    CU_ASSERT(llabs(lookup[i].begun_ps - lookup[j].begun_ps) >= (unit ? 5 : 6) * CYCLE_PS);
            }
    /* of each packet: the visit, the packet itself, its ACK */
    CU_ASSERT_EQUAL(items_of(bench.sim, "context_unit") + items_of(bench.sim, "translation_unit"), n);
    CU_ASSERT_EQUAL(items_of(bench.sim, "context_unit"), 3 * 16 * BLOCK);
    rnicsim_destroy(bench.sim);
}

void suite_system_jingzhao_rates(void)
{
    CU_pSuite suite = CU_add_suite("system: JingZhao2's RTL, rates", NULL, NULL);
    CU_add_test(suite, "one QP: 126 cycles a packet, whatever its size", one_qp);
    CU_add_test(suite, "many QPs: sent", many_qps);
    CU_add_test(suite, "many QPs: all packets", all_packets);
    CU_add_test(suite, "many QPs: READs", reads);
    CU_add_test(suite, "many QPs: received", receive_rates);
    CU_add_test(suite, "units: one lookup an interval, whoever asks", units_keep_their_interval);
}
