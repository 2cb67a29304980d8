/* The line against a reference that counts octet by octet: starts, markers, codewords. And the MAC's FIFOs against flip-flops that are
 * clocked edge by edge. Both know nothing of the arithmetic. */
#include "kernel/rnd.h"
#include "mac/line.h"
#include "mac/mac_fifo.h"
#include "tests/quick.h"

#include <CUnit/Basic.h>
#include <stdlib.h>
#include <string.h>

#define CASES 600
#define FRAMES 200

struct frame {
    int64_t head, tail; /* slots from which on its first and last byte are there */
    uint32_t bytes;
    struct line_frame seen;
    int64_t first_slot, word_slot, last_slot, taken_slot;
};

struct tick {
    const struct line *line;
    struct frame *frame;
    int frames, next, in_frame; /* the next to start; octets of the frame sent, -1: none */
    int64_t octet, idle, owed;  /* of the MAC; since the last frame's end; started early so far */
    int missed;                 /* an octet on which the next frame might have begun has passed */
};

static int64_t length_of(const struct frame *frame)
{
    return 8 + (frame->bytes > 60 ? frame->bytes : 60) + 4;
}

/* Whether the next frame begins in this octet; ready: it is there. */
static int begins(struct tick *tick, int ready)
{
    const struct start_rule *rule = &tick->line->rule;
    if (tick->missed)
        return ready && tick->octet % rule->word == 0;
    if (tick->octet % rule->align != 0)
        return 0;
    int64_t early = tick->owed + rule->gap - tick->idle;
    if (rule->deficit ? early > rule->align - 1 : tick->idle < rule->gap)
        return 0;
    tick->missed = !ready;
    tick->owed = ready && rule->deficit ? early : 0;
    return ready || tick->octet % rule->word == 0 ? ready : 0;
}

/* One octet of the MAC, in a slot of the line. */
static void send_octet(struct tick *tick, int64_t slot, uint32_t word_bytes)
{
    struct frame *frame = &tick->frame[tick->next];
    if (tick->in_frame < 0 && tick->next < tick->frames && begins(tick, frame->head <= slot)) {
        tick->in_frame = 0;
        frame->first_slot = slot;
    }
    if (tick->in_frame >= 0) {
        uint32_t word = frame->bytes < word_bytes ? frame->bytes : word_bytes;
        if (tick->in_frame == 8 + (int)word - 1)
            frame->word_slot = slot;
        if (tick->in_frame == 8 + (int)frame->bytes - 1)
            frame->taken_slot = slot;
        if (++tick->in_frame == length_of(frame)) {
            frame->last_slot = slot;
            tick->next++;
            tick->in_frame = -1;
            tick->idle = -1; /* the next octet is the terminate character, the first of the gap */
            tick->missed = 0;
        }
    }
    tick->idle++;
    tick->octet++;
}

/* A codeword's octets leave the decoder together, or each so much later. */
static int64_t leaves(const struct line *line, int64_t slot)
{
    int64_t block = line->phy.fec.block_octets;
    while (block > 0 && line->params->fec_release == MAC_FEC_CODEWORD && (slot + 1 - line->codeword_first) % block != 0)
        slot++;
    return slot;
}

static int64_t draw(uint64_t a, uint64_t b, uint64_t most)
{
    return (int64_t)(rnd_u64(11, a, b, 0) % most);
}

