/* Reports from users of RDMA NICs about tables and doorbells, each with its right number. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* ---- QP contexts: the peak below 450 connections, half of it at 4,096 (valkey, pull request 477; public notes on connection state) ---- */

/* Small messages of so many QPs in turn; the contexts of 448 are on chip. *miss_us: of fetches, a message. */
static double connections_mps(uint32_t qps, uint32_t misses, double *miss_us)
{
    char fetches[40];
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    snprintf(fetches, sizeof fetches, "nic.qpc_misses=%u", misses);
    s.set[s.sets++] = fetches;
    s.set[s.sets++] = "nic.qpc_entries=448";
    s.set[s.sets++] = "nic.qpc_ways=448";
    s.set[s.sets++] = "host.post_cost=1 ns";
    s.set[s.sets++] = "stage.rx.cdc.depth=65536 beats";
    s.set[s.sets++] =
        "nic.dispatch_fifo=64"; /* as many received packets are looked up: with 8 that is the limit from 13 M/s on */
    s.set[s.sets++] =
        "nic.scheduler_interval=1 cycle"; /* fetches have their turns, too: with 5 that is the limit from 16 M/s on */
    s.length_bytes = 32;
    s.flags = RNICSIM_INLINE;
    s.qps = qps;
    s.outstanding = 1;
    s.messages = 3 * qps + 4000;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == s.messages);
    *miss_us = 0;
    for (size_t i = 0; i < rnicsim_cache_count(sim); i++) {
        struct rnicsim_cache_info cache;
        rnicsim_cache(sim, i, &cache);
        if (strcmp(cache.nic, "a") == 0 && strcmp(cache.name, "qpc") == 0)
            *miss_us = (double)cache.fetch_ps / (double)result.totals.requests / 1e6;
    }
    rnicsim_destroy(sim);
    return (result.done - 1) * 1e6 / (double)(result.last_done_ps - result.first_done_ps);
}

/* Beyond the knee a message has two misses, its grant's and its ACK's: the rate is fetches under way / their latency, both together. With
 * some number of them 4,096 connections have half of the peak. */
static void connections(void)
{
    double miss_us, peak = connections_mps(400, 8, &miss_us), best = 1, at_half = 0;
    CU_ASSERT_DOUBLE_EQUAL(connections_mps(448, 8, &miss_us), peak, 0.05 * peak);
    for (uint32_t misses = 4; misses <= 28; misses += 4) {
        double found = connections_mps(4096, misses, &miss_us), expected = misses / miss_us;
        if (expected < 0.9 * peak)
            CU_ASSERT_DOUBLE_EQUAL(found, expected, 0.05 * expected);
        if (fabs(found / peak - 0.5) < best) {
            best = fabs(found / peak - 0.5);
            at_half = misses;
        }
    }
    if (best > 0.08)
        printf("\n    %.0f fetches under way: half of the peak, missed by %.3f", at_half, best);
    CU_ASSERT(best <= 0.08);
}

/* ---- who is served when (DeepEP, issue 147: the order in which QPs were made changes their latency) ---- */

/* A message of 16 packets on each of eight QPs, posted at one instant in the order of their numbers, or the other way round. Latencies. */
static void eight_at_once(const char *unit, int reverse, double latency_us[8])
{
    char quantum[40];
    const char *set[] = {quantum, "host.post_cost=1 ns", "host.wqe_cost=1 ns"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    snprintf(quantum, sizeof quantum, "nic.quantum_unit=%s", unit);
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = 3, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t i = 0; i < 16; i++) {
        struct rnicsim_qp_attr qp = {.host = i % 2,
                                     .qpn = i / 2 + 1,
                                     .peer_host = 1 - i % 2,
                                     .peer_qpn = i / 2 + 1,
                                     .mtu_bytes = 4096,
                                     .sq_depth = 8};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_OK);
    }
    for (uint32_t i = 0; i < 8; i++) {
        struct rnicsim_wr wr = {.local_address = 1u << 24,
                                .remote_address = 1u << 25,
                                .length_bytes = 65536,
                                .opcode = RNICSIM_WRITE,
                                .flags = RNICSIM_SIGNALLED};
        CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(sim, 0, reverse ? 8 - i : i + 1, &wr, 1, 0, &error), RNICSIM_OK);
    }
    struct rnicsim_event event;
    while (rnicsim_next_at(sim) != RNICSIM_NEVER) {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        while (rnicsim_poll(sim, &event, 1) == 1)
            if (event.kind == RNICSIM_SEND_DONE)
                latency_us[event.qpn - 1] = (double)event.at_ps / 1e6;
    }
    rnicsim_destroy(sim);
}

/* Packet by packet all end within a round of eight packets of 334 ns; message by message one after the other, 5.35 us each, in the order in
 * which they came. Jain's index of their rates, from the latencies that follow: 1, and (sum 1/i)^2 / (8 sum 1/i^2) = 0.604. */
