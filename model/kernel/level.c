#include "kernel/level.h"

#include <stdlib.h>

/* At least so many holders are told between two countings. */
#define LEVEL_BATCH 64u

int level_init(struct level *level, uint32_t depth, int64_t start_ps)
{
    /* after counting, at most `depth` units are inside at since_ps, and `depth` more undecided and not counted */
    uint64_t ring = LEVEL_BATCH;
    while (ring < 2 * (uint64_t)depth + LEVEL_BATCH)
        ring *= 2;
    const struct clk ps = {.num = 1, .den = 1, .whole = 1};
    *level = (struct level){.depth = depth, .since_ps = start_ps, .mask = ring - 1, .in_clk = ps, .out_clk = ps};
    level->time_ps = calloc((size_t)depth + 1, sizeof *level->time_ps);
    level->holder = malloc(ring * sizeof *level->holder);
    return level->time_ps && level->holder ? 0 : -1;
}

void level_free(struct level *level)
{
    free(level->holder);
    free(level->time_ps);
}

void level_set_clocks(struct level *level, const struct clk *in_clk, const struct clk *out_clk)
{
    level->in_clk = *in_clk;
    level->out_clk = *out_clk;
}

static inline uint64_t decided(const struct level *level)
{
    return level->next - level->undecided;
}

/* The instant of exit i; SIM_NEVER: not told yet. */
static inline int64_t out_ps(const struct level *level, uint64_t i)
{
    return i < decided(level) ? clk_edge(&level->out_clk, level->holder[i & level->mask].out) : SIM_NEVER;
}

/* Counts the exits up to now_ps and the time up to it; *exit_ps: the next exit's instant. At one instant the way out comes first:
 * its space is what the entry waits for. */
static inline void count_exits(struct level *level, int64_t *exit_ps, int64_t now_ps)
{
    for (; *exit_ps <= now_ps; *exit_ps = out_ps(level, ++level->out_counted)) {
        level->time_ps[level->level] += *exit_ps - level->since_ps;
        level->since_ps = *exit_ps;
        level->level -= level->holder[level->out_counted & level->mask].out_units;
    }
    level->time_ps[level->level] += now_ps - level->since_ps;
    level->since_ps = now_ps;
}

/* Counts the entries up to known_ps and the exits before them; then, up to then_ps, exits only. */
static void count(struct level *level, int64_t known_ps, int64_t then_ps)
{
    struct level l = *level; /* a copy of its own, which the compiler keeps in registers */
    int64_t exit_ps = out_ps(&l, l.out_counted), at;
    for (; l.in_counted < l.next; l.in_counted++) {
        const struct level_holder *entry = &l.holder[l.in_counted & l.mask];
        at = clk_edge(&l.in_clk, entry->in);
        if (at > known_ps)
            break;
        count_exits(&l, &exit_ps, at);
        l.level += entry->in_units;
        if (l.level > l.high_water)
            l.high_water = l.level;
    }
    if (then_ps > l.since_ps)
        count_exits(&l, &exit_ps, then_ps);
    *level = l;
}

/* Up to here no way out can still be told before an entry. */
static int64_t known_ps(const struct level *level)
{
    if (level->undecided == 0)
        return INT64_MAX;
    return decided(level) > 0 ? out_ps(level, decided(level) - 1) : INT64_MIN;
}

void level_catch_up(struct level *level)
{
    count(level, known_ps(level), INT64_MIN);
}

void level_settle(struct level *level, int64_t now_ps)
{
    int64_t known = known_ps(level); /* an entry at now waits: a way out at now may still be told */
    count(level, known > now_ps - 1 ? known : now_ps - 1, now_ps);
    level->entries = level->next + level->empty;
}

uint32_t level_percentile(const struct level *level, int64_t share_ppb)
{
    unsigned __int128 total = 0, below = 0;
    for (uint32_t i = 0; i <= level->depth; i++)
        total += (unsigned __int128)level->time_ps[i];
    for (uint32_t i = 0; i <= level->depth; i++) {
        below += (unsigned __int128)level->time_ps[i];
        if (below * 1000000000u >= total * (uint64_t)share_ppb)
            return i;
    }
    return level->depth;
}
