#include "mac/line.h"

#include <stdio.h>

#include "config/param_dist.h"
#include "kernel/rnd.h"

#define PPB INT64_C(1000000000)

enum { DRAW_LINK_UP, DRAW_MARKER, DRAW_CODEWORD, DRAW_ERRORS, DRAW_OTHER }; /* attempts of the stream's ordinal 0 */

/* Constant for this link: wires, PHYs, what was drawn. */
static int64_t delay_of(const struct mac_params *p, uint64_t stream)
{
    struct rnd_table table;
    int64_t ps = p->serdes + p->module + p->skew + (p->cable * p->cable_delay + 999) / 1000;
    if (p->fec != MAC_FEC_NONE)
        ps += p->fec_encode + p->fec_decode;
    if (param_dist_table(&p->link_up, &table) == 0)
        ps += rnd_table_draw(&table, rnd_draw(stream, 0, DRAW_LINK_UP));
    return ps;
}

/* Blocks of codewords and markers lie anywhere. */
static int64_t draw_slot(uint64_t stream, uint64_t what, int64_t slots)
{
    return slots > 0 ? (int64_t)(rnd_draw(stream, 0, what) % (uint64_t)slots) : 0;
}

static int64_t length_of(const struct mac_params *p, uint32_t bytes)
{
    return p->preamble + (bytes > p->frame_least ? bytes : p->frame_least) + p->fcs;
}

/* ---- others on the same line ---- */

static int64_t other_distance(struct line *line)
{
    struct line_other *other = &line->other;
    if (line->params->other_arrival == MAC_OTHER_PERIODIC)
        return other->mean_cyc;
    return 1 + geometric_draw(&other->distance, rnd_draw(other->stream, other->drawn++, 0));
}

/* So many slots apart in the mean that their load is as given. */
static void init_other(struct line *line, uint64_t stream)
{
    const struct mac_params *p = line->params;
    struct line_other *other = &line->other;
    if (p->other_load == 0)
        return;
    int64_t slot = length_of(p, (uint32_t)p->other_bytes) + p->gap;
    other->mean_cyc = (slot * PPB + p->other_load / 2) / p->other_load;
    other->stream = rnd_draw(stream, 0, DRAW_OTHER);
    geometric_init(&other->distance, (double)p->other_load / ((double)slot * PPB));
    other->next_cyc = other_distance(line);
}

int line_init(struct line *line, const struct mac_params *params, int64_t off_ppb, int64_t phase_ps, uint64_t stream,
              char *error, size_t error_bytes)
{
    *line = (struct line){.params = params};
    snprintf(error, error_bytes, "mac.rate: allowed are multiples of 8 bit/s whose byte time has an exact form");
    if (params->rate % 8 != 0 || clk_init_hz(&line->clk, params->rate / 8, off_ppb, phase_ps))
        return -1;
    if (phy_init(&line->phy, params, error, error_bytes))
        return -1;
    int64_t block = line->phy.fec.block_octets;
    line->rule = start_rule_of(params);
    if (line->rule.word < line->rule.align)
        line->rule.word = line->rule.align;
    line->start = start_of(&line->rule);
    line->markers = phy_markers_of(&line->phy, draw_slot(stream, DRAW_MARKER, line->phy.marker_period));
    line->codeword_first = draw_slot(stream, DRAW_CODEWORD, block);
    line->is_plain = line->rule.align == 1 && line->rule.word == 1 && line->markers.octets == 0 && block == 0 &&
                     params->bit_errors == 0 && params->other_load == 0 && params->switches == 0;
    line->switch_cyc = clk_at_or_after(&line->clk, params->switch_latency + phase_ps);
    init_other(line, stream);
    bit_errors_init(&line->errors, &line->phy.fec, params->bit_errors, line->codeword_first,
                    rnd_draw(stream, 0, DRAW_ERRORS));
    line->delay_cyc = clk_at_or_after(&line->clk, delay_of(params, stream) + phase_ps) + 1;
    if (block > 0 && params->fec_release == MAC_FEC_STREAMING)
        line->delay_cyc += block;
    return 0;
}

/* When a slot's byte is out of the decoder, or at the far end where there is none. */
static int64_t arrives_at(const struct line *line, int64_t slot)
{
    int64_t block = line->phy.fec.block_octets;
    if (block > 0 && line->params->fec_release == MAC_FEC_CODEWORD)
        slot += block - 1 - (slot + block - line->codeword_first) % block;
    return slot + line->delay_cyc;
}

#define SWITCH_HEAD_BYTES 64 /* a switch that cuts through looks at so much of a frame first */

