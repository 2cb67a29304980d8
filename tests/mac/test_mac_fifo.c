/* The MAC's asynchronous FIFOs against public RTL: eth_mac_10g_fifo of verilog-ethernet @77320a94, Verilator 5.006, 400 frames a row. */
#include "mac/mac_fifo.h"
#include "kernel/rnd.h"

#include <CUnit/Basic.h>
#include <stdlib.h>

#define FRAMES 400
#define HALF_CYCLE_PS 1280
/* Clocks of 390.625 and 250 MHz meet in 16 phases, 160 ps apart. The RTL's least times, 12,823 ps and 29,943 ps, are 23 ps behind five and
 * seven cycles. */
#define PHASE_PS 23

struct times {
    int64_t least, mean, most; /* ps */
};

static const struct row {
    int store;
    int64_t user_bytes, user_hz, off_ppb;
    uint32_t bytes;
    int dry; /* of FRAMES */
    struct times tx, rx;
} rows[] = {
    {1, 16, 250000000, 0, 60, 0, {29943, 31076, 32343}, {51657, 52924, 54057}},
    {1, 16, 250000000, 0, 64, 0, {29943, 31137, 32343}, {51657, 52863, 54057}},
    {1, 16, 250000000, 0, 128, 0, {45943, 47181, 48343}, {71657, 72819, 74057}},
    {1, 16, 250000000, 0, 256, 0, {77943, 79201, 80343}, {112297, 113999, 116137}},
    {1, 16, 250000000, 0, 512, 0, {141943, 143201, 144343}, {195657, 196799, 198057}},
    {1, 16, 250000000, 0, 1024, 0, {269943, 271201, 272343}, {358057, 360529, 361897}},
    {1, 16, 250000000, 0, 1514, 0, {393943, 395108, 396343}, {516777, 518552, 520617}},
    {0, 16, 250000000, -100000, 60, 0, {15362, 16565, 17913}, {31381, 33250, 35357}},
    {0, 16, 250000000, -100000, 64, 0, {15363, 16642, 17892}, {31369, 33393, 35357}},
    {0, 16, 250000000, -100000, 128, 0, {15363, 16576, 17908}, {31367, 33249, 35349}},
    {0, 16, 250000000, -100000, 256, 0, {15363, 16660, 17902}, {31366, 33385, 35360}},
    {0, 16, 250000000, -100000, 512, 0, {15361, 16651, 17909}, {31368, 33364, 35359}},
    {0, 16, 250000000, -100000, 1024, 0, {15363, 16625, 17918}, {31363, 33310, 35362}},
    {0, 16, 250000000, -100000, 1514, 0, {15362, 16617, 17918}, {31363, 33338, 35361}},
    {1, 8, 390625000, 100000, 60, 0, {33284, 34568, 35837}, {40959, 42231, 43515}},
    {1, 8, 390625000, 100000, 64, 0, {33283, 34555, 35837}, {40972, 42244, 43515}},
    {1, 8, 390625000, 100000, 128, 0, {53763, 55032, 56293}, {61455, 62717, 63985}},
    {1, 8, 390625000, 100000, 256, 0, {94718, 95985, 97265}, {102422, 103681, 104955}},
    {1, 8, 390625000, 100000, 512, 0, {176635, 177925, 179183}, {184324, 185584, 186875}},
    {1, 8, 390625000, 100000, 1024, 0, {340448, 341728, 343000}, {348161, 349429, 350714}},
    {1, 8, 390625000, 100000, 1514, 0, {499169, 500437, 501705}, {506881, 508147, 509436}},
    {0, 8, 390625000, 100000, 60, 0, {12804, 14088, 15357}, {20479, 21749, 23033}},
    {0, 8, 390625000, 100000, 64, 0, {12803, 14075, 15357}, {20479, 21762, 23034}},
    {0, 8, 390625000, 100000, 128, 0, {12803, 14072, 15333}, {20503, 21765, 23034}},
    {0, 8, 390625000, 100000, 256, 0, {12803, 14078, 15359}, {20492, 21771, 23038}},
    {0, 8, 390625000, 100000, 512, 0, {12815, 14092, 15355}, {20481, 21745, 23022}},
    {0, 8, 390625000, 100000, 1024, 0, {12804, 14067, 15359}, {20505, 21776, 23037}},
    {0, 8, 390625000, 100000, 1514, 0, {12801, 14088, 15355}, {20482, 21748, 23035}},
    {0, 8, 390625000, -100000, 60, 0, {12810, 14067, 15356}, {20487, 21776, 23034}},
    {0, 8, 390625000, -100000, 64, 0, {12808, 14067, 15358}, {20486, 21776, 23036}},
    {0, 8, 390625000, -100000, 128, 0, {12804, 14064, 15349}, {20494, 21780, 23039}},
    {0, 8, 390625000, -100000, 256, 0, {12812, 14070, 15360}, {20484, 21773, 23032}},
    {0, 8, 390625000, -100000, 512, 2, {12804, 14089, 15358}, {20486, 21755, 23040}},
    {0, 8, 390625000, -100000, 1024, 6, {12818, 14081, 15358}, {20485, 21762, 23026}},
    {0, 8, 390625000, -100000, 1514, 9, {12803, 14073, 15356}, {20488, 21771, 23041}},
    {0, 8, 250000000, 0, 60, FRAMES, {12823, 14052, 15223}, {26377, 28468, 30217}},
    {0, 8, 250000000, 0, 64, FRAMES, {12823, 14029, 15223}, {26377, 28471, 30217}},
    {0, 8, 250000000, 0, 128, FRAMES, {12823, 13997, 15223}, {26377, 28513, 30217}},
    {0, 8, 250000000, 0, 256, FRAMES, {12823, 13997, 15223}, {26377, 28513, 30217}},
    {0, 8, 250000000, 0, 512, FRAMES, {12823, 13997, 15223}, {26377, 28513, 30217}},
    {0, 8, 250000000, 0, 1024, FRAMES, {12823, 13997, 15223}, {26377, 28513, 30217}},
    {0, 8, 250000000, 0, 1514, FRAMES, {12823, 14029, 15223}, {26377, 28471, 30217}},
};

