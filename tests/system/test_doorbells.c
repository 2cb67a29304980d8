/* The host's stores to the NIC: their time by formula, and what a doorbell of each kind costs. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

/* Of host a: what went over its PCIe link of that kind. */
static struct rnicsim_tlp_info tlps(const struct rnicsim *sim, const char *direction, const char *kind)
{
    struct rnicsim_tlp_info info = {0};
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        rnicsim_tlp(sim, i, &info);
        if (strcmp(info.nic, "a") == 0 && strcmp(info.direction, direction) == 0 && strcmp(info.kind, kind) == 0)
            return info;
    }
    CU_FAIL("no such kind of TLP");
    return (struct rnicsim_tlp_info){0};
}

static struct scenario one_small_write(void)
{
    struct scenario s = scenario_default();
    s.length_bytes = 8;
    s.messages = 1;
    s.flags = RNICSIM_INLINE;
    s.set[s.sets++] = "pcie.skips=off";
    s.set[s.sets++] = "stage.doorbell.decode.latency=3 cycle";
    return s;
}

/* Gen3 x16: a byte is 8125/128 ps, and 16 of 2688 bytes are DLLPs in what skips leave, 370 blocks of 371. */
static int64_t link_ps(int64_t bytes)
{
    __int128 num = (__int128)8125 * 2688 * 370, den = (__int128)128 * (2688 * 370 - 16 * 371);
    return (int64_t)(bytes * num / den);
}

static int64_t link_cycle_after(int64_t ps)
{
    int64_t cyc = ps / 64;
    while (link_ps(cyc) < ps)
        cyc++;
    while (link_ps(cyc - 1) >= ps)
        cyc--;
    return cyc;
}

/* The NIC's 4 ns edge at which it has decoded a store that leaves the root complex with `bytes` of link time from at_ps on. */
static int64_t decoded_at(int64_t at_ps, int64_t bytes)
{
    int64_t in_ps = link_ps(link_cycle_after(at_ps) + bytes) + 100000;
    return (in_ps / 4000 + 1 + 1 + 3) * 4000;
}

/* 4 or 8 B behind 24 of header and framing; a push of 64; one in pieces, each with its own 24. A beat of the user interface is 4 ns,
 * a quarter of it the least that a TLP takes there: never longer than its bytes. */
static void a_store_takes_its_bytes(void)
{
    static const struct {
        const char *set[3];
        uint64_t stores, payload;
        int64_t bytes;
    } row[] = {{{"host.push=off", "host.doorbell=4 B"}, 1, 4, 28},
               {{"host.push=off", "host.doorbell=8 B"}, 1, 8, 32},
               {{"host.push=on"}, 1, 64, 88},
               {{"host.push_early=1000000 ppm", "host.push_piece=8 B"}, 8, 64, 8 * 32},
               {{"host.push_early=1000000 ppm", "host.push_piece=16 B"}, 4, 64, 4 * 40},
               {{"host.push_early=1000000 ppm", "host.push_piece=32 B"}, 2, 64, 2 * 56}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = one_small_write();
        struct rnicsim *sim;
        for (int k = 0; k < 3 && row[i].set[k]; k++)
            s.set[s.sets++] = row[i].set[k];
        struct scenario_result result = scenario_run(&s, &sim);
        struct rnicsim_tlp_info doorbell = tlps(sim, "down", "doorbell");
        CU_ASSERT_EQUAL(result.done, 1);
        CU_ASSERT_EQUAL(doorbell.tlps, row[i].stores);
        CU_ASSERT_EQUAL(doorbell.payload_bytes, row[i].payload);
        CU_ASSERT_EQUAL(doorbell.link_bytes, (uint64_t)row[i].bytes);
        int64_t at_root = result.last.stamp_ps[RNICSIM_AT_MMIO] + 75000;
        CU_ASSERT_EQUAL(result.last.stamp_ps[RNICSIM_AT_DOORBELL], decoded_at(at_root, row[i].bytes));
        rnicsim_destroy(sim);
    }
}

