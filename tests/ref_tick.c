#include "tests/ref_tick.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE 1024 /* a power of two */
#define FLOPS_OF_CREDIT 2

/* A signal on its way: in a delay line until cycle `at` of its sender, or in a synchroniser since instant `at`. */
struct signal {
    int64_t at;
    int32_t units, edges_seen;
};

struct queue {
    uint32_t first, next;
    struct signal signal[QUEUE];
};

struct held_item {
    int item;
    int32_t words, visible; /* visible: words */
    int32_t read;           /* the reader's beats */
};

struct fifo_state {
    int32_t free_units; /* as the writer sees it */
    struct queue beats_sync, space_delay, space_sync;
    uint32_t first, next;
    struct held_item held[REF_ITEMS_MAX];
    int32_t level;     /* units from the writer's start to their release */
    int64_t since_ps;  /* so full */
    uint32_t arriving; /* the item whose beats come next */
};

struct node_state {
    struct queue pipeline; /* beats between read and out */
    int busy, from;        /* reads the front item of FIFO `from` */
    int64_t next_read_cyc, free_cyc;
    int last_granted;
    int next_item, read_beats; /* source */
    int32_t credits;
    int sink_clk; /* of its items' sink: they all go to one */
    struct queue credit_delay, credit_sync;
};

struct ref {
    const struct ref_net *net;
    struct ref_log *log;
    int64_t now_ps, cyc[REF_CLKS_MAX];
    struct fifo_state fifo[REF_FIFOS_MAX];
    struct node_state node[REF_NODES_MAX];
    int taken, overflow;
};

static void put(struct ref *ref, struct queue *queue, int64_t at, int32_t units)
{
    if (queue->next - queue->first == QUEUE)
        ref->overflow = 1;
    queue->signal[queue->next++ % QUEUE] = (struct signal){at, units, 0};
}

/* Units that leave a delay line in cycle cyc. */
static int32_t leave_delay(struct queue *queue, int64_t cyc)
{
    int32_t units = 0;
    while (queue->first != queue->next && queue->signal[queue->first % QUEUE].at <= cyc)
        units += queue->signal[queue->first++ % QUEUE].units;
    return units;
}

/* One edge of the reading clock: every signal that entered at an earlier instant moves on by one flip-flop. */
static int32_t clock_synchroniser(struct queue *queue, int64_t now_ps, int32_t flops)
{
    int32_t units = 0;
    for (uint32_t i = queue->first; i != queue->next; i++) {
        struct signal *signal = &queue->signal[i % QUEUE];
        if (signal->at >= now_ps)
            break;
        signal->edges_seen++;
    }
    while (queue->first != queue->next && queue->signal[queue->first % QUEUE].edges_seen >= flops)
        units += queue->signal[queue->first++ % QUEUE].units;
    return units;
}

static int crosses(const struct ref *ref, int from, int to)
{
    return ref->net->node[from].clk != ref->net->node[to].clk;
}

static int32_t width_of(const struct ref_node *node)
{
    return node->width_words ? node->width_words : 1;
}

static void show_beats(struct ref *ref, int f, int32_t beats)
{
    struct fifo_state *fifo = &ref->fifo[f];
    for (; beats > 0; beats--) {
        struct held_item *held = &fifo->held[fifo->arriving % REF_ITEMS_MAX];
        held->visible += width_of(&ref->net->node[ref->net->fifo[f].writer]);
        if (held->visible >= held->words) {
            held->visible = held->words;
            fifo->arriving++;
        }
    }
}

/* Whether the first so many words, or all of the item, are visible. */
static int has_words(const struct held_item *held, int32_t words)
{
    return held->visible >= (words < held->words ? words : held->words);
}

