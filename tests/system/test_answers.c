/* READs and atomics on the whole model: what crosses the line, what limits their rate, what waits for whom, and what is refused. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_system_answers(void);

#define MOST_EVENTS 64

/* Two QPs between the hosts, everything of each in the caller's hands. */
struct pair {
    struct rnicsim *sim;
    struct rnicsim_event done[MOST_EVENTS];
    uint32_t count;
};

static struct pair open_pair(const char *const *set, size_t sets, uint32_t max_rd_atomic)
{
    struct pair pair = {0};
    struct rnicsim_error error = {""};
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = sets, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &pair.sim, &error), RNICSIM_OK);
    for (uint32_t qpn = 1; qpn <= 2; qpn++)
        for (uint32_t host = 0; host < 2; host++) {
            struct rnicsim_qp_attr qp = {.host = host,
                                         .qpn = qpn,
                                         .peer_host = host ^ 1,
                                         .peer_qpn = qpn,
                                         .mtu_bytes = 4096,
                                         .sq_depth = 64,
                                         .rq_depth = 64,
                                         .max_rd_atomic = max_rd_atomic};
            CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(pair.sim, &qp, &error), RNICSIM_OK);
        }
    return pair;
}

static void post(struct pair *pair, uint32_t qpn, enum rnicsim_opcode opcode, uint32_t bytes, unsigned flags)
{
    static uint64_t next_id;
    struct rnicsim_error error = {""};
    struct rnicsim_wr wr = {.wr_id = next_id++,
                            .local_address = 1u << 24,
                            .remote_address = 1u << 25,
                            .length_bytes = bytes,
                            .opcode = opcode,
                            .flags = flags | RNICSIM_SIGNALLED};
    CU_ASSERT_EQUAL(rnicsim_post_send(pair->sim, 0, qpn, &wr, 1, rnicsim_now(pair->sim), &error), RNICSIM_OK);
    if (error.text[0])
        printf("\n    %s", error.text);
}

/* Runs until all is quiet; what host 0's programs saw, in order. */
static void finish(struct pair *pair)
{
    struct rnicsim_error error;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(pair->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        struct rnicsim_event event;
        while (rnicsim_poll(pair->sim, &event, 1) == 1)
            if (event.kind == RNICSIM_SEND_DONE && pair->count < MOST_EVENTS)
                pair->done[pair->count++] = event;
    } while (rnicsim_next_at(pair->sim) != RNICSIM_NEVER);
}

/* 10,000 bytes at MTU 4096: a request of 74 bytes, three packets back (the first and last with AETH), no ACK; all arrive. */
static void what_crosses_the_line(void)
{
    struct pair pair = open_pair(NULL, 0, 1);
    struct rnicsim_totals totals;
    post(&pair, 1, RNICSIM_READ, 10000, 0);
    finish(&pair);
    rnicsim_totals(pair.sim, &totals);
    CU_ASSERT_EQUAL(pair.count, 1);
    CU_ASSERT_EQUAL(totals.data_packets, 1 + 3);
    CU_ASSERT_EQUAL(totals.ack_packets, 0);
    CU_ASSERT_EQUAL(totals.payload_bytes, 10000);
    /* the busier direction, with FCS 4, preamble 8 and gap 12 */
    CU_ASSERT_EQUAL(totals.wire_bytes, 10000 + 3 * (58 + 24) + 2 * 4);
    const struct rnicsim_event *done = &pair.done[0];
    CU_ASSERT(done->opcode == RNICSIM_READ && done->status == 0 && done->length_bytes == 10000);
    for (int i = 1; i < RNICSIM_STAMP_COUNT; i++)
        CU_ASSERT(done->stamp_ps[i] >= done->stamp_ps[i - 1] && done->stamp_ps[i] != RNICSIM_NEVER);
    CU_ASSERT(done->delivered_at_ps <= done->stamp_ps[RNICSIM_AT_CQE]);
    rnicsim_destroy(pair.sim);
}

