#include "tests/kernel/net_random.h"

#include "kernel/rnd.h"

#include <string.h>

#define STAGES_MAX 12
#define BEATS_TOTAL_MAX 1500

struct draw {
    uint64_t seed, ordinal;
    struct ref_net *net;
    int stages, arbiters;
    int32_t words_max;
    int widths; /* whether nodes have widths of their own */
};

/* Uniform in least .. most. */
static int32_t between(struct draw *draw, int32_t least, int32_t most)
{
    return least + (int32_t)(rnd_u64(draw->seed, 0, draw->ordinal++, 0) % (uint64_t)(most - least + 1));
}

static int chance(struct draw *draw, int percent)
{
    return between(draw, 1, 100) <= percent;
}

static void random_clk(struct draw *draw, struct clk *clk)
{
    static const int64_t period[][2] = {{102400, 33}, {4000, 1}, {6400, 1}, {10000, 3}, {3200, 1},  {2000, 1},
                                        {102400, 33}, {4000, 1}, {6400, 1}, {80, 1},    {8125, 128}};
    static const int64_t hz[] = {322265625, 250000000, 156250000};
    int pick = between(draw, 0, chance(draw, 40) ? 10 : 8);
    int64_t phase_ps = 0;
    if (chance(draw, 60))
        phase_ps = between(draw, 0, chance(draw, 30) ? 3 : 6400);
    if (chance(draw, 15)) /* a picosecond about a clock's own edge: coincidence comes and goes */
        phase_ps = period[pick][0] / period[pick][1] * between(draw, 0, 2) + between(draw, 0, 2);
    if (chance(draw, 25))
        clk_init_hz(clk, hz[between(draw, 0, 2)], between(draw, -100, 100) * 1000, phase_ps);
    else
        clk_init(clk, period[pick][0], period[pick][1], phase_ps);
}

static void random_clks(struct draw *draw)
{
    struct ref_net *net = draw->net;
    int wanted = between(draw, 1, 5);
    while (net->clks < wanted) {
        int same = 0;
        random_clk(draw, &net->clk[net->clks]);
        for (int i = 0; i < net->clks; i++)
            same |= clk_same(&net->clk[i], &net->clk[net->clks]);
        net->clks += !same;
    }
}

/* Cycles of this clock in a step of about 4 ns: a byte line takes many for what a register clock does in one. */
static int32_t scale_of(const struct draw *draw, int clk)
{
    int64_t whole = draw->net->clk[clk].whole;
    return whole > 1000 ? 1 : (int32_t)(4000 / whole);
}

static int new_node(struct draw *draw, enum ref_kind kind, int clk)
{
    struct ref_node *node = &draw->net->node[draw->net->nodes];
    int32_t scale = scale_of(draw, clk);
    *node = (struct ref_node){.kind = kind, .clk = clk, .interval_cyc = 1, .latency_cyc = 1, .threshold_beats = 1};
    if (scale > 1)
        node->interval_cyc = chance(draw, 50) ? 64 : between(draw, scale / 2, scale * 2);
    else if (chance(draw, 30))
        node->interval_cyc = between(draw, 1, 3);
    node->latency_cyc = chance(draw, 40) ? 1 : between(draw, 1, 12 * scale);
    node->store = chance(draw, 35);
    if (kind != REF_SOURCE && !node->store && chance(draw, 15))
        node->threshold_beats = between(draw, 2, draw->words_max + 1);
    if (kind == REF_STAGE && chance(draw, 15))
        node->gap_cyc = between(draw, 1, 4);
    if (kind == REF_STAGE && chance(draw, 15)) {
        node->pause_cyc = between(draw, 1, 6);
        node->pause_beats = between(draw, 1, draw->words_max);
    }
    node->width_words = draw->widths && chance(draw, 60) ? 1 << between(draw, 0, 2) : 1;
    if (kind == REF_ARBITER)
        node->strict = chance(draw, 30);
    if (kind == REF_SOURCE && chance(draw, 60))
        node->window = between(draw, 1, chance(draw, 50) ? 3 : 12);
    node->credit_cyc = chance(draw, 50) ? 1 : between(draw, 1, 60);
    return draw->net->nodes++;
}

