/* The host's IOMMU: an IOTLB, least recently used goes first, and page walkers. Instants are picoseconds, in the order in which TLPs are at
 * the root complex.
 *
 * Accesses enter in order, while a walker is free, and leave in order: a hit at once, but for a read's lookup of pcie.iommu_lookup, a miss
 * pcie.iommu_miss after it entered, and later by what its read of DRAM waits for (walk_more_ps); it holds its walker for pcie.iommu_walk (a write: pcie.iommu_write_walk). Who asks for the page meanwhile
 * waits for the same walk. So with a share m of misses and one walker reads are m * walk + (1 - m) * lookup apart at the least. This is
 * calibrated: bandwidths of 64 B against the window follow it (pcie-bench/data @b2abf2f hsw-Xeon-E5-2637v3 iommu-nosp), and do not follow
 * several walkers of as many times the walk. */
#ifndef PCIE_IOMMU_H
#define PCIE_IOMMU_H

#include "pcie/params.h"

struct iommu_entry {
    uint64_t page;         /* number */
    int64_t ready_ps;      /* when its walk is done */
    uint32_t newer, older; /* in order of use; the newest's and the oldest's neighbour is the list's head */
    uint32_t next;         /* of the same bucket */
};

struct iommu {
    int page_shift;
    int64_t miss_ps, walk_ps, write_walk_ps, lookup_ps;
    uint32_t entries, used;
    struct iommu_entry *entry; /* [0] is the head of the list */
    uint32_t *bucket, bucket_mask;
    uint32_t walkers;
    int64_t *walker_free_ps;
    int64_t lookup_free_ps, passed_ps; /* passed: the newest access */
    uint64_t hits, misses;
};

/* 4 KiB, 2 MiB and 1 GiB do (Intel VT-d). */
int iommu_page_exists(uint64_t bytes);
/* The page must exist. Returns -1 without memory. */
int iommu_init(struct iommu *iommu, const struct pcie_params *params);
void iommu_free(struct iommu *iommu);
/* Whether an access to the address would walk. */
int iommu_walks(struct iommu *iommu, uint64_t address);
/* When the address of an access that is there at at_ps is translated. walk_more_ps: what a walk, if it takes one, takes longer. */
int64_t iommu_translate(struct iommu *iommu, int64_t at_ps, uint64_t address, int is_write, int64_t walk_more_ps);

/* The same table as a device's cache of translations, without walkers (ATS). When the page of an address is translated, -1: it is not there;
 * then iommu_fill() puts it there, from ready_ps on. */
int64_t iommu_look_up(struct iommu *cache, uint64_t address);
void iommu_fill(struct iommu *cache, uint64_t address, int64_t ready_ps);

#endif