static void order_of_qps(void)
{
    const double packet_us = (4096 + 82) * 8 / 1e5, message_us = 16 * packet_us;
    for (int reverse = 0; reverse < 2; reverse++) {
        double latency_us[8], sum = 0, squares = 0;
        eight_at_once("packet", reverse, latency_us);
        for (int i = 0; i < 8; i++)
            CU_ASSERT(latency_us[i] > 7.5 * message_us && fabs(latency_us[i] - latency_us[0]) < 8 * packet_us);
        eight_at_once("message", reverse, latency_us);
        double first_us = latency_us[reverse ? 7 : 0] - message_us;
        for (int i = 0; i < 8; i++) {
            int turn = reverse ? 8 - i : i + 1;
            CU_ASSERT_DOUBLE_EQUAL(latency_us[i] - first_us, turn * message_us, 0.01 * message_us + 0.02);
            sum += 1 / (latency_us[i] - first_us);
            squares += 1 / (latency_us[i] - first_us) / (latency_us[i] - first_us);
        }
        CU_ASSERT_DOUBLE_EQUAL(sum * sum / (8 * squares), 0.604, 0.005);
    }
}

/* ---- doorbells that find their FIFO full (rdma-core, pull request 1424; a FIFO of 0x2c00) ---- */

#define DOORBELL_FIFO 11264u

static struct rnicsim_fifo_info doorbell_fifo(struct rnicsim *sim)
{
    struct rnicsim_fifo_info info = {0};
    for (size_t i = 0; i < rnicsim_fifo_count(sim); i++) {
        rnicsim_fifo(sim, i, &info);
        if (strcmp(info.nic, "a") == 0 && strcmp(info.path, "doorbell") == 0 && strcmp(info.name, "decode") == 0)
            return info;
    }
    CU_FAIL("no FIFO of doorbells");
    return info;
}

/* So many doorbells, each 70 ns behind the one before; the NIC decodes one every 160 ns. When all is quiet one more request is posted. */
static struct rnicsim_fifo_info storm(uint32_t doorbells, const char *policy, uint32_t *done, uint32_t *done_at_last)
{
    const char *set[] = {policy, "host.push=off", "stage.doorbell.decode.interval=40 cycle",
                         "stage.doorbell.decode.depth=11264 packets"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = 4, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 1,
                                     .peer_host = 1 - host,
                                     .peer_qpn = 1,
                                     .mtu_bytes = 4096,
                                     .sq_depth = 32768,
                                     .max_inline_bytes = 64};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_OK);
    }
    struct rnicsim_wr wr = {.remote_address = 1u << 25,
                            .length_bytes = 8,
                            .opcode = RNICSIM_WRITE,
                            .flags = RNICSIM_SIGNALLED | RNICSIM_INLINE};
    uint32_t count = 0;
    for (int last = 0; last < 2; last++) {
        struct rnicsim_event event;
        for (uint32_t i = 0; i < (last ? 1 : doorbells); i++)
            CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 1, &wr, 1, rnicsim_now(sim), &error), RNICSIM_OK);
        while (rnicsim_next_at(sim) != RNICSIM_NEVER) {
            CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
            while (rnicsim_poll(sim, &event, 1) == 1)
                count += event.kind == RNICSIM_SEND_DONE;
        }
        *(last ? done_at_last : done) = count;
    }
    struct rnicsim_fifo_info info = doorbell_fifo(sim);
    rnicsim_destroy(sim);
    return info;
}

/* Of a burst 1 - 70 / 160 piles up: 20,025 doorbells fill the FIFO. Beyond, they are dropped, 9 of 16 of what comes more, and their
 * WQEs are not known until another doorbell of the QP tells; or they wait in the endpoint's buffer, and at last on the link. */
static void doorbell_storm(void)
{
    const double piles_up = 1 - 70.0 / 160;
    uint32_t done, all, fits = (uint32_t)(DOORBELL_FIFO / piles_up);
    struct rnicsim_fifo_info fifo = storm(16000, "nic.doorbell_full=drop", &done, &all);
    CU_ASSERT_DOUBLE_EQUAL((double)fifo.high_water, 16000 * piles_up, 0.005 * DOORBELL_FIFO);
    CU_ASSERT(fifo.drops == 0 && done == 16000);
    fifo = storm(fits - 200, "nic.doorbell_full=drop", &done, &all);
    CU_ASSERT_EQUAL(fifo.drops, 0);
    fifo = storm(fits + 4000, "nic.doorbell_full=drop", &done, &all);
    CU_ASSERT_EQUAL(fifo.high_water, DOORBELL_FIFO);
    CU_ASSERT_DOUBLE_EQUAL((double)fifo.drops, 4000 * piles_up, 0.05 * 4000);
    CU_ASSERT_EQUAL(all, fits + 4001);
    fifo = storm(fits + 4000, "nic.doorbell_full=wait", &done, &all);
    CU_ASSERT(fifo.drops == 0 && done == fits + 4000);
}

void suite_system_cases_slow(void);
void suite_system_cases_slow(void)
{
    CU_pSuite suite = CU_add_suite("system: tables and doorbells, as reported", NULL, NULL);
    CU_add_test(suite, "operations in flight bound the rate", operation_table);
    CU_add_test(suite, "requests in a table that QPs share", shared_request_table);
    CU_add_test(suite, "requests behind one doorbell", doorbell_batches);
    CU_add_test(suite, "fetches of WQEs under way", prefetch);
    CU_add_test(suite, "450 and 4,096 connections", connections);
    CU_add_test(suite, "the order of QPs", order_of_qps);
    CU_add_test(suite, "a storm of doorbells", doorbell_storm);
}
