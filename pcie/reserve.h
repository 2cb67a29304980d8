/* What the endpoint reserves before it sends a read: a tag, and completion space, which is header entries and data credits of 16 bytes;
 * all come back together when the request's last completion is in. Instants are picoseconds; they come back in order.
 *
 * Completion credits are infinite on the link (Base Spec 2.6.1), so nothing else keeps the endpoint's buffer from running over. */
#ifndef PCIE_RESERVE_H
#define PCIE_RESERVE_H

#include "kernel/sim.h"
#include "pcie/tlp.h"

enum reserve_kind { RESERVE_HEADERS, RESERVE_DATA, RESERVE_KINDS };

struct reserve_return {
    int64_t at_ps;
    uint64_t given; /* units so far, with this one */
};

struct reserve_room {
    uint64_t depth, taken, given; /* taken and given since the start */
    struct reserve_return *back;  /* the newest `mask + 1` returns */
    int most_shift;               /* log2 of the most units that a reservation takes, so a return brings */
    uint64_t first;               /* the return that the last reservation needed: later ones need no earlier */
};

struct reserve {
    struct sim *sim;
    uint64_t tags, taken, given;
    struct reserve_room room[RESERVE_KINDS];
    int counts_data; /* 0: headers always run out first */
    uint64_t mask;
};

#define RESERVE_ALREADY INT64_MIN

/* What there is of each kind, and the most that one reservation takes; counts_data: whether data can run out first. */
int reserve_init(struct reserve *reserve, struct sim *sim, uint32_t tags, const uint32_t depth[RESERVE_KINDS],
                 const uint32_t most[RESERVE_KINDS], int counts_data);
void reserve_free(struct reserve *reserve);

/* When `tags` (>= 1) more came or come back: RESERVE_ALREADY when they were never taken, SIM_NEVER not decided yet. */
static inline int64_t reserve_tags_when(const struct reserve *reserve, uint32_t tags)
{
    uint64_t need = reserve->taken + tags; /* so many, less all, must have come back */
    if (need <= reserve->tags)
        return RESERVE_ALREADY;
    need -= reserve->tags;
    return need <= reserve->given ? reserve->room[RESERVE_HEADERS].back[(need - 1) & reserve->mask].at_ps : SIM_NEVER;
}

/* The same for `units` of a kind; *which: the return that frees the last of them. */
static inline int64_t reserve_room_when(const struct reserve *reserve, enum reserve_kind kind, uint32_t units,
                                        uint64_t *which)
{
    const struct reserve_room *room = &reserve->room[kind];
    uint64_t need = room->taken + units, i = room->first;
    *which = i;
    if (need <= room->depth)
        return RESERVE_ALREADY;
    need -= room->depth;
    if (room->given < need)
        return SIM_NEVER;
    const struct reserve_return *back = room->back, *at = &back[i & reserve->mask];
    if (at->given < need) {
        uint64_t missing = need - at->given;
        i += missing >> room->most_shift; /* so many returns at the least bring the rest */
        for (at = &back[i & reserve->mask]; at->given < need; at = &back[i & reserve->mask])
            i++;
    }
    *which = i;
    return at->at_ps;
}

static inline void reserve_take_tags(struct reserve *reserve, uint32_t tags)
{
    reserve->taken += tags;
}

/* which: told by reserve_room_when() for these units. */
static inline void reserve_take_room(struct reserve *reserve, enum reserve_kind kind, uint32_t units, uint64_t which)
{
    reserve->room[kind].taken += units;
    reserve->room[kind].first = which;
}

/* Units of a kind come back at at_ps, with the tag that is counted next (`given`). */
static inline void reserve_give(struct reserve *reserve, enum reserve_kind kind, uint32_t units, int64_t at_ps)
{
    struct reserve_room *room = &reserve->room[kind];
    room->given += units;
    model_assert(reserve->sim, room->given <= room->taken, "more completions than requests");
    room->back[reserve->given & reserve->mask] = (struct reserve_return){at_ps, room->given};
}

#endif