static struct mac_params random_params(uint64_t number)
{
    static const int64_t rate[] = {10, 25, 40, 50, 100, 200, 400};
    static const int64_t align[] = {1, 4, 8};
    struct mac_params p = {.rate = rate[draw(number, 1, 7)] * 1000000000,
                           .preamble = 8,
                           .fcs = 4,
                           .frame_least = 60,
                           .gap = draw(number, 2, 3) == 0 ? 12 : 8 + draw(number, 3, 16),
                           .start = align[draw(number, 4, 3)],
                           .deficit = draw(number, 5, 2),
                           .fec_release = draw(number, 6, 2),
                           .serdes = draw(number, 7, 30000)};
    int64_t word = p.start << draw(number, 8, 4);
    p.word = 8 * word;
    p.fec = p.rate >= 100000000000 ? MAC_FEC_RS544 : p.rate == 25000000000 ? MAC_FEC_RS528 : MAC_FEC_CL74;
    if (draw(number, 9, 3) == 0)
        p.fec = MAC_FEC_NONE;
    return p;
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Back to back, or with pauses; each as soon as it is there, the last byte too late now and then. */
static void random_frames(struct frame *frame, uint64_t number)
{
    int64_t at = 0;
    for (int i = 0; i < FRAMES; i++) {
        uint64_t key = number * FRAMES + (uint64_t)i;
        frame[i] = (struct frame){.bytes = 14 + (uint32_t)draw(key, 10, draw(number, 11, 2) ? 200 : 1500)};
        at = longer(at, 0) + (draw(key, 12, 3) == 0 ? draw(key, 13, 2000) : 0);
        frame[i].head = at;
        frame[i].tail = at + draw(key, 14, 2 * frame[i].bytes);
    }
}

static void tick_all(const struct line *line, struct frame *frame, uint32_t word_bytes)
{
    struct tick tick = {.line = line, .frame = frame, .frames = FRAMES, .in_frame = -1, .idle = line->rule.gap};
    const struct phy_markers *m = &line->markers;
    for (int64_t slot = 0; tick.next < FRAMES; slot++) {
        int is_marker = m->octets > 0 && slot >= m->first && (slot - m->first) % (m->room + m->octets) < m->octets;
        if (!is_marker)
            send_octet(&tick, slot, word_bytes);
    }
}

static int differs(uint64_t number)
{
    struct mac_params p = random_params(number);
    struct line line;
    struct frame frame[FRAMES];
    char error[200];
    uint32_t word_bytes = 8u << draw(number, 15, 4);
    int wrong = 0;
    CU_ASSERT_EQUAL_FATAL(line_init(&line, &p, 0, 0, number, error, sizeof error), 0);
    if (draw(number, 16, 2)) { /* more often than a PHY has them, so that they meet everything */
        line.markers = (struct phy_markers){8 * (1 + draw(number, 17, 20)), 8 * (100 + draw(number, 18, 900)),
                                            8 * draw(number, 19, 90)};
        line.is_plain = 0;
    }
    random_frames(frame, number);
    for (int i = 0; i < FRAMES; i++)
        frame[i].seen = line_send(&line, frame[i].bytes, frame[i].head, frame[i].tail, word_bytes);
    tick_all(&line, frame, word_bytes);
    for (int i = 0; i < FRAMES; i++) {
        const struct frame *f = &frame[i];
        wrong += f->seen.start_cyc != f->first_slot ||
                 f->seen.word_at_cyc != leaves(&line, f->word_slot) + line.delay_cyc ||
                 f->seen.last_at_cyc != leaves(&line, f->last_slot) + line.delay_cyc ||
                 f->seen.bad != (f->tail > f->taken_slot ? ITEM_UNDERRUN : 0);
    }
    return wrong;
}

static void octet_by_octet(void)
{
    int wrong = 0;
    for (uint64_t number = 0; number < quick_cases(CASES); number++)
        wrong += differs(number);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- the FIFOs' flip-flops, edge by edge ---- */

/* The reader's edge after which a register of the writer, which changes at its edge n, is read behind `flops` flip-flops. */
static int64_t ticked_crossing(const struct clk *from, int64_t n, const struct clk *to, int64_t flops)
{
    int value[8] = {0};
    int64_t change_ps = clk_edge(from, n);
    for (int64_t edge = 0;; edge++) {
        int64_t now_ps = clk_edge(to, edge);
        for (int64_t i = flops - 1; i > 0; i--)
            value[i] = value[i - 1];
        value[0] = change_ps < now_ps;
        if (value[flops - 1])
            return edge;
    }
}

static void flop_by_flop(void)
{
    static const int64_t hz[] = {390625000, 250000000, 322265625, 156250000, 402832031, 781250000, 312500000};
    int wrong = 0;
    for (uint64_t k = 0; k < quick_cases(3000); k++) {
        struct mac_params p = {.word = 64,
                               .fifo = MAC_FIFO_CUT,
                               .fifo_flops = 2 + draw(k, 1, 2),
                               .fifo_read = 3,
                               .fifo_store_flops = 3,
                               .fifo_adapter = 1};
        struct mac_fifo fifo = mac_fifo_of(&p, 8);
        int64_t off = draw(k, 4, 3) * 100000 - 100000, cyc = draw(k, 7, 400);
        CU_ASSERT_FATAL(clk_init_hz(&fifo.user_clk, hz[draw(k, 2, 7)], off, draw(k, 5, 5000)) == 0 &&
                        clk_init_hz(&fifo.mac_clk, hz[draw(k, 3, 7)], 0, draw(k, 6, 5000)) == 0);
        wrong += mac_fifo_offered_cyc(&fifo, cyc, 64) !=
                 ticked_crossing(&fifo.user_clk, cyc, &fifo.mac_clk, p.fifo_flops) + p.fifo_read;
        wrong += mac_fifo_received_cyc(&fifo, cyc, cyc + 7) !=
                 ticked_crossing(&fifo.mac_clk, cyc, &fifo.user_clk, p.fifo_flops) + p.fifo_read;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

void suite_mac_line_tick(void);
void suite_mac_line_tick(void)
{
    CU_pSuite suite = CU_add_suite("mac: the line, octet by octet", NULL, NULL);
    CU_add_test(suite, "octet by octet", octet_by_octet);
    CU_add_test(suite, "flip-flop by flip-flop", flop_by_flop);
}
