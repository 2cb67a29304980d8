/* Counted space of which some is free, some taken, and some comes back at a known instant: FIFO slots, tags, buffer
 * units. Passive, one owner (R9). Instants are in the owner's unit (cycles or ps) and come back in order. */
#ifndef KERNEL_SPACE_H
#define KERNEL_SPACE_H

#include "kernel/sim.h"

struct space {
    struct sim *sim;
    const char *name;
    uint64_t depth, taken, given; /* units; taken and given since the start */
    int64_t *back_at;             /* a ring of returns: when each comes */
    uint64_t *
        back_given; /* of the same: units given so far, with this one; NULL: all are of one unit, so return n brings unit n */
    uint32_t mask, first, next; /* first, next: not where all are of one unit */
    int64_t last_at;
};

/* depth 1 .. 2^24 units. Returns -1 without memory. */
int space_init(struct space *space, struct sim *sim, const char *name, uint32_t depth);
/* The same for what is taken and given one unit at a time: a return is found without a search. */
int space_init_ones(struct space *space, struct sim *sim, const char *name, uint32_t depth);
void space_free(struct space *space);

/* The return that brings unit `need` (counted from 1) back, which is given. */
static inline uint32_t space_find(const struct space *space, uint64_t need)
{
    if (!space->back_given)
        return (uint32_t)need - 1;
    uint32_t i = space->first;
    while (space->back_given[i & space->mask] < need)
        i++;
    return i;
}

/* So many units must have come back for `units` more; 0 or less: they are there already. */
static inline int64_t space_need(const struct space *space, uint32_t units)
{
    return (int64_t)(space->taken + units - space->depth);
}

/* From when on `units` are there: 0 for already, SIM_NEVER when that is not decided yet. */
static inline int64_t space_when(const struct space *space, uint32_t units)
{
    int64_t need = space_need(space, units);
    if (need <= 0)
        return 0;
    if (space->given < (uint64_t)need)
        return SIM_NEVER;
    return space->back_at[space_find(space, (uint64_t)need) & space->mask];
}

/* Takes `units`; space_when() must have told that they will be there. */
static inline void space_take(struct space *space, uint32_t units)
{
    int64_t need = space_need(space, units);
    space->taken += units;
    if (need <= 0)
        return;
    model_assert(space->sim, space->given >= (uint64_t)need, "%s: space is taken that nobody has given back",
                 space->name);
    if (space->back_given)
        space->first = space_find(space, (uint64_t)need);
}

/* Gives `units` (>= 1: the ring has an entry for each) back from `at` on; instants never go backwards. */
static inline void space_give(struct space *space, uint32_t units, int64_t at)
{
    uint64_t given = space->given + units;
    model_assert(space->sim, at >= space->last_at, "%s: space comes back at %lld after %lld", space->name,
                 (long long)at, (long long)space->last_at);
    model_assert(space->sim, given <= space->taken, "%s: more space comes back than there is", space->name);
    space->last_at = at;
    space->given = given;
    if (!space->back_given) {
        model_assert(space->sim, units == 1, "%s: %u units at once", space->name, units);
        space->back_at[(uint32_t)(given - 1) & space->mask] = at;
        return;
    }
    space->back_at[space->next & space->mask] = at;
    space->back_given[space->next++ & space->mask] = given;
}

/* Units taken and not given back, whatever the instant: 0 when everything is home. */
static inline uint64_t space_away(const struct space *space)
{
    return space->taken - space->given;
}

#endif
