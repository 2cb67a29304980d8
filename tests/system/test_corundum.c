/* corundum from its parts: the nic file's units, widths and limits against what was measured in the whole NIC's RTL (corundum @1ca0151b,
 * mqnic_core_pcie under Verilator, 512 bit, 250 MHz, MAC 322.27 MHz; its 254 rows and their formulas). */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CYC_PS 4000.0
#define MAC_CYC (250.0 / 322.265625) /* in user cycles */
#define HEADERS_BYTES 58u            /* of a SEND, with ICRC */

/* The measurement's other end: PCIe answers a read after L cycles with one beat a cycle, takes writes at once, and has no credits but the
 * engine's own; the line never stalls. A read's way here is 6.5 ns, and the edge behind it, without the host. */
static const char *const ideal[] = {"pcie.generation=5",
                                    "pcie.link_latency=1 ns",
                                    "pcie.skips=off",
                                    "pcie.header=3dw",
                                    "pcie.mps=256 B",
                                    "pcie.mrrs=512 B",
                                    "pcie.rcb=64 B",
                                    "pcie.completions=mps",
                                    "pcie.host_write=1 ns",
                                    "pcie.host_write_ack=0 ns",
                                    "pcie.host_write_lines=0",
                                    "pcie.update_fc=0 ns",
                                    "pcie.request_descriptor=0 B",
                                    "pcie.completion_descriptor=0 B",
                                    "pcie.straddle=off",
                                    "pcie.host_dram_share=0 ppm",
                                    "host.post_cost=0 ns",
                                    "host.wqe_cost=0 ns",
                                    "host.store_latency=1 ns",
                                    "host.poll_interval=1 ps",
                                    "mac.cable=0 m",
                                    "mac.serdes=0 ns",
                                    "stage.mac_rx.mac.latency=1 cycle"};
#define READ_WAY_PS 6500

struct bench {
    char board[64];
    struct rnicsim *sim;
    uint32_t packets;
    int64_t *doorbell_ps, *wire_ps, *delivered_ps; /* in order */
    uint32_t wires, delivered;
    struct rnicsim_event sent, received; /* the last of each */
};

static void write_board(struct bench *bench)
{
    snprintf(bench->board, sizeof bench->board, "/tmp/rnicsim-corundum-%ld.board", (long)getpid());
    FILE *file = fopen(bench->board, "w");
    CU_ASSERT_FATAL(file != NULL);
    fprintf(file, "board = corundum\npart = xcu280\nnic = corundum_like\nendpoint = corundum_usplus\n"
                  "host = hsw_e5_2620v3\n[pcie]\nlanes = 16 @assumed\n");
    fclose(file);
}

