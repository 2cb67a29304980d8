/* The clock that a datapath needs, against figures worked out by hand. */
#include "mac/linecheck.h"

#include "kernel/path.h"
#include "mac/line.h"

#include <CUnit/Basic.h>

static void known_cases(void)
{
    static const struct {
        struct linecheck given;
        uint32_t worst;
        int64_t kilohertz; /* rounded up */
    } row[] = {
        {{512, 250000000, 100000000000, 1, 0}, 65, 294118},   /* 2 beats in 85 bytes */
        {{512, 250000000, 100000000000, 0, 0}, 69, 280899},   /* 65 bytes on the bus: 2 beats in 89 */
        {{64, 156250000, 10000000000, 0, 0}, 9213, 155963},   /* 1152 beats in 9233 bytes */
        {{128, 250000000, 25000000000, 0, 0}, 9205, 195122},  /* 576 beats in 9225 bytes */
        {{1024, 390625000, 400000000000, 1, 0}, 129, 671141}, /* 2 beats in 149 bytes */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct linecheck_result result = linecheck(&row[i].given);
        CU_ASSERT_EQUAL((result.clock_least_hz + 999) / 1000, row[i].kilohertz);
        CU_ASSERT_EQUAL(result.worst_frame_bytes, row[i].worst);
    }
}

/* LBUS, four segments of 128 bit: only that one frame begins in a cycle binds, at 64 B; without segments 65 B on the bus take two beats. */
static void segments_waste_little(void)
{
    struct linecheck given = {512, 250000000, 100000000000, 0, 128};
    CU_ASSERT_EQUAL(linecheck(&given).worst_frame_bytes, 9205); /* 576 segments in 9,225 bytes */
    CU_ASSERT_EQUAL((linecheck(&given).clock_least_hz + 999) / 1000, 195122);
    CU_ASSERT(linecheck(&given).bubble_cycles >= 0);
    given.segment_bits = 512; /* as none */
    CU_ASSERT_EQUAL((linecheck(&given).clock_least_hz + 999) / 1000, 280899);
    given.rate_bps = 200000000000; /* 64 B, 60 on the bus, in 84: one begins a cycle */
    given.segment_bits = 64;
    given.width_bits = 1024;
    CU_ASSERT_EQUAL(linecheck(&given).worst_frame_bytes, 64);
    CU_ASSERT_EQUAL((linecheck(&given).clock_least_hz + 999) / 1000, 297620);
}

/* At the least clock nothing is missing; one hertz below, something is. */
static void at_the_hertz(void)
{
    struct linecheck given = {512, 1, 100000000000, 0, 0};
    given.clock_hz = linecheck(&given).clock_least_hz;
    CU_ASSERT_EQUAL(linecheck(&given).bubble_cycles, 0);
    given.clock_hz--;
    CU_ASSERT(linecheck(&given).bubble_cycles < 0);
    given.clock_hz = 600000000; /* 64 B: 4.03 cycles for 1 beat; 69 B: 4.27 for 2 */
    CU_ASSERT_EQUAL(linecheck(&given).bubble_cycles, 2);
}

#define FRAMES 60000
#define DEPTH_BEATS 64u

/* Frames of one length, back to back on the line, into a FIFO that the datapath reads a beat a cycle: how many find no space. */
static int frames_lost(const struct linecheck *given, uint32_t frame_bytes, int64_t clock_hz)
{
    struct mac_params mac = {.rate = given->rate_bps,
                             .preamble = 8,
                             .fcs = 4,
                             .frame_least = 60,
                             .gap = 12,
                             .start = 1,
                             .word = 8,
                             .cable_delay = 5050};
    uint32_t width = (uint32_t)given->width_bits / 8, on_bus = frame_bytes - (given->fcs_on_bus ? 0 : 4);
    struct sim sim;
    struct line line;
    struct clk bus;
    struct path path;
    char error[200];
    int lost = 0, which;
    CU_ASSERT_FATAL(sim_init(&sim, 1) == 0 && line_init(&line, &mac, 0, 0, 1, error, sizeof error) == 0 &&
                    clk_init_hz(&bus, clock_hz, 0, 0) == 0);
    struct path_stage stage = {.name = "bus",
                               .clk = &bus,
                               .interval_cyc = 1,
                               .latency_cyc = 1,
                               .width_bytes = width,
                               .store = 1,
                               .flops = 2,
                               .depth = DEPTH_BEATS,
                               .in_beats = 1};
    struct fifo_shape end = {.name = "end", .read_clk = &bus, .return_cyc = 1, .depth = 4, .read_bytes = width};
    CU_ASSERT_FATAL(path_init(&path, &sim, "rx", &line.clk, width, &stage, 1, &end, 4096, &which) == 0);
    for (int i = 0; i < FRAMES; i++) {
        struct line_frame frame = line_send(&line, frame_bytes - 4, 0, 0, width);
        if (fifo_space_at(path_entry(&path), on_bus) > frame.last_at_cyc) {
            lost++;
            continue;
        }
        fifo_push(path_entry(&path), frame.last_at_cyc, frame.last_at_cyc + 1, frame.last_at_cyc + 1, on_bus, 0);
        while (!fifo_empty(&path.end)) {
            struct fifo_slot slot = fifo_take(&path.end);
            fifo_release(&path.end, slot.bytes, slot.tail_cyc, slot.tail_cyc);
        }
    }
    path_free(&path);
    sim_free(&sim);
    return lost;
}

/* 1 MHz above the least clock nothing is lost, 1 MHz below something is, and at that clock only lengths like the worst lose. */
static void as_simulated(void)
{
    for (int fcs_on_bus = 0; fcs_on_bus < 2; fcs_on_bus++) {
        struct linecheck given = {512, 250000000, 100000000000, fcs_on_bus, 0};
        struct linecheck_result result = linecheck(&given);
        CU_ASSERT_EQUAL(frames_lost(&given, result.worst_frame_bytes, result.clock_least_hz + 1000000), 0);
        CU_ASSERT(frames_lost(&given, result.worst_frame_bytes, result.clock_least_hz - 1000000) > 0);
        CU_ASSERT_EQUAL(frames_lost(&given, result.worst_frame_bytes - 1, result.clock_least_hz - 1000000), 0);
    }
}

void suite_mac_linecheck(void);
void suite_mac_linecheck(void)
{
    CU_pSuite suite = CU_add_suite("mac: linecheck", NULL, NULL);
    CU_add_test(suite, "segments waste little", segments_waste_little);
    CU_add_test(suite, "known cases", known_cases);
    CU_add_test(suite, "at the hertz", at_the_hertz);
    CU_add_test(suite, "as simulated, 1 MHz above and below", as_simulated);
}