/* Before anything is decided at this instant: what reaches node n in its cycle. */
static void receive(struct ref *ref, int n)
{
    const struct ref_node *node = &ref->net->node[n];
    struct node_state *state = &ref->node[n];
    int64_t cyc = ref->cyc[node->clk];
    for (int i = 0; i < node->inputs; i++) {
        const struct ref_fifo *fifo = &ref->net->fifo[node->in[i]];
        struct fifo_state *in = &ref->fifo[node->in[i]];
        if (!crosses(ref, fifo->writer, n))
            continue;
        show_beats(ref, node->in[i], clock_synchroniser(&in->beats_sync, ref->now_ps, fifo->flops));
        int32_t units = leave_delay(&in->space_delay, cyc);
        if (units > 0)
            put(ref, &in->space_sync, ref->now_ps, units);
    }
    if (node->kind == REF_SINK)
        return;
    const struct ref_fifo *fifo = &ref->net->fifo[node->out];
    struct fifo_state *out = &ref->fifo[node->out];
    int32_t beats = leave_delay(&state->pipeline, cyc);
    if (crosses(ref, n, fifo->reader)) {
        for (; beats > 0; beats--)
            put(ref, &out->beats_sync, ref->now_ps, 1);
        out->free_units += clock_synchroniser(&out->space_sync, ref->now_ps, fifo->flops);
    } else {
        show_beats(ref, node->out, beats);
        out->free_units += leave_delay(&out->space_delay, cyc);
    }
    if (node->kind == REF_SOURCE)
        state->credits += clock_synchroniser(&state->credit_sync, ref->now_ps, FLOPS_OF_CREDIT);
}

/* Credits that a sink's clock carries: into the source's synchroniser, or, on one clock, straight to its counter. */
static void receive_credits(struct ref *ref, int sink_clk)
{
    for (int n = 0; n < ref->net->nodes; n++) {
        struct node_state *source = &ref->node[n];
        if (ref->net->node[n].kind != REF_SOURCE || source->credit_delay.first == source->credit_delay.next)
            continue;
        if (source->sink_clk != sink_clk)
            continue;
        int32_t credits = leave_delay(&source->credit_delay, ref->cyc[sink_clk]);
        if (ref->net->node[n].clk == sink_clk)
            source->credits += credits;
        else
            for (; credits > 0; credits--)
                put(ref, &source->credit_sync, ref->now_ps, 1);
    }
}

static void change_level(struct ref *ref, int f, int32_t units)
{
    struct fifo_state *fifo = &ref->fifo[f];
    ref->log->level_ps[f] += fifo->level * (ref->now_ps - fifo->since_ps);
    fifo->since_ps = ref->now_ps;
    fifo->level += units;
}

static void give_space(struct ref *ref, int f, int32_t units)
{
    const struct ref_fifo *fifo = &ref->net->fifo[f];
    int clk = ref->net->node[fifo->reader].clk;
    change_level(ref, f, -units);
    put(ref, &ref->fifo[f].space_delay, ref->cyc[clk] + fifo->return_cyc, units);
}

static int32_t units_of(const struct ref *ref, int f, int item)
{
    const struct ref_fifo *fifo = &ref->net->fifo[f];
    return fifo->in_beats ? ref_beats(&ref->net->node[fifo->reader], ref->net->item[item].words) : 1;
}

/* Reserves space behind node n and opens the item's place there. */
static void open_behind(struct ref *ref, int n, int item)
{
    const struct ref_node *node = &ref->net->node[n];
    if (node->kind == REF_SINK)
        return;
    struct fifo_state *out = &ref->fifo[node->out];
    int32_t units = units_of(ref, node->out, item);
    out->free_units -= units;
    change_level(ref, node->out, units);
    out->held[out->next++ % REF_ITEMS_MAX] = (struct held_item){.item = item, .words = ref->net->item[item].words};
}

static int fits_behind(const struct ref *ref, int n, int item)
{
    const struct ref_node *node = &ref->net->node[n];
    return node->kind == REF_SINK || ref->fifo[node->out].free_units >= units_of(ref, node->out, item);
}