static void open_bench(struct bench *bench, uint32_t latency_cyc, const char *const *set, size_t sets)
{
    const char *all[SCENARIO_SETS_MAX];
    char read[48];
    size_t count = sizeof ideal / sizeof *ideal;
    struct rnicsim_error error;
    *bench = (struct bench){0};
    write_board(bench);
    memcpy(all, ideal, sizeof ideal);
    snprintf(read, sizeof read, "pcie.host_read=%u ps", latency_cyc * 4000 - READ_WAY_PS);
    all[count++] = read;
    for (size_t i = 0; i < sets; i++)
        all[count++] = set[i];
    struct rnicsim_options options = {.board = bench->board,
                                      .set = all,
                                      .set_count = count,
                                      .seed = 1,
                                      .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    if (rnicsim_create(&options, &bench->sim, &error))
        printf("    %s\n", error.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench->sim);
    unlink(bench->board);
}

static void close_bench(struct bench *bench)
{
    rnicsim_destroy(bench->sim);
    free(bench->doorbell_ps);
    free(bench->wire_ps);
    free(bench->delivered_ps);
}

/* A frame of `len` bytes, or up to three less: RoCE pads payload to four bytes. */
static void post(struct bench *bench, uint32_t len, uint32_t queues, uint32_t packets)
{
    struct rnicsim_error error;
    uint32_t each = packets / queues;
    struct rnicsim_wr *wr = calloc(each, sizeof *wr);
    struct rnicsim_recv *recv = calloc(each, sizeof *recv);
    for (uint32_t i = 0; i < each; i++) {
        wr[i] = (struct rnicsim_wr){.local_address = 1u << 24,
                                    .length_bytes = (len - HEADERS_BYTES) & ~3u,
                                    .opcode = RNICSIM_SEND,
                                    .flags = RNICSIM_SIGNALLED};
        recv[i] = (struct rnicsim_recv){.address = 1u << 26, .length_bytes = 4096};
    }
    for (uint32_t q = 1; q <= queues; q++)
        for (uint32_t host = 0; host < 2; host++) {
            struct rnicsim_qp_attr qp = {.host = host,
                                         .qpn = q,
                                         .peer_host = host ^ 1,
                                         .peer_qpn = q,
                                         .mtu_bytes = 4096,
                                         .sq_depth = each,
                                         .rq_depth = each};
            CU_ASSERT_FATAL(rnicsim_qp_create(bench->sim, &qp, &error) == RNICSIM_OK);
        }
    for (uint32_t q = 1; q <= queues; q++)
        CU_ASSERT(rnicsim_post_recv(bench->sim, 1, q, recv, each, 0, &error) == RNICSIM_OK &&
                  rnicsim_post_send(bench->sim, 0, q, wr, each, 0, &error) == RNICSIM_OK);
    free(wr);
    free(recv);
    bench->packets = each * queues;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void run(struct bench *bench)
{
    struct rnicsim_event event[64];
    struct rnicsim_error error;
    bench->doorbell_ps = calloc(bench->packets, sizeof *bench->doorbell_ps);
    bench->wire_ps = calloc(bench->packets, sizeof *bench->wire_ps);
    bench->delivered_ps = calloc(bench->packets, sizeof *bench->delivered_ps);
    do {
        CU_ASSERT_FATAL(rnicsim_advance(bench->sim, RNICSIM_NEVER, NULL, &error) == RNICSIM_OK);
        for (size_t n; (n = rnicsim_poll(bench->sim, event, 64)) > 0;)
            for (size_t i = 0; i < n; i++)
                if (event[i].kind == RNICSIM_SEND_DONE || event[i].kind == RNICSIM_UNSIGNALLED) {
                    bench->doorbell_ps[bench->wires] = event[i].stamp_ps[RNICSIM_AT_DOORBELL];
                    bench->wire_ps[bench->wires++] = event[i].stamp_ps[RNICSIM_AT_WIRE];
                    bench->sent = event[i];
                } else if (event[i].kind == RNICSIM_RECV_DONE) {
                    bench->delivered_ps[bench->delivered++] = event[i].delivered_at_ps;
                    bench->received = event[i];
                }
    } while (rnicsim_next_at(bench->sim) != RNICSIM_NEVER);
    qsort(bench->doorbell_ps, bench->wires, sizeof *bench->doorbell_ps, by_time);
    qsort(bench->wire_ps, bench->wires, sizeof *bench->wire_ps, by_time);
    qsort(bench->delivered_ps, bench->delivered, sizeof *bench->delivered_ps, by_time);
}

/* Cycles a packet over the middle half, as in the measurement. */
static double middle_rate(const int64_t *at_ps, uint32_t count)
{
    return (double)(at_ps[3 * count / 4] - at_ps[count / 4]) / CYC_PS / (3 * count / 4 - count / 4);
}

static void expect(const char *what, double is, double should, double error)
{
    if (fabs(is - should) > error)
        printf("\n    %s: %.2f, expected %.2f", what, is, should);
    CU_ASSERT(fabs(is - should) <= error);
}

/* ---- throughput ---- */

static double send_rate(uint32_t len, uint32_t queues, uint32_t latency_cyc, uint32_t tables)
{
    char requests[32];
    const char *set[] = {"mac.rate=400 Gbps", requests};
    struct bench bench;
    snprintf(requests, sizeof requests, "nic.requests=%u", tables);
    open_bench(&bench, latency_cyc, set, 2);
    post(&bench, len, queues, 1024);
    run(&bench);
    CU_ASSERT_EQUAL(bench.wires, 1024);
    double rate = middle_rate(bench.wire_ps, bench.wires);
    close_bench(&bench);
    return rate;
}

/* Measured: cycles a packet. */
static void throughput_of_sending(void)
{
    static const struct {
        uint32_t len, queues, tables;
        double at_100, at_500;
    } row[] = {{64, 64, 128, 9.0, 34.0},
               {1500, 64, 128, 25.0, 49.5},
               {4096, 64, 128, 69.2, 129.2},
               {64, 4, 32, 10.1, 35.1},
               {64, 1, 32, 12.6, 35.1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (uint32_t latency = 100; latency <= 500; latency += 400) {
            char what[64];
            double should = latency == 100 ? row[i].at_100 : row[i].at_500;
            snprintf(what, sizeof what, "%u B, %u queues, L = %u", row[i].len, row[i].queues, latency);
            expect(what, send_rate(row[i].len, row[i].queues, latency, row[i].tables), should, 0.05 * should);
        }
}

static double max4(double a, double b, double c, double d)
{
    return fmax(fmax(a, b), fmax(c, d));
}

/* Between 28 and 33 beats the FIFO of 32 beats in front of the MAC binds: measured of it alone (axis_async_fifo in frame mode, beats as they come,
 * 250 to 322.27 MHz). */
static void throughput_of_frames_that_just_fit(void)
{
    static const struct {
        uint32_t beats;
        double cyc;
    } row[] = {{28, 29}, {29, 30.12}, {30, 32.0}, {31, 34.13}, {32, 36.18}, {33, 38.05}, {36, 41.42}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char what[32];
        snprintf(what, sizeof what, "%u beats", row[i].beats);
        expect(what, send_rate(64 * row[i].beats, 64, 20, 128), row[i].cyc, 0.02 * row[i].cyc);
    }
}

/* What was found to bind: the checksum block (and, above 32 beats, 5 cycles at the FIFO of 32 behind it: here less for those that just fit), descriptor requests, tables of operations, the
 * window of reads, the CQ manager: 12.6 with one CQ, and 7 with several, as cpl_write and cpl_queue_manager alone do. */
static double sending_by_formula(uint32_t len, uint32_t queues, double latency, uint32_t tables)
{
    double beats = (len + 63) / 64;
    double window = 256 * 64 / (latency + 17);
    double stream = fmax(beats + 1, beats + fmin(fmax(beats - 28, 0), 5)), queue = queues == 1 ? 12.6 : 7;
    return fmax(queue, max4(stream, (2 * latency + 122) / tables, (latency + 44) / 16, len / window));
}

/* Elsewhere by what was found to bind, where one limit is well above the others. */
static void throughput_beyond_the_table(void)
{
    static const struct {
        uint32_t len, queues, latency, tables;
    } row[] = {{64, 64, 250, 128},  {64, 64, 1000, 128},  {64, 8, 20, 32},      {64, 2, 20, 32},
               {64, 8, 250, 32},    {64, 8, 1000, 32},    {64, 2, 500, 32},     {64, 16, 500, 16},
               {64, 16, 250, 64},   {256, 16, 500, 32},   {1024, 64, 20, 128},  {1500, 8, 20, 128},
               {2048, 64, 20, 128}, {3000, 64, 100, 128}, {4096, 8, 1000, 128}, {1500, 64, 1000, 128},
               {64, 1, 20, 32},     {64, 1, 1000, 64}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char what[64];
        double should = sending_by_formula(row[i].len, row[i].queues, row[i].latency, row[i].tables);
        snprintf(what, sizeof what, "%u B, %u queues, L = %u, tables of %u", row[i].len, row[i].queues, row[i].latency,
                 row[i].tables);
        expect(what, send_rate(row[i].len, row[i].queues, row[i].latency, row[i].tables), should, 0.05 * should);
    }
}

/* 100 Gb/s of 64 B to one queue, from a sender that the read latency does not hold back. */
static double receive_rate(uint32_t latency_cyc)
{
    static const char *const set[] = {"mac.rate=100 Gbps",        "nic.fabric=stream",
                                      "nic.context_loop=1 cycle", "nic.scheduler_interval=1 cycle",
                                      "nic.requests=1048576",     "stage.tx.mac.latency=1 cycle"};
    struct bench bench;
    open_bench(&bench, latency_cyc, set, sizeof set / sizeof *set);
    post(&bench, 64, 1, 1024);
    run(&bench);
    CU_ASSERT_EQUAL(bench.delivered, 1024);
    double rate = middle_rate(bench.delivered_ps, bench.delivered);
    close_bench(&bench);
    return rate;
}

/* Measured at 100 and 500. A buffer of the largest frame is held from before a packet enters until its completion is asked for: 14 of them in
 * 128 KiB; below, one CQ binds. */
static void throughput_of_receiving(void)
{
    expect("received, L = 100", receive_rate(100), 13.3, 0.05 * 13.3);
    expect("received, L = 500", receive_rate(500), 41.2, 0.05 * 41.2);
    expect("received, L = 20", receive_rate(20), 12.6, 0.05 * 12.6);
}

/* ---- one packet ---- */

/* The cycle in which a packet's doorbell is taken at the BAR: of the store's 1 ns to the root complex, a beat and 1 ns, the edge behind. */
static double doorbell_cyc(const struct rnicsim_event *sent)
{
    return ceil((double)(sent->stamp_ps[RNICSIM_AT_MMIO] + 6000) / CYC_PS);
}

static double since(const struct rnicsim_event *sent, enum rnicsim_stamp stamp)
{
    return (double)sent->stamp_ps[stamp] / CYC_PS - doorbell_cyc(sent);
}

/* The MAC of the measurement takes a beat whenever it comes and returns the time stamp 10 cycles after the last. Here those are path tx's last
 * stage and the frame's time on the line: the preamble is 8 bytes of 20 ps. */
#define MAC_WAY_CYC (9 * MAC_CYC)

static void sending_one(uint32_t len, uint32_t latency, struct rnicsim_event *sent)
{
    static const char *const set[] = {"mac.rate=400 Gbps"};
    struct bench bench;
    open_bench(&bench, latency, set, 1);
    post(&bench, len, 1, 1);
    run(&bench);
    CU_ASSERT_EQUAL_FATAL(bench.wires, 1);
    *sent = bench.sent;
    close_bench(&bench);
}

/* Doorbell at the BAR to the first beat at the MAC: 105.5 + 3n + min(n, 32) + 2L, and its steps. */
static void latency_of_sending(void)
{
    static const uint32_t len[] = {64, 128, 256, 1024, 1500, 2048, 4096}, latency[] = {20, 100, 250, 700};
    for (size_t i = 0; i < sizeof len / sizeof *len; i++)
        for (size_t j = 0; j < sizeof latency / sizeof *latency; j++) {
            struct rnicsim_event sent;
            double n = (len[i] + 63) / 64, l = latency[j];
            char what[64];
            sending_one(len[i], latency[j], &sent);
            snprintf(what, sizeof what, "%u B, L = %u", len[i], latency[j]);
            expect(what, since(&sent, RNICSIM_AT_WIRE) - MAC_WAY_CYC, 105.5 + 3 * n + fmin(n, 32) + 2 * l, 2);
            expect("scheduler's request", since(&sent, RNICSIM_AT_GRANT), 28, 1);
            expect("data's operation", since(&sent, RNICSIM_AT_WQE), 28 + 16 + l + 24, 2);
            expect("last data CplD", since(&sent, RNICSIM_AT_PAYLOAD), 28 + 16 + l + 29 + l + n - 1, 2);
            expect("checksum block", since(&sent, RNICSIM_AT_PORT), 28 + 16 + l + 29 + l + n - 1 + 18 + 10 + n, 2);
        }
}

/* The MAC's time stamp in the core to the CQE's MWr 32: seen in memory a beat, 1 ns of link and 1 ns of host later. */
static void completion_of_sending(void)
{
    struct rnicsim_event sent;
    sending_one(64, 100, &sent);
    double cqe = since(&sent, RNICSIM_AT_CQE) - since(&sent, RNICSIM_AT_ACK_RECEIVED) - 1.5;
    expect("time stamp to CQE", cqe, 32, 2);
}

/* When a received frame of n beats is seen in memory: its last beat at the MAC is zero. */
static double received_cyc(uint32_t len, uint32_t latency, const char *const *set, size_t sets, int64_t *last_beat_ps)
{
    const char *all[8] = {"mac.rate=100 Gbps", "stage.tx.mac.latency=1 cycle"};
    struct bench bench;
    for (size_t i = 0; i < sets; i++)
        all[2 + i] = set[i];
    open_bench(&bench, latency, all, 2 + sets);
    post(&bench, len, 1, 1);
    run(&bench);
    CU_ASSERT_EQUAL_FATAL(bench.delivered, 1);
    /* from the line to the MAC's edge: two flip-flops, 1 to 2 of its cycles, and the stage's one */
    *last_beat_ps = bench.received.stamp_ps[RNICSIM_AT_RECEIVED];
    double at = ((double)(bench.received.at_ps - *last_beat_ps) / CYC_PS) - 2.5 * MAC_CYC;
    close_bench(&bench);
    return at;
}

/* Last MAC beat to first data MWr 73.5 + n + L; then, from the last one's start, the CQE's 50, the EQE's 56, the MSI-X 35. What is seen in memory
 * left the link 0.5 cycles before, after its beats. */
static void latency_of_receiving(void)
{
    static const char *const together[] = {"nic.receive_cqe=with_payload"};
    static const char *const eqe[] = {"host.completion=interrupt", "host.interrupt=1 ns",
                                      "nic.interrupt_latency=0 cycle"};
    static const uint32_t len[] = {64, 256, 1500, 4096}, latency[] = {20, 100, 400};
    for (size_t i = 0; i < sizeof len / sizeof *len; i++)
        for (size_t j = 0; j < sizeof latency / sizeof *latency; j++) {
            double n = (len[i] + 63) / 64;
            int64_t unused;
            uint32_t data = (len[i] - HEADERS_BYTES + 63) / 64, last = (data - 1) % 4 + 1;
            double with_cqe = received_cyc(len[i], latency[j], together, 1, &unused); /* data, CQE */
            double cqe = received_cyc(len[i], latency[j], 0, 0, &unused);
            double msix = received_cyc(len[i], latency[j], eqe, 2, &unused);
            double eqe_and_msix = received_cyc(len[i], latency[j], eqe, 3, &unused);
            double first_mwr = with_cqe - 0.5 - 1 - data;
            expect("last beat to data MWr", first_mwr, 73.5 + n + latency[j], 2);
            expect("last data MWr to CQE", cqe - 0.5 - 1 - (first_mwr + data - last), 50, 2);
            expect("CQE to EQE", eqe_and_msix - 0.75 - 2 - (cqe - 1.5), 56, 2);
            expect("EQE to MSI-X", msix - eqe_and_msix + 1, 35, 2);
        }
}

/* Doorbells of 64 queues, back to back: one in 5 cycles. */
static void doorbells(void)
{
    static const char *const set[] = {"mac.rate=400 Gbps"};
    struct bench bench;
    open_bench(&bench, 100, set, 1);
    post(&bench, 64, 64, 64);
    run(&bench);
    CU_ASSERT_EQUAL(bench.wires, 64);
    expect("doorbells", middle_rate(bench.doorbell_ps, bench.wires), 5, 0.05);
    close_bench(&bench);
}

/* The same events whatever must not matter, with all of it on. */
static void what_must_not_matter(void)
{
    struct bench bench;
    struct scenario s = scenario_default();
    write_board(&bench);
    s.board = bench.board;
    s.opcode = RNICSIM_SEND;
    s.qps = 5;
    s.batch = 4;
    s.length_bytes = 3000;
    s.messages = 400;
    s.set[s.sets++] = "host.completion=interrupt";
    struct scenario_result plain = scenario_run(&s, NULL);
    CU_ASSERT_EQUAL(plain.done, 400);
    s.horizon_off = 1;
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).digest, plain.digest);
    s.horizon_off = 0;
    s.spurious_seed = 7;
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).digest, plain.digest);
    s.spurious_seed = 0;
    s.shift_ps = INT64_C(407040013);
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).digest, plain.digest);
    unlink(bench.board);
}

void suite_system_corundum(void);
void suite_system_corundum(void)
{
    CU_pSuite suite = CU_add_suite("system: corundum from its parts", NULL, NULL);
    CU_add_test(suite, "throughput of sending", throughput_of_sending);
    CU_add_test(suite, "throughput of frames that just fit", throughput_of_frames_that_just_fit);
    CU_add_test(suite, "throughput beyond the table", throughput_beyond_the_table);
    CU_add_test(suite, "throughput of receiving", throughput_of_receiving);
    CU_add_test(suite, "latency of sending", latency_of_sending);
    CU_add_test(suite, "completion of sending", completion_of_sending);
    CU_add_test(suite, "latency of receiving", latency_of_receiving);
    CU_add_test(suite, "doorbells", doorbells);
    CU_add_test(suite, "what must not matter", what_must_not_matter);
}
