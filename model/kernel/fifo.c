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
    *fifo = (struct fifo){.sim = sim, .shape = *shape, .read_decider = SIM_NO_DECIDER, .write_decider = SIM_NO_DECIDER};
    fifo->write_shift = log2_exact(shape->write_bytes);
    fifo->read_shift = log2_exact(shape->read_bytes);
    int crossing = shape->flops > 0;
    if (fifo->write_shift < 0 || fifo->read_shift < 0 || shape->depth < 1 || shape->depth > (1u << 24) ||
        (!crossing && shape->return_cyc < 1))
        return -1;
    uint32_t ring = 1;
    while (ring < shape->depth)
        ring *= 2;
    fifo->mask = ring - 1;
    fifo->slot = malloc(ring * sizeof *fifo->slot);
    if (!fifo->slot || space_init(&fifo->space, sim, shape->name, shape->depth) ||
        level_init(&fifo->level, shape->depth, 0))
        return -1;
    return 0;
}

int fifo_keep_beats(struct fifo *fifo, uint32_t beats_max)
{
    if (beats_max > STAGE_BEATS_MAX)
        return -1;
    fifo->beats_max = beats_max;
    fifo->beat_cyc = malloc(((size_t)fifo->mask + 1) * beats_max * sizeof *fifo->beat_cyc);
    return fifo->beat_cyc ? 0 : -1;
}

void fifo_free(struct fifo *fifo)
{
    free(fifo->slot);
    free(fifo->beat_cyc);
    space_free(&fifo->space);
    level_free(&fifo->level);
}

static int64_t seen_at(const struct fifo *fifo, int64_t write_cyc)
{
    return clk_cross(fifo->shape.write_clk, write_cyc, fifo->shape.read_clk, fifo->shape.flops);
}

/* Without beat_cyc the writer is steady: its beats lie on the line between head and tail. */
static void store_beats(struct fifo *fifo, const int64_t *beat_cyc, int64_t head_cyc, int64_t tail_cyc,
                        uint32_t bytes)
{
    uint32_t beats = fifo_beats(bytes, fifo->write_shift);
    int64_t *to = fifo->beat_cyc + (size_t)(fifo->next & fifo->mask) * fifo->beats_max;
    model_assert(fifo->sim, beats <= fifo->beats_max, "%s: an item of %u beats", fifo->shape.name, beats);
    for (uint32_t i = 0; i < beats; i++)
        to[i] = seen_at(fifo, beat_cyc ? beat_cyc[i] : head_cyc + (beats > 1 ? (tail_cyc - head_cyc) * i / (beats - 1) : 0));
}

static void tell_reader(struct fifo *fifo, const struct fifo_slot *slot, int is_front)
{
    if (fifo->read_stage)
        stage_run(fifo->read_stage);
    else if (is_front && fifo->read_decider != SIM_NO_DECIDER)
        sim_wake(fifo->sim, fifo->read_decider,
                 clk_edge(fifo->shape.read_clk, fifo->reader_wants_tail ? slot->tail_cyc : slot->head_cyc));
}

void fifo_push(struct fifo *fifo, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, const int64_t *beat_cyc,
               uint32_t bytes, uint32_t ref)
{
    uint32_t units = fifo_units(fifo, bytes);
    struct fifo_slot *slot = &fifo->slot[fifo->next & fifo->mask];
    int is_front = fifo_empty(fifo);
    space_take(&fifo->space, units);
    if (fifo->beat_cyc)
        store_beats(fifo, beat_cyc, head_cyc, tail_cyc, bytes);
    *slot = (struct fifo_slot){.head_cyc = seen_at(fifo, head_cyc), .bytes = bytes, .ref = ref};
    slot->tail_cyc = tail_cyc == head_cyc ? slot->head_cyc : seen_at(fifo, tail_cyc);
    model_assert(fifo->sim, slot->head_cyc >= fifo->last_head_cyc, "%s: item %u comes before the one ahead of it",
                 fifo->shape.name, ref); /* R2 */
    fifo->last_head_cyc = slot->head_cyc;
    fifo->next++;
    level_in(&fifo->level, clk_edge(fifo->shape.write_clk, start_cyc), units);
    if (fifo->watch)
        fifo->watch(fifo->watch_context, start_cyc, head_cyc, tail_cyc, ref);
    tell_reader(fifo, slot, is_front);
}

static void tell_writer(struct fifo *fifo, int64_t space_cyc)
{
    if (!fifo->writer_waits)
        return;
    fifo->writer_waits = 0;
    if (fifo->write_stage)
        stage_run(fifo->write_stage);
    else if (fifo->write_decider != SIM_NO_DECIDER)
        sim_wake(fifo->sim, fifo->write_decider, clk_edge(fifo->shape.write_clk, space_cyc));
}

void fifo_release(struct fifo *fifo, uint32_t bytes, int64_t start_cyc, int64_t end_cyc)
{
    uint32_t units = fifo_units(fifo, bytes);
    int64_t free_cyc = fifo->shape.in_beats ? end_cyc : start_cyc;
    int64_t space_cyc = fifo->shape.flops == 0
                            ? free_cyc + fifo->shape.return_cyc
                            : clk_cross(fifo->shape.read_clk, free_cyc, fifo->shape.write_clk, fifo->shape.flops);
    space_give(&fifo->space, units, space_cyc);
    level_out(&fifo->level, clk_edge(fifo->shape.read_clk, free_cyc), units);
    tell_writer(fifo, space_cyc);
}
