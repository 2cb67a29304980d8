/* The endpoint's user interface, one direction: how long a TLP keeps it, in cycles of the link's byte clock.
 *
 * A TLP comes as its descriptor (the header, when it is in band) and its payload. Without straddle it begins in a beat of its own; with
 * straddle also in the middle of one (requests: PG213, 512 bit, at byte 0 or 32), or at each quarter (completions: byte 0, 16, 32, 48). */
#ifndef PCIE_INTERFACE_H
#define PCIE_INTERFACE_H

#include "kernel/clk.h"

#include <stdint.h>

#define INTERFACE_STARTS_MAX 528u /* pieces of 8 bytes in 4 KiB with its descriptor */

struct interface {
    uint32_t descriptor_bytes;
    int start_shift;                        /* log2 of the bytes between two places where a TLP may begin */
    uint32_t cyc[INTERFACE_STARTS_MAX + 1]; /* link cycles, rounded up, for so many of them */
};

/* width_bytes of a beat; parts: places in a beat where a TLP may begin. */
void interface_init(struct interface *interface, uint32_t width_bytes, uint32_t parts, uint32_t descriptor_bytes,
                    const struct clk *user, const struct clk *link);

/* A TLP of link_bytes on the link: the link's time or, when that is longer, the interface's. */
static inline int64_t interface_occupancy_cyc(const struct interface *interface, uint32_t payload_bytes,
                                              uint32_t link_bytes)
{
    uint32_t last = (1u << interface->start_shift) - 1;
    uint32_t cyc = interface->cyc[(interface->descriptor_bytes + payload_bytes + last) >> interface->start_shift];
    return link_bytes > cyc ? link_bytes : cyc;
}

#endif
