#include "kernel/level.h"

#include "kernel/clk.h"

#include <stdlib.h>

static int stream_init(struct level_stream *stream, uint32_t depth)
{
    uint32_t ring = 4;
    while (ring < depth + 2)
        ring *= 2;
    *stream = (struct level_stream){.mask = ring - 1, .last_ps = INT64_MIN};
    stream->change = malloc(ring * sizeof *stream->change);
    return stream->change ? 0 : -1;
}

int level_init(struct level *level, uint32_t depth, int64_t start_ps)
{
    *level = (struct level){.depth = depth, .since_ps = start_ps};
    level->time_ps = calloc((size_t)depth + 1, sizeof *level->time_ps);
    return stream_init(&level->in, depth) || stream_init(&level->out, depth) || !level->time_ps ? -1 : 0;
}

void level_free(struct level *level)
{
    free(level->in.change);
    free(level->out.change);
    free(level->time_ps);
}

static int64_t stream_at(const struct level_stream *stream)
{
    return stream->first == stream->next ? SIM_NEVER : stream->change[stream->first & stream->mask].at_ps;
}

static void move_to(struct level *level, int64_t at_ps)
{
    if (at_ps > level->since_ps) {
        level->time_ps[level->level] += at_ps - level->since_ps;
        level->since_ps = at_ps;
    }
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Counts changes in order of time while no change still to be told can come before them. Still to be told is nothing
 * before now, no entry before the last one, no exit before the last one, and, when every holder's exit is known, no exit
 * before the last entry. At one instant exits come first (their space is what an entry waits for): an entry counts only
 * when no exit of its own instant can follow. So what is pending never exceeds what the buffer holds at one instant. */
static void settle(struct level *level, int64_t now_ps)
{
    int64_t in_bound = max2(now_ps, level->in.last_ps);
    int64_t out_bound = max2(now_ps, level->out.last_ps);
    if (level->undecided == 0)
        out_bound = max2(out_bound, level->in.last_ps);
    for (;;) {
        int64_t in_at = stream_at(&level->in);
        int64_t out_at = stream_at(&level->out);
        if (out_at <= in_at) {
            if (out_at > in_bound || out_at == SIM_NEVER)
                return;
            move_to(level, out_at);
            level->level -= level->out.change[level->out.first++ & level->out.mask].units;
            continue;
        }
        if (in_at >= out_bound)
            return;
        move_to(level, in_at);
        level->level += level->in.change[level->in.first++ & level->in.mask].units;
        if (level->level > level->high_water)
            level->high_water = level->level;
    }
}

static void stream_add(struct level_stream *stream, int64_t at_ps, uint32_t units)
{
    stream->change[stream->next++ & stream->mask] = (struct level_change){at_ps, units};
    stream->last_ps = at_ps;
}

void level_in(struct level *level, int64_t now_ps, int64_t at_ps, uint32_t units)
{
    level->entries++;
    level->undecided++;
    stream_add(&level->in, at_ps, units);
    settle(level, now_ps);
}

void level_out(struct level *level, int64_t now_ps, int64_t at_ps, uint32_t units)
{
    level->undecided--;
    stream_add(&level->out, at_ps, units);
    settle(level, now_ps);
}

void level_settle(struct level *level, int64_t now_ps)
{
    settle(level, now_ps);
    move_to(level, now_ps);
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
