/* Parts of the link towards the host, between up.c, up_read.c and ats.c only. */
#ifndef PCIE_UP_H
#define PCIE_UP_H

#include "pcie/pcie.h"

static inline int64_t up_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t up_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The oldest read request. */
static inline const struct pcie_queued *up_queued_read(const struct pcie *pcie)
{
    return &pcie->queue[pcie->queue_first & pcie->queue_mask];
}

/* From which cycle, not before at_cyc, the read request `number` in the queue has its credit. */
static inline int64_t up_read_credit_cyc(const struct pcie *pcie, uint32_t number, int64_t at_cyc)
{
    const struct pcie_queued *before = &pcie->queue[(number - pcie->read_credits) & pcie->queue_mask];
    return up_later(at_cyc, before->at_cyc + pcie->read_back_cyc);
}

/* A TLP until its good copy is over: until that begins, skips find the link idle. */
static inline int64_t up_send_again(struct pcie *pcie, uint32_t bytes, int64_t start_cyc, int64_t took_cyc)
{
    int64_t end_cyc = replay_send(&pcie->replay[PCIE_UP], bytes, start_cyc, took_cyc);
    stops_pass(&pcie->stops[PCIE_UP], end_cyc - took_cyc);
    return end_cyc;
}

/* Read requests go to the host, which has the data after its memory's latency: from start_cyc on, as many as start by last_cyc and
 * before something stops the link. With ATS the first may only have asked for its translation. */
void up_send_reads(struct pcie *pcie, int64_t start_cyc, int64_t last_cyc);

/* With ATS: from which cycle on the input's address is translated, as known at start_cyc. One that is not asks the IOMMU then, and keeps
 * the answer for itself, whatever the cache drops meanwhile. */
int64_t up_translated_cyc(struct pcie *pcie, int input, uint64_t address, int64_t start_cyc);

#endif
