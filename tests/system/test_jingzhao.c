/* A whole open RNIC from its parts: JingZhao2's RTL as simulated on a bench (ETH-PLUS/Jingzhao @d282ecfd with Verilator 5.006; vendor FIFOs
 * with a fall-through of 2 cycles, DMA reads of 100 cycles, writes that never wait; facts that the nic file's sources repeat), against
 * model/config/nics/jingzhao_like.nic on the same bench: jingzhao.board and fixed.host. Each event of a WRITE, in cycles of its one clock;
 * SEND, READ, and what is cold at the responder, are from runs of the same RTL on such a bench, made for this test.
 *
 * What differs: its frames have 39 B of headers, ours a RoCE v2 frame's 78, so received frames are compared from their last beat on
 * (the RTL stores them); events at the MAC are its FIFO's, before the line. */
#include "tests/system/jingzhao.h"

#include <CUnit/CUnit.h>

void suite_system_jingzhao(void);

static void requester(void)
{
    struct bench bench;
    bench_warm(&bench, RNICSIM_WRITE, 1, 64);
    const int64_t *at = bench.event[0].stamp_ps, from = at[RNICSIM_AT_DOORBELL];
    struct rnicsim_lookup_info visit = lookup_of(&bench, 0, "send_queue", "context", from);
    struct rnicsim_lookup_info ring = lookup_of(&bench, 0, "send_queue", "translation", from);
    struct rnicsim_lookup_info packet = lookup_of(&bench, 0, "payload", "context", from);
    struct rnicsim_lookup_info payload = lookup_of(&bench, 0, "payload", "translation", from);
    const struct {
        const char *event;
        int measured;
        int64_t at_ps;
    } row[] = {
        {"context request (send queue)", 5, visit.came_ps},
        {"context response", 64, visit.left_ps},
        {"translation request for the ring address", 66, ring.came_ps},
        {"translation response", 113, ring.left_ps},
        {"WQE DMA read, 1,024 B", 119, first_change(&bench, READS, from, 0) + CYCLE_PS},
        {"WQE data, the last of 16 beats", 234, first_change(&bench, WQES, from, 1)},
        {"packet descriptor", 292, at[RNICSIM_AT_WQE]},
        {"second context request", 293, packet.came_ps},
        {"second context response", 352, packet.left_ps},
        {"payload translation request", 354, payload.came_ps},
        {"payload translation response", 401, payload.left_ps},
        {"payload DMA read", 406, at[RNICSIM_AT_PACKET] + CYCLE_PS},
        {"payload, last beat", 506, at[RNICSIM_AT_PAYLOAD]},
        {"first beat at the MAC", 518, at[RNICSIM_AT_PORT] + PORT_CYC * CYCLE_PS},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        is_close(row[i].event, row[i].measured, cycles(row[i].at_ps, from), 2);
    rnicsim_destroy(bench.sim);
}

/* From its first MAC beat, which is 5 cycles before the descriptor. */
static void responder(void)
{
    struct bench bench;
    bench_warm(&bench, RNICSIM_WRITE, 1, 64);
    const int64_t *at = bench.event[0].stamp_ps, from = at[RNICSIM_AT_JUDGED] - 5 * CYCLE_PS;
    struct rnicsim_lookup_info context = lookup_of(&bench, 1, "data", "context", from);
    struct rnicsim_lookup_info place = lookup_of(&bench, 1, "data", "translation", from);
    const struct {
        const char *event;
        int measured;
        int64_t at_ps;
    } row[] = {
        {"responder: context request", 7, context.came_ps},
        {"context response", 66, context.left_ps},
        {"translation request", 68, place.came_ps},
        {"translation response", 115, place.left_ps},
        {"payload DMA write", 124, first_change(&bench, WRITES, from, 1) + 8 * CYCLE_PS}, /* respond.scatter */
        {"ACK at the MAC", 135, first_change(&bench, ACK_FRAMES, from, 1) + PORT_CYC * CYCLE_PS},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        is_close(row[i].event, row[i].measured, cycles(row[i].at_ps, from), 2);
    /* the FIFO between MAC and packet buffer is read a cycle behind the frame's last beat */
    int64_t last_ps = first_change(&bench, FRAMES_IN, at[RNICSIM_AT_WIRE], 0) - CYCLE_PS;
    is_close("last beat to packet descriptor", 4, cycles(at[RNICSIM_AT_JUDGED], last_ps), 2);
    rnicsim_destroy(bench.sim);
}

/* From the ACK's only beat, 4 cycles before its descriptor. */
static void ack_to_cqe(void)
{
    struct bench bench;
    bench_warm(&bench, RNICSIM_WRITE, 1, 64);
    const int64_t *at = bench.event[0].stamp_ps, from = at[RNICSIM_AT_ACK_RECEIVED] - 4 * CYCLE_PS;
    double cqe = cycles(first_change(&bench, CQES, from, 1), from) + 2; /* cqe.write */
    is_close("ACK in to CQE DMA write", 125, cqe, 2);
    double mac = cycles(at[RNICSIM_AT_PORT], at[RNICSIM_AT_DOORBELL]) + PORT_CYC;
    double ack = cycles(first_change(&bench, ACK_FRAMES, at[RNICSIM_AT_JUDGED], 1), at[RNICSIM_AT_JUDGED]) + PORT_CYC;
    is_close("doorbell to CQE, zero wire", 780, mac + 5 + ack + cqe, 2);
    rnicsim_destroy(bench.sim);
}

/* Stored once a direction: only its own beats are added. */
static void larger(void)
{
    for (uint32_t bytes = 256; bytes <= 4096; bytes *= 4) {
        struct bench bench;
        bench_warm(&bench, RNICSIM_WRITE, 1, bytes);
        const int64_t *at = bench.event[0].stamp_ps, judged = at[RNICSIM_AT_JUDGED];
        int beats = (int)(bytes / 64);
        is_close(bytes == 256 ? "256 B: first beat at the MAC" : "larger: first beat at the MAC", 517 + beats,
                 cycles(at[RNICSIM_AT_PORT], at[RNICSIM_AT_DOORBELL]) + PORT_CYC, 2);
        int64_t write = first_change(&bench, WRITES, judged, 1) + 8 * CYCLE_PS;
        is_close("last beat to payload DMA write", 123, cycles(write, judged) + 4, 2);
        int64_t ack = first_change(&bench, ACK_FRAMES, judged, 1) + PORT_CYC * CYCLE_PS;
        is_close("last payload beat to ACK at the MAC", 8, cycles(ack, write) - (beats - 1), 2);
        rnicsim_destroy(bench.sim);
    }
}

/* It waits for its receive WQE, and makes a CQE. From the last beat at the MAC on. */
static void send(void)
{
    static const struct {
        uint32_t bytes;
        double write, ack;
    } row[] = {{64, 181, 201}, {256, 181, 201}, {1024, 181, 213}, {4096, 181, 261}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bench bench;
        bench_warm(&bench, RNICSIM_SEND, 1, row[i].bytes);
        const int64_t *at = bench.event[0].stamp_ps, last = at[RNICSIM_AT_JUDGED] - 4 * CYCLE_PS;
        is_close("SEND: last beat to payload DMA write", row[i].write,
                 cycles(first_change(&bench, WRITES, last, 1), last) + 8, 2);
        is_close("SEND: last beat to ACK at the MAC", row[i].ack,
                 cycles(first_change(&bench, ACK_FRAMES, last, 1), last) + PORT_CYC, 2);
        rnicsim_destroy(bench.sim);
    }
}

/* The request has no payload to be translated and read; the responder reads it, and the requester writes it and then the CQE. */
static void read(void)
{
    struct bench bench;
    bench_warm(&bench, RNICSIM_READ, 1, 64);
    const int64_t *at = bench.event[0].stamp_ps, from = at[RNICSIM_AT_DOORBELL];
    int64_t asked = at[RNICSIM_AT_JUDGED] - 4 * CYCLE_PS, returned = at[RNICSIM_AT_ACK_RECEIVED] - 4 * CYCLE_PS;
    is_close("READ: first beat at the MAC", 369, cycles(at[RNICSIM_AT_PORT], from) + PORT_CYC, 2);
    is_close("READ: last beat of the request to DMA read", 118,
             cycles(first_change(&bench, ANSWER_READS, asked, 0), asked) + 1, 2);
    is_close("READ: to the answer at the MAC", 230,
             cycles(first_change(&bench, ACK_FRAMES, asked, 1), asked) + PORT_CYC, 2);
    is_close("READ: last beat of the answer to payload DMA write", 126,
             cycles(first_change(&bench, RETURNED, returned, 1), returned) + 8, 2);
    /* the CQE's own translation is not modelled: it comes some cycles early */
    is_close("READ: to CQE DMA write", 137, cycles(first_change(&bench, CQES, returned, 1), returned) + 2, 7);
    rnicsim_destroy(bench.sim);
}

/* Nine reads, each on what the one before has brought: QPC, CQC, EQC, MPT, MTT, WQE, MPT, MTT, payload. */
static void cold(void)
{
    struct bench bench;
    bench_open(&bench, 1);
    bench_post(&bench, RNICSIM_WRITE, 1, 64, 1);
    bench_run(&bench);
    const int64_t *at = bench.event[0].stamp_ps;
    is_close("all caches cold: doorbell to the MAC", 1246,
             cycles(at[RNICSIM_AT_PORT], at[RNICSIM_AT_DOORBELL]) + PORT_CYC, 2);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "send_queue", "context", 0).misses, 3);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "send_queue", "translation", 0).misses, 2);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "payload", "context", 0).misses, 0);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "payload", "translation", 0).misses, 2);
    rnicsim_destroy(bench.sim);
}