static struct mac_params params_of(const struct row *row)
{
    return (struct mac_params){.preamble = 8,
                               .fcs = 4,
                               .frame_least = 60,
                               .gap = 12,
                               .word = 64,
                               .start = 4,
                               .deficit = MAC_DEFICIT_ON,
                               .tx_ask = 1,
                               .tx_accept = 1,
                               .rx_latency = 4,
                               .rx_realign = 1,
                               .fifo = row->store ? MAC_FIFO_STORE : MAC_FIFO_CUT,
                               .fifo_flops = 2,
                               .fifo_store_flops = 3,
                               .fifo_read = 3,
                               .fifo_adapter = 1};
}

static void take(struct times *times, int64_t ps, int first)
{
    times->least = first || ps < times->least ? ps : times->least;
    times->most = first || ps > times->most ? ps : times->most;
    times->mean += ps;
}

/* Frames far apart, at any phase; returns how many ran dry. */
static int measure(const struct row *row, struct times *tx, struct times *rx)
{
    struct mac_params params = params_of(row);
    struct mac_fifo fifo = mac_fifo_of(&params, row->user_bytes);
    struct xgmii_shape shape = xgmii_shape_of(&params);
    struct xgmii mac;
    int dry = 0;
    CU_ASSERT_FATAL(clk_init_hz(&fifo.mac_clk, 390625000, 0, PHASE_PS) == 0 &&
                    clk_init_hz(&fifo.user_clk, row->user_hz, row->off_ppb, 0) == 0);
    xgmii_init(&mac, &shape);
    int64_t user_cyc = 100;
    for (int i = 0; i < FRAMES; i++) {
        user_cyc += 600 + row->bytes + (int64_t)(rnd_u64(7, 0, (uint64_t)i, 0) % 10007);
        struct xgmii_frame frame = xgmii_send(&mac, mac_fifo_offered_cyc(&fifo, user_cyc, row->bytes), row->bytes);
        int64_t start_ps = clk_edge(&fifo.mac_clk, frame.start_octet / 8);
        int64_t out_cyc = mac_fifo_received_cyc(&fifo, frame.rx_first_cyc, frame.rx_last_cyc);
        dry += mac_fifo_runs_dry(&fifo, user_cyc, frame.first_cyc, row->bytes);
        take(tx, start_ps - clk_edge(&fifo.user_clk, user_cyc), i == 0);
        take(rx, clk_edge(&fifo.user_clk, out_cyc) - start_ps, i == 0);
    }
    tx->mean /= FRAMES;
    rx->mean /= FRAMES;
    return dry;
}

static int near(const struct times *a, const struct times *b)
{
    return llabs(a->least - b->least) <= HALF_CYCLE_PS && llabs(a->mean - b->mean) <= HALF_CYCLE_PS &&
           llabs(a->most - b->most) <= HALF_CYCLE_PS;
}

static void latencies_are_as_in_rtl(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct times tx = {0}, rx = {0};
        int dry = measure(&rows[i], &tx, &rx);
        CU_ASSERT(near(&tx, &rows[i].tx));
        CU_ASSERT(near(&rx, &rows[i].rx));
        /* beats * 100 ppm of the frames: 2.6, 5.1 and 7.6 of 400 */
        CU_ASSERT(rows[i].dry == 0 || rows[i].dry == FRAMES ? dry == rows[i].dry || rows[i].off_ppb < 0
                                                            : abs(dry - rows[i].dry) <= 5);
    }
}

/* The times that the phases allow are met at both ends: five to six of the MAC's cycles, and never outside. */
static void every_phase_is_met(void)
{
    struct row row = rows[21];
    struct times tx = {0}, rx = {0};
    row.bytes = 60;
    measure(&row, &tx, &rx);
    CU_ASSERT(tx.least > 5 * 2560 && tx.least < 5 * 2560 + 50);
    CU_ASSERT(tx.most <= 6 * 2560 && tx.most > 6 * 2560 - 50);
}

/* A source as fast as the MAC never runs dry; one 100 ppm slower does after 10,000 beats at the latest. */
static void a_slow_source_runs_dry(void)
{
    struct row row = rows[28];
    row.bytes = 80008;
    struct times tx = {0}, rx = {0};
    CU_ASSERT_EQUAL(measure(&row, &tx, &rx), FRAMES);
    row.off_ppb = 0;
    CU_ASSERT_EQUAL(measure(&row, &tx, &rx), 0);
    row.off_ppb = -100000;
    row.store = 1;
    CU_ASSERT_EQUAL(measure(&row, &tx, &rx), 0);
}

void suite_mac_fifo(void);
void suite_mac_fifo(void)
{
    CU_pSuite suite = CU_add_suite("mac: FIFOs between two clocks", NULL, NULL);
    CU_add_test(suite, "latencies are as in RTL", latencies_are_as_in_rtl);
    CU_add_test(suite, "every phase is met", every_phase_is_met);
    CU_add_test(suite, "a slow source runs dry", a_slow_source_runs_dry);
}
