/* The PCIe link's rate: a clock whose period is one byte over all lanes.
 *
 * Encoding (8b/10b, 128b/130b) and what the link spends on itself are in the period: Ack and UpdateFC DLLPs of 8 bytes at
 * the intervals of the Ack latency table, and skip ordered sets (PCIe Base Spec 3.0, 3.5.3.1 and 4.2.7). They cost bandwidth
 * here, not yet jitter. */
#ifndef PCIE_LINK_H
#define PCIE_LINK_H

#include "kernel/clk.h"
#include "pcie/params.h"

/* Returns -1 when the generation or the number of lanes does not exist. */
int link_clock(const struct pcie_params *params, int64_t phase_ps, struct clk *byte_clk);

#endif