static void log_start(struct ref *ref, int n, int item)
{
    int i = ref->log->count[n]++;
    ref->log->serve[n][i] = (struct ref_serve){.item = item, .start_cyc = ref->cyc[ref->net->node[n].clk]};
}

static void log_end(struct ref *ref, int n)
{
    ref->log->serve[n][ref->log->count[n] - 1].end_cyc = ref->cyc[ref->net->node[n].clk];
}

static void source_cycle(struct ref *ref, int n)
{
    const struct ref_node *node = &ref->net->node[n];
    struct node_state *state = &ref->node[n];
    int64_t cyc = ref->cyc[node->clk];
    while (state->next_item < ref->net->items && ref->net->item[state->next_item].source != n)
        state->next_item++;
    if (state->next_item == ref->net->items || cyc < state->next_read_cyc)
        return;
    const struct ref_item *item = &ref->net->item[state->next_item];
    if (state->read_beats == 0) {
        if (cyc < item->arrive_cyc || (node->window > 0 && state->credits == 0) ||
            !fits_behind(ref, n, state->next_item))
            return;
        state->credits--;
        open_behind(ref, n, state->next_item);
        log_start(ref, n, state->next_item);
    }
    put(ref, &state->pipeline, cyc + node->latency_cyc, 1);
    state->next_read_cyc = cyc + node->interval_cyc;
    if (++state->read_beats == ref_beats(node, item->words)) {
        log_end(ref, n);
        state->read_beats = 0;
        state->next_item++;
    }
}

static int can_start(const struct ref *ref, int n, int f)
{
    const struct ref_node *node = &ref->net->node[n];
    const struct fifo_state *in = &ref->fifo[f];
    if (in->first == in->next)
        return 0;
    const struct held_item *front = &in->held[in->first % REF_ITEMS_MAX];
    int32_t wanted = node->store ? front->words : node->threshold_beats * width_of(node);
    return has_words(front, wanted) && fits_behind(ref, n, front->item);
}

/* The input that is granted in this cycle, or -1. */
static int grant(struct ref *ref, int n)
{
    const struct ref_node *node = &ref->net->node[n];
    struct node_state *state = &ref->node[n];
    int first = node->strict ? 0 : (state->last_granted + 1) % node->inputs;
    for (int k = 0; k < node->inputs; k++) {
        int i = (first + k) % node->inputs;
        if (can_start(ref, n, node->in[i])) {
            state->last_granted = i;
            return i;
        }
    }
    return -1;
}

static void start_item(struct ref *ref, int n, int f)
{
    struct node_state *state = &ref->node[n];
    int item = ref->fifo[f].held[ref->fifo[f].first % REF_ITEMS_MAX].item;
    state->busy = 1;
    state->from = f;
    state->next_read_cyc = ref->cyc[ref->net->node[n].clk];
    open_behind(ref, n, item);
    log_start(ref, n, item);
    if (!ref->net->fifo[f].in_beats)
        give_space(ref, f, 1);
    if (ref->net->node[n].kind == REF_SINK) {
        int source = ref->net->item[item].source;
        ref->node[source].sink_clk = ref->net->node[n].clk;
        put(ref, &ref->node[source].credit_delay, state->next_read_cyc + ref->net->node[source].credit_cyc, 1);
        ref->taken++;
    }
}

static void end_item(struct ref *ref, int n, const struct held_item *held)
{
    const struct ref_node *node = &ref->net->node[n];
    struct node_state *state = &ref->node[n];
    if (ref->net->fifo[state->from].in_beats)
        give_space(ref, state->from, units_of(ref, state->from, held->item));
    ref->fifo[state->from].first++;
    state->busy = 0;
    state->free_cyc = ref->cyc[node->clk] + node->interval_cyc + node->gap_cyc;
    for (int32_t more = ref_beats(node, held->words) - node->pause_beats, lost = 0;
         lost < more && lost < node->pause_cyc; lost++)
        state->free_cyc++;
    if (node->kind == REF_SINK)
        state->free_cyc += ref->net->item[held->item].rest_cyc;
    log_end(ref, n);
}

