/* The MAC against public RTL: every frame's cycles, pause frames, frames that follow too soon. */
#include "mac/xgmii.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>

enum mode { SWEEP_B2B, FIXED_B2B, SMALL_GAP, ISOLATED };

static struct xgmii_shape shape_64(int deficit, int64_t pipe)
{
    return (struct xgmii_shape){
        .rule = {.gap = 12, .align = 4, .word = 8, .deficit = deficit},
        .preamble = 8,
        .fcs = 4,
        .frame_least = 60,
        .tx_ask_cyc = 1,
        .tx_accept_cyc = 1,
        .tx_pipe_cyc = pipe < 0 ? 0 : 2 + pipe, /* the encoder has two registers, the decoder one */
        .rx_cyc = 4 + (pipe < 0 ? 0 : 1 + pipe),
        .rx_realign_cyc = 1,
        .rx_conflict = MAC_RX_CONFLICT_REALIGNED,
        .pause_request_cyc = 3,
        .pause_receive_cyc = 3,
        .pause_more_cyc = 1,
    };
}

/* ---- every frame of the RTL's runs ---- */

static const int fixed_bytes[] = {9,    14,   46,   59,   60,   61,   62,   63,   64,   65,   66,
                                  67,   68,   124,  125,  126,  127,  128,  256,  512,  1024, 1496,
                                  1500, 1510, 1511, 1512, 1513, 1514, 1515, 1516, 1517, 1518};

static int bytes_of(enum mode mode, int frame)
{
    return mode == FIXED_B2B ? fixed_bytes[frame / 32] : mode == SMALL_GAP ? 60 + frame / 7 : 60 + frame;
}

/* Each size of FIXED_B2B is a run of its own. */
static int begins(enum mode mode, int frame)
{
    return frame == 0 || (mode == FIXED_B2B && frame % 32 == 0);
}

/* How long the user interface was idle before it. */
static int idle_before(enum mode mode, int frame)
{
    return mode == SMALL_GAP ? frame % 7 : mode == ISOLATED ? 20 : 0;
}

static int64_t first_offer(enum mode mode, int64_t pipe)
{
    return pipe >= 0 ? 0 : mode == ISOLATED ? 10 : 4;
}