/* The responder's caches are cold, too (five misses), and the requester's for its CQE (two); a SEND's has its receive WQE's and its own
 * CQE's besides. Without the line. */
static void cold_to_the_end(void)
{
    static const struct {
        enum rnicsim_opcode opcode;
        double measured;
    } row[] = {{RNICSIM_WRITE, 2234}, {RNICSIM_SEND, 2679}};
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        bench_open(&bench, 1);
        bench_post(&bench, row[i].opcode, 1, 64, 1);
        bench_run(&bench);
        const int64_t *at = bench.event[0].stamp_ps, judged = at[RNICSIM_AT_JUDGED],
                      acked = at[RNICSIM_AT_ACK_RECEIVED];
        double to_mac = cycles(at[RNICSIM_AT_PORT], at[RNICSIM_AT_DOORBELL]) + PORT_CYC;
        double to_ack = cycles(first_change(&bench, ACK_FRAMES, judged, 1), judged) + 5 + PORT_CYC;
        double to_cqe = cycles(first_change(&bench, CQES, acked, 1), acked) + 4 + 2;
        is_close(row[i].opcode == RNICSIM_WRITE ? "all caches cold: WRITE, doorbell to CQE"
                                                : "all caches cold: SEND, doorbell to CQE",
                 row[i].measured, to_mac + to_ack + to_cqe, 2);
        rnicsim_destroy(bench.sim);
    }
}

void suite_system_jingzhao(void)
{
    CU_pSuite suite = CU_add_suite("system: JingZhao2's RTL", NULL, NULL);
    CU_add_test(suite, "a WRITE at the requester, event by event", requester);
    CU_add_test(suite, "at the responder", responder);
    CU_add_test(suite, "its ACK at the requester", ack_to_cqe);
    CU_add_test(suite, "larger payload: stored once a direction", larger);
    CU_add_test(suite, "a SEND at the responder", send);
    CU_add_test(suite, "a READ", read);
    CU_add_test(suite, "cold caches: nine reads, one after the other", cold);
    CU_add_test(suite, "cold caches on both sides", cold_to_the_end);
}
