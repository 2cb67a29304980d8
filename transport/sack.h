/* Which of the packets behind a missing one have come: a bit for each PSN of a window (selective repeat, as IRN has it: Mittal et al., SIGCOMM 2018,
 * 3.1). */
#ifndef TRANSPORT_SACK_H
#define TRANSPORT_SACK_H

#include "transport/psn.h"

#include <stdint.h>
#include <stdlib.h>

struct sack {
    uint64_t *bit; /* of a PSN: at psn & mask */
    uint32_t mask; /* so many PSNs at once, less 1: 2^n - 1, from 63 to 2^23 - 1 */
};

/* None has come. Returns -1 without memory. */
static inline int sack_init(struct sack *sack, uint32_t mask)
{
    sack->mask = mask;
    sack->bit = calloc((mask >> 6) + 1, sizeof *sack->bit);
    return sack->bit ? 0 : -1;
}

/* base: the PSN that is missing. Those too far behind it have no bit: they count as not come. */
static inline int sack_covers(const struct sack *sack, uint32_t base, uint32_t psn)
{
    int32_t ahead = psn_difference(psn, base);
    return ahead >= 0 && (uint32_t)ahead <= sack->mask;
}

static inline int sack_has(const struct sack *sack, uint32_t base, uint32_t psn)
{
    uint32_t at = psn & sack->mask;
    return sack_covers(sack, base, psn) && ((sack->bit[at >> 6] >> (at & 63)) & 1);
}

/* The PSN is covered. */
static inline void sack_put(struct sack *sack, uint32_t psn)
{
    uint32_t at = psn & sack->mask;
    sack->bit[at >> 6] |= UINT64_C(1) << (at & 63);
}

static inline void sack_drop(struct sack *sack, uint32_t psn)
{
    uint32_t at = psn & sack->mask;
    sack->bit[at >> 6] &= ~(UINT64_C(1) << (at & 63));
}

#endif