static int new_fifo(struct draw *draw, int writer, int reader)
{
    struct ref_net *net = draw->net;
    struct ref_fifo *fifo = &net->fifo[net->fifos];
    *fifo = (struct ref_fifo){.writer = writer, .reader = reader, .return_cyc = 1};
    if (net->node[writer].clk != net->node[reader].clk)
        fifo->flops = chance(draw, 15) ? 1 : between(draw, 2, 3);
    if (net->node[reader].kind != REF_STAGE && chance(draw, 50))
        fifo->return_cyc = between(draw, 1, 5);
    /* behind arbiters often beats, and few: some inputs' items fit where others' do not */
    int behind_arbiter = net->node[writer].kind == REF_ARBITER;
    fifo->in_beats = chance(draw, behind_arbiter ? 65 : 40);
    int32_t most = ref_beats(&net->node[reader], draw->words_max);
    if (fifo->in_beats)
        fifo->depth = between(draw, most, most * (behind_arbiter ? 2 : 3));
    else
        fifo->depth = between(draw, 1, chance(draw, 70) ? 3 : 16);
    net->node[writer].out = net->fifos;
    net->node[reader].in[net->node[reader].inputs++] = net->fifos;
    return net->fifos++;
}

/* Grows the netlist upwards from a reader: stages, then a source or an arbiter with inputs of its own. */
static void grow(struct draw *draw, int reader, int levels)
{
    struct ref_net *net = draw->net;
    int stages = between(draw, 0, chance(draw, 20) ? 12 : 4);
    int clk = net->node[reader].clk;
    for (; stages > 0 && draw->stages < STAGES_MAX; stages--, draw->stages++) {
        if (chance(draw, 40))
            clk = between(draw, 0, net->clks - 1);
        int stage = new_node(draw, REF_STAGE, clk);
        new_fifo(draw, stage, reader);
        reader = stage;
    }
    if (chance(draw, 40))
        clk = between(draw, 0, net->clks - 1);
    int inputs = between(draw, 2, 4);
    int is_arbiter = levels > 0 && chance(draw, 60) && draw->arbiters + inputs < 10;
    int writer = new_node(draw, is_arbiter ? REF_ARBITER : REF_SOURCE, clk);
    new_fifo(draw, writer, reader);
    if (!is_arbiter)
        return;
    draw->arbiters += inputs;
    for (int i = 0; i < inputs; i++)
        grow(draw, writer, levels - 1);
}

static void random_items(struct draw *draw)
{
    struct ref_net *net = draw->net;
    int sources[REF_NODES_MAX], count = 0;
    int64_t arrive_cyc[REF_NODES_MAX];
    int32_t gap_max = between(draw, 0, 1) ? between(draw, 0, 40) : between(draw, 0, 200), total = 0;
    int rest = chance(draw, 50), wanted = between(draw, 10, 150);
    for (int n = 0; n < net->nodes; n++)
        if (net->node[n].kind == REF_SOURCE) {
            arrive_cyc[count] = between(draw, 1, 30);
            sources[count++] = n;
        }
    for (; net->items < wanted && total < BEATS_TOTAL_MAX; net->items++) {
        int s = between(draw, 0, count - 1);
        struct ref_item *item = &net->item[net->items];
        if (chance(draw, 50))
            arrive_cyc[s] += between(draw, 0, gap_max) * (int64_t)scale_of(draw, net->node[sources[s]].clk);
        *item = (struct ref_item){
            .source = sources[s], .arrive_cyc = arrive_cyc[s], .words = between(draw, 1, draw->words_max)};
        if (rest && chance(draw, 50))
            item->rest_cyc = between(draw, 0, 30);
        total += item->words;
    }
}

void net_random(uint64_t seed, struct ref_net *net)
{
    static const int32_t words_max[] = {1, 1, 4, 4, 16, 64};
    struct draw draw = {.seed = seed, .net = net};
    *net = (struct ref_net){.clks = 0};
    draw.words_max = words_max[between(&draw, 0, 5)];
    draw.widths = chance(&draw, 40);
    random_clks(&draw);
    int trees = chance(&draw, 15) ? 2 : 1;
    for (int t = 0; t < trees; t++)
        grow(&draw, new_node(&draw, REF_SINK, between(&draw, 0, net->clks - 1)), between(&draw, 0, 2));
    random_items(&draw);
}
