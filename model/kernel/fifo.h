/* A bounded FIFO between one writer and one reader, each in its own clock.
 *
 * Depth is in packets (a slot, reserved when the writer starts the item, free again when the reader starts it) or in
 * beats of the reader's width (all beats of the item, reserved when the writer starts it, free again when the reader has
 * read the last). Space is seen by the writer return_cyc cycles later; where the clocks differ, it leaves the reader
 * return_cyc of its cycles later (its pointer is a register) and passes the synchroniser. An item is seen by the reader in
 * the cycle in which it comes out of the writer, or through the synchroniser.
 * AXI-Stream terms: the item is there when tvalid is high; space is there when tready is high for the whole item. */
#ifndef KERNEL_FIFO_H
#define KERNEL_FIFO_H

#include "kernel/level.h"
#include "kernel/sim.h"

#include <stddef.h>

struct stage;

struct fifo_slot {
    int64_t head_cyc,
        tail_cyc; /* reader's cycles: first and last beat visible; both the last's where reader_wants_tail */
    uint32_t bytes;
    uint32_t ref; /* the owner's handle of the item */
};

struct fifo_shape {
    const char *name;
    const struct clk *write_clk, *read_clk;
    int64_t flops; /* 0: one clock; else the synchroniser's flip-flops, 2 .. 3; 1: related clocks, a register only */
    int64_t return_cyc; /* reader's cycles (>= 1) until freed space is seen, or enters the synchroniser */
    uint32_t depth;
    int in_beats;
    uint32_t write_bytes, read_bytes; /* widths, powers of two */
};

typedef void fifo_watch_fn(void *context, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes,
                           uint32_t ref);

struct fifo {
    struct sim *sim;
    struct fifo_shape shape;
    int write_shift, read_shift;
    int unit_shift;     /* read_shift, or in packets so much that all bytes of an item are one unit */
    struct level level; /* who was in: also tells when space leaves the reader; when the writer sees that is worked out
                           when it asks */
    uint64_t
        fits_to; /* while no more units than these have come in since the start, nobody need look when their space is
                         back: that is before the writer can ask for it */
    uint64_t needed; /* in beats: the holder whose space the last item needed: later ones need no earlier */
    struct fifo_slot *slot;
    uint32_t mask, first, next;
    int64_t last_head_cyc, last_free_cyc;
    uint32_t beats_max;
    int stretch_crossings; /* clock crossings in the path's cut-through stretch through this FIFO; + 2: a threshold behind it */
    int64_t *beat_cyc; /* NULL, or the visible cycle of every beat of every slot: beats_max a slot */
    /* who is told: the next stage or a decider at one end, the stage or decider that waits for space at the other */
    struct stage *read_stage, *write_stage;
    int read_decider, write_decider;
    int reader_wants_tail; /* it takes no item before the last beat is there */
    int writer_waits;
    /* Where the reader runs inside whoever pushes, and most often takes what comes at once: an item that finds the FIFO empty is left in
     * its hand (units; 0: none), and goes into the FIFO only if it is not taken. Such a reader uses fifo_next(). */
    int takes_at_once;
    struct fifo_hand {
        struct fifo_slot item;
        int64_t start_cyc;
        uint32_t units;
    } hand;
    int64_t back_pressure_cyc; /* writer's cycles for which an item waited for space */
    uint64_t drops;
    int long_way; /* somebody watches, or beats are kept */
    /* NULL, or told of every push (tests, waveforms): the cycles are the writer's */
    fifo_watch_fn *watch;
    void *watch_context;
};

/* Has `watch` told of every push, from before the first on. */
void fifo_watch(struct fifo *fifo, fifo_watch_fn *watch, void *context);
/* Returns 0, or -1 when the shape is impossible or memory is out. */
int fifo_init(struct fifo *fifo, struct sim *sim, const struct fifo_shape *shape);
/* Keeps the cycle of every beat (for paths where ends alone are not exact). Returns -1 without memory or above STAGE_BEATS_MAX. */
int fifo_keep_beats(struct fifo *fifo, uint32_t beats_max);
void fifo_free(struct fifo *fifo);

/* The beats behind the first: each item has at least one. */
static inline uint32_t fifo_more_beats(uint32_t bytes, int shift)
{
    return (bytes - (bytes != 0)) >> shift;
}

static inline uint32_t fifo_beats(uint32_t bytes, int shift)
{
    return fifo_more_beats(bytes, shift) + 1;
}

static inline uint32_t fifo_units(const struct fifo *fifo, uint32_t bytes)
{
    return fifo_beats(bytes, fifo->unit_shift);
}

/* The writer's cycle in which it sees space that leaves the reader at return_cyc. */
static inline int64_t fifo_space_seen_at(const struct fifo *fifo, int64_t return_cyc)
{
    return clk_cross(fifo->shape.read_clk, return_cyc, fifo->shape.write_clk, fifo->shape.flops);
}

