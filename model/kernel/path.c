#include "kernel/path.h"

#include <stdlib.h>

static int init_stage(struct path *path, int i, const struct path_stage *from, const struct clk *write_clk,
                      uint32_t write_bytes, uint32_t item_bytes_max)
{
    struct stage *stage = &path->stage[i];
    struct fifo_shape shape = {.name = from->name,
                               .write_clk = write_clk,
                               .read_clk = from->clk,
                               .flops = clk_same(write_clk, from->clk) ? 0 : from->flops,
                               .return_cyc = 1,
                               .depth = from->depth,
                               .in_beats = from->in_beats,
                               .write_bytes = write_bytes,
                               .read_bytes = from->width_bytes};
    *stage = (struct stage){.sim = path->sim, .name = from->name};
    if (server_init(&stage->server, from->clk, from->interval_cyc, from->latency_cyc, from->width_bytes, from->store) ||
        fifo_init(&stage->in, path->sim, &shape))
        return -1;
    if (from->threshold_beats > 1)
        stage->server.threshold_beats = from->threshold_beats;
    server_set_gap(&stage->server, from->gap_cyc, from->pause_cyc, from->pause_beats);
    if (from->in_beats && fifo_units(&stage->in, item_bytes_max) > from->depth)
        return -2;
    stage->in.read_stage = stage;
    stage->in.reader_wants_tail = from->store;
    return 0;
}

static struct fifo *fifo_at(struct path *path, int k)
{
    return k == path->count ? &path->end : &path->stage[k].in;
}

static int beats_are_too_many(const struct fifo *fifo, uint32_t item_bytes_max)
{
    return fifo_beats(item_bytes_max, fifo->write_shift) > STAGE_BEATS_MAX ||
           fifo_beats(item_bytes_max, fifo->read_shift) > STAGE_BEATS_MAX;
}

static int keep_beats(struct path *path, int begin, int last, uint32_t item_bytes_max, int *which)
{
    for (int k = begin; k <= last; k++) {
        struct fifo *fifo = fifo_at(path, k);
        *which = k;
        if (beats_are_too_many(fifo, item_bytes_max))
            return -3;
        if (!fifo->beat_cyc && fifo_keep_beats(fifo, fifo_beats(item_bytes_max, fifo->write_shift)))
            return -1;
    }
    return 0;
}

/* As keep_beats(), where it is possible at all: else ends alone have to do. */
static int keep_beats_if_possible(struct path *path, int begin, int last, uint32_t item_bytes_max, int *which)
{
    for (int k = begin; k <= last; k++)
        if (beats_are_too_many(fifo_at(path, k), item_bytes_max))
            return 0;
    return keep_beats(path, begin, last, item_bytes_max, which);
}

/* Whether the width changes in the stretch so that ends alone are not exact. They are where it changes once, at the stretch's
 * steady beginning, in one clock, and every stage takes a beat a cycle. Else a wide beat is there with a narrow one that lies
 * on no line, the last wide beat may hold few narrow ones, and narrow beats of a wide one come in bursts. */
static int widths_need_beats(struct path *path, int begin, int last, int crossings)
{
    int changes = 0, beyond = crossings;
    for (int k = begin; k <= last; k++) {
        int here = fifo_at(path, k)->write_shift != fifo_at(path, k)->read_shift;
        changes |= here;
        beyond |= (here && k > begin) || (k < path->count && path->stage[k].server.interval_cyc > 1);
    }
    return changes && beyond;
}

/* n cycles in 2^-16 ps, rounded down. */
static int64_t fine_time(const struct clk *clk, int64_t n)
{
    return (int64_t)(((__int128)n * clk->num << 16) / clk->den);
}

/* Whether beats of one clock every `interval` and of another's come at the same pace to within a picosecond a beat. Then
 * edges that nearly coincide stay so, and as instants are whole picoseconds a beat in the middle of an item may be late by a
 * cycle between two that are not: the one case in which ends alone are not exact across one crossing. */
static int same_pace(const struct clk *a, int64_t a_interval, const struct clk *b, int64_t b_interval)
{
    int64_t apart = fine_time(a, a_interval) - fine_time(b, b_interval);
    return apart <= 1 << 16 && apart >= -(1 << 16);
}

/* Of the one crossing in the stretch begin .. last, at FIFO k: any pace before it against any behind it. What is outside the
 * path is taken to have an interval of 1. */
