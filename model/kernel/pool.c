#include "kernel/pool.h"

#include <stdlib.h>

/* Only for a pool with no free slot. */
static int widen(struct pool *pool, uint32_t room)
{
    void *slot = realloc(pool->slot, (size_t)room * pool->slot_bytes);
    if (!slot)
        return -1;
    pool->slot = slot;
    uint32_t *next_free = realloc(pool->next_free, room * sizeof *next_free);
    if (!next_free)
        return -1;
    pool->next_free = next_free;
    for (uint32_t i = pool->room; i < room; i++)
        next_free[i] = i + 1 < room ? i + 1 : POOL_NONE;
    pool->first_free = pool->room;
    pool->room = room;
    return 0;
}

int pool_init(struct pool *pool, uint32_t slot_bytes, uint32_t room)
{
    *pool = (struct pool){.slot_bytes = slot_bytes, .first_free = POOL_NONE};
    return widen(pool, room);
}

void pool_free(struct pool *pool)
{
    free(pool->slot);
    free(pool->next_free);
}

int pool_grow(struct pool *pool)
{
    return widen(pool, 2 * pool->room);
}
