/* How full a buffer was, exactly: time spent at each level, from two streams (units in, units out), each in order of
 * time, told in any interleaving. No sampling, no events. What is told is kept and counted many at a time. */
#ifndef KERNEL_LEVEL_H
#define KERNEL_LEVEL_H

#include "kernel/clk.h"

#include <stddef.h>

struct level_holder {
    int64_t in, out;              /* instants, in cycles of in_clk and out_clk */
    uint64_t in_total, out_total; /* units since the start, with its own: differ where holders do not leave in the
                                     order in which they came */
};

struct level {
    struct level_holder *holder; /* a ring: from the oldest whose way out is not counted */
    uint64_t mask, next;         /* next: so many were told */
    uint64_t in_counted, out_counted;
    uint64_t full_at; /* `next` at which the ring is full of what is not counted */
    uint64_t in_total, out_total; /* units told since the start */
    uint32_t undecided;           /* the newest holders, whose way out is not told yet */
    uint32_t depth;
    struct clk in_clk, out_clk; /* of what is told */
    uint64_t empty;             /* entries of 0 units: counted only */

    /* as of level_settle() */
    int64_t since_ps;   /* counted up to here */
    uint64_t in_before; /* units of the entries counted */
    uint32_t level, high_water;
    int64_t high_water_at_ps; /* when it was reached first */
    int64_t *time_ps;         /* per level, 0 .. depth */
    uint64_t entries;
    struct level_watch *watch; /* NULL, or keeps the changes in a stretch of time */
};

struct level_change {
    int64_t at_ps;
    uint32_t level; /* from then on */
};

struct level_watch { /* of the changes in from_ps .. to_ps the first `room` */
    int64_t from_ps, to_ps;
    uint32_t before; /* the level just before from_ps */
    struct level_change *change;
    size_t count, room;
};

/* depth: 1 .. 2^24 units. Instants are told in picoseconds. Returns -1 without memory. */
int level_init(struct level *level, uint32_t depth, int64_t start_ps);
/* Instants are told in cycles. */
void level_set_clocks(struct level *level, const struct clk *in_clk, const struct clk *out_clk);
/* Keeps changes from now on; room >= 1. Returns -1 without memory. */
int level_watch(struct level *level, int64_t from_ps, int64_t to_ps, size_t room);
void level_free(struct level *level);
/* How full it was is never asked for: it is not counted. Before anything is told. */
void level_forget(struct level *level);
/* Counts what can be counted, which makes room in the ring. An entry can be when no way out before it can still be told: all are
 * known, or a later one is (they come in order). */
void level_catch_up(struct level *level);

/* `units` go in at `in`. */
static inline void level_in(struct level *level, int64_t in, uint32_t units)
{
    if (units == 0) {
        level->empty++;
        return;
    }
    if (level->next == level->full_at)
        level_catch_up(level);
    struct level_holder *holder = &level->holder[level->next++ & level->mask];
    holder->in = in;
    holder->in_total = level->in_total += units; /* the way out: nobody reads it before level_out() */
    level->undecided++;
}

/* `units`, those of the oldest holder or as many, go out at `out`. */
static inline void level_out(struct level *level, int64_t out, uint32_t units)
{
    if (units == 0)
        return;
    struct level_holder *holder = &level->holder[(level->next - level->undecided--) & level->mask];
    holder->out = out;
    holder->out_total = level->out_total += units;
}

/* Both for an entry whose way out is known at once: no other one's is still to be told, so as much went out as came in. */
static inline void level_pass(struct level *level, int64_t in, int64_t out, uint32_t units)
{
    if (level->next == level->full_at)
        level_catch_up(level);
    struct level_holder *holder = &level->holder[level->next++ & level->mask];
    holder->in = in;
    holder->out = out;
    uint64_t total = level->in_total + units;
    level->in_total = level->out_total = total;
    holder->in_total = holder->out_total = total;
}

/* Counts all up to now_ps: nothing can still be told about an instant before it. */
void level_settle(struct level *level, int64_t now_ps);
/* The smallest level at or below which the buffer was for at least share_ppb (1e-9) of the time since start. */
uint32_t level_percentile(const struct level *level, int64_t share_ppb);

#endif
