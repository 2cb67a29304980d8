/* Slots of one size, known by an index, taken and given back. A free slot costs nothing to find; a full pool doubles, so an
 * index stays good and a pointer to a slot only until the next pool_take(). */
#ifndef KERNEL_POOL_H
#define KERNEL_POOL_H

#include <stdint.h>

#define POOL_NONE UINT32_MAX

struct pool {
    void *slot; /* `room` of slot_bytes, of the owner's type */
    uint32_t *next_free;
    uint32_t slot_bytes, room, first_free;
};

/* Returns -1 without memory; pool_free() is good then too. room >= 1. */
int pool_init(struct pool *pool, uint32_t slot_bytes, uint32_t room);
void pool_free(struct pool *pool);
/* Doubles it; -1 without memory, and nothing is changed. */
int pool_grow(struct pool *pool);

/* The index of a slot, whose content is not set; POOL_NONE without memory. */
static inline uint32_t pool_take(struct pool *pool)
{
    if (pool->first_free == POOL_NONE && pool_grow(pool))
        return POOL_NONE;
    uint32_t index = pool->first_free;
    pool->first_free = pool->next_free[index];
    return index;
}

static inline void pool_give(struct pool *pool, uint32_t index)
{
    pool->next_free[index] = pool->first_free;
    pool->first_free = index;
}

#endif
