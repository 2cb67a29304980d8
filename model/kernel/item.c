#include "kernel/item.h"

#include <stdlib.h>

static void chain(struct item_pool *pool, uint32_t from)
{
    for (uint32_t i = from; i < pool->room; i++)
        pool->item[i].next_free = i + 1 < pool->room ? i + 1 : ITEM_NONE;
    pool->free_first = from;
}

int item_pool_init(struct item_pool *pool, uint32_t room)
{
    *pool = (struct item_pool){.room = room};
    pool->item = malloc(room * sizeof *pool->item);
    if (!pool->item)
        return -1;
    chain(pool, 0);
    return 0;
}

void item_pool_free(struct item_pool *pool)
{
    free(pool->item);
}

uint32_t item_new(struct item_pool *pool)
{
    if (pool->free_first == ITEM_NONE) {
        struct item *more = realloc(pool->item, 2 * (size_t)pool->room * sizeof *more);
        if (!more)
            return ITEM_NONE;
        pool->item = more;
        pool->room *= 2;
        chain(pool, pool->room / 2);
    }
    uint32_t index = pool->free_first;
    pool->free_first = pool->item[index].next_free;
    pool->item[index] = (struct item){0};
    pool->in_use++;
    return index;
}

void item_end(struct item_pool *pool, uint32_t index)
{
    pool->item[index].next_free = pool->free_first;
    pool->free_first = index;
    pool->in_use--;
}
