#include "nic/message.h"

#include "kernel/clk.h"

#include <stdlib.h>

static void chain(struct message_pool *pool, uint32_t from)
{
    for (uint32_t i = from; i < pool->room; i++)
        pool->message[i].next_free = i + 1 < pool->room ? i + 1 : MESSAGE_NONE;
    pool->free_first = from;
}

int message_pool_init(struct message_pool *pool, uint32_t room)
{
    *pool = (struct message_pool){.room = room};
    pool->message = malloc(room * sizeof *pool->message);
    if (!pool->message)
        return -1;
    chain(pool, 0);
    return 0;
}

void message_pool_free(struct message_pool *pool)
{
    free(pool->message);
}

uint32_t message_new(struct message_pool *pool)
{
    if (pool->free_first == MESSAGE_NONE) {
        struct message *more = realloc(pool->message, 2 * (size_t)pool->room * sizeof *more);
        if (!more)
            return MESSAGE_NONE;
        pool->message = more;
        pool->room *= 2;
        chain(pool, pool->room / 2);
    }
    uint32_t index = pool->free_first;
    pool->free_first = pool->message[index].next_free;
    pool->message[index] = (struct message){.owners = 2, .delivered_at_ps = SIM_NEVER};
    for (int i = 0; i < MESSAGE_STAMPS; i++)
        pool->message[index].stamp_ps[i] = SIM_NEVER;
    pool->in_use++;
    return index;
}

void message_end(struct message_pool *pool, uint32_t index)
{
    if (--pool->message[index].owners > 0)
        return;
    pool->message[index].next_free = pool->free_first;
    pool->free_first = index;
    pool->in_use--;
}
