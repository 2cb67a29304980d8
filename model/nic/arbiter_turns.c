/* The policies in which entities take turns, one list for each level: rr, wrr, drr, strict. */
#include "nic/arbiter.h"

static void push_last(struct arbiter *arbiter, uint32_t level, uint32_t index)
{
    struct arbiter_list *list = &arbiter->list[level];
    arbiter->entity[index].next = ARBITER_NONE;
    if (list->first == ARBITER_NONE)
        list->first = index;
    else
        arbiter->entity[list->last].next = index;
    list->last = index;
    arbiter->levels_ready |= 1u << level;
}

static void push_first(struct arbiter *arbiter, uint32_t level, uint32_t index)
{
    struct arbiter_list *list = &arbiter->list[level];
    arbiter->entity[index].next = list->first;
    if (list->first == ARBITER_NONE)
        list->last = index;
    list->first = index;
    arbiter->levels_ready |= 1u << level;
}

static void drop_first(struct arbiter *arbiter, uint32_t level)
{
    struct arbiter_list *list = &arbiter->list[level];
    list->first = arbiter->entity[list->first].next;
    if (list->first == ARBITER_NONE)
        arbiter->levels_ready &= ~(1u << level);
}

/* What must be left of a turn for the next packet. */
static int64_t needed(const struct arbiter *arbiter, const struct arbiter_entity *entity)
{
    return arbiter->unit == ARBITER_BYTES ? entity->bytes : 1;
}

static void put_level(struct arbiter *arbiter, uint32_t index, uint32_t level)
{
    const struct arbiter_entity *entity = &arbiter->entity[index];
    if (entity->left >= needed(arbiter, entity)) /* it was not ready for a while, in the middle of its turn */
        push_first(arbiter, level, index);
    else
        push_last(arbiter, level, index);
}

static void put(struct arbiter *arbiter, uint32_t index)
{
    put_level(arbiter, index, 0);
}

static void put_strict(struct arbiter *arbiter, uint32_t index)
{
    put_level(arbiter, index, arbiter->entity[index].level);
}

/* The highest level that has anybody. */
static uint32_t top_level(const struct arbiter *arbiter)
{
    return 31u - (uint32_t)__builtin_clz(arbiter->levels_ready);
}

static uint32_t first_of(struct arbiter *arbiter, int is_weighted)
{
    if (arbiter->levels_ready == 0)
        return ARBITER_NONE;
    uint32_t index = arbiter->list[top_level(arbiter)].first;
    struct arbiter_entity *entity = &arbiter->entity[index];
    if (entity->left < needed(arbiter, entity)) /* its turn begins */
        entity->left += arbiter->quantum * (is_weighted ? entity->weight : 1);
    return index;
}

static uint32_t first(struct arbiter *arbiter)
{
    return first_of(arbiter, 0);
}

static uint32_t first_weighted(struct arbiter *arbiter)
{
    return first_of(arbiter, 1);
}

/* keeps: what is left counts for the next turn, too. */
static int served_by(struct arbiter *arbiter, uint32_t index, uint32_t bytes, int ends_message, int keeps)
{
    struct arbiter_entity *entity = &arbiter->entity[index];
    entity->left -= arbiter->unit == ARBITER_BYTES     ? (int64_t)bytes
                    : arbiter->unit == ARBITER_PACKETS ? 1
                                                       : ends_message;
    int goes_on = entity->left >= needed(arbiter, entity);
    if (goes_on && entity->bytes > 0)
        return 1;
    if (!entity->is_backlogged || (!keeps && !goes_on))
        entity->left = 0;
    drop_first(arbiter, top_level(arbiter));
    return 0;
}

static int served(struct arbiter *arbiter, uint32_t index, uint32_t bytes, int ends_message)
{
    return served_by(arbiter, index, bytes, ends_message, 0);
}

static int served_drr(struct arbiter *arbiter, uint32_t index, uint32_t bytes, int ends_message)
{
    return served_by(arbiter, index, bytes, ends_message, 1);
}

const struct arbiter_policy arbiter_rr = {.name = "rr", .put = put, .first = first, .served = served, .in_order = 1};
const struct arbiter_policy arbiter_wrr = {.name = "wrr", .put = put, .first = first_weighted, .served = served};
const struct arbiter_policy arbiter_drr = {
    .name = "drr", .put = put, .first = first_weighted, .served = served_drr, .by_bytes = 1};
const struct arbiter_policy arbiter_strict = {.name = "strict", .put = put_strict, .first = first, .served = served};