/* A READ waits for a PCIe read at the peer where a WRITE of the same host does here, and its CQE waits for the data to be written: but for
 * the size of the packets and the write of the data both pass the same stages. */
static void latency_beside_a_write(void)
{
    int64_t latency_ps[2];
    for (int i = 0; i < 2; i++) {
        struct pair pair = open_pair(NULL, 0, 1);
        post(&pair, 1, i == 0 ? RNICSIM_WRITE : RNICSIM_READ, 64, 0);
        finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 1);
        latency_ps[i] = pair.done[0].at_ps - pair.done[0].stamp_ps[RNICSIM_AT_POST];
        rnicsim_destroy(pair.sim);
    }
    CU_ASSERT(latency_ps[1] > latency_ps[0] && latency_ps[1] < latency_ps[0] + 600000);
}

static double goodput_gbps(const char *grant, uint32_t bytes, uint32_t outstanding, uint32_t max_rd_atomic)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = grant;
    s.opcode = RNICSIM_READ;
    s.length_bytes = bytes;
    s.outstanding = outstanding;
    s.max_rd_atomic = max_rd_atomic;
    s.messages = 400;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT(!result.failed && result.done == s.messages);
    return result.goodput_gbps;
}

/* Deep enough, the line binds: of a message of 16 packets two have AETH. */
static void line_rate(void)
{
    double expected = 100.0 * 65536 / (65536 + 16 * 82 + 2 * 4), found = goodput_gbps("nic.grant=step", 65536, 64, 16);
    if (found < 0.995 * expected || found > 1.001 * expected)
        printf("\n    %.2f Gb/s, expected %.2f", found, expected);
    CU_ASSERT(found > 0.995 * expected && found <= 1.001 * expected);
}

/* As many as may be under way, a round trip each: n / RTT until something else binds. */
static void initiator_depth_bounds_the_rate(void)
{
    static const char *const grant[] = {"nic.grant=step", "nic.grant=request"};
    for (int g = 0; g < 2; g++) {
        double one = goodput_gbps(grant[g], 512, 64, 1);
        for (uint32_t depth = 2; depth <= 8; depth *= 2) {
            double found = goodput_gbps(grant[g], 512, 64, depth);
            if (found < 0.97 * depth * one || found > 1.03 * depth * one)
                printf("\n    %s, %u under way: %.3f Gb/s, %.3f alone", grant[g], depth, found, one);
            CU_ASSERT(found > 0.97 * depth * one && found < 1.03 * depth * one);
        }
    }
}

/* An ACK does not pass the answers before it: the WRITE behind a long READ completes after it, though its data is there long before. Of
 * another QP it does not wait. */
static void acks_stay_behind_answers(void)
{
    struct pair pair = open_pair(NULL, 0, 16);
    post(&pair, 1, RNICSIM_READ, 1u << 20, 0);
    post(&pair, 1, RNICSIM_WRITE, 64, 0);
    post(&pair, 2, RNICSIM_WRITE, 64, 0);
    finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 3);
    CU_ASSERT(pair.done[0].qpn == 2 && pair.done[0].opcode == RNICSIM_WRITE);
    CU_ASSERT(pair.done[1].qpn == 1 && pair.done[1].opcode == RNICSIM_READ);
    CU_ASSERT(pair.done[2].qpn == 1 && pair.done[2].opcode == RNICSIM_WRITE);
    CU_ASSERT(pair.done[2].delivered_at_ps < pair.done[1].delivered_at_ps - 50000000);
    CU_ASSERT(pair.done[2].stamp_ps[RNICSIM_AT_ACK_RECEIVED] > pair.done[1].stamp_ps[RNICSIM_AT_ACK_RECEIVED]);
    rnicsim_destroy(pair.sim);
}

