/* The PCIe link's rate: a clock whose period is one byte over all lanes.
 *
 * Encoding (8b/10b, 128b/130b) and what the link spends on itself are in the period: Ack and UpdateFC DLLPs of 8 bytes at
 * the intervals of the Ack latency table, and skip ordered sets at the shortest interval, 4 symbols behind 1180 (Gen1 and 2)
 * or a block behind 370 (PCIe Base Spec 3.0, 3.5.3.1 and 4.2.7). They cost bandwidth here, not yet jitter. */
#ifndef PCIE_LINK_H
#define PCIE_LINK_H

#include "kernel/clk.h"
#include "pcie/params.h"

/* ps in which a lane carries a byte, encoded; generation 1 to 5. */
struct link_symbol {
    int64_t num, den;
};
struct link_symbol link_symbol_ps(int64_t generation);

/* Symbol times between Acks and, as guideline, between UpdateFCs: floor((MPS + 28) * AF / lanes) + the receiver's internal delay, 19,
 * 70 or 115 symbol times. Base Spec 3.0 tables 3-7 to 3-9 follow it. A third of the replay timer. */
int64_t link_ack_symbols(const struct pcie_params *params);

/* Returns -1 when the generation or the number of lanes does not exist. */
int link_clock(const struct pcie_params *params, int64_t phase_ps, struct clk *byte_clk);

#endif
