/* The transmitting end of an Ethernet line and the cable behind it: a server whose beat is a byte.
 *
 * A frame takes preamble + max(frame, least) + FCS, then the gap; once begun it never stops, so a byte that comes too late
 * is an underrun: the frame goes out and is bad (PG203: a gap inside a frame is not allowed). Times are cycles of the line's
 * byte clock. */
#ifndef MAC_LINE_H
#define MAC_LINE_H

#include "kernel/clk.h"
#include "mac/params.h"

struct line {
    const struct mac_params *params;
    struct clk clk;    /* a byte */
    int64_t delay_cyc; /* cable and transceivers, rounded up */
    int64_t free_cyc;
    int64_t work_cyc; /* with the gap; as many bytes on the wire */
    uint64_t frames, underruns;
};

struct line_frame {
    int64_t start_cyc;   /* first byte of the preamble */
    int64_t word_at_cyc; /* the frame's first word (or all of it) is at the far end */
    int64_t last_at_cyc; /* the last byte of the FCS is at the far end */
    int underrun;
};

/* off_ppb: the oscillator's error. Returns -1 when the rate's byte time has no exact form. */
int line_init(struct line *line, const struct mac_params *params, int64_t off_ppb, int64_t phase_ps);
/* Sends a frame of `bytes` (without FCS) whose first and last bytes are there at head_cyc and tail_cyc; the far end collects
 * words of word_bytes. */
struct line_frame line_send(struct line *line, uint32_t bytes, int64_t head_cyc, int64_t tail_cyc, uint32_t word_bytes);

/* From the last byte of a frame's FCS at the far end: when the first byte of its preamble was there. */
static inline int64_t line_first_cyc(const struct line *line, uint32_t bytes, int64_t last_at_cyc)
{
    const struct mac_params *p = line->params;
    int64_t body = bytes > p->frame_least ? bytes : p->frame_least;
    return last_at_cyc + 1 - p->fcs - body - p->preamble;
}

#endif