/* So many units must have come back for `units` more. */
static inline uint64_t fifo_need(const struct fifo *fifo, uint32_t units)
{
    return fifo->level.in_total + units - fifo->shape.depth;
}

/* Whether nobody need look for them. */
static inline int fifo_fits(const struct fifo *fifo, uint32_t units)
{
    return fifo->level.in_total + units <= fifo->fits_to;
}

/* The holder that brings unit `need` (counted from 1) back, which is told. */
static inline uint64_t fifo_find(const struct fifo *fifo, uint64_t need)
{
    if (!fifo->shape.in_beats)
        return need - 1;
    uint64_t i = fifo->needed;
    while (fifo->level.holder[i & fifo->level.mask].out_total < need)
        i++;
    return i;
}

/* The writer's cycle in which it sees the space of a holder. */
static inline int64_t fifo_holder_back_at(const struct fifo *fifo, uint64_t holder)
{
    return fifo_space_seen_at(fifo, fifo->level.holder[holder & fifo->level.mask].out + fifo->shape.return_cyc);
}

/* The writer's cycle from which `units` fit: 0 already, SIM_NEVER not decided yet (R7). */
static inline int64_t fifo_units_at(const struct fifo *fifo, uint32_t units)
{
    if (fifo_fits(fifo, units))
        return 0;
    uint64_t need = fifo_need(fifo, units);
    return fifo->level.out_total < need ? SIM_NEVER : fifo_holder_back_at(fifo, fifo_find(fifo, need));
}

/* How much is in it as the writer sees it at its cycle `cyc`, of what was told up to then. */
uint64_t fifo_writer_level(const struct fifo *fifo, int64_t cyc);
/* From which of the writer's cycles on it sees no more than `units`, if nothing comes in: SIM_NEVER: not decided yet. */
int64_t fifo_falls_at(const struct fifo *fifo, uint32_t units);
int64_t fifo_look_for_space(struct fifo *fifo, uint32_t units, int64_t from_cyc);

/* The same for an item of `bytes`. */
static inline int64_t fifo_space_at(const struct fifo *fifo, uint32_t bytes)
{
    return fifo_units_at(fifo, fifo_units(fifo, bytes));
}

/* The same for `units` that are put in next by a writer that does not start before from_cyc, nor will for a later item (R2): 0 also for
 * space that is back by then. */
static inline int64_t fifo_take_space(struct fifo *fifo, uint32_t units, int64_t from_cyc)
{
    return fifo_fits(fifo, units) ? 0 : fifo_look_for_space(fifo, units, from_cyc);
}

/* Units put in and not released, whatever the instant: 0 when everything is home. */
static inline uint64_t fifo_units_away(const struct fifo *fifo)
{
    return fifo->level.in_total - fifo->level.out_total;
}

static inline int fifo_empty(const struct fifo *fifo)
{
    return fifo->first == fifo->next;
}

static inline const struct fifo_slot *fifo_front(const struct fifo *fifo)
{
    return &fifo->slot[fifo->first & fifo->mask];
}

static inline const int64_t *fifo_front_beats(const struct fifo *fifo)
{
    return fifo->beat_cyc ? fifo->beat_cyc + (size_t)(fifo->first & fifo->mask) * fifo->beats_max : 0;
}

/* The reader takes the front item, without freeing its space yet. */
static inline struct fifo_slot fifo_take(struct fifo *fifo)
{
    return fifo->slot[fifo->first++ & fifo->mask];
}

/* The reader's edge at which what the writer does at write_cyc is seen. */
static inline int64_t fifo_seen_at(const struct fifo *fifo, int64_t write_cyc)
{
    return clk_cross(fifo->shape.write_clk, write_cyc, fifo->shape.read_clk, fifo->shape.flops);
}

/* When the reader sees the item's first and last beat. One that waits for the last looks at no other. */
static inline void fifo_see(const struct fifo *fifo, struct fifo_slot *item, int64_t head_cyc, int64_t tail_cyc)
{
    if (fifo->shape.flops == 0) {
        item->tail_cyc = tail_cyc;
        item->head_cyc = fifo->reader_wants_tail ? tail_cyc : head_cyc;
        return;
    }
    item->tail_cyc = fifo_seen_at(fifo, tail_cyc);
    item->head_cyc = head_cyc == tail_cyc || fifo->reader_wants_tail ? item->tail_cyc : fifo_seen_at(fifo, head_cyc);
}

void fifo_store_beats(struct fifo *fifo, const int64_t *beat_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes);
void stage_run(struct stage *stage);
void stage_accept(struct stage *stage, int64_t start_cyc, struct fifo_slot *item, uint32_t units);

/* The front item of a decider's FIFO has come: the decider is woken for it. */
static inline void fifo_wake_reader(struct fifo *fifo, const struct fifo_slot *slot)
{
    if (fifo->read_decider != SIM_NO_DECIDER)
        sim_wake(fifo->sim, fifo->read_decider, clk_edge(fifo->shape.read_clk, slot->head_cyc));
}

