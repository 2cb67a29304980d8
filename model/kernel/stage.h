/* A stage: a server with a bounded input FIFO; pure arithmetic, no events (R1, R2).
 *
 * In the stage's own cycles, for the items in order:
 *   ready = first beat visible (cut-through) or last beat visible (store-and-forward)
 *   start = max(ready, server free, space in the FIFO behind it)
 *   end   = max(start + (beats - 1) * interval, last beat visible)       the last beat is read
 *   free  = end + interval + gap + min(pause, beats above pause_beats);   out: head = start + latency, tail = end + latency
 * Which operand of the first max won is the stall's cause. A FIFO with beats kept applies the rule to every beat. */
#ifndef KERNEL_STAGE_H
#define KERNEL_STAGE_H

#include "kernel/fifo.h"

#define STAGE_BEATS_MAX 1024

struct server {
    const struct clk *clk;
    int64_t interval_cyc; /* per beat, >= 1 */
    int64_t latency_cyc;  /* >= 1 */
    uint32_t width_bytes; /* a power of two */
    int shift;
    int store;                      /* store-and-forward */
    int64_t threshold_beats;        /* cut-through: so many beats (or all) must be there first; >= 1 */
    int64_t rest_cyc;               /* from an item's last beat to the next one's first: interval and gap */
    int64_t pause_cyc, pause_beats; /* more after an item, for its beats above */
    int64_t free_cyc;
    uint64_t items;
    int64_t work_cyc, blocked_cyc, bubble_cyc;
};

enum {
    STAGE_RUNNING = 1, /* serves others just now */
    /* its items' heads and tails do not tell all: beats kept on either side, a start threshold, a change of width; or somebody
     * watches what it pushes */
    STAGE_NOT_PLAIN = 2
};

struct stage {
    struct sim *sim;
    const char *name;
    struct server server;
    struct fifo in;
    struct fifo *out;
    int long_way; /* not 0: STAGE_... of why an item may not pass at once */
};

/* Cycles between two items beyond the interval, and one more for each beat of an item above pause_beats, up to pause_cyc. */
void server_set_gap(struct server *server, int64_t gap_cyc, int64_t pause_cyc, int64_t pause_beats);
/* Sets long_way, once all that it follows from is set. */
void stage_find_way(struct stage *stage);
/* Fills what follows from the width. Returns -1 when a number is out of range. */
int server_init(struct server *server, const struct clk *clk, int64_t interval_cyc, int64_t latency_cyc,
                uint32_t width_bytes, int store);
/* When so many beats of the server's width as its threshold, or all of the front item, are there, in beats of the writer's. */
int64_t server_threshold_ready(const struct server *server, const struct fifo *fifo);
/* When the front item of `fifo` may start as far as its beats are concerned. */
static inline int64_t server_ready(const struct server *server, const struct fifo *fifo)
{
    if (server->store)
        return fifo_front(fifo)->tail_cyc;
    if (server->threshold_beats == 1 && server->shift <= fifo->write_shift)
        return fifo_front(fifo)->head_cyc;
    return server_threshold_ready(server, fifo);
}
/* Serves the front item of `in` from start_cyc on into `out`: moves it, frees its space, counts. Returns the cycle in which
 * its last beat is read. */
int64_t server_serve(struct server *server, struct sim *sim, struct fifo *in, struct fifo *out, int64_t start_cyc);

/* An item for the stage, whose space in its FIFO is taken: served at once, and on through the stages behind, as long as nothing
 * is before it and space is known; else put into the FIFO and served as stage_run() does. start_cyc: the writer's start. The item's
 * times change on its way:
 * void stage_accept(struct stage *stage, int64_t start_cyc, struct fifo_slot *item, uint32_t units); */

/* Serves all that can be served; parks on what is not decided yet (R7). Declared in kernel/fifo.h, which calls it:
 * void stage_run(struct stage *stage); */

#endif
