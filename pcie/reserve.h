/* What the endpoint reserves before it sends a read: a tag, and completion space in units of 64 bytes; both come back together when
 * the request's last completion is in. Instants are picoseconds; they come back in order. */
#ifndef PCIE_RESERVE_H
#define PCIE_RESERVE_H

#include "kernel/sim.h"

struct reserve_return {
    int64_t at_ps;
    uint64_t units; /* given back so far, with this one */
};

struct reserve {
    struct sim *sim;
    uint64_t tags, depth_units;
    uint64_t taken, taken_units, given, given_units; /* since the start */
    struct reserve_return *back;                     /* the newest `mask + 1` returns */
    uint64_t mask;
    int most_shift; /* log2 of the most units that a reservation takes, so a return brings */
    uint64_t first; /* the return that the last reservation of space needed: later ones need no earlier */
};

#define RESERVE_ALREADY INT64_MIN

/* most_units: that one reservation takes. */
int reserve_init(struct reserve *reserve, struct sim *sim, uint32_t tags, uint32_t depth_units, uint32_t most_units);
void reserve_free(struct reserve *reserve);

/* When `tags` (>= 1) more came or come back: RESERVE_ALREADY when they were never taken, SIM_NEVER not decided yet. */
static inline int64_t reserve_tags_when(const struct reserve *reserve, uint32_t tags)
{
    uint64_t need = reserve->taken + tags; /* so many, less all, must have come back */
    if (need <= reserve->tags)
        return RESERVE_ALREADY;
    need -= reserve->tags;
    return need <= reserve->given ? reserve->back[(need - 1) & reserve->mask].at_ps : SIM_NEVER;
}

/* The same for `units` of space; *which: the return that frees the last of them. */
static inline int64_t reserve_space_when(const struct reserve *reserve, uint32_t units, uint64_t *which)
{
    uint64_t need = reserve->taken_units + units, i = reserve->first;
    *which = i;
    if (need <= reserve->depth_units)
        return RESERVE_ALREADY;
    need -= reserve->depth_units;
    if (reserve->given_units < need)
        return SIM_NEVER;
    uint64_t least = reserve->back[i & reserve->mask].units; /* so many returns at the least bring the rest */
    if (least < need)
        i += (need - least - 1) >> reserve->most_shift;
    while (reserve->back[i & reserve->mask].units < need)
        i++;
    *which = i;
    return reserve->back[i & reserve->mask].at_ps;
}

/* which: told by reserve_space_when() for these units. */
static inline void reserve_take(struct reserve *reserve, uint32_t tags, uint32_t units, uint64_t which)
{
    reserve->taken += tags;
    reserve->taken_units += units;
    reserve->first = which;
}

static inline void reserve_give(struct reserve *reserve, uint32_t units, int64_t at_ps)
{
    reserve->given_units += units;
    model_assert(reserve->sim, reserve->given < reserve->taken && reserve->given_units <= reserve->taken_units,
                 "more completions than requests");
    reserve->back[reserve->given++ & reserve->mask] = (struct reserve_return){at_ps, reserve->given_units};
}

#endif
