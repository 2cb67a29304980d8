#include "tests/kernel/net_random.h"

#include <inttypes.h>
#include <string.h>

struct shrink {
    struct ref_net *best;
    struct ref_net tried;
    net_fails_fn *fails;
    void *context;
    int tries_left, progress;
};

/* Keeps `tried` when it still fails. */
static int attempt(struct shrink *shrink)
{
    if (shrink->tries_left <= 0 || memcmp(&shrink->tried, shrink->best, sizeof shrink->tried) == 0)
        return 0;
    shrink->tries_left--;
    if (!shrink->fails(&shrink->tried, shrink->context))
        return 0;
    *shrink->best = shrink->tried;
    shrink->progress = 1;
    return 1;
}

static void drop_items(struct shrink *shrink)
{
    for (int chunk = shrink->best->items / 2; chunk > 0; chunk /= 2)
        for (int i = shrink->best->items - chunk; i >= 0; i -= chunk) {
            struct ref_net *net = &shrink->tried;
            *net = *shrink->best;
            if (i + chunk > net->items)
                continue;
            memmove(&net->item[i], &net->item[i + chunk], (size_t)(net->items - i - chunk) * sizeof *net->item);
            net->items -= chunk;
            memset(&net->item[net->items], 0, (size_t)chunk * sizeof *net->item);
            attempt(shrink);
        }
}

static void mend_crossing(struct ref_net *net, int f)
{
    struct ref_fifo *fifo = &net->fifo[f];
    if (net->node[fifo->writer].clk == net->node[fifo->reader].clk)
        fifo->flops = 0;
    else if (fifo->flops == 0)
        fifo->flops = 2;
    if (net->node[fifo->reader].kind == REF_STAGE)
        fifo->return_cyc = 1;
}

/* Takes node n and FIFO f out of the arrays; nothing refers to them any more. */
static void close_gaps(struct ref_net *net, int n, int f)
{
    net->nodes--;
    net->fifos--;
    memmove(&net->node[n], &net->node[n + 1], (size_t)(net->nodes - n) * sizeof *net->node);
    memmove(&net->fifo[f], &net->fifo[f + 1], (size_t)(net->fifos - f) * sizeof *net->fifo);
    for (int k = 0; k < net->fifos; k++) {
        net->fifo[k].writer -= net->fifo[k].writer > n;
        net->fifo[k].reader -= net->fifo[k].reader > n;
    }
    for (int k = 0; k < net->nodes; k++) {
        net->node[k].out -= net->node[k].out > f;
        for (int i = 0; i < net->node[k].inputs; i++)
            net->node[k].in[i] -= net->node[k].in[i] > f;
    }
    for (int k = 0; k < net->items; k++)
        net->item[k].source -= net->item[k].source > n;
}

/* A stage (or an arbiter of one input): its reader reads its input FIFO instead. */
static void drop_stage(struct ref_net *net, int n)
{
    int in = net->node[n].in[0], out = net->node[n].out, reader = net->fifo[out].reader;
    net->fifo[in].reader = reader;
    for (int i = 0; i < net->node[reader].inputs; i++)
        if (net->node[reader].in[i] == out)
            net->node[reader].in[i] = in;
    mend_crossing(net, in);
    close_gaps(net, n, out);
}

/* A source without items that feeds an arbiter of several inputs straight. */
static int drop_source(struct ref_net *net, int n)
{
    int out = net->node[n].out, reader = net->fifo[out].reader;
    struct ref_node *node = &net->node[reader];
    for (int i = 0; i < net->items; i++)
        if (net->item[i].source == n)
            return 0;
    if (node->kind != REF_ARBITER || node->inputs < 2)
        return 0;
    int k = 0;
    while (node->in[k] != out)
        k++;
    node->inputs--;
    memmove(&node->in[k], &node->in[k + 1], (size_t)(node->inputs - k) * sizeof *node->in);
    close_gaps(net, n, out);
    return 1;
}

static void drop_nodes(struct shrink *shrink)
{
    for (int n = shrink->best->nodes - 1; n >= 0; n--) {
        shrink->tried = *shrink->best;
        const struct ref_node *node = &shrink->tried.node[n];
        if (n >= shrink->tried.nodes || node->kind == REF_SINK)
            continue;
        if (node->kind == REF_SOURCE) {
            if (drop_source(&shrink->tried, n))
                attempt(shrink);
        } else if (node->inputs == 1) {
            drop_stage(&shrink->tried, n);
            attempt(shrink);
        }
    }
}

/* One number towards the simplest: at once, else by half. */
static void simplify32(struct shrink *shrink, int32_t *in_tried, int32_t simplest)
{
    int32_t was = *in_tried;
    if (was == simplest)
        return;
    *in_tried = simplest;
    if (!attempt(shrink)) {
        *in_tried = was - (was - simplest) / 2;
        if (!attempt(shrink))
            *in_tried = was;
    }
}

