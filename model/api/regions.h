/* The memory regions of a host, by key. */
#ifndef API_REGIONS_H
#define API_REGIONS_H

#include "api/rnicsim.h"

struct regions {
    struct rnicsim_mr_attr *region; /* sorted by key */
    size_t count, room;
};

void regions_free(struct regions *regions);
/* 0; -1: the key exists already; -2: no memory. */
int regions_add(struct regions *regions, const struct rnicsim_mr_attr *attr);
/* Whether [address, address + length) lies in the region of `key`. Always so while no region is registered. */
int regions_hold(const struct regions *regions, uint32_t key, uint64_t address, uint64_t length);

#endif
