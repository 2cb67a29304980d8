/* Another device's memory behind the same root complex or switch, a GPU's or an NVMe's BAR: DMA to addresses in its window goes there,
 * not to the host's memory. One port of a rate for both ways, first come first served, and latencies behind it. Instants are picoseconds. */
#ifndef PCIE_PEER_H
#define PCIE_PEER_H

#include "pcie/params.h"

struct peer {
    uint64_t base, bytes;
    int64_t read_ps, write_ps, rate_bps;
    int64_t free_ps; /* its port */
};

void peer_init(struct peer *peer, const struct pcie_params *params);

static inline int peer_has(const struct peer *peer, uint64_t address)
{
    return address - peer->base < peer->bytes;
}

/* A read of `bytes` is there at at_ps: when its data are ready to go back. */
int64_t peer_read(struct peer *peer, int64_t at_ps, uint32_t bytes);
/* A write: *drained_ps when the port has taken it. Returns when it is visible in the device. */
int64_t peer_write(struct peer *peer, int64_t at_ps, uint32_t bytes, int64_t *drained_ps);

#endif
