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

void level_catch_up(struct level *level)
{
    struct level_stream *in = &level->in;
    while (in->first != in->next && level_countable(level, in->change[in->first & in->mask].at_ps)) {
        level_count_in(level, in->change[in->first & in->mask].at_ps, in->change[in->first & in->mask].units);
        in->first++;
    }
}

void level_settle(struct level *level, int64_t now_ps)
{
    struct level_stream *in = &level->in; /* an entry at now waits: a way out at now may still be told */
    while (in->first != in->next && in->change[in->first & in->mask].at_ps < now_ps) {
        level_count_in(level, in->change[in->first & in->mask].at_ps, in->change[in->first & in->mask].units);
        in->first++;
    }
    if (now_ps > level->since_ps)
        level_count_in(level, now_ps, 0);
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
