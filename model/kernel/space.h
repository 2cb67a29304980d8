/* Counted space of which some is free, some taken, and some comes back at a known instant: FIFO slots, tags, buffer
 * units. Passive, one owner (R9). Instants are in the owner's unit (cycles or ps) and come back in order. */
#ifndef KERNEL_SPACE_H
#define KERNEL_SPACE_H

#include "kernel/sim.h"

struct space_return {
    int64_t at;
    uint64_t given; /* units given back so far, with this one */
};

struct space {
    struct sim *sim;
    const char *name;
    uint64_t depth, taken, given; /* units; taken and given since the start */
    struct space_return *back;    /* a ring: what was given and not yet needed */
    uint32_t mask, first, next;
    int64_t last_at;
};

/* depth 1 .. 2^24 units. Returns -1 without memory. */
int space_init(struct space *space, struct sim *sim, const char *name, uint32_t depth);
void space_free(struct space *space);

/* From when on `units` are there: 0 for already, SIM_NEVER when that is not decided yet. */
static inline int64_t space_when(const struct space *space, uint32_t units)
{
    uint64_t need = space->taken + units; /* so many, less the depth, must have come back */
    if (need <= space->depth)
        return 0;
    if (space->given < need - space->depth)
        return SIM_NEVER;
    uint32_t i = space->first;
    while (space->back[i & space->mask].given < need - space->depth)
        i++;
    return space->back[i & space->mask].at;
}

/* Takes `units` and tells from when on they are there, as space_when(); SIM_NEVER: that is not decided yet, and none are taken. */
static inline int64_t space_take_when(struct space *space, uint32_t units)
{
    uint64_t taken = space->taken + units;
    int64_t at = 0;
    if (taken > space->depth) {
        uint64_t need = taken - space->depth;
        if (space->given < need)
            return SIM_NEVER;
        while (space->back[space->first & space->mask].given < need)
            space->first++;
        at = space->back[space->first & space->mask].at;
    }
    space->taken = taken;
    return at;
}

/* Takes `units`; space_when() must have told that they will be there. */
static inline void space_take(struct space *space, uint32_t units)
{
    space->taken += units;
    if (space->taken <= space->depth)
        return;
    uint64_t need = space->taken - space->depth;
    model_assert(space->sim, space->given >= need, "%s: space is taken that nobody has given back", space->name);
    while (space->back[space->first & space->mask].given < need)
        space->first++;
}

/* Gives `units` (>= 1: the ring has an entry for each) back from `at` on; instants never go backwards. */
static inline void space_give(struct space *space, uint32_t units, int64_t at)
{
    uint64_t given = space->given + units;
    model_assert(space->sim, at >= space->last_at && given <= space->taken,
                 "%s: space comes back at %lld after %lld, or more than there is", space->name, (long long)at,
                 (long long)space->last_at);
    space->last_at = at;
    space->given = given;
    space->back[space->next++ & space->mask] = (struct space_return){at, given};
}

/* Units taken and not given back, whatever the instant: 0 when everything is home. */
static inline uint64_t space_away(const struct space *space)
{
    return space->taken - space->given;
}

#endif