/* R2, for the item that comes next. */
static inline void fifo_in_order(struct fifo *fifo, const struct fifo_slot *item)
{
    model_assert(fifo->sim, item->head_cyc >= fifo->last_head_cyc, "%s: item %u comes before the one ahead of it",
                 fifo->shape.name, item->ref);
    fifo->last_head_cyc = item->head_cyc;
}

/* The same for space. */
static inline void fifo_free_in_order(struct fifo *fifo, int64_t free_cyc)
{
    model_assert(fifo->sim, free_cyc >= fifo->last_free_cyc, "%s: space comes back at %lld after %lld",
                 fifo->shape.name, (long long)free_cyc, (long long)fifo->last_free_cyc);
    fifo->last_free_cyc = free_cyc;
}

/* Puts an item in, as its reader sees it: fifo_push() without the reader's part. Its `units` fit. */
static inline void fifo_put(struct fifo *fifo, int64_t start_cyc, const struct fifo_slot *item, uint32_t units)
{
    fifo_in_order(fifo, item);
    fifo->slot[fifo->next++ & fifo->mask] = *item;
    level_in(&fifo->level, start_cyc, units);
}

/* What is in the reader's hand is not taken now. */
static inline void fifo_keep(struct fifo *fifo)
{
    if (fifo->hand.units == 0)
        return;
    fifo_put(fifo, fifo->hand.start_cyc, &fifo->hand.item, fifo->hand.units);
    fifo->hand.units = 0;
}

/* The same with the reader's part: a stage may change the item's times. Not where beats are kept. */
static inline void fifo_hand_over(struct fifo *fifo, int64_t start_cyc, struct fifo_slot *item, uint32_t units)
{
    if (fifo->read_stage) {
        stage_accept(fifo->read_stage, start_cyc, item, units);
        return;
    }
    int is_front = fifo_empty(fifo);
    if (fifo->takes_at_once) {
        if (is_front && fifo->hand.units == 0) {
            fifo->hand = (struct fifo_hand){*item, start_cyc, units};
            return;
        }
        fifo_keep(fifo);
    }
    fifo_put(fifo, start_cyc, item, units);
    if (is_front)
        fifo_wake_reader(fifo, item);
}

/* Reserves space at the writer's cycle start_cyc; the item's first and last beat come out of the writer at head_cyc and
 * tail_cyc (> start_cyc). Wakes or runs the reader. */
void fifo_push(struct fifo *fifo, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes, uint32_t ref);
/* The same with every beat's cycle, or NULL. */
void fifo_push_beats(struct fifo *fifo, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, const int64_t *beat_cyc,
                     uint32_t bytes, uint32_t ref);

/* Wakes or runs the writer that waits for space, which leaves the reader at return_cyc. */
void fifo_tell_writer(struct fifo *fifo, int64_t return_cyc);

/* The reader has freed space at free_cyc: who waits for it goes on. */
static inline void fifo_space_is_free(struct fifo *fifo, int64_t free_cyc)
{
    if (fifo->writer_waits)
        fifo_tell_writer(fifo, free_cyc + fifo->shape.return_cyc);
}

/* The reader started a taken item at start_cyc and reads its last beat at end_cyc: frees its space and resumes a writer
 * that is parked on it (R7). In the order of fifo_take(). */
static inline void fifo_release(struct fifo *fifo, uint32_t bytes, int64_t start_cyc, int64_t end_cyc)
{
    uint32_t units = fifo_units(fifo, bytes);
    int64_t free_cyc = fifo->shape.in_beats ? end_cyc : start_cyc;
    model_assert(fifo->sim, fifo->level.undecided > 0, "%s: more space comes back than there is", fifo->shape.name);
    fifo_free_in_order(fifo, free_cyc);
    level_out(&fifo->level, free_cyc, units);
    fifo_space_is_free(fifo, free_cyc);
}

/* For a reader that takes at once: the next item, NULL: none; it is taken with fifo_take_next(), or kept with fifo_keep(). */
static inline const struct fifo_slot *fifo_next(const struct fifo *fifo)
{
    if (fifo->hand.units > 0)
        return &fifo->hand.item;
    return fifo_empty(fifo) ? 0 : fifo_front(fifo);
}

/* It is taken, and its space free as fifo_release() has it. */
static inline struct fifo_slot fifo_take_next(struct fifo *fifo, int64_t start_cyc, int64_t end_cyc)
{
    uint32_t units = fifo->hand.units;
    if (units == 0) {
        struct fifo_slot slot = fifo_take(fifo);
        fifo_release(fifo, slot.bytes, start_cyc, end_cyc);
        return slot;
    }
    struct fifo_slot slot = fifo->hand.item;
    int64_t free_cyc = fifo->shape.in_beats ? end_cyc : start_cyc;
    fifo_in_order(fifo, &slot);
    fifo_free_in_order(fifo, free_cyc);
    fifo->hand.units = 0;
    level_pass(&fifo->level, fifo->hand.start_cyc, free_cyc, units);
    fifo_space_is_free(fifo, free_cyc);
    return slot;
}

#endif
