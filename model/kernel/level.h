/* How full a buffer was, exactly: time spent at each level, from two streams (units in, units out), each in order of
 * time, told in any interleaving. No sampling, no events. */
#ifndef KERNEL_LEVEL_H
#define KERNEL_LEVEL_H

#include <stdint.h>

struct level_change {
    int64_t at_ps;
    uint32_t units;
};

struct level_stream {
    struct level_change *change;
    uint32_t mask, first, next;
};

struct level {
    struct level_stream in, out;
    uint32_t level, depth, high_water;
    uint32_t undecided; /* holders whose way out is not known yet */
    int64_t since_ps;   /* counted up to here */
    int64_t out_last_ps;
    int64_t *time_ps; /* per level, 0 .. depth */
    uint64_t entries;
};

/* depth: 1 .. 2^24 units. Returns -1 without memory. */
int level_init(struct level *level, uint32_t depth, int64_t start_ps);
void level_free(struct level *level);
/* At one instant the way out comes first: its space is what the entry waits for. */
static inline void level_count_in(struct level *level, int64_t at_ps, uint32_t units)
{
    const struct level_change *out = level->out.change;
    uint32_t now = level->level, first = level->out.first;
    int64_t since = level->since_ps;
    for (; first != level->out.next && out[first & level->out.mask].at_ps <= at_ps; first++) {
        level->time_ps[now] += out[first & level->out.mask].at_ps - since;
        since = out[first & level->out.mask].at_ps;
        now -= out[first & level->out.mask].units;
    }
    level->time_ps[now] += at_ps - since;
    now += units;
    level->out.first = first;
    level->since_ps = at_ps;
    level->level = now;
    if (now > level->high_water)
        level->high_water = now;
}

/* An entry can be counted when no way out before it can still be told: all are known, or a later one is (they come in
 * order). */
static inline int level_countable(const struct level *level, int64_t at_ps)
{
    return level->undecided == 0 || level->out_last_ps >= at_ps;
}

/* `units` go in at at_ps. */
static inline void level_in(struct level *level, int64_t at_ps, uint32_t units)
{
    level->entries++;
    if (level->in.first == level->in.next && level_countable(level, at_ps))
        level_count_in(level, at_ps, units);
    else
        level->in.change[level->in.next++ & level->in.mask] = (struct level_change){at_ps, units};
    level->undecided++;
}

/* Counts the entries that wait in `in` and can be counted now. */
void level_catch_up(struct level *level);

/* The oldest holder's units go out at at_ps. */
static inline void level_out(struct level *level, int64_t at_ps, uint32_t units)
{
    level->undecided--;
    level->out_last_ps = at_ps;
    level->out.change[level->out.next++ & level->out.mask] = (struct level_change){at_ps, units};
    if (level->in.first != level->in.next)
        level_catch_up(level);
}

/* Counts all up to now_ps: nothing can still be told about an instant before it. */
void level_settle(struct level *level, int64_t now_ps);
/* The smallest level at or below which the buffer was for at least share_ppb (1e-9) of the time since start. */
uint32_t level_percentile(const struct level *level, int64_t share_ppb);

#endif
