/* Counted space of which some is free, some taken, and some comes back at a known instant: FIFO slots, tags, buffer
 * units. Passive, one owner (R9). Instants are in the owner's unit (cycles or ps) and come back in order. */
#ifndef KERNEL_SPACE_H
#define KERNEL_SPACE_H

#include "kernel/sim.h"

struct space_return {
    int64_t at;
    uint32_t units;
};

struct space {
    struct sim *sim;
    const char *name;
    uint32_t depth, used; /* used: taken, and not yet taken back out of `back` */
    struct space_return *back;
    uint32_t mask, first, next;
    int64_t last_at;
};

/* depth 1 .. 2^24 units. Returns -1 without memory. */
int space_init(struct space *space, struct sim *sim, const char *name, uint32_t depth);
void space_free(struct space *space);

/* From when on `units` are there: 0 for already, SIM_NEVER when that is not decided yet. */
static inline int64_t space_when(const struct space *space, uint32_t units)
{
    uint32_t there = space->depth - space->used;
    if (units <= there)
        return 0;
    for (uint32_t i = space->first; i != space->next; i++) {
        there += space->back[i & space->mask].units;
        if (units <= there)
            return space->back[i & space->mask].at;
    }
    return SIM_NEVER;
}

/* Takes `units`; space_when() must have told that they will be there. */
static inline void space_take(struct space *space, uint32_t units)
{
    while (space->depth - space->used < units) {
        model_assert(space->sim, space->first != space->next, "%s: space is taken that nobody has given back",
                     space->name);
        space->used -= space->back[space->first++ & space->mask].units;
    }
    space->used += units;
}

/* Gives `units` back from `at` on; instants never go backwards. */
static inline void space_give(struct space *space, uint32_t units, int64_t at)
{
    model_assert(space->sim, at >= space->last_at && space->next - space->first <= space->mask,
                 "%s: space comes back at %lld after %lld, or more than there is", space->name, (long long)at,
                 (long long)space->last_at);
    space->last_at = at;
    space->back[space->next++ & space->mask] = (struct space_return){at, units};
}

/* Units taken and not given back, whatever the instant: 0 when everything is home. */
uint32_t space_away(const struct space *space);

#endif