static void simplify_numbers(struct shrink *shrink)
{
    struct ref_net *net = &shrink->tried;
    *net = *shrink->best;
    for (int n = 0; n < net->nodes; n++) {
        struct ref_node *node = &net->node[n];
        simplify32(shrink, &node->interval_cyc, 1);
        simplify32(shrink, &node->gap_cyc, 0);
        simplify32(shrink, &node->pause_cyc, 0);
        simplify32(shrink, &node->latency_cyc, 1);
        simplify32(shrink, &node->store, 0);
        simplify32(shrink, &node->threshold_beats, 1);
        if (node->width_words > 1)
            simplify32(shrink, &node->width_words, 1);
        simplify32(shrink, &node->window, 0);
        simplify32(shrink, &node->credit_cyc, 1);
    }
    for (int f = 0; f < net->fifos; f++) {
        simplify32(shrink, &net->fifo[f].in_beats, 0);
        simplify32(shrink, &net->fifo[f].return_cyc, 1);
        if (net->fifo[f].flops > 0)
            simplify32(shrink, &net->fifo[f].flops, 2);
        if (!net->fifo[f].in_beats)
            simplify32(shrink, &net->fifo[f].depth, 1);
    }
    for (int i = 0; i < net->items; i++) {
        int64_t was = net->item[i].arrive_cyc;
        simplify32(shrink, &net->item[i].rest_cyc, 0);
        simplify32(shrink, &net->item[i].words, 1);
        net->item[i].arrive_cyc = 1;
        for (int k = 0; k < i; k++)
            if (net->item[k].source == net->item[i].source)
                net->item[i].arrive_cyc = net->item[k].arrive_cyc;
        if (!attempt(shrink))
            net->item[i].arrive_cyc = was;
    }
}

static void move_to_clock(struct ref_net *net, int n, int clk)
{
    net->node[n].clk = clk;
    for (int f = 0; f < net->fifos; f++)
        if (net->fifo[f].writer == n || net->fifo[f].reader == n)
            mend_crossing(net, f);
}

static void simplify_clocks(struct shrink *shrink)
{
    for (int n = 0; n < shrink->best->nodes; n++)
        for (int c = 0; c < shrink->best->clks; c++) {
            shrink->tried = *shrink->best;
            const struct ref_node *node = &shrink->tried.node[n];
            if (node->kind == REF_SINK ? c < node->clk
                                       : c == shrink->tried.node[shrink->tried.fifo[node->out].reader].clk) {
                move_to_clock(&shrink->tried, n, c);
                attempt(shrink);
            }
        }
    for (int c = 0; c < shrink->best->clks; c++) {
        shrink->tried = *shrink->best;
        shrink->tried.clk[c].phase_ps = 0;
        int same = 0;
        for (int k = 0; k < shrink->tried.clks; k++)
            same |= k != c && clk_same(&shrink->tried.clk[k], &shrink->tried.clk[c]);
        if (!same)
            attempt(shrink);
    }
}

void net_shrink(struct ref_net *net, net_fails_fn *fails, void *context, int tries_max)
{
    struct shrink shrink = {.best = net, .fails = fails, .context = context, .tries_left = tries_max};
    do {
        shrink.progress = 0;
        drop_items(&shrink);
        drop_nodes(&shrink);
        simplify_clocks(&shrink);
        simplify_numbers(&shrink);
    } while (shrink.progress && shrink.tries_left > 0);
}

void net_print(const struct ref_net *net, FILE *out)
{
    static const char *const kind[] = {"source", "stage", "arbiter", "sink"};
    for (int c = 0; c < net->clks; c++)
        fprintf(out, "  clock %d: %" PRId64 "/%" PRId64 " ps, phase %" PRId64 "\n", c, net->clk[c].num, net->clk[c].den,
                net->clk[c].phase_ps);
    for (int n = 0; n < net->nodes; n++) {
        const struct ref_node *node = &net->node[n];
        fprintf(out, "  node %d: %s, clock %d, width %d, interval %d, latency %d%s", n, kind[node->kind], node->clk,
                node->width_words, node->interval_cyc, node->latency_cyc, node->store ? ", store" : "");
        fprintf(out, ", gap %d, pause %d above %d", node->gap_cyc, node->pause_cyc, node->pause_beats);
        fprintf(out, ", threshold %d%s, window %d, credit %d; reads", node->threshold_beats,
                node->strict ? ", strict" : "", node->window, node->credit_cyc);
        for (int i = 0; i < node->inputs; i++)
            fprintf(out, " %d", node->in[i]);
        fprintf(out, ", writes %d\n", node->kind == REF_SINK ? -1 : node->out);
    }
    for (int f = 0; f < net->fifos; f++)
        fprintf(out, "  FIFO %d: node %d to %d, flops %d, return %d, depth %d %s\n", f, net->fifo[f].writer,
                net->fifo[f].reader, net->fifo[f].flops, net->fifo[f].return_cyc, net->fifo[f].depth,
                net->fifo[f].in_beats ? "beats" : "packets");
    for (int i = 0; i < net->items; i++)
        fprintf(out, "  item %d: source %d, arrives %" PRId64 ", words %d, rest %d\n", i, net->item[i].source,
                net->item[i].arrive_cyc, net->item[i].words, net->item[i].rest_cyc);
}
