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
/* `units` go in at at_ps. */
void level_in(struct level *level, int64_t at_ps, uint32_t units);
/* The oldest holder's units go out at at_ps. */
void level_out(struct level *level, int64_t at_ps, uint32_t units);
/* Counts all up to now_ps: nothing can still be told about an instant before it. */
void level_settle(struct level *level, int64_t now_ps);
/* The smallest level at or below which the buffer was for at least share_ppb (1e-9) of the time since start. */
uint32_t level_percentile(const struct level *level, int64_t share_ppb);

#endif
