/* A whole open RNIC from its parts: JingZhao2's RTL as simulated on a bench (ETH-PLUS/Jingzhao @d282ecfd with Verilator 5.006; vendor FIFOs
 * with a fall-through of 2 cycles, DMA reads of 100 cycles, writes that never wait; facts that the nic file's sources repeat), against
 * model/config/nics/jingzhao_like.nic on the same bench: jingzhao.board and fixed.host. Each event of a WRITE, in cycles of its one clock, and rates.
 *
 * What differs: its frames have 39 B of headers, ours a RoCE v2 frame's 78, so received frames are compared from their last beat on
 * (the RTL stores them); events at the MAC are its FIFO's, before the line. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_system_jingzhao(void);

#define CYCLE_PS 5000
#define BOARD RNICSIM_SOURCE_DIR "/tests/system/jingzhao.board"
#define LOOKUPS_MAX 4096
#define BLOCK 16u /* WQEs that one read brings */
#define WATCHES 6u

static int is_close(const char *event, double measured, double predicted, double tolerance)
{
    int is = fabs(predicted - measured) <= tolerance;
    CU_ASSERT(is);
    if (!is || getenv("RNICSIM_PRINT"))
        printf("\n    %-46s %8.1f measured %8.1f predicted %+.1f", event, measured, predicted, predicted - measured);
    return is;
}

/* ---- the bench ---- */

struct watched {
    const char *nic, *path, *name;
    size_t index;
};

struct bench {
    struct rnicsim *sim;
    struct watched watch[WATCHES];
    struct rnicsim_event event[512];
    size_t events;
};

enum { READS, WQES, WRITES, ACK_FRAMES, CQES, FRAMES_IN };

static void find_fifo(struct rnicsim *sim, struct watched *watch)
{
    struct rnicsim_error error;
    for (size_t i = 0; i < rnicsim_fifo_count(sim); i++) {
        struct rnicsim_fifo_info fifo;
        CU_ASSERT_EQUAL_FATAL(rnicsim_fifo(sim, i, &fifo), RNICSIM_OK);
        if (strcmp(fifo.nic, watch->nic) || strcmp(fifo.path, watch->path) || strcmp(fifo.name, watch->name))
            continue;
        watch->index = i;
        CU_ASSERT_EQUAL_FATAL(rnicsim_fifo_watch(sim, i, 0, RNICSIM_TIME_MAX, 4096, &error), RNICSIM_OK);
        return;
    }
    CU_FAIL_FATAL("no such FIFO");
}

static void bench_open(struct bench *bench, uint32_t qps)
{
    static const char *const set[] = {"stage.tx.mac.latency=1 cycle", "stage.mac_rx.mac.latency=1 cycle",
                                      "stage.tx.mac.flow=cut"}; /* wired MAC to MAC */
    struct rnicsim_options options = {
        .board = BOARD, .set = set, .set_count = 3, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim_error error = {{0}};
    *bench = (struct bench){.watch = {{"a", "sched", "operation_fifo", 0},
                                      {"a", "wqe", "parse", 0},
                                      {"b", "respond", "write_fifo", 0},
                                      {"b", "tx", "mac", 0},
                                      {"a", "cqe", "cqe_fifo", 0},
                                      {"b", "rx", "cdc", 0}}};
    if (rnicsim_create(&options, &bench->sim, &error))
        printf("%s", error.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench->sim);
    for (uint32_t i = 0; i < qps * 2; i++) {
        struct rnicsim_qp_attr qp = {.host = i % 2,
                                     .qpn = i / 2 + 1,
                                     .peer_host = 1 - i % 2,
                                     .peer_qpn = i / 2 + 1,
                                     .mtu_bytes = 4096,
                                     .sq_depth = 256,
                                     .rq_depth = 1};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(bench->sim, &qp, &error), RNICSIM_OK);
    }
    for (size_t i = 0; i < WATCHES; i++)
        find_fifo(bench->sim, &bench->watch[i]);
    for (uint32_t host = 0; host < 2; host++)
        CU_ASSERT_EQUAL_FATAL(rnicsim_lookup_watch(bench->sim, host, LOOKUPS_MAX, &error), RNICSIM_OK);
}

static void post(struct bench *bench, uint32_t qpn, uint32_t bytes, uint32_t count)
{
    struct rnicsim_error error = {{0}};
    struct rnicsim_wr wr[256];
    for (uint32_t i = 0; i < count; i++)
        wr[i] = (struct rnicsim_wr){.wr_id = i,
                                    .local_address = 1u << 24,
                                    .remote_address = 1u << 25,
                                    .length_bytes = bytes,
                                    .opcode = RNICSIM_WRITE,
                                    .flags = RNICSIM_SIGNALLED};
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(bench->sim, 0, qpn, wr, count, rnicsim_now(bench->sim), &error),
                          RNICSIM_OK);
}

