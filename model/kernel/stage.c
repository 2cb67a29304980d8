#include "kernel/stage.h"

int server_init(struct server *server, const struct clk *clk, int64_t interval_cyc, int64_t latency_cyc,
                uint32_t width_bytes, int store)
{
    *server = (struct server){.clk = clk, .interval_cyc = interval_cyc, .latency_cyc = latency_cyc,
                              .width_bytes = width_bytes, .store = store, .threshold_beats = 1};
    while ((1u << server->shift) < width_bytes && server->shift < 24)
        server->shift++;
    return interval_cyc >= 1 && latency_cyc >= 1 && (1u << server->shift) == width_bytes ? 0 : -1;
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The cycle at which beat i (of n) of the writer's width is visible: known for kept beats, else on the straight line
 * between head and tail, which is exact for a steady writer. */
static int64_t beat_visible(const struct fifo *fifo, const struct fifo_slot *slot, uint32_t i, uint32_t n)
{
    const int64_t *beat = fifo_front_beats(fifo);
    if (beat)
        return beat[i];
    if (i == 0 || n == 1)
        return slot->head_cyc;
    return slot->head_cyc + ((slot->tail_cyc - slot->head_cyc) * i + (n - 2)) / (n - 1);
}

int64_t server_ready(const struct server *server, const struct fifo *fifo)
{
    const struct fifo_slot *slot = fifo_front(fifo);
    if (server->store)
        return slot->tail_cyc;
    if (server->threshold_beats == 1 && server->shift <= fifo->write_shift)
        return slot->head_cyc;
    /* so many beats of my width, or all of the item, in beats of the writer's */
    uint32_t n = fifo_beats(slot->bytes, fifo->write_shift);
    int64_t want = server->threshold_beats << server->shift >> fifo->write_shift;
    want = max2(want, 1);
    return beat_visible(fifo, slot, want < n ? (uint32_t)want - 1 : n - 1, n);
}

/* The earliest cycle for the last beat of my width: it is there when the writer's last beat is, or, where that one
 * holds several of mine, as many intervals later. */
static int64_t last_beat(const struct server *server, const struct fifo *fifo, const struct fifo_slot *slot,
                         uint32_t beats)
{
    if (server->shift >= fifo->write_shift)
        return slot->tail_cyc;
    uint32_t before = (fifo_beats(slot->bytes, fifo->write_shift) - 1) << (fifo->write_shift - server->shift);
    return slot->tail_cyc + (beats - before - 1) * server->interval_cyc;
}

/* Every beat: read when it is there and one interval after the one before. Fills out_cyc; returns the last. */
static int64_t serve_beats(const struct server *server, struct sim *sim, const struct fifo *in, uint32_t bytes,
                           int64_t start_cyc, int64_t *out_cyc)
{
    const struct fifo_slot *slot = fifo_front(in);
    uint32_t beats = fifo_beats(bytes, server->shift);
    model_assert(sim, beats <= STAGE_BEATS_MAX && (server->store || server->shift == in->write_shift),
                 "%s: beats are kept where the width changes, or there are too many", in->shape.name);
    int64_t at = start_cyc;
    for (uint32_t i = 0; i < beats; i++) {
        if (i > 0)
            at += server->interval_cyc;
        if (!server->store)
            at = max2(at, beat_visible(in, slot, i, beats));
        out_cyc[i] = at + server->latency_cyc;
    }
    return at;
}

int64_t server_serve(struct server *server, struct sim *sim, struct fifo *in, struct fifo *out, int64_t start_cyc)
{
    int64_t beat_cyc[STAGE_BEATS_MAX];
    const int64_t *beats_out = 0;
    int64_t ready = max2(server_ready(server, in), server->free_cyc);
    uint32_t bytes = fifo_front(in)->bytes;
    uint32_t beats = fifo_beats(bytes, server->shift);
    int64_t work = (beats - 1) * server->interval_cyc;
    int64_t end = start_cyc + work;
    if (out->beat_cyc || (in->beat_cyc && !server->store)) {
        end = serve_beats(server, sim, in, bytes, start_cyc, beat_cyc);
        beats_out = out->beat_cyc ? beat_cyc : 0;
    } else if (!server->store) {
        end = max2(end, last_beat(server, in, fifo_front(in), beats));
    }
    struct fifo_slot slot = fifo_take(in);
    server->free_cyc = end + server->interval_cyc;
    server->items++;
    server->work_cyc += work + server->interval_cyc;
    server->bubble_cyc += end - start_cyc - work;
    if (start_cyc > ready) {
        server->blocked_cyc += start_cyc - ready;
        out->back_pressure_cyc += start_cyc - ready;
    }
    fifo_push(out, start_cyc, start_cyc + server->latency_cyc, end + server->latency_cyc, beats_out, bytes, slot.ref);
    fifo_release(in, bytes, start_cyc, end);
    return end;
}

void stage_run(struct stage *stage)
{
    if (stage->running)
        return; /* called back from my own push or release: the loop below sees to it */
    stage->running = 1;
    while (!fifo_empty(&stage->in)) {
        int64_t space_at = fifo_space_at(stage->out, fifo_front(&stage->in)->bytes);
        if (space_at == SIM_NEVER) {
            stage->out->writer_waits = 1;
            break;
        }
        int64_t start = max2(max2(server_ready(&stage->server, &stage->in), stage->server.free_cyc), space_at);
        server_serve(&stage->server, stage->sim, &stage->in, stage->out, start);
    }
    stage->running = 0;
}