/* A share of lines comes early: the others are whole. */
static void a_share_of_pushes_comes_in_pieces(void)
{
    struct scenario s = one_small_write();
    struct rnicsim *sim;
    s.messages = 4000;
    s.outstanding = 4;
    s.set[s.sets++] = "host.push_early=100000 ppm";
    struct scenario_result result = scenario_run(&s, &sim);
    struct rnicsim_tlp_info doorbell = tlps(sim, "down", "doorbell");
    CU_ASSERT_EQUAL(result.done, s.messages);
    CU_ASSERT_EQUAL(doorbell.payload_bytes, 64 * 4000u);
    uint64_t early = (doorbell.tlps - 4000) / 7;
    CU_ASSERT(early > 330 && early < 470);
    CU_ASSERT_EQUAL(doorbell.tlps, 4000 + 7 * early);
    CU_ASSERT_EQUAL(doorbell.link_bytes, (4000 - early) * 88 + early * 8 * 32);
    rnicsim_destroy(sim);
}

static int64_t waits_at_root(struct rnicsim *sim, enum rnicsim_cause cause)
{
    struct rnicsim_stage_info info;
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++) {
        rnicsim_stage(sim, i, &info);
        if (strcmp(info.nic, "a") == 0 && strcmp(info.name, "pcie_down") == 0)
            return info.time_ps[cause];
    }
    return -1;
}

/* A decoder that takes a doorbell every 8 us and holds one more. The stores behind them wait in the receive buffer and stop nothing; when
 * its credits are gone, the next one, and then each of the other six, stops the completions of the first request's WQE, which was ready
 * after all of them, until the decoder goes on. */
static void only_without_credits_a_store_stops_completions(void)
{
    static const struct {
        const char *set;
        enum rnicsim_cause cause;
        int64_t first_least_ps, first_most_ps, waits_least_ps;
    } row[] = {
        {"pcie.endpoint_posted_headers=64", RNICSIM_NO_CREDIT_PH, 1000000, 4000000, 0},
        {"pcie.endpoint_posted_headers=1", RNICSIM_NO_CREDIT_PH, 7 * 8000000, 7 * 8000000 + 3000000, 7 * 7900000},
        {"pcie.endpoint_posted_data=256 B", RNICSIM_NO_CREDIT_PD, 1000000, 4000000, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = scenario_default();
        struct rnicsim *sim;
        s.length_bytes = 4096;
        s.messages = s.outstanding = 10;
        s.set[s.sets++] = "host.push=off";
        s.set[s.sets++] = "stage.doorbell.decode.interval=2000 cycle";
        s.set[s.sets++] = "stage.doorbell.decode.depth=1 packets";
        s.set[s.sets++] = row[i].set;
        struct scenario_result result = scenario_run(&s, &sim);
        CU_ASSERT_EQUAL(result.done, 10);
        CU_ASSERT(result.first_done_ps >= row[i].first_least_ps && result.first_done_ps <= row[i].first_most_ps);
        int64_t waits = waits_at_root(sim, row[i].cause);
        CU_ASSERT(row[i].waits_least_ps == 0 ? waits == 0 : waits >= row[i].waits_least_ps);
        CU_ASSERT_EQUAL(tlps(sim, "down", "doorbell").stall_ps[row[i].cause], waits);
        rnicsim_destroy(sim);
    }
}

/* The read of the record: like that of a WQE, but of 8 bytes, before it. A completion of 28 bytes on the link takes 2 ns, one of 84 takes
 * 6 ns; both wait for the 4 ns clock. */
static void a_record_costs_a_round_trip(void)
{
    struct scenario s = one_small_write();
    struct rnicsim *sim;
    s.set[s.sets++] = "host.push=off";
    s.set[s.sets++] = "host.doorbell=4 B";
    s.set[s.sets++] = "pcie.host_read=200 ns"; /* no draws */
    struct scenario_result without = scenario_run(&s, NULL);
    s.set[s.sets++] = "nic.doorbell_record=on";
    struct scenario_result with = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL(with.done, 1);
    const int64_t *before = without.last.stamp_ps, *after = with.last.stamp_ps;
    int64_t record_ps = after[RNICSIM_AT_DOORBELL] - before[RNICSIM_AT_DOORBELL];
    int64_t wqe_ps = before[RNICSIM_AT_WQE] - before[RNICSIM_AT_GRANT];
    CU_ASSERT(record_ps >= wqe_ps - 8000 && record_ps <= wqe_ps);
    CU_ASSERT(record_ps >= 2 * 100000 + 200000 && record_ps % 4000 == 0);
    CU_ASSERT_EQUAL(tlps(sim, "up", "record read").tlps, 1);
    CU_ASSERT_EQUAL(tlps(sim, "down", "record read").payload_bytes, 8);
    CU_ASSERT_EQUAL(tlps(sim, "down", "record read").link_bytes, 28);
    CU_ASSERT_EQUAL(tlps(sim, "down", "doorbell").link_bytes, 28);
    rnicsim_destroy(sim);
}

/* Doorbells that come while the record is read need one more read together; a push none. */
static void records_tell_of_several_doorbells(void)
{
    struct scenario s = one_small_write();
    struct rnicsim *sim;
    s.messages = s.outstanding = 6;
    s.set[s.sets++] = "nic.doorbell_record=on";
    CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, 6);
    CU_ASSERT_EQUAL(tlps(sim, "up", "record read").tlps, 0);
    rnicsim_destroy(sim);
    s.set[s.sets++] = "host.push=off";
    s.set[s.sets++] = "host.post_cost=1 ns"; /* one every 21 ns: all are there before the first read is back */
    CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, 6);
    CU_ASSERT_EQUAL(tlps(sim, "up", "record read").tlps, 2);
    rnicsim_destroy(sim);
}

