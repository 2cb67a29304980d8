/* Lists of places in memory that a request's bytes come from or go to, or a receive buffer consists of (IBTA vol. 1, 10.7.3.2): gathered and scattered
 * by the DMA engine, a segment after the other. A message with one place has none. */
#ifndef NIC_SGE_H
#define NIC_SGE_H

#include "pcie/pcie.h"

#include <stdint.h>

#define SGE_MOST 32u

struct sge {
    uint64_t address;
    uint32_t bytes, lkey;
};

struct sge_list {
    uint32_t count;
    struct sge sge[SGE_MOST];
};

enum sge_of { SGE_OF_REQUEST, SGE_OF_RECEIVE, SGE_KINDS };

struct sges { /* of both hosts, by message */
    struct sge_list *list;
    uint32_t messages;
};

void sges_free(struct sges *sges);
/* Room for this message's lists. -1 without memory. Before anything is simulated with it: it moves the others. */
int sges_open(struct sges *sges, uint32_t message);
static inline struct sge_list *sges_of(const struct sges *sges, uint32_t message, enum sge_of kind)
{
    return &sges->list[(uint64_t)message * SGE_KINDS + kind];
}

/* How many segments [offset, offset + bytes) of what the list holds consists of; which the index'th of them is. */
uint32_t sge_segments(const struct sge_list *list, uint32_t offset, uint32_t bytes);
struct pcie_place sge_segment(const struct sge_list *list, uint32_t offset, uint32_t bytes, uint32_t index);
uint64_t sge_bytes(const struct sge_list *list);

#endif
