/* A path: stages in a row between two deciders, built from a list; its last FIFO is owned by the reader (R7). */
#ifndef KERNEL_PATH_H
#define KERNEL_PATH_H

#include "kernel/stage.h"

struct path_stage {
    const char *name;
    const struct clk *clk;
    int64_t interval_cyc, latency_cyc;
    uint32_t width_bytes;
    int store;
    int64_t threshold_beats;
    int64_t gap_cyc, pause_cyc, pause_beats; /* between two items: see kernel/stage.h */
    int64_t flops; /* of the crossing into this stage, when its clock differs from the one before */
    uint32_t depth;
    int in_beats;
};

struct path {
    struct sim *sim;
    const char *name;
    struct stage *stage;
    int count;
    struct fifo *entry; /* the first stage's, or the end */
    struct fifo end;
};

/* The path's writer pushes at write_clk, write_bytes wide; its reader takes from `end`, whose shape is given (its write_clk
 * and write_bytes follow from the last stage, or from the writer when there is no stage).
 * item_bytes_max: of the largest item. Returns 0; -1 when a number is impossible, -2 when a FIFO in beats could never hold
 * the largest item, -3 when the largest item has more than STAGE_BEATS_MAX beats in a stretch that crosses clocks twice and so
 * needs every beat: *which names the stage (or count for the end). */
int path_init(struct path *path, struct sim *sim, const char *name, const struct clk *write_clk, uint32_t write_bytes,
              const struct path_stage *stages, int count, const struct fifo_shape *end, uint32_t item_bytes_max,
              int *which);
void path_free(struct path *path);
/* Keeps every beat in all FIFOs of the path: for paths into and out of a cut-through arbiter when the stretch through it
 * crosses clocks more than once, changes its width, or has a start threshold in or behind it (arb_init() refuses ends alone
 * at crossings and thresholds); for a path whose reading decider starts at a threshold; and next to a decider whose interval
 * is not 1 when beats cross at the same pace (see path.c) or the width changes. Errors as above. */
int path_keep_beats(struct path *path, uint32_t item_bytes_max, int *which);
/* The FIFO that the path's writer pushes into. */
static inline struct fifo *path_entry(const struct path *path)
{
    return path->entry;
}
/* Whether anything in the path, or its writer, waits for space: then what is before its end waits for the end's. */
static inline int path_waits(const struct path *path)
{
    return path->end.writer_waits;
}
/* The least time (ps, rounded down) from the writer's push to the reader's sight: a lower bound for lookahead. */
int64_t path_least_ps(const struct path *path);

/* The items in the path and not taken at its end, those that are only to come there, too. */
static inline uint32_t path_items(const struct path *path)
{
    uint32_t items = path->end.next - path->end.first;
    for (int i = 0; i < path->count; i++)
        items += path->stage[i].in.next - path->stage[i].in.first;
    return items;
}

#endif
