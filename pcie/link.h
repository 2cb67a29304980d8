/* The PCIe link: a clock whose period is one byte over all lanes, and the skips that stop it.
 *
 * Encoding (8b/10b, 128b/130b) and DLLPs are in the period: Ack and UpdateFC of 8 bytes at the intervals of the Ack latency table
 * (PCIe Base Spec 3.0, 3.5.3.1). A skip ordered set is due every 1180 symbols and takes 4 (Gen1 and 2), or a block in 371 (Gen3 on:
 * every 370 to 375 blocks; 4.2.7): all lanes stop for it at the next boundary between TLPs, for 16 symbol times, 16, 8 or 4 ns at
 * Gen3, 4 and 5. That is jitter. Those that are due during one TLP all follow it.
 *
 * Gen6 is in flits of 256 bytes: 236 of TLPs, without framing and LCRC, and 20 of DLLPs, CRC and FEC (PCIe Base Spec 6.0, 4.2.3). What it
 * carries is there when its flit is. How often Gen6 skips is assumed to be as before. */
#ifndef PCIE_LINK_H
#define PCIE_LINK_H

#include "kernel/clk.h"
#include "pcie/params.h"

#define LINK_FLITS 6 /* the generation that has them */
#define LINK_FLIT_BYTES 256
#define LINK_FLIT_TLP_BYTES 236

/* ps in which a lane carries a byte, encoded; generation 1 to 6. */
struct link_symbol {
    int64_t num, den;
};
struct link_symbol link_symbol_ps(int64_t generation);

/* Symbol times between Acks and, as guideline, between UpdateFCs: floor((MPS + 28) * AF / lanes) + the receiver's internal delay, 19,
 * 70 or 115 symbol times. Base Spec 3.0 tables 3-7 to 3-9 follow it. A third of the replay timer. */
int64_t link_ack_symbols(const struct pcie_params *params);

struct link_skips { /* of one direction; cycles of the byte clock */
    int64_t due_cyc, every_cyc, took_cyc;
};

/* Returns -1 when the generation or the number of lanes does not exist. */
int link_init(const struct pcie_params *params, int64_t phase_ps, struct clk *byte_clk, struct link_skips *skips);
/* When the first is due: so far into an interval, in parts of 2^64. */
void link_skips_begin(struct link_skips *skips, uint64_t share);

/* The cycle in which what ends at end_cyc is over at the receiver: flit_cyc, 0 without flits, are those of a flit's TLPs. */
static inline int64_t link_received_cyc(int64_t flit_cyc, int64_t end_cyc)
{
    return flit_cyc == 0 ? end_cyc : (end_cyc + flit_cyc - 1) / flit_cyc * flit_cyc;
}

int64_t link_behind_late_skip(const struct link_skips *skips, int64_t start_cyc, int64_t free_cyc);

/* A TLP is ready at start_cyc, behind the one before it, which ends at free_cyc: when it starts, behind a skip that is due. */
static inline int64_t link_behind_skip(const struct link_skips *skips, int64_t start_cyc, int64_t free_cyc)
{
    return start_cyc < skips->due_cyc ? start_cyc : link_behind_late_skip(skips, start_cyc, free_cyc);
}

/* That TLP is sent. */
static inline void link_pass_skip(struct link_skips *skips, int64_t start_cyc)
{
    if (start_cyc >= skips->due_cyc)
        skips->due_cyc += ((start_cyc - skips->due_cyc) / skips->every_cyc + 1) * skips->every_cyc;
}

#endif