static void serve_cycle(struct ref *ref, int n)
{
    const struct ref_node *node = &ref->net->node[n];
    struct node_state *state = &ref->node[n];
    int64_t cyc = ref->cyc[node->clk];
    if (!state->busy) {
        int i = cyc < state->free_cyc ? -1 : grant(ref, n);
        if (i < 0)
            return;
        start_item(ref, n, node->in[i]);
    }
    struct held_item *held = &ref->fifo[state->from].held[ref->fifo[state->from].first % REF_ITEMS_MAX];
    if (cyc < state->next_read_cyc || !has_words(held, (held->read + 1) * width_of(node)))
        return;
    held->read++;
    if (node->kind != REF_SINK)
        put(ref, &state->pipeline, cyc + node->latency_cyc, 1);
    state->next_read_cyc = cyc + node->interval_cyc;
    if (held->read == ref_beats(node, held->words))
        end_item(ref, n, held);
}

/* All edges at one instant see the state before it: receive first, then decide; what is decided is seen later only. */
static void instant(struct ref *ref, const int *has_edge)
{
    for (int c = 0; c < ref->net->clks; c++)
        if (has_edge[c])
            receive_credits(ref, c);
    for (int n = 0; n < ref->net->nodes; n++)
        if (has_edge[ref->net->node[n].clk])
            receive(ref, n);
    for (int n = 0; n < ref->net->nodes; n++) {
        if (!has_edge[ref->net->node[n].clk])
            continue;
        if (ref->net->node[n].kind == REF_SOURCE)
            source_cycle(ref, n);
        else
            serve_cycle(ref, n);
    }
    for (int f = 0; f < ref->net->fifos; f++)
        if (ref->fifo[f].level > ref->log->high_water[f])
            ref->log->high_water[f] = ref->fifo[f].level;
}

static int sinks_busy(const struct ref *ref)
{
    for (int n = 0; n < ref->net->nodes; n++)
        if (ref->net->node[n].kind == REF_SINK && ref->node[n].busy)
            return 1;
    return 0;
}

static int run(struct ref *ref, int64_t edges_max)
{
    const struct ref_net *net = ref->net;
    int64_t next_ps[REF_CLKS_MAX];
    for (int c = 0; c < net->clks; c++)
        next_ps[c] = clk_edge(&net->clk[c], 0);
    for (int64_t edges = 0; edges < edges_max; edges++) {
        int has_edge[REF_CLKS_MAX];
        ref->now_ps = next_ps[0];
        for (int c = 1; c < net->clks; c++)
            if (next_ps[c] < ref->now_ps)
                ref->now_ps = next_ps[c];
        for (int c = 0; c < net->clks; c++)
            has_edge[c] = next_ps[c] == ref->now_ps;
        instant(ref, has_edge);
        if (ref->overflow)
            return -2;
        if (ref->taken == net->items && !sinks_busy(ref))
            return 0;
        for (int c = 0; c < net->clks; c++)
            if (has_edge[c])
                next_ps[c] = clk_edge(&net->clk[c], ++ref->cyc[c]);
    }
    return -1;
}

int ref_tick_run(const struct ref_net *net, struct ref_log *log, int64_t edges_max)
{
    struct ref *ref = calloc(1, sizeof *ref);
    if (!ref)
        return -2;
    ref->net = net;
    ref->log = log;
    memset(log->count, 0, sizeof log->count);
    memset(log->high_water, 0, sizeof log->high_water);
    memset(log->level_ps, 0, sizeof log->level_ps);
    for (int f = 0; f < net->fifos; f++)
        ref->fifo[f].free_units = net->fifo[f].depth;
    for (int n = 0; n < net->nodes; n++) {
        ref->node[n].credits = net->node[n].window;
        ref->node[n].last_granted = net->node[n].inputs - 1;
    }
    int result = run(ref, edges_max);
    free(ref);
    return result;
}
