#include "kernel/path.h"

#include <stdlib.h>

static int init_stage(struct path *path, int i, const struct path_stage *from, const struct clk *write_clk,
                      uint32_t write_bytes, uint32_t item_bytes_max)
{
    struct stage *stage = &path->stage[i];
    struct fifo_shape shape = {.name = from->name, .write_clk = write_clk, .read_clk = from->clk,
                               .flops = clk_same(write_clk, from->clk) ? 0 : from->flops, .return_cyc = 1,
                               .depth = from->depth, .in_beats = from->in_beats, .write_bytes = write_bytes,
                               .read_bytes = from->width_bytes};
    *stage = (struct stage){.sim = path->sim, .name = from->name};
    if (server_init(&stage->server, from->clk, from->interval_cyc, from->latency_cyc, from->width_bytes, from->store) ||
        fifo_init(&stage->in, path->sim, &shape))
        return -1;
    if (from->threshold_beats > 1)
        stage->server.threshold_beats = from->threshold_beats;
    if (from->in_beats && fifo_units(&stage->in, item_bytes_max) > from->depth)
        return -2;
    stage->in.read_stage = stage;
    return 0;
}

/* Ends alone are exact across one clock crossing. Where a cut-through stretch crosses two, every beat is kept from the
 * stretch's start to the FIFO behind its last crossing. A store-and-forward stage begins a new stretch. */
static int keep_beats_where_needed(struct path *path, uint32_t item_bytes_max, int *which)
{
    int begin = 0;
    while (begin <= path->count) {
        int crossings = 0, last = begin, i = begin;
        for (;; i++) {
            struct fifo *fifo = i == path->count ? &path->end : &path->stage[i].in;
            /* the entry's crossing is the writer's steady output: it counts as one */
            if (fifo->shape.flops > 0) {
                crossings++;
                last = i;
            }
            if (i == path->count || (path->stage[i].server.store))
                break;
        }
        for (int k = begin; crossings > 1 && k <= last; k++) {
            struct fifo *fifo = k == path->count ? &path->end : &path->stage[k].in;
            *which = k;
            if (fifo->write_shift != fifo->read_shift)
                return -3;
            if (fifo_keep_beats(fifo, fifo_beats(item_bytes_max, fifo->write_shift)))
                return -1;
        }
        begin = i + 1;
    }
    return 0;
}

int path_init(struct path *path, struct sim *sim, const char *name, const struct clk *write_clk, uint32_t write_bytes,
              const struct path_stage *stages, int count, const struct fifo_shape *end, uint32_t item_bytes_max,
              int *which)
{
    *path = (struct path){.sim = sim, .name = name, .count = count};
    path->stage = calloc((size_t)count + 1, sizeof *path->stage);
    if (!path->stage)
        return -1;
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
    return keep_beats_where_needed(path, item_bytes_max, which);
}

void path_free(struct path *path)
{
    for (int i = 0; i < path->count; i++)
        fifo_free(&path->stage[i].in);
    free(path->stage);
    fifo_free(&path->end);
}

struct fifo *path_entry(struct path *path)
{
    return path->count > 0 ? &path->stage[0].in : &path->end;
}

int64_t path_least_ps(const struct path *path)
{
    int64_t least = 0;
    for (int i = 0; i < path->count; i++)
        least += path->stage[i].server.latency_cyc * path->stage[i].server.clk->whole;
    return least;
}