/* A READ does not pass the WRITE before it: its data is asked for when that is written, as the slow write engine shows. */
static void reads_stay_behind_writes(void)
{
    static const char *const slow[] = {"stage.respond.context.latency=1000 cycle", "transport.ack_point=visible"};
    int64_t responded_ps[2];
    for (int has_write = 0; has_write < 2; has_write++) {
        struct pair pair = open_pair(slow, 2, 16);
        if (has_write)
            post(&pair, 1, RNICSIM_WRITE, 4096, 0);
        post(&pair, 1, RNICSIM_READ, 64, 0);
        finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 1u + (uint32_t)has_write);
        const struct rnicsim_event *read = &pair.done[has_write];
        responded_ps[has_write] = read->stamp_ps[RNICSIM_AT_RESPONDED] - read->stamp_ps[RNICSIM_AT_JUDGED];
        if (has_write)
            CU_ASSERT(read->stamp_ps[RNICSIM_AT_RESPONDED] > pair.done[0].delivered_at_ps);
        rnicsim_destroy(pair.sim);
    }
    CU_ASSERT(responded_ps[1] > responded_ps[0] + 3000000 && responded_ps[0] < 2000000);
}

/* Without a fence a WRITE follows at once; with it, a round trip later (IBTA vol. 1, 10.8.3.3). */
static void fences(void)
{
    int64_t wire_ps[2], read_ps[2];
    for (int fenced = 0; fenced < 2; fenced++) {
        struct pair pair = open_pair(NULL, 0, 16);
        post(&pair, 1, RNICSIM_READ, 4096, 0);
        post(&pair, 1, RNICSIM_WRITE, 64, fenced ? RNICSIM_FENCE : 0);
        finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 2);
        wire_ps[fenced] = pair.done[1].stamp_ps[RNICSIM_AT_WIRE];
        read_ps[fenced] = pair.done[0].stamp_ps[RNICSIM_AT_ACK_RECEIVED];
        rnicsim_destroy(pair.sim);
    }
    CU_ASSERT(wire_ps[0] < read_ps[0]);
    CU_ASSERT(wire_ps[1] > read_ps[1]);
}

/* More under way than the responder holds: NAK invalid request, the QP fails, what is behind is flushed. */
static void more_than_the_responder_holds(void)
{
    static const char *const few[] = {"nic.responder_resources=2"};
    struct pair pair = open_pair(few, 1, 16);
    for (int i = 0; i < 5; i++)
        post(&pair, 1, RNICSIM_READ, 1u << 16, 0);
    finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 5);
    static const uint32_t status[] = {0, 0, 9, 5, 5};
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(pair.done[i].status, status[i]);
    rnicsim_destroy(pair.sim);
}

static void refused_posts(void)
{
    struct pair pair = open_pair(NULL, 0, 0);
    struct rnicsim_error error;
    struct rnicsim_wr wr = {.opcode = RNICSIM_READ, .length_bytes = 8};
    CU_ASSERT_EQUAL(rnicsim_post_send(pair.sim, 0, 1, &wr, 1, 0, &error), RNICSIM_EINPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "max_rd_atomic"));
    rnicsim_destroy(pair.sim);
    pair = open_pair(NULL, 0, 1);
    wr.flags = RNICSIM_INLINE;
    CU_ASSERT_EQUAL(rnicsim_post_send(pair.sim, 0, 1, &wr, 1, 0, &error), RNICSIM_EINPUT);
    wr = (struct rnicsim_wr){.opcode = RNICSIM_FETCH_ADD, .length_bytes = 8, .remote_address = 12};
    CU_ASSERT_EQUAL(rnicsim_post_send(pair.sim, 0, 1, &wr, 1, 0, &error), RNICSIM_EINPUT);
    wr = (struct rnicsim_wr){.opcode = RNICSIM_RECV, .length_bytes = 8};
    CU_ASSERT_EQUAL(rnicsim_post_send(pair.sim, 0, 1, &wr, 1, 0, &error), RNICSIM_EINPUT);
    rnicsim_destroy(pair.sim);
}

