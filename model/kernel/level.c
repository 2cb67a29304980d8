#include "kernel/level.h"

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
    *level = (struct level){.depth = depth, .since_ps = start_ps, .out_last_ps = INT64_MIN};
    level->time_ps = calloc((size_t)depth + 1, sizeof *level->time_ps);
    return stream_init(&level->in, depth) || stream_init(&level->out, depth) || !level->time_ps ? -1 : 0;
}

void level_free(struct level *level)
{
    free(level->in.change);
    free(level->out.change);
    free(level->time_ps);
}

static void move_to(struct level *level, int64_t at_ps)
{
    if (at_ps > level->since_ps) {
        level->time_ps[level->level] += at_ps - level->since_ps;
        level->since_ps = at_ps;
    }
}

static void count_outs(struct level *level, int64_t up_to_ps)
{
    struct level_stream *out = &level->out;
    while (out->first != out->next && out->change[out->first & out->mask].at_ps <= up_to_ps) {
        move_to(level, out->change[out->first & out->mask].at_ps);
        level->level -= out->change[out->first++ & out->mask].units;
    }
}

/* At one instant the way out comes first: its space is what the entry waits for. */
static void count_in(struct level *level, int64_t at_ps, uint32_t units)
{
    count_outs(level, at_ps);
    move_to(level, at_ps);
    level->level += units;
    if (level->level > level->high_water)
        level->high_water = level->level;
}

/* An entry can be counted when no way out before it can still be told: all are known, or a later one is (they come in
 * order). */
static int countable(const struct level *level, int64_t at_ps)
{
    return level->undecided == 0 || level->out_last_ps >= at_ps;
}

void level_in(struct level *level, int64_t at_ps, uint32_t units)
{
    level->entries++;
    if (level->in.first == level->in.next && countable(level, at_ps))
        count_in(level, at_ps, units);
    else
        level->in.change[level->in.next++ & level->in.mask] = (struct level_change){at_ps, units};
    level->undecided++;
}

void level_out(struct level *level, int64_t at_ps, uint32_t units)
{
    struct level_stream *in = &level->in;
    level->undecided--;
    level->out_last_ps = at_ps;
    level->out.change[level->out.next++ & level->out.mask] = (struct level_change){at_ps, units};
    while (in->first != in->next && countable(level, in->change[in->first & in->mask].at_ps)) {
        count_in(level, in->change[in->first & in->mask].at_ps, in->change[in->first & in->mask].units);
        in->first++;
    }
}

void level_settle(struct level *level, int64_t now_ps)
{
    struct level_stream *in = &level->in; /* an entry at now waits: a way out at now may still be told */
    while (in->first != in->next && in->change[in->first & in->mask].at_ps < now_ps) {
        count_in(level, in->change[in->first & in->mask].at_ps, in->change[in->first & in->mask].units);
        in->first++;
    }
    count_outs(level, now_ps);
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