static int crosses_at_same_pace(struct path *path, int begin, int k, int last)
{
    const struct fifo_shape *shape = &fifo_at(path, k)->shape;
    for (int i = begin - 1; i < k; i++)
        for (int j = k; j <= last; j++) {
            int64_t before = i < 0 ? 1 : path->stage[i].server.interval_cyc;
            int64_t behind = j == path->count ? 1 : path->stage[j].server.interval_cyc;
            if (same_pace(shape->write_clk, before, shape->read_clk, behind))
                return 1;
        }
    return 0;
}

/* Ends alone are exact across one clock crossing (the entry's, too, counts as one). Where a cut-through stretch crosses
 * two, every beat is kept in the whole stretch: behind two crossings beats lie on no convex line, so a slower stage would
 * miss a late one in the middle. A store-and-forward stage needs the tail only and begins a new stretch. A start threshold
 * counts beats, which lie on no straight line once a stage before has waited: beats are kept up to it. */
static int keep_beats_where_needed(struct path *path, uint32_t item_bytes_max, int *which)
{
    int error = 0;
    for (int begin = 0, i; begin <= path->count && !error; begin = i + 1) {
        int crossings = 0, threshold = -1, crossing = -1;
        for (i = begin;; i++) {
            if (fifo_at(path, i)->shape.flops > 0) {
                crossings++;
                crossing = i;
            }
            if (i == path->count || path->stage[i].server.store)
                break;
            if (path->stage[i].server.threshold_beats > 1)
                threshold = i;
        }
        int last = i == path->count ? i : i - 1; /* that is read beat by beat */
        for (int k = begin; k <= i; k++)
            fifo_at(path, k)->stretch_crossings = crossings + (k <= threshold ? 2 : 0);
        if (crossings > 1)
            error = keep_beats(path, begin, last, item_bytes_max, which);
        else if ((crossings == 1 && crosses_at_same_pace(path, begin, crossing, last)) ||
                 widths_need_beats(path, begin, last, crossings))
            error = keep_beats_if_possible(path, begin, last, item_bytes_max, which);
        else
            error = keep_beats_if_possible(path, begin, threshold, item_bytes_max, which);
    }
    return error;
}

/* Which stages the short way in stage.c is for. */
static void mark_plain(struct path *path)
{
    for (int i = 0; i < path->count; i++) {
        stage_find_way(&path->stage[i]);
    }
}

int path_keep_beats(struct path *path, uint32_t item_bytes_max, int *which)
{
    int error = keep_beats(path, 0, path->count, item_bytes_max, which);
    mark_plain(path);
    return error;
}

int path_init(struct path *path, struct sim *sim, const char *name, const struct clk *write_clk, uint32_t write_bytes,
              const struct path_stage *stages, int count, const struct fifo_shape *end, uint32_t item_bytes_max,
              int *which)
{
    *path = (struct path){.sim = sim, .name = name, .count = count};
    path->stage = calloc((size_t)count + 1, sizeof *path->stage);
    if (!path->stage)
        return -1;
    path->entry = fifo_at(path, 0);
    for (*which = 0; *which < count; ++*which) {
        int error = init_stage(path, *which, &stages[*which], write_clk, write_bytes, item_bytes_max);
        if (error)
            return error;
        write_clk = stages[*which].clk;
        write_bytes = stages[*which].width_bytes;
    }
    struct fifo_shape shape = *end;
    shape.write_clk = write_clk;
    shape.write_bytes = write_bytes;
    if (clk_same(write_clk, shape.read_clk))
        shape.flops = 0;
    if (fifo_init(&path->end, sim, &shape))
        return -1;
    if (shape.in_beats && fifo_units(&path->end, item_bytes_max) > shape.depth)
        return -2;
    for (int i = 0; i < count; i++) {
        path->stage[i].out = i + 1 < count ? &path->stage[i + 1].in : &path->end;
        path->stage[i].out->write_stage = &path->stage[i];
    }
    int error = keep_beats_where_needed(path, item_bytes_max, which);
    mark_plain(path);
    return error;
}

void path_free(struct path *path)
{
    for (int i = 0; i < path->count; i++)
        fifo_free(&path->stage[i].in);
    free(path->stage);
    fifo_free(&path->end);
}

int64_t path_least_ps(const struct path *path)
{
    int64_t least = 0;
    for (int i = 0; i < path->count; i++)
        least += path->stage[i].server.latency_cyc * path->stage[i].server.clk->whole;
    return least;
}
