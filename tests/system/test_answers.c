/* READs on the whole model: what crosses the line, what limits their rate, what waits for whom, and what is refused. */
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

static double goodput_gbps(uint32_t bytes, uint32_t outstanding, uint32_t max_rd_atomic)
{
    struct scenario s = scenario_default();
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
    double expected = 100.0 * 65536 / (65536 + 16 * 82 + 2 * 4), found = goodput_gbps(65536, 64, 16);
    if (found < 0.995 * expected || found > 1.001 * expected)
        printf("\n    %.2f Gb/s, expected %.2f", found, expected);
    CU_ASSERT(found > 0.995 * expected && found <= 1.001 * expected);
}

/* As many as may be under way, a round trip each: n / RTT until something else binds. */
static void initiator_depth_bounds_the_rate(void)
{
    double one = goodput_gbps(512, 64, 1);
    for (uint32_t depth = 2; depth <= 8; depth *= 2) {
        double found = goodput_gbps(512, 64, depth);
        if (found < 0.97 * depth * one || found > 1.03 * depth * one)
            printf("\n    %u under way: %.3f Gb/s, %.3f alone", depth, found, one);
        CU_ASSERT(found > 0.97 * depth * one && found < 1.03 * depth * one);
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
}
