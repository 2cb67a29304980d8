/* Weighted fair queueing: WF2Q+ (Bennett and Zhang, "Hierarchical packet fair queueing algorithms", 1997).
 *
 * Each packet has a virtual start and finish, bytes / weight apart. Of the packets whose start has come the one with the earliest finish
 * goes; virtual time runs by bytes / (weights of all that are backlogged), and is never before every start. */
#include "nic/arbiter.h"

#define VIRTUAL_BYTE 65536u /* virtual time of a byte at weight 1: divided by weights */

static int reserve(struct arbiter *arbiter, uint32_t entities)
{
    return heap_reserve(&arbiter->later, entities) || heap_reserve(&arbiter->begun, entities) ? -1 : 0;
}

static void put(struct arbiter *arbiter, uint32_t index)
{
    struct arbiter_entity *entity = &arbiter->entity[index];
    uint64_t takes = (uint64_t)entity->bytes * VIRTUAL_BYTE / entity->weight, start = entity->finish;
    if (!entity->is_backlogged) {
        if (start < arbiter->virtual_now) /* nothing is owed for the time without packets */
            start = arbiter->virtual_now;
        arbiter->weights += entity->weight;
        entity->is_backlogged = 1;
    }
    entity->start = start;
    entity->finish = start + takes;
    heap_put(&arbiter->later, (int64_t)start, takes << 32 | index, index);
}

/* Those whose start has come move on. When there is none, the earliest start is the time; of several the earliest finish. */
static uint32_t first(struct arbiter *arbiter)
{
    const struct heap_entry *later;
    while ((later = heap_first(&arbiter->later)) != 0 && (uint64_t)later->at <= arbiter->virtual_now) {
        uint64_t index = heap_take(&arbiter->later).ref;
        heap_put(&arbiter->begun, (int64_t)arbiter->entity[index].finish, index, index);
    }
    const struct heap_entry *begun = heap_first(&arbiter->begun);
    return begun ? (uint32_t)begun->ref : later ? (uint32_t)later->ref : ARBITER_NONE;
}

static int served(struct arbiter *arbiter, uint32_t index, uint32_t bytes, int ends_message)
{
    struct arbiter_entity *entity = &arbiter->entity[index];
    (void)ends_message;
    heap_take(arbiter->begun.count > 0 ? &arbiter->begun : &arbiter->later);
    if (arbiter->virtual_now < entity->start)
        arbiter->virtual_now = entity->start;
    arbiter->virtual_now += (uint64_t)bytes * VIRTUAL_BYTE / arbiter->weights;
    entity->finish =
        entity->start + (uint64_t)bytes * VIRTUAL_BYTE / entity->weight; /* of what it has sent: nothing, perhaps */
    if (!entity->is_backlogged)
        arbiter->weights -= entity->weight;
    return 0;
}

static void leave(struct arbiter *arbiter, uint32_t index)
{
    arbiter->weights -= arbiter->entity[index].weight;
}

const struct arbiter_policy arbiter_wfq = {
    .name = "wfq", .reserve = reserve, .put = put, .first = first, .served = served, .leave = leave};