int64_t line_way_cyc(const struct line *line)
{
    return line->delay_cyc + line->params->switches * (line->delay_cyc + line->switch_cyc);
}

/* How much later a frame of `length` that starts in the slot is at the far end for the switches: each begins it on the next cable when
 * it has its head, or all of it, and the frame before is gone. */
static int64_t through_switches(struct line *line, int64_t start_cyc, int64_t length)
{
    const struct mac_params *p = line->params;
    int64_t head = p->preamble + SWITCH_HEAD_BYTES, at = start_cyc;
    int64_t in = p->switch_forward == MAC_SWITCH_STORE || length < head ? length : head;
    for (int64_t i = 0; i < p->switches; i++) {
        at += in + line->delay_cyc + line->switch_cyc;
        at = at > line->switch_free_cyc[i] ? at : line->switch_free_cyc[i];
        line->switch_free_cyc[i] = at + length + p->gap;
    }
    return at - start_cyc;
}

/* The MAC's octet with which a frame begins on the line. Where idles are deleted behind it, the MAC itself goes on during markers; its
 * frames wait, and go on with the gap that a receiver must bear (81.3.1.4: one octet) until they have caught up. */
static int64_t begin(struct line *line, int64_t head_cyc)
{
    if (line->params->marker_room == MAC_MARKER_ROOM_KEPT || line->markers.octets == 0)
        return start_next(&line->rule, &line->start, phy_octet(&line->markers, head_cyc));
    int64_t mac_cyc = start_next(&line->rule, &line->start, head_cyc);
    int64_t octet = phy_octet(&line->markers, mac_cyc), least = line->sent_octet + (line->frames > 0);
    line->start.end_octet = mac_cyc; /* the caller adds the frame */
    return ((octet > least ? octet : least) + line->rule.align - 1) & -line->rule.align;
}

int64_t line_free_cyc(const struct line *line)
{
    if (line->is_plain || line->frames == 0)
        return line->free_cyc;
    int64_t octet = (line->start.end_octet + line->rule.gap + line->start.owed) & -line->rule.align;
    return line->params->marker_room == MAC_MARKER_ROOM_KEPT ? phy_slot(&line->markers, octet) : octet;
}

static __attribute__((noinline)) struct line_frame send_through_phy(struct line *line, uint32_t bytes, int64_t head_cyc,
                                                                    int64_t tail_cyc, uint32_t word_bytes)
{
    const struct mac_params *p = line->params;
    const struct phy_markers *markers = &line->markers;
    int64_t length = length_of(p, bytes);
    int64_t word = bytes < word_bytes ? bytes : word_bytes;
    int64_t octet = begin(line, head_cyc), data = octet + p->preamble;
    int64_t first_slot = phy_slot(markers, octet), last_slot = phy_slot(markers, octet + length - 1);
    int deleted = p->marker_room == MAC_MARKER_ROOM_DELETED && markers->octets > 0;
    int64_t taken_cyc = deleted ? line->start.end_octet + p->preamble + bytes - 1 : phy_slot(markers, data + bytes - 1);
    struct line_frame frame = {.start_cyc = first_slot,
                               .word_at_cyc = arrives_at(line, phy_slot(markers, data + word - 1)),
                               .last_at_cyc = arrives_at(line, last_slot),
                               .bad = tail_cyc > taken_cyc ? ITEM_UNDERRUN : 0};
    if (p->bit_errors > 0 && bit_errors_damage(&line->errors, first_slot, last_slot))
        frame.bad |= ITEM_DAMAGED;
    if (p->switches > 0) {
        int64_t later = through_switches(line, first_slot, last_slot + 1 - first_slot);
        frame.word_at_cyc += later;
        frame.last_at_cyc += later;
    }
    line->start.end_octet = (deleted ? line->start.end_octet : octet) + length;
    line->sent_octet = octet + length;
    line->free_cyc = last_slot + 1 + p->gap;
    line->work_cyc += length + p->gap;
    return frame;
}

/* Those that came to the MAC before. */
static void send_others(struct line *line, int64_t head_cyc)
{
    struct line_other *other = &line->other;
    while (other->mean_cyc > 0 && other->next_cyc <= head_cyc) {
        uint32_t bytes = (uint32_t)line->params->other_bytes;
        send_through_phy(line, bytes, other->next_cyc, other->next_cyc, bytes);
        line->frames++;
        other->frames++;
        other->next_cyc += other_distance(line);
    }
}

struct line_frame line_send_as_mac(struct line *line, uint32_t bytes, int64_t head_cyc, int64_t tail_cyc,
                                   uint32_t word_bytes)
{
    send_others(line, head_cyc);
    return send_through_phy(line, bytes, head_cyc, tail_cyc, word_bytes);
}
