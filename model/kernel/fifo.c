#include "kernel/fifo.h"

#include "kernel/stage.h"

#include <stdlib.h>

static int log2_exact(uint32_t bytes)
{
    for (int shift = 0; shift < 24; shift++)
        if ((1u << shift) == bytes)
            return shift;
    return -1;
}

int fifo_init(struct fifo *fifo, struct sim *sim, const struct fifo_shape *shape)
{
    *fifo = (struct fifo){.sim = sim,
                          .shape = *shape,
                          .fits_to = shape->depth,
                          .last_free_cyc = INT64_MIN,
                          .read_decider = SIM_NO_DECIDER,
                          .write_decider = SIM_NO_DECIDER};
    fifo->write_shift = log2_exact(shape->write_bytes);
    fifo->read_shift = log2_exact(shape->read_bytes);
    fifo->unit_shift = shape->in_beats ? fifo->read_shift : 31;
    if (fifo->write_shift < 0 || fifo->read_shift < 0 || shape->depth < 1 || shape->depth > (1u << 24) ||
        shape->return_cyc < 1)
        return -1;
    uint32_t ring = 1;
    while (ring < shape->depth)
        ring *= 2;
    fifo->mask = ring - 1;
    fifo->slot = malloc(ring * sizeof *fifo->slot);
    if (!fifo->slot || level_init(&fifo->level, shape->depth, 0))
        return -1;
    level_set_clocks(&fifo->level, shape->write_clk, shape->read_clk);
    return 0;
}

int fifo_keep_beats(struct fifo *fifo, uint32_t beats_max)
{
    if (beats_max > STAGE_BEATS_MAX)
        return -1;
    fifo->beats_max = beats_max;
    fifo->beat_cyc = malloc(((size_t)fifo->mask + 1) * beats_max * sizeof *fifo->beat_cyc);
    fifo->long_way = 1;
    return fifo->beat_cyc ? 0 : -1;
}

void fifo_watch(struct fifo *fifo, fifo_watch_fn *watch, void *context)
{
    fifo->watch = watch;
    fifo->long_way = 1;
    fifo->watch_context = context;
    if (fifo->write_stage)
        stage_find_way(fifo->write_stage);
}

void fifo_free(struct fifo *fifo)
{
    free(fifo->slot);
    free(fifo->beat_cyc);
    level_free(&fifo->level);
}

/* Without beat_cyc the writer is steady: its beats lie on the line between head and tail. */
void fifo_store_beats(struct fifo *fifo, const int64_t *beat_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes)
{
    uint32_t beats = fifo_beats(bytes, fifo->write_shift);
    int64_t *to = fifo->beat_cyc + (size_t)(fifo->next & fifo->mask) * fifo->beats_max;
    model_assert(fifo->sim, beats <= fifo->beats_max, "%s: an item of %u beats", fifo->shape.name, beats);
    for (uint32_t i = 0; i < beats; i++)
        to[i] = fifo_seen_at(fifo, beat_cyc ? beat_cyc[i]
                                            : head_cyc + (beats > 1 ? (tail_cyc - head_cyc) * i / (beats - 1) : 0));
}

/* When it is back by from_cyc, three quarters of what is told behind it may be, too: then nobody need ask for that again, and in a FIFO
 * that is seldom full few items are looked up. */
int64_t fifo_look_for_space(struct fifo *fifo, uint32_t units, int64_t from_cyc)
{
    const struct level *level = &fifo->level;
    uint64_t need = fifo_need(fifo, units);
    if (level->out_total < need)
        return SIM_NEVER;
    fifo->needed = fifo_find(fifo, need);
    int64_t back_at = fifo_holder_back_at(fifo, fifo->needed);
    if (back_at > from_cyc)
        return back_at;
    uint64_t most = (fifo->needed + 3 * (level->next - level->undecided)) / 4;
    if (most > fifo->needed && fifo_holder_back_at(fifo, most) <= from_cyc) {
        fifo->needed = most;
        fifo->fits_to = level->holder[most & level->mask].out_total + fifo->shape.depth;
    }
    return 0;
}

/* Whether the ring still holds it. */
static int is_held(const struct level *level, uint64_t holder)
{
    return level->next - holder <= level->mask + 1;
}

uint64_t fifo_writer_level(const struct fifo *fifo, int64_t cyc)
{
    const struct level *level = &fifo->level;
    uint64_t i = level->next - level->undecided;
    while (i > 0 && is_held(level, i - 1) && fifo_holder_back_at(fifo, i - 1) > cyc)
        i--;
    return level->in_total - (i > 0 && is_held(level, i - 1) ? level->holder[(i - 1) & level->mask].out_total : 0);
}

int64_t fifo_falls_at(const struct fifo *fifo, uint32_t units)
{
    const struct level *level = &fifo->level;
    uint64_t i = level->next - level->undecided;
    if (level->in_total <= units)
        return 0;
    uint64_t target = level->in_total - units;
    if (level->out_total < target)
        return SIM_NEVER;
    while (i > 1 && is_held(level, i - 2) && level->holder[(i - 2) & level->mask].out_total >= target)
        i--;
    return fifo_holder_back_at(fifo, i - 1);
}

void fifo_tell_writer(struct fifo *fifo, int64_t return_cyc)
{
    fifo->writer_waits = 0;
    if (fifo->write_stage)
        stage_run(fifo->write_stage);
    else if (fifo->write_decider != SIM_NO_DECIDER)
        sim_wake(fifo->sim, fifo->write_decider, clk_edge(fifo->shape.write_clk, fifo_space_seen_at(fifo, return_cyc)));
}