static uint64_t tlps_of(struct rnicsim *sim, const char *nic, const char *kind, uint64_t *link_bytes)
{
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        struct rnicsim_tlp_info tlp;
        rnicsim_tlp(sim, i, &tlp);
        *link_bytes = tlp.link_bytes;
        if (strcmp(tlp.nic, nic) == 0 && strcmp(tlp.kind, kind) == 0 && strcmp(tlp.direction, "up") == 0)
            return tlp.tlps;
    }
    return 0;
}

/* A request with an AtomicETH of 28 bytes, an answer with AETH and 8 bytes. By the NIC: a read and a write of 8 bytes. By the host: one request
 * with its operands, 8 or 16 bytes longer than that of a read. */
static void what_an_atomic_sends(void)
{
    static const char *const by_host[] = {"nic.atomic=host"};
    uint64_t read_bytes = 0, bytes = 0;
    for (int host = 0; host < 2; host++)
        for (int compares = 0; compares < 2; compares++) {
            struct pair pair = open_pair(by_host, host ? 1 : 0, 1);
            struct rnicsim_totals totals;
            post(&pair, 1, compares ? RNICSIM_CMP_SWAP : RNICSIM_FETCH_ADD, 8, 0);
            finish(&pair);
            rnicsim_totals(pair.sim, &totals);
            CU_ASSERT(pair.count == 1 && pair.done[0].status == 0);
            CU_ASSERT(totals.data_packets == 2 && totals.ack_packets == 0);
            CU_ASSERT_EQUAL(totals.wire_bytes, 58 + 28 + 24);
            if (host) {
                CU_ASSERT_EQUAL(tlps_of(pair.sim, "b", compares ? "compare and swap" : "fetch and add", &bytes), 1);
                CU_ASSERT_EQUAL(bytes, read_bytes + (compares ? 16 : 8));
                CU_ASSERT_EQUAL(tlps_of(pair.sim, "b", "atomic write", &bytes), 0);
            } else {
                CU_ASSERT_EQUAL(tlps_of(pair.sim, "b", "payload read", &read_bytes), 1);
                CU_ASSERT_EQUAL(tlps_of(pair.sim, "b", "atomic write", &bytes), 1);
            }
            rnicsim_destroy(pair.sim);
        }
}

/* M atomics a second of so many QPs, all on one value. */
static double atomics_mps(const char *const *set, size_t sets, uint32_t qps, uint32_t max_rd_atomic)
{
    struct scenario s = scenario_default();
    for (size_t i = 0; i < sets; i++)
        s.set[s.sets++] = set[i];
    s.opcode = RNICSIM_FETCH_ADD;
    s.length_bytes = 8;
    s.qps = qps;
    s.outstanding = 32;
    s.max_rd_atomic = max_rd_atomic;
    s.messages = 2000;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT(!result.failed && result.done == s.messages);
    return (result.done - 1) * 1e6 / (double)(result.last_done_ps - result.first_done_ps);
}

/* One atomic of a QP at a time: as many QPs, as many a round trip (rocSHMEM, pull request 253: "max atomics 1"). The host does them, so
 * that all may be on one address. */
static void one_atomic_a_round_trip(void)
{
    static const char *const host[] = {"nic.atomic=host"};
    struct pair pair = open_pair(host, 1, 1);
    post(&pair, 1, RNICSIM_FETCH_ADD, 8, 0);
    finish(&pair);
    /* from the request's grant to the next one's: the answer must be written first */
    const struct rnicsim_event *done = &pair.done[0];
    double trip_us = (double)(done->stamp_ps[RNICSIM_AT_RETIRED] - done->stamp_ps[RNICSIM_AT_PACKET]) / 1e6;
    rnicsim_destroy(pair.sim);
    double one = atomics_mps(host, 1, 1, 1), four = atomics_mps(host, 1, 4, 1);
    if (one * trip_us < 0.97 || one * trip_us > 1.0)
        printf("\n    %.4f M/s, a trip of %.4f us", one, trip_us);
    CU_ASSERT(one * trip_us > 0.97 && one * trip_us <= 1.0);
    CU_ASSERT(four > 3.9 * one && four < 4.1 * one);
}

