/* Whether a datapath keeps up with a line, for every frame length: each frame begins a beat of its own (or a segment of one), and takes the line
 * preamble, frame and gap. Pure arithmetic. */
#ifndef MAC_LINECHECK_H
#define MAC_LINECHECK_H

#include <stdint.h>

#define LINECHECK_FRAME_LEAST_BYTES 64u  /* with the FCS: IEEE 802.3, 3.2.8 */
#define LINECHECK_FRAME_MOST_BYTES 9216u /* a jumbo frame */
#define LINECHECK_BETWEEN_BYTES 20u      /* preamble and start delimiter 8, gap 12 */

struct linecheck {
    int64_t width_bits, clock_hz, rate_bps;
    int fcs_on_bus; /* the core shows the FCS to the user, or takes it from him */
    int64_t
        segment_bits; /* 0: a frame begins a beat of its own; else a segment (LBUS: 128 of 512 bit), one frame a cycle at most */
};

struct linecheck_result {
    uint32_t worst_frame_bytes; /* with its FCS: the shortest of those that need the fastest clock */
    int64_t clock_least_hz;     /* that it needs, rounded up */
    int64_t
        bubble_cycles; /* whole cycles that each frame may waste at the given clock; negative: so many are missing */
};

/* All values > 0; width x clock and rate below 2^50. */
struct linecheck_result linecheck(const struct linecheck *given);

#endif