/* A refused record fails the request behind it, and flushes the others. */
static void a_refused_record_fails_the_request(void)
{
    struct scenario s = one_small_write();
    struct rnicsim *sim;
    s.messages = s.outstanding = 6;
    s.set[s.sets++] = "nic.doorbell_record=on";
    s.set[s.sets++] = "host.push=off";
    s.set[s.sets++] = "pcie.refused_reads=1000000 ppm";
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL(result.done, 6);
    CU_ASSERT_EQUAL(result.totals.errors, 6);
    rnicsim_destroy(sim);
}

/* The thread is busy for the read: 24 bytes down (a header of 4 double words), 24 up (3, and 4 bytes of data), the link twice, ten cycles
 * of the NIC, and the host. Measured: 741 to 900 ns. The next request begins after it. */
static void a_register_read_is_a_round_trip(void)
{
    struct scenario s = one_small_write();
    struct rnicsim *sim;
    s.messages = s.outstanding = 2;
    s.set[s.sets++] = "host.mmio_read=on";
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL(result.done, 2);
    int64_t trip_ps = 500000 + 2 * 100000 + 10 * 4000 + link_ps(24 + 24);
    CU_ASSERT(trip_ps > 741000 && trip_ps < 900000);
    CU_ASSERT_EQUAL(result.last.stamp_ps[RNICSIM_AT_POST], 70000 + trip_ps);
    CU_ASSERT_EQUAL(rnicsim_host_free_at(sim, 0), 2 * (70000 + trip_ps));
    CU_ASSERT_EQUAL(tlps(sim, "down", "register read").tlps, 2);
    CU_ASSERT_EQUAL(tlps(sim, "down", "register read").link_bytes, 2 * 24);
    CU_ASSERT_EQUAL(tlps(sim, "up", "register read").link_bytes, 2 * 24);
    rnicsim_destroy(sim);
}

/* ---- coalesced ---- */

static struct rnicsim_fifo_info doorbell_fifo(struct rnicsim *sim, const char *name)
{
    struct rnicsim_fifo_info info;
    for (size_t i = 0; rnicsim_fifo(sim, i, &info) == RNICSIM_OK; i++)
        if (strcmp(info.nic, "a") == 0 && strcmp(info.path, "doorbell") == 0 && strcmp(info.name, name) == 0)
            return info;
    CU_FAIL_FATAL("no such FIFO");
    return info;
}