/* Under one lock of the NIC more QPs do not help: a PCIe read and the way to its write each time, some 0.5 to 1 us. */
static void one_lock_serves_one_at_a_time(void)
{
    double one = atomics_mps(NULL, 0, 1, 16), four = atomics_mps(NULL, 0, 4, 16);
    CU_ASSERT(one > 1.0 && one < 2.0);
    CU_ASSERT(four > 0.98 * one && four < 1.02 * one);
    static const char *const host[] = {"nic.atomic=host"};
    CU_ASSERT(atomics_mps(host, 1, 4, 16) > 4 * one); /* no lock */
}

/* A READ behind an atomic finds what that has written: it is asked for when the write is sent. */
static void reads_stay_behind_atomics(void)
{
    struct pair pair = open_pair(NULL, 0, 16);
    post(&pair, 1, RNICSIM_FETCH_ADD, 8, 0);
    post(&pair, 1, RNICSIM_READ, 8, 0);
    finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 2);
    int64_t behind_ps = pair.done[1].stamp_ps[RNICSIM_AT_RESPONDED] - pair.done[0].stamp_ps[RNICSIM_AT_RESPONDED];
    int64_t read_ps = pair.done[0].stamp_ps[RNICSIM_AT_RESPONDED] - pair.done[0].stamp_ps[RNICSIM_AT_JUDGED];
    CU_ASSERT(behind_ps > read_ps * 9 / 10);
    rnicsim_destroy(pair.sim);
}

/* Every read over PCIe is refused at the responder: NAK remote operational error. */
static void data_that_cannot_be_read(void)
{
    static const enum rnicsim_opcode opcode[] = {RNICSIM_READ, RNICSIM_FETCH_ADD};
    for (int i = 0; i < 2; i++) {
        struct scenario s = scenario_default();
        s.opcode = opcode[i];
        s.length_bytes = 8;
        s.set[s.sets++] = "pcie.refused_reads=999999 ppm";
        s.set[s.sets++] = "host.push=on"; /* the request's own WQE comes by itself */
        s.messages = 1;
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(!result.failed && result.done == 1);
        CU_ASSERT_EQUAL(result.last.status, 11);
    }
}

void suite_system_answers(void)
{
    CU_pSuite suite = CU_add_suite("system: answers", NULL, NULL);
    CU_add_test(suite, "what crosses the line", what_crosses_the_line);
    CU_add_test(suite, "latency beside a WRITE", latency_beside_a_write);
    CU_add_test(suite, "line rate", line_rate);
    CU_add_test(suite, "initiator depth", initiator_depth_bounds_the_rate);
    CU_add_test(suite, "ACKs stay behind answers", acks_stay_behind_answers);
    CU_add_test(suite, "READs stay behind WRITEs", reads_stay_behind_writes);
    CU_add_test(suite, "fences", fences);
    CU_add_test(suite, "more than the responder holds", more_than_the_responder_holds);
    CU_add_test(suite, "refused posts", refused_posts);
    CU_add_test(suite, "what an atomic sends", what_an_atomic_sends);
    CU_add_test(suite, "one atomic a round trip", one_atomic_a_round_trip);
    CU_add_test(suite, "one lock serves one at a time", one_lock_serves_one_at_a_time);
    CU_add_test(suite, "READs stay behind atomics", reads_stay_behind_atomics);
    CU_add_test(suite, "data that cannot be read", data_that_cannot_be_read);
}
