/* The transmitting end of an Ethernet line, its PHYs and the cable between: a server whose beat is a byte.
 *
 * A frame takes preamble + max(frame, least) + FCS, then the gap; where it may begin, mac/start.h says. Once begun it never stops,
 * so a byte that comes too late is an underrun: the frame goes out and is bad (PG203: a gap inside a frame is not allowed). Markers
 * take slots of the line (mac/phy.h): either the MAC is held up meanwhile, or its frames wait behind it and idles between them are
 * deleted until they have caught up. FEC delays what is received by a codeword and the decoder; bit errors damage frames
 * (mac/bit_errors.h). Others may send on the same line (mac.other_load). Times are cycles of the line's byte clock: slots. */
#ifndef MAC_LINE_H
#define MAC_LINE_H

#include "kernel/clk.h"
#include "kernel/item.h"
#include "mac/bit_errors.h"
#include "mac/params.h"
#include "mac/phy.h"
#include "mac/start.h"

#define LINE_SWITCHES_MAX 8

struct line_other {   /* traffic of others on the same MAC */
    int64_t mean_cyc; /* from one of its frames to the next; 0: there is none */
    int64_t next_cyc; /* when the next comes to the MAC */
    uint64_t stream, drawn;
    struct geometric distance;
    uint64_t frames;
};

struct line {
    const struct mac_params *params;
    struct clk clk;    /* a byte */
    int64_t delay_cyc; /* cable and transceivers, rounded up; with FEC the decoder and, where it streams, a codeword */
    int64_t free_cyc;
    int64_t work_cyc; /* with the gap; as many bytes on the wire */
    uint64_t frames, underruns;
    int is_plain; /* any octet for a start, no markers, codewords or bit errors */
    struct start_rule rule;
    struct start start;
    struct phy phy;
    struct phy_markers markers;
    int64_t codeword_first; /* slot in which a block of codewords begins: 0 <= first < block */
    int64_t sent_octet;     /* of the MAC: behind the last frame, where idles are deleted behind the MAC */
    struct bit_errors errors;
    struct line_other other;
    int64_t switch_cyc; /* latency of one */
    int64_t switch_free_cyc[LINE_SWITCHES_MAX];
};

struct line_frame {
    int64_t start_cyc;   /* first byte of the preamble */
    int64_t word_at_cyc; /* the frame's first word (or all of it) is at the far end */
    int64_t last_at_cyc; /* the last byte of the FCS is at the far end */
    int bad;             /* as enum item_bad: it ran dry, or bit errors damaged it */
};

/* off_ppb: the oscillator's error. What is fixed when the link comes up is drawn from `stream`. Returns -1 and one line, which begins
 * with the key, when the rate's byte time has no exact form, or lanes, FEC or markers do not exist. */
int line_init(struct line *line, const struct mac_params *params, int64_t off_ppb, int64_t phase_ps, uint64_t stream,
              char *error, size_t error_bytes);
/* From a slot here to the far end, switches included. */
int64_t line_way_cyc(const struct line *line);
/* The slot in which the next frame can begin at the earliest, as far as those before it are concerned. */
int64_t line_free_cyc(const struct line *line);
/* With start lanes, markers, FEC or others' frames. */
struct line_frame line_send_as_mac(struct line *line, uint32_t bytes, int64_t head_cyc, int64_t tail_cyc,
                                   uint32_t word_bytes);
/* Sends a frame of `bytes` (without FCS) whose first and last bytes are there at head_cyc and tail_cyc; the far end collects
 * words of word_bytes. */
static inline struct line_frame line_send(struct line *line, uint32_t bytes, int64_t head_cyc, int64_t tail_cyc,
                                          uint32_t word_bytes)
{
    const struct mac_params *p = line->params;
    struct line_frame frame;
    if (__builtin_expect(!line->is_plain, 0)) {
        frame = line_send_as_mac(line, bytes, head_cyc, tail_cyc, word_bytes);
    } else {
        int64_t body = bytes > p->frame_least ? bytes : p->frame_least;
        int64_t word = bytes < word_bytes ? bytes : word_bytes;
        frame.start_cyc = head_cyc > line->free_cyc ? head_cyc : line->free_cyc;
        int64_t data_cyc = frame.start_cyc + p->preamble;
        frame.word_at_cyc = data_cyc + word - 1 + line->delay_cyc;
        frame.last_at_cyc = data_cyc + body + p->fcs - 1 + line->delay_cyc;
        frame.bad = tail_cyc > data_cyc + bytes - 1; /* ITEM_UNDERRUN */
        line->free_cyc = data_cyc + body + p->fcs + p->gap;
        line->work_cyc += line->free_cyc - frame.start_cyc;
    }
    line->frames++;
    line->underruns += (uint64_t)(frame.bad & ITEM_UNDERRUN);
    return frame;
}

/* From the last byte of a frame's FCS at the far end: when the first byte of its preamble was there, markers within not counted. */
static inline int64_t line_first_cyc(const struct line *line, uint32_t bytes, int64_t last_at_cyc)
{
    const struct mac_params *p = line->params;
    int64_t body = bytes > p->frame_least ? bytes : p->frame_least;
    return last_at_cyc + 1 - p->fcs - body - p->preamble;
}

#endif