static uint64_t digest(uint64_t hash, int64_t value)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ ((uint64_t)value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t digest_frame(uint64_t hash, int bytes, const struct xgmii_frame *frame, int64_t gap_behind)
{
    int64_t start = frame->start_octet / 8, end = frame->end_octet / 8, length = bytes > 60 ? bytes : 60;
    const int64_t column[] = {bytes,
                              frame->first_cyc,
                              frame->last_cyc,
                              start,
                              frame->start_octet % 8,
                              end,
                              frame->end_octet % 8,
                              gap_behind,
                              start - frame->first_cyc,
                              frame->rx_first_cyc,
                              frame->rx_last_cyc,
                              frame->rx_first_cyc - start,
                              frame->rx_last_cyc - end,
                              length,
                              0};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        hash = digest(hash, column[i]);
    return hash;
}

static int gap_of(const char *gaps, int frame)
{
    char digits[3] = {gaps[2 * frame], gaps[2 * frame + 1], 0};
    int gap = (int)strtol(digits, 0, 16);
    return gap == 255 ? -1 : gap;
}

/* The number of frames whose gap is another than the RTL's. */
static int run_differs(enum mode mode, int deficit, int64_t pipe, int frames, uint64_t expected, const char *gaps)
{
    struct xgmii_shape shape = shape_64(deficit, pipe);
    struct xgmii mac;
    struct xgmii_frame *frame = calloc((size_t)frames, sizeof *frame);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int wrong = 0;
    for (int i = 0; i < frames; i++) {
        if (begins(mode, i))
            xgmii_init(&mac, &shape);
        int64_t offered = begins(mode, i) ? first_offer(mode, pipe) : mac.taken_cyc + 1 + idle_before(mode, i);
        frame[i] = xgmii_send(&mac, offered, (uint32_t)bytes_of(mode, i));
    }
    for (int i = 0; i < frames; i++) {
        int is_last = i + 1 == frames || begins(mode, i + 1);
        int64_t gap = is_last ? -1 : frame[i + 1].gap_octets;
        wrong += gap != gap_of(gaps, i);
        hash = digest_frame(hash, bytes_of(mode, i), &frame[i], gap);
    }
    free(frame);
    return wrong + (hash != expected);
}

static void each_frame_is_as_in_rtl(void)
{
#define RTL_RUN(mode, deficit, pipe, frames, digest, gaps) \
    CU_ASSERT_EQUAL(run_differs(mode, deficit, pipe, frames, digest, gaps), 0);
#include "tests/mac/xgmii_golden.def"
#undef RTL_RUN
}

/* axis_xgmii_tx_32 and rx_32, measured: the preamble's two words leave before the first beat is taken, which was seen in the cycle before
 * them; a start to the first beat 6 cycles, a terminate character to the last 2 (lane 0) or 3. */
static void words_of_four_octets(void)
{
    struct xgmii_shape shape = shape_64(1, -1);
    struct xgmii mac;
    int64_t gaps = 0;
    shape.rule.word = 4;
    shape.tx_accept_cyc = 0;
    shape.rx_cyc = 6;
    xgmii_init(&mac, &shape);
    for (uint32_t bytes = 60; bytes <= 1518; bytes++) {
        int64_t owed = mac.start.owed, end = mac.start.end_octet;
        struct xgmii_frame frame = xgmii_send(&mac, bytes == 60 ? 3 : mac.taken_cyc + 1, bytes);
        if (bytes == 60) {
            CU_ASSERT_EQUAL(frame.start_octet, 4 * 4);
            CU_ASSERT_EQUAL(frame.first_cyc, 4);
        } else {
            CU_ASSERT_EQUAL(frame.start_octet, (end + 12 + owed) / 4 * 4);
            gaps += frame.gap_octets;
        }
        CU_ASSERT_EQUAL(frame.rx_first_cyc, frame.start_octet / 4 + 6);
        CU_ASSERT_EQUAL(frame.rx_last_cyc - frame.end_octet / 4, frame.end_octet % 4 == 0 ? 2 : 3);
    }
    CU_ASSERT(12 * 1458 - gaps <= 3 && 12 * 1458 - gaps >= 0);
}

/* ---- pause frames ---- */

struct pause_row {
    int phase, latency, seen, gap; /* request to start, start to request at the receiver, cycles; octets before it */
};

/* Of frames back to back, when number `index` starts. */
static int64_t start_cyc_of(uint32_t bytes, int index)
{
    struct xgmii_shape shape = shape_64(1, -1);
    struct xgmii mac;
    int64_t octet = 0;
    xgmii_init(&mac, &shape);
    for (int i = 0; i <= index; i++)
        octet = xgmii_send(&mac, 0, bytes).start_octet;
    return octet / 8;
}

/* The request comes `base` cycles after the start of frame number `before`, and `phase` more. */
static int pause_fits(const struct pause_row *row, uint32_t bytes, int before, int64_t base)
{
    struct xgmii_shape shape = shape_64(1, -1);
    struct xgmii mac;
    int64_t request = start_cyc_of(bytes, before) + base + row->phase;
    xgmii_init(&mac, &shape);
    do
        xgmii_send(&mac, 0, bytes);
    while (!xgmii_pause_is_next(&mac, request));
    struct xgmii_frame pause = xgmii_send_pause(&mac, request);
    int64_t start = pause.start_octet / 8;
    return start - request == row->latency && xgmii_paused_cyc(&mac, &pause) - start == row->seen &&
           pause.gap_octets == row->gap && pause.end_octet / 8 - start == 9;
}

/* Where the RTL's data frames stood is not in the figures: one place fits all rows. Of 1514 B frames two in a row differ in what they
 * owe, and each row may have met either. */
static int pause_rows_fit(const struct pause_row *row, int rows, uint32_t bytes, int together)
{
    int period = (int)(bytes + 24) / 8 + 1;
    for (int base = -period; base <= period; base++)
        for (int before = 0; before < 4; before++) {
            int fit = 0;
            for (int i = 0; i < rows; i++) {
                int any = 0;
                for (int other = 0; other < 4 && !any; other++)
                    any = (!together || other == before) && pause_fits(&row[i], bytes, 4 + other, base);
                fit += any;
            }
            if (fit == rows)
                return 1;
        }
    return 0;
}

static void pause_frames_are_as_in_rtl(void)
{
    struct pause_row row[38];
    for (int i = 0; i < 13; i++) /* lane 4, then lane 0 */
        row[i] = (struct pause_row){i, i < 5 ? 11 - i : 22 - i, i < 5 ? 15 : 14, 12};
    CU_ASSERT(pause_rows_fit(row, 13, 60, 1));
    for (int i = 0; i < 38; i++)
        row[i] = (struct pause_row){i, i == 0 ? 8 : i < 36 ? 43 - i : 78 - i, 14, 12};
    CU_ASSERT(pause_rows_fit(row, 38, 256, 1));
    row[0] = (struct pause_row){0, 7, 15, 14};
    for (int i = 1; i < 28; i++)
        row[i] = (struct pause_row){7 * i, 199 - 7 * i, 14, 10};
    CU_ASSERT(pause_rows_fit(row, 28, 1514, 0));
}

static void pause_on_an_idle_line(void)
{
    static const int64_t lasts[][2] = {{1, 9}, {2, 17}, {8, 65}, {16, 129}, {64, 513}, {255, 2041}, {1000, 8001}};
    struct xgmii_shape shape = shape_64(1, -1);
    struct xgmii mac;
    for (int phase = 0; phase < 8; phase++) {
        xgmii_init(&mac, &shape);
        struct xgmii_frame pause = xgmii_send_pause(&mac, 100 + phase);
        CU_ASSERT_EQUAL(pause.start_octet / 8, 100 + phase + 5);
        CU_ASSERT_EQUAL(pause.end_octet / 8, pause.start_octet / 8 + 9);
        CU_ASSERT_EQUAL(xgmii_paused_cyc(&mac, &pause), pause.start_octet / 8 + 14);
    }
    for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
        CU_ASSERT_EQUAL(xgmii_pause_lasts_cyc(&mac, lasts[i][0]), lasts[i][1]);
}

/* ---- frames that follow too soon ---- */

static void too_short_a_gap_is_as_in_rtl(void)
{
    struct xgmii_shape shape = shape_64(1, -1);
    int rows = 0;
    for (uint32_t bytes = 60; bytes <= 67; bytes++)
        for (int64_t lane = 0; lane <= 4; lane += 4)
            for (int64_t gap = 1; gap <= 16; gap++) {
                int64_t end = lane + 8 + bytes + 4, next = (end + gap) % 8;
                if (next % 4 != 0)
                    continue;
                struct xgmii_pair pair = xgmii_receive_pair(&shape, bytes, lane, gap);
                int one = (lane == 4 && next == 4 && gap <= 8) || (lane == 0 && next == 4 && gap <= 4);
                int none = lane == 4 && next == 0 && gap <= 4;
                CU_ASSERT_EQUAL(pair.ok, none ? 0 : one ? 1 : 2);
                CU_ASSERT_EQUAL(pair.bad, none || one);
                CU_ASSERT_EQUAL(pair.missing, none);
                rows++;
            }
    CU_ASSERT_EQUAL(rows, 64);
    shape.rx_conflict = MAC_RX_CONFLICT_LAST; /* taxi: only three octets or less into lane 4 */
    for (uint32_t bytes = 60; bytes <= 67; bytes++)
        for (int64_t gap = 1; gap <= 16; gap++)
            for (int64_t lane = 0; lane <= 4; lane += 4)
                if ((lane + 8 + bytes + 4 + gap) % 4 == 0)
                    CU_ASSERT_EQUAL(xgmii_receive_pair(&shape, bytes, lane, gap).ok,
                                    gap <= 3 && (lane + 8 + bytes + 4 + gap) % 8 == 4 ? 1 : 2);
}

void suite_mac_xgmii(void);
void suite_mac_xgmii(void)
{
    CU_pSuite suite = CU_add_suite("mac: MAC and PCS, cycle by cycle", NULL, NULL);
    CU_add_test(suite, "each of 9,871 frames is as in RTL", each_frame_is_as_in_rtl);
    CU_add_test(suite, "words of four octets", words_of_four_octets);
    CU_add_test(suite, "pause frames are as in RTL", pause_frames_are_as_in_rtl);
    CU_add_test(suite, "pause on an idle line", pause_on_an_idle_line);
    CU_add_test(suite, "too short a gap is as in RTL", too_short_a_gap_is_as_in_rtl);
}
