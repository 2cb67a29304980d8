/* What stops one direction of a link between two TLPs of ours: skips (pcie/link.h), and the TLPs of another function of the device or of
 * another device behind the same port, which take a share of the link at random times. Cycles are the link's. */
#ifndef PCIE_STOPS_H
#define PCIE_STOPS_H

#include "pcie/link.h"

struct stops_others {            /* every_cyc 0: there are none */
    int64_t every_cyc, took_cyc; /* one TLP of so long in each such interval */
    uint64_t stream, next;       /* of random draws; the first that is not sent yet */
};

struct stops {
    int64_t due_cyc; /* the first of what is due */
    struct link_skips skips;
    struct stops_others others;
};

/* others: their TLPs take took_cyc and `share` (0.001 ppm) of the time. */
void stops_init(struct stops *stops, const struct link_skips *skips, int64_t took_cyc, int64_t share, uint64_t stream);

int64_t stops_behind_late(const struct stops *stops, int64_t start_cyc, int64_t free_cyc);

/* A TLP is ready at start_cyc, behind the one before it, which ends at free_cyc: when it starts, behind what is due. */
static inline int64_t stops_behind(const struct stops *stops, int64_t start_cyc, int64_t free_cyc)
{
    return start_cyc < stops->due_cyc ? start_cyc : stops_behind_late(stops, start_cyc, free_cyc);
}

void stops_pass_late(struct stops *stops, int64_t start_cyc);

/* That TLP is sent. */
static inline void stops_pass(struct stops *stops, int64_t start_cyc)
{
    if (start_cyc >= stops->due_cyc)
        stops_pass_late(stops, start_cyc);
}

/* How many TLPs of others there were by now_cyc. */
uint64_t stops_others_by(const struct stops *stops, int64_t now_cyc);

#endif