/* A doorbell every 21 ns, a decoder that takes 2 us for each: with one place a QP nothing ever waits in the receive buffer, and all that
 * was rung for is sent. */
static void a_storm_takes_a_place_a_qp(void)
{
    for (uint32_t qps = 1; qps <= 64; qps *= 4)
        for (int is_on = 0; is_on < 2; is_on++) {
            struct scenario s = one_small_write();
            struct rnicsim *sim;
            char depth[64];
            s.qps = qps;
            s.outstanding = 2048 / qps;
            s.messages = 2048;
            s.set[s.sets++] = "host.push=off";
            s.set[s.sets++] = "host.post_cost=1 ns";
            s.set[s.sets++] = "stage.doorbell.decode.interval=500 cycle";
            s.set[s.sets++] = depth;
            s.set[s.sets++] = is_on ? "nic.doorbell_coalesce=on" : "nic.doorbell_coalesce=off";
            snprintf(depth, sizeof depth, "stage.doorbell.decode.depth=%u packets", 2 * qps);
            struct scenario_result result = scenario_run(&s, &sim);
            struct rnicsim_fifo_info fifo = doorbell_fifo(sim, "decode");
            CU_ASSERT_EQUAL(result.done, 2048);
            CU_ASSERT_EQUAL(tlps(sim, "down", "doorbell").tlps, 2048);
            CU_ASSERT_EQUAL(fifo.pushes + result.totals.doorbells_coalesced, 2048);
            if (is_on)
                CU_ASSERT(fifo.high_water <= qps && fifo.back_pressure_ps == 0);
            CU_ASSERT_EQUAL(result.totals.doorbells_coalesced > 0, is_on);
            CU_ASSERT(is_on || fifo.high_water == 2 * qps);
            rnicsim_destroy(sim);
        }
}

/* Four of one QP, 21 ns apart, into a decoder that holds each for 25 cycles: the first is taken before its latency ends, the others come
 * until then. A push is never added to, nor is what is behind it. */
static void what_is_coalesced(void)
{
    static const struct {
        const char *push, *latency;
        uint64_t coalesced;
    } row[] = {{"host.push=off", "stage.doorbell.decode.latency=25 cycle", 3},
               {"host.push=off", "stage.doorbell.decode.latency=13 cycle", 2},
               {"host.push=off", "stage.doorbell.decode.latency=2 cycle", 0},
               {"host.push=on", "stage.doorbell.decode.latency=25 cycle", 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = one_small_write();
        s.messages = s.outstanding = 4;
        s.set[s.sets++] = row[i].push;
        s.set[s.sets++] = row[i].latency;
        s.set[s.sets++] = "host.post_cost=1 ns";
        s.set[s.sets++] = "nic.doorbell_coalesce=on";
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT_EQUAL(result.done, 4);
        CU_ASSERT_EQUAL(result.totals.doorbells_coalesced, row[i].coalesced);
        if (result.totals.doorbells_coalesced != row[i].coalesced)
            printf("\n    row %zu: %llu", i, (unsigned long long)result.totals.doorbells_coalesced);
    }
}

void suite_system_doorbells(void);
void suite_system_doorbells(void)
{
    CU_pSuite suite = CU_add_suite("system: doorbells", NULL, NULL);
    CU_add_test(suite, "a store takes its bytes", a_store_takes_its_bytes);
    CU_add_test(suite, "a share of pushes comes in pieces", a_share_of_pushes_comes_in_pieces);
    CU_add_test(suite, "only without credits a store stops completions",
                only_without_credits_a_store_stops_completions);
    CU_add_test(suite, "a doorbell record costs a round trip", a_record_costs_a_round_trip);
    CU_add_test(suite, "records tell of several doorbells", records_tell_of_several_doorbells);
    CU_add_test(suite, "a refused record fails the request", a_refused_record_fails_the_request);
    CU_add_test(suite, "a register read is a round trip", a_register_read_is_a_round_trip);
    CU_add_test(suite, "a storm takes a place a QP", a_storm_takes_a_place_a_qp);
    CU_add_test(suite, "what is coalesced", what_is_coalesced);
}
