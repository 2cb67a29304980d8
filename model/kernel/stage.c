#include "kernel/stage.h"

int server_init(struct server *server, const struct clk *clk, int64_t interval_cyc, int64_t latency_cyc,
                uint32_t width_bytes, int store)
{
    *server = (struct server){.clk = clk,
                              .interval_cyc = interval_cyc,
                              .latency_cyc = latency_cyc,
                              .rest_cyc = interval_cyc,
                              .width_bytes = width_bytes,
                              .store = store,
                              .threshold_beats = 1};
    while ((1u << server->shift) < width_bytes && server->shift < 24)
        server->shift++;
    return interval_cyc >= 1 && latency_cyc >= 1 && (1u << server->shift) == width_bytes ? 0 : -1;
}

void server_set_gap(struct server *server, int64_t gap_cyc, int64_t pause_cyc, int64_t pause_beats)
{
    server->rest_cyc = server->interval_cyc + gap_cyc;
    server->pause_cyc = pause_cyc;
    server->pause_beats = pause_beats;
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

int64_t server_threshold_ready(const struct server *server, const struct fifo *fifo)
{
    const struct fifo_slot *slot = fifo_front(fifo);
    uint32_t n = fifo_beats(slot->bytes, fifo->write_shift);
    int64_t want = ((server->threshold_beats << server->shift) + (1 << fifo->write_shift) - 1) >> fifo->write_shift;
    return beat_visible(fifo, slot, want < n ? (uint32_t)want - 1 : n - 1, n);
}

/* The earliest cycle for the last beat of my width: it is there when the writer's last beat is, or, where that one
 * holds several of mine, as many intervals later. */
static inline int64_t last_beat(const struct server *server, const struct fifo *fifo, const struct fifo_slot *slot,
                                uint32_t beats)
{
    if (server->shift >= fifo->write_shift)
        return slot->tail_cyc;
    uint32_t before = (fifo_beats(slot->bytes, fifo->write_shift) - 1) << (fifo->write_shift - server->shift);
    return slot->tail_cyc + (beats - before - 1) * server->interval_cyc;
}

/* From an item's last beat to the next one's first. */
static inline int64_t rest_after(const struct server *server, uint32_t beats)
{
    int64_t more = beats - server->pause_beats;
    if (__builtin_expect(server->pause_cyc == 0, 1))
        return server->rest_cyc;
    return server->rest_cyc + (more <= 0 ? 0 : more < server->pause_cyc ? more : server->pause_cyc);
}

/* Books an item that starts at start_cyc, ready since ready_cyc; returns the cycle in which its last beat is read. */
static inline int64_t book(struct server *server, const struct fifo *in, struct fifo *out, const struct fifo_slot *slot,
                           int64_t ready_cyc, int64_t start_cyc)
{
    uint32_t beats = fifo_beats(slot->bytes, server->shift);
    int64_t work = (beats - 1) * server->interval_cyc, rest = rest_after(server, beats);
    int64_t end = start_cyc + work;
    ready_cyc = max2(ready_cyc, server->free_cyc);
    server->items++;
    server->work_cyc += work + rest;
    if (start_cyc > ready_cyc) {
        server->blocked_cyc += start_cyc - ready_cyc;
        out->back_pressure_cyc += start_cyc - ready_cyc;
    }
    if (!server->store)
        end = max2(end, last_beat(server, in, slot, beats));
    server->bubble_cyc += end - start_cyc - work;
    server->free_cyc = end + rest;
    return end;
}

/* Every beat: read when it is there and one interval after the one before. Fills out_cyc; returns the last. */
static int64_t serve_beats(const struct server *server, struct sim *sim, const struct fifo *in, uint32_t bytes,
                           int64_t start_cyc, int64_t *out_cyc)
{
    const struct fifo_slot *slot = fifo_front(in);
    uint32_t beats = fifo_beats(bytes, server->shift);
    uint32_t of_writer = fifo_beats(bytes, in->write_shift), writer_bytes = 1u << in->write_shift;
    model_assert(sim, beats <= STAGE_BEATS_MAX, "%s: an item of %u beats", in->shape.name, beats);
    int64_t at = start_cyc;
    for (uint32_t i = 0; i < beats; i++) {
        if (i > 0)
            at += server->interval_cyc;
        if (!server->store) { /* all its bytes, in the writer's beats */
            uint32_t needs = (((i + 1) << server->shift) + writer_bytes - 1) >> in->write_shift;
            at = max2(at, beat_visible(in, slot, (needs < of_writer ? needs : of_writer) - 1, of_writer));
        }
        out_cyc[i] = at + server->latency_cyc;
    }
    return at;
}

/* Where beats are kept on either side: the last beat may be later than the ends tell. Apart, for its large frame. */
static __attribute__((noinline)) int64_t serve_kept_beats(struct server *server, struct sim *sim, struct fifo *in,
                                                          struct fifo *out, int64_t start_cyc, int64_t end_by_ends_cyc)
{
    int64_t beat_cyc[STAGE_BEATS_MAX];
    int64_t end = serve_beats(server, sim, in, fifo_front(in)->bytes, start_cyc, beat_cyc);
    struct fifo_slot slot = fifo_take(in);
    server->bubble_cyc += end - end_by_ends_cyc;
    server->free_cyc += end - end_by_ends_cyc;
    fifo_push_beats(out, start_cyc, start_cyc + server->latency_cyc, end + server->latency_cyc,
                    out->beat_cyc ? beat_cyc : 0, slot.bytes, slot.ref);
    fifo_release(in, slot.bytes, start_cyc, end);
    return end;
}

static inline int64_t serve(struct server *server, struct sim *sim, struct fifo *in, struct fifo *out,
                            int64_t ready_cyc, int64_t start_cyc)
{
    int64_t end = book(server, in, out, fifo_front(in), ready_cyc, start_cyc);
    if (out->beat_cyc || (in->beat_cyc && !server->store))
        return serve_kept_beats(server, sim, in, out, start_cyc, end);
    struct fifo_slot slot = fifo_take(in);
    fifo_push(out, start_cyc, start_cyc + server->latency_cyc, end + server->latency_cyc, slot.bytes, slot.ref);
    fifo_release(in, slot.bytes, start_cyc, end);
    return end;
}

int64_t server_serve(struct server *server, struct sim *sim, struct fifo *in, struct fifo *out, int64_t start_cyc)
{
    return serve(server, sim, in, out, server_ready(server, in), start_cyc);
}

/* Books a plain stage's item of so many of its beats behind the first that finds its space at space_cyc, and replaces its times by those in which
 * the reader of `out` sees it. Returns the cycle in which it starts; *end_cyc: in which its last beat is read. */
static inline int64_t pass_plain(struct server *server, struct fifo *out, int64_t space_cyc, uint32_t more_beats,
                                 struct fifo_slot *item, int64_t *end_cyc)
{
    int64_t ready = max2(server->store ? item->tail_cyc : item->head_cyc, server->free_cyc);
    int64_t start = ready, work = more_beats * server->interval_cyc;
    if (space_cyc > ready) {
        server->blocked_cyc += space_cyc - ready;
        out->back_pressure_cyc += space_cyc - ready;
        start = space_cyc;
    }
    int64_t end = start + work;
    if (end < item->tail_cyc) { /* never so when it was stored */
        server->bubble_cyc += item->tail_cyc - end;
        end = item->tail_cyc;
    }
    server->items++;
    server->work_cyc += work + server->rest_cyc;
    server->free_cyc = end + server->rest_cyc;
    fifo_see(out, item, start + server->latency_cyc, end + server->latency_cyc);
    *end_cyc = end;
    return start;
}

/* Serves the item that waits at the front of a plain stage; 0: its space is not decided yet. */
static int serve_waiting(struct stage *stage)
{
    struct fifo_slot item = *fifo_front(&stage->in);
    uint32_t units = fifo_units(stage->out, item.bytes);
    int64_t space_at = fifo_take_space(stage->out, units, item.head_cyc), end;
    if (space_at == SIM_NEVER)
        return 0;
    stage->in.first++;
    int64_t start =
        pass_plain(&stage->server, stage->out, space_at, fifo_more_beats(item.bytes, stage->server.shift), &item, &end);
    fifo_hand_over(stage->out, start, &item, units);
    fifo_release(&stage->in, item.bytes, start, end);
    return 1;
}

/* The same for any stage. */
static int serve_any(struct stage *stage)
{
    int64_t space_at = fifo_space_at(stage->out, fifo_front(&stage->in)->bytes);
    if (space_at == SIM_NEVER)
        return 0;
    int64_t ready = server_ready(&stage->server, &stage->in);
    int64_t start = max2(max2(ready, stage->server.free_cyc), space_at);
    serve(&stage->server, stage->sim, &stage->in, stage->out, ready, start);
    return 1;
}

void stage_find_way(struct stage *stage)
{
    int is_plain = !stage->in.beat_cyc && !stage->out->beat_cyc && stage->server.threshold_beats == 1 &&
                   stage->server.pause_cyc == 0 && stage->in.write_shift == stage->server.shift && !stage->out->watch;
    stage->long_way = is_plain ? 0 : STAGE_NOT_PLAIN;
}

void stage_run(struct stage *stage)
{
    if (stage->long_way & STAGE_RUNNING)
        return; /* called back from my own push or release: the loop below sees to it */
    int is_plain = stage->long_way == 0;
    stage->long_way |= STAGE_RUNNING;
    while (!fifo_empty(&stage->in)) {
        int served = is_plain ? serve_waiting(stage) : serve_any(stage);
        if (!served) {
            stage->out->writer_waits = 1;
            break;
        }
    }
    stage->long_way &= ~STAGE_RUNNING;
}

/* stage_accept(), for the two that begin with it. */
static inline __attribute__((always_inline)) void accept(struct stage *stage, int64_t start_cyc, struct fifo_slot *item,
                                                         uint32_t units)
{
    uint32_t bytes = item->bytes;
    for (;;) {
        struct fifo *in = &stage->in, *out = stage->out;
        uint32_t units_out = fifo_units(out, bytes);
        int64_t space_at, end;
        int is_first = fifo_empty(in);
        if (!is_first || stage->long_way || (space_at = fifo_take_space(out, units_out, item->head_cyc)) == SIM_NEVER) {
            fifo_put(in, start_cyc, item, units);
            if (is_first) /* else the first one waits for space */
                stage_run(stage);
            return;
        }
        model_assert(stage->sim, item->head_cyc >= in->last_head_cyc, "%s: item %u comes before the one ahead of it",
                     stage->name, item->ref); /* R2 */
        in->last_head_cyc = item->head_cyc;
        uint32_t more_beats = fifo_more_beats(bytes, stage->server.shift);
        int64_t start = pass_plain(&stage->server, out, space_at, more_beats, item, &end);
        int64_t free_cyc = in->shape.in_beats ? end : start;
        level_pass(&in->level, start_cyc, free_cyc, units);
        fifo_space_is_free(in, free_cyc);
        start_cyc = start;
        units = units_out;
        if (!out->read_stage) {
            fifo_hand_over(out, start_cyc, item, units);
            return;
        }
        stage = out->read_stage;
    }
}

void stage_accept(struct stage *stage, int64_t start_cyc, struct fifo_slot *item, uint32_t units)
{
    accept(stage, start_cyc, item, units);
}

/* Takes space for an item that comes out of the writer at these cycles, and sees it as the reader does. */
static inline struct fifo_slot arrive(struct fifo *fifo, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc,
                                      uint32_t bytes, uint32_t ref, uint32_t units)
{
    struct fifo_slot item = {.bytes = bytes, .ref = ref};
    fifo_see(fifo, &item, head_cyc, tail_cyc);
    int64_t space_at = fifo_take_space(fifo, units, start_cyc);
    model_assert(fifo->sim, space_at != SIM_NEVER, "%s: an item is put into space that nobody has given back",
                 fifo->shape.name);
    return item;
}

void fifo_push_beats(struct fifo *fifo, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, const int64_t *beat_cyc,
                     uint32_t bytes, uint32_t ref)
{
    uint32_t units = fifo_units(fifo, bytes);
    if (fifo->watch)
        fifo->watch(fifo->watch_context, start_cyc, head_cyc, tail_cyc, bytes, ref);
    struct fifo_slot item = arrive(fifo, start_cyc, head_cyc, tail_cyc, bytes, ref, units);
    if (!fifo->beat_cyc) {
        fifo_hand_over(fifo, start_cyc, &item, units);
        return;
    }
    fifo_store_beats(fifo, beat_cyc, head_cyc, tail_cyc, bytes);
    int is_front = fifo_empty(fifo);
    fifo_put(fifo, start_cyc, &item, units);
    if (fifo->read_stage)
        stage_run(fifo->read_stage);
    else if (is_front)
        fifo_wake_reader(fifo, &item);
}

/* Here, not with the FIFO, because nearly every item enters a stage with it: one function and not two. */
void fifo_push(struct fifo *fifo, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes, uint32_t ref)
{
    if (__builtin_expect(fifo->long_way, 0)) {
        fifo_push_beats(fifo, start_cyc, head_cyc, tail_cyc, 0, bytes, ref);
        return;
    }
    uint32_t units = fifo_units(fifo, bytes);
    struct fifo_slot item = arrive(fifo, start_cyc, head_cyc, tail_cyc, bytes, ref, units);
    if (fifo->read_stage)
        accept(fifo->read_stage, start_cyc, &item, units);
    else
        fifo_hand_over(fifo, start_cyc, &item, units);
}