/* Until all is quiet; events are the requests' own. */
static void run(struct bench *bench)
{
    struct rnicsim_error error = {{0}};
    bench->events = 0;
    while (rnicsim_next_at(bench->sim) != RNICSIM_NEVER) {
        struct rnicsim_event event[64];
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(bench->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        for (size_t n; (n = rnicsim_poll(bench->sim, event, 64)) > 0;)
            for (size_t i = 0; i < n; i++)
                if (event[i].kind == RNICSIM_SEND_DONE && bench->events < 512)
                    bench->event[bench->events++] = event[i];
    }
}

/* The first instant after from_ps in which the FIFO's level rises (up: an item begins to enter) or falls. */
static int64_t first_change(struct bench *bench, int which, int64_t from_ps, int up)
{
    static struct rnicsim_level_change change[4097];
    size_t n = rnicsim_fifo_changes(bench->sim, bench->watch[which].index, change, 4097);
    for (size_t i = 1; i < n; i++)
        if (change[i].at_ps >= from_ps && (change[i].level > change[i - 1].level) == up)
            return change[i].at_ps;
    CU_FAIL("nothing happens in a FIFO");
    return 0;
}

/* The first lookup of a channel and unit after from_ps. */
static struct rnicsim_lookup_info lookup_of(struct bench *bench, uint32_t host, const char *channel, const char *unit,
                                            int64_t from_ps)
{
    static struct rnicsim_lookup_info lookup[LOOKUPS_MAX];
    size_t n = rnicsim_lookups(bench->sim, host, lookup, LOOKUPS_MAX);
    for (size_t i = 0; i < n; i++)
        if (lookup[i].came_ps >= from_ps && !strcmp(lookup[i].channel, channel) && !strcmp(lookup[i].unit, unit))
            return lookup[i];
    CU_FAIL_FATAL("no such lookup");
    return lookup[0];
}

/* ---- the timeline ---- */

static double cycles(int64_t at_ps, int64_t from_ps)
{
    return (double)(at_ps - from_ps) / CYCLE_PS;
}

/* One WRITE after another has warmed the caches. */
static void bench_warm(struct bench *bench, uint32_t bytes)
{
    bench_open(bench, 1);
    post(bench, 1, bytes, 1);
    run(bench);
    post(bench, 1, bytes, 1);
    run(bench);
    CU_ASSERT_EQUAL_FATAL(bench->events, 1);
}

#define PORT_CYC 2 /* grant to the first beat at the MAC */

static void requester(void)
{
    struct bench bench;
    bench_warm(&bench, 64);
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
    bench_warm(&bench, 64);
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
    bench_warm(&bench, 64);
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
        bench_warm(&bench, bytes);
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

/* Nine reads, each on what the one before has brought: QPC, CQC, EQC, MPT, MTT, WQE, MPT, MTT, payload. */
static void cold(void)
{
    struct bench bench;
    bench_open(&bench, 1);
    post(&bench, 1, 64, 1);
    run(&bench);
    const int64_t *at = bench.event[0].stamp_ps;
    is_close("all caches cold: doorbell to the MAC", 1246,
             cycles(at[RNICSIM_AT_PORT], at[RNICSIM_AT_DOORBELL]) + PORT_CYC, 2);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "send_queue", "context", 0).misses, 3);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "send_queue", "translation", 0).misses, 2);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "payload", "context", 0).misses, 0);
    CU_ASSERT_EQUAL(lookup_of(&bench, 0, "payload", "translation", 0).misses, 2);
    rnicsim_destroy(bench.sim);
}

/* ---- rates ---- */

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
        bench_warm(&bench, bytes);
        post(&bench, 1, bytes, BLOCK);
        run(&bench);
        snprintf(event, sizeof event, "one QP, %u B: cycles a packet", bytes);
        is_close(event, 126, interval(&bench, 0, BLOCK - 1), 0.05 * 126);
        rnicsim_destroy(bench.sim);
    }
}

/* As many as there are cells, each with its block: from when the last block is there until the first QP has sent its own. */
static void many_qps(void)
{
    struct bench bench;
    bench_open(&bench, 16);
    for (uint32_t qpn = 1; qpn <= 16; qpn++)
        post(&bench, qpn, 64, 1);
    run(&bench);
    for (uint32_t qpn = 1; qpn <= 16; qpn++)
        post(&bench, qpn, 64, BLOCK);
    run(&bench);
    CU_ASSERT_EQUAL(bench.events, 16 * BLOCK);
    for (int i = 0; i < 15 && getenv("RNICSIM_PRINT"); i++)
        printf("\n      packets %d: %.2f", i * 16, interval(&bench, (size_t)i * 16, (size_t)i * 16 + 16));
    is_close("16 QPs, 64 B: cycles a packet", 20.2, interval(&bench, 64, 240), 0.05 * 20.2);
    rnicsim_destroy(bench.sim);
}

/* The unit that all channels share is never used twice within its interval. */
static void units_keep_their_interval(void)
{
    struct bench bench;
    static struct rnicsim_lookup_info lookup[LOOKUPS_MAX];
    bench_open(&bench, 16);
    for (uint32_t qpn = 1; qpn <= 16; qpn++)
        post(&bench, qpn, 200, BLOCK);
    run(&bench);
    size_t n = rnicsim_lookups(bench.sim, 0, lookup, LOOKUPS_MAX);
    CU_ASSERT(n > 1000 && n <= LOOKUPS_MAX);
    for (int unit = 0; unit < 2; unit++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                if (!strcmp(lookup[i].unit, lookup[j].unit) &&
                    !strcmp(lookup[i].unit, unit ? "context" : "translation"))
                    CU_ASSERT(llabs(lookup[i].begun_ps - lookup[j].begun_ps) >= (unit ? 5 : 6) * CYCLE_PS);
            }
    rnicsim_destroy(bench.sim);
}

void suite_system_jingzhao(void)
{
    CU_pSuite suite = CU_add_suite("system: JingZhao2's RTL", NULL, NULL);
    CU_add_test(suite, "a WRITE at the requester, event by event", requester);
    CU_add_test(suite, "at the responder", responder);
    CU_add_test(suite, "its ACK at the requester", ack_to_cqe);
    CU_add_test(suite, "larger payload: stored once a direction", larger);
    CU_add_test(suite, "cold caches: nine reads, one after the other", cold);
    CU_add_test(suite, "one QP: 126 cycles a packet, whatever its size", one_qp);
    CU_add_test(suite, "many QPs", many_qps);
    CU_add_test(suite, "units: one lookup an interval, whoever asks", units_keep_their_interval);
}
