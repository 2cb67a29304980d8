#include "pcie/peer.h"

#define PS_PER_S INT64_C(1000000000000)

void peer_init(struct peer *peer, const struct pcie_params *params)
{
    *peer = (struct peer){.base = (uint64_t)params->peer_base,
                          .bytes = (uint64_t)params->peer_bytes,
                          .read_ps = params->peer_read,
                          .write_ps = params->peer_write,
                          .rate_bps = params->peer_rate};
}

/* Takes the port for `bytes` from at_ps on; returns when they are through. */
static int64_t pass(struct peer *peer, int64_t at_ps, uint32_t bytes)
{
    int64_t begin_ps = at_ps > peer->free_ps ? at_ps : peer->free_ps;
    peer->free_ps = begin_ps + (int64_t)((__int128)bytes * 8 * PS_PER_S / peer->rate_bps);
    return peer->free_ps;
}

int64_t peer_read(struct peer *peer, int64_t at_ps, uint32_t bytes)
{
    return pass(peer, at_ps, bytes) + peer->read_ps;
}

int64_t peer_write(struct peer *peer, int64_t at_ps, uint32_t bytes, int64_t *drained_ps)
{
    *drained_ps = pass(peer, at_ps, bytes);
    return *drained_ps + peer->write_ps;
}
