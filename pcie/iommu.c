#include "pcie/iommu.h"

#include "kernel/rnd.h"

#include <stdlib.h>

#define HEAD 0u /* of the list; as a bucket's entry: none */

int iommu_page_exists(uint64_t bytes)
{
    return bytes == UINT64_C(1) << 12 || bytes == UINT64_C(1) << 21 || bytes == UINT64_C(1) << 30;
}

int iommu_init(struct iommu *iommu, const struct pcie_params *params)
{
    *iommu = (struct iommu){.miss_ps = params->iommu_miss,
                            .walk_ps = params->iommu_walk,
                            .lookup_ps = params->iommu_lookup,
                            .write_walk_ps = params->iommu_write_walk,
                            .entries = (uint32_t)params->iommu_entries,
                            .walkers = (uint32_t)params->iommu_walkers,
                            .bucket_mask = 1};
    while (INT64_C(1) << iommu->page_shift < params->iommu_page)
        iommu->page_shift++;
    while (iommu->bucket_mask < 2 * iommu->entries)
        iommu->bucket_mask = 2 * iommu->bucket_mask + 1;
    iommu->entry = calloc(iommu->entries + 1, sizeof *iommu->entry);
    iommu->bucket = calloc(iommu->bucket_mask + 1, sizeof *iommu->bucket);
    iommu->walker_free_ps = calloc(iommu->walkers, sizeof *iommu->walker_free_ps);
    return iommu->entry && iommu->bucket && iommu->walker_free_ps ? 0 : -1;
}

void iommu_free(struct iommu *iommu)
{
    free(iommu->entry);
    free(iommu->bucket);
    free(iommu->walker_free_ps);
}

static uint32_t *bucket_of(struct iommu *iommu, uint64_t page)
{
    return &iommu->bucket[rnd_mix(page) & iommu->bucket_mask];
}

static uint32_t find(struct iommu *iommu, uint64_t page)
{
    uint32_t i = *bucket_of(iommu, page);
    while (i != HEAD && iommu->entry[i].page != page)
        i = iommu->entry[i].next;
    return i;
}

static void leave_list(struct iommu *iommu, uint32_t i)
{
    struct iommu_entry *entry = iommu->entry;
    entry[entry[i].newer].older = entry[i].older;
    entry[entry[i].older].newer = entry[i].newer;
}

static void make_newest(struct iommu *iommu, uint32_t i)
{
    struct iommu_entry *entry = iommu->entry;
    entry[i].newer = HEAD;
    entry[i].older = entry[HEAD].older;
    entry[entry[i].older].newer = i;
    entry[HEAD].older = i;
}

static void leave_bucket(struct iommu *iommu, uint32_t i)
{
    uint32_t *link = bucket_of(iommu, iommu->entry[i].page);
    while (*link != i)
        link = &iommu->entry[*link].next;
    *link = iommu->entry[i].next;
}

/* The entry for a page that is not there: an unused one, or the oldest's. */
static uint32_t enter(struct iommu *iommu, uint64_t page)
{
    uint32_t i = iommu->entry[HEAD].newer;
    if (iommu->used < iommu->entries) {
        i = ++iommu->used;
    } else {
        leave_list(iommu, i);
        leave_bucket(iommu, i);
    }
    uint32_t *bucket = bucket_of(iommu, page);
    iommu->entry[i].page = page;
    iommu->entry[i].next = *bucket;
    *bucket = i;
    return i;
}

/* The walker that is free first. */
static int64_t *first_walker(struct iommu *iommu)
{
    int64_t *first = &iommu->walker_free_ps[0];
    for (uint32_t i = 1; i < iommu->walkers; i++)
        if (iommu->walker_free_ps[i] < *first)
            first = &iommu->walker_free_ps[i];
    return first;
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int iommu_walks(struct iommu *iommu, uint64_t address)
{
    return find(iommu, address >> iommu->page_shift) == HEAD;
}

int64_t iommu_translate(struct iommu *iommu, int64_t at_ps, uint64_t address, int is_write, int64_t walk_more_ps)
{
    uint64_t page = address >> iommu->page_shift;
    uint32_t i = find(iommu, page);
    int64_t *walker = first_walker(iommu);
    int64_t enters_ps = max2(at_ps, max2(*walker, iommu->lookup_free_ps));
    if (i == HEAD) {
        iommu->misses++;
        i = enter(iommu, page);
        iommu->entry[i].ready_ps = enters_ps + iommu->miss_ps + walk_more_ps;
        *walker = enters_ps + (is_write ? iommu->write_walk_ps : iommu->walk_ps);
    } else {
        iommu->hits++;
        leave_list(iommu, i);
        iommu->lookup_free_ps = enters_ps + (is_write ? 0 : iommu->lookup_ps);
    }
    make_newest(iommu, i);
    iommu->passed_ps = max2(iommu->passed_ps, max2(enters_ps, iommu->entry[i].ready_ps));
    return iommu->passed_ps;
}

int64_t iommu_look_up(struct iommu *cache, uint64_t address)
{
    uint32_t i = find(cache, address >> cache->page_shift);
    if (i == HEAD) {
        cache->misses++;
        return -1;
    }
    cache->hits++;
    leave_list(cache, i);
    make_newest(cache, i);
    return cache->entry[i].ready_ps;
}

void iommu_fill(struct iommu *cache, uint64_t address, int64_t ready_ps)
{
    uint32_t i = enter(cache, address >> cache->page_shift);
    cache->entry[i].ready_ps = ready_ps;
    make_newest(cache, i);
}
