#include "kernel/level.h"

#include "kernel/clk.h"

#include <stdlib.h>

static int stream_init(struct level_stream *stream, uint32_t depth)
{
    uint32_t ring = 4;
    while (ring < depth + 2)
        ring *= 2;
    *stream = (struct level_stream){.mask = ring - 1};
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

/* Counts changes in order of time while no other change can still come before them: those up to now, and, when every
 * holder's way out is known, those up to the last entry (entries come in order). */
static void settle(struct level *level, int64_t now_ps)
{
    for (;;) {
        int64_t in_at = stream_at(&level->in);
        int64_t out_at = stream_at(&level->out);
        int64_t at = in_at < out_at ? in_at : out_at;
        if (at == SIM_NEVER || (at > now_ps && (level->undecided > 0 || in_at == SIM_NEVER)))
            return;
        move_to(level, at);
        if (out_at <= in_at) { /* at one instant the way out comes first: its space is what the entry waits for */
            level->level -= level->out.change[level->out.first++ & level->out.mask].units;
            continue;
        }
        level->level += level->in.change[level->in.first++ & level->in.mask].units;
        if (level->level > level->high_water)
            level->high_water = level->level;
    }
}

void level_in(struct level *level, int64_t now_ps, int64_t at_ps, uint32_t units)
{
    level->entries++;
    level->undecided++;
    level->in.change[level->in.next++ & level->in.mask] = (struct level_change){at_ps, units};
    settle(level, now_ps);
}

void level_out(struct level *level, int64_t now_ps, int64_t at_ps, uint32_t units)
{
    level->undecided--;
    level->out.change[level->out.next++ & level->out.mask] = (struct level_change){at_ps, units};
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
