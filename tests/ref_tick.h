/* The reference: netlists simulated cycle by cycle and beat by beat, to hold the kernel's arithmetic against.
 *
 * It walks through all clock edges in order of time and keeps registers, counters and queues as RTL would; no maximum is
 * ever taken over known times. From the kernel it takes clk_edge() only. A netlist is a set of nodes joined by FIFOs, each
 * with one writer and one reader. Items are counted in words; a node's beat is width_words of them (the last may be less), and
 * can be read when all its words are visible:
 *   source   items arrive at given cycles; at most `window` of them are unreturned (0: no limit)
 *   stage    serves in order: a beat every `interval` cycles, out `latency` cycles later; an item starts when its first
 *            beat (cut-through), min(threshold, all) beats, or all beats (store) are visible and it fits behind
 *   arbiter  a stage with several inputs: of those that could start now, the next in turn or the lowest (strict)
 *   sink     reads as a stage does, then rests `rest` cycles; sends the item's credit back when it starts it: that
 *            leaves credit_cyc of its cycles later and, between clocks, passes two flip-flops
 * A FIFO between two clocks passes every beat, and every return of space, through `flops` flip-flops: seen at the reader's
 * flops-th edge strictly after the change. Within one clock a beat is seen in the cycle in which it comes out. Space is seen
 * return_cyc of the reader's cycles after it is freed, or, between clocks, enters the flip-flops then. Depth in packets: taken
 * when the writer starts the item, freed when the reader starts it; in beats of the reader: all taken when the writer starts
 * it, all freed when the reader reads the last. */
#ifndef TESTS_REF_TICK_H
#define TESTS_REF_TICK_H

#include "kernel/clk.h"

#define REF_CLKS_MAX 6
#define REF_NODES_MAX 48
#define REF_FIFOS_MAX 48
#define REF_INPUTS_MAX 6
#define REF_ITEMS_MAX 240

enum ref_kind { REF_SOURCE, REF_STAGE, REF_ARBITER, REF_SINK };

struct ref_item {
    int source;              /* node */
    int64_t arrive_cyc;      /* of the source's clock; rises along a source's items */
    int32_t words, rest_cyc; /* rest_cyc: of the sink's clock */
};

struct ref_fifo {
    int writer, reader;      /* nodes */
    int32_t flops;           /* >= 1 exactly where the clocks differ */
    int32_t return_cyc;      /* >= 1 */
    int32_t depth, in_beats; /* beats of the reader */
};

struct ref_node {
    enum ref_kind kind;
    int clk;
    int32_t interval_cyc, latency_cyc;       /* both >= 1 */
    int32_t gap_cyc, pause_cyc, pause_beats; /* of a stage, after an item; pause: at most, one for each beat above */
    int32_t store, threshold_beats, strict;
    int32_t width_words;                 /* of its beats; 0: 1 */
    int inputs, in[REF_INPUTS_MAX], out; /* FIFOs */
    int32_t window,
        credit_cyc; /* of a source; the credit leaves credit_cyc (>= 1) of the sink's cycles after its start */
};

struct ref_net {
    int clks, nodes, fifos, items;
    struct clk clk[REF_CLKS_MAX];
    struct ref_node node[REF_NODES_MAX];
    struct ref_fifo fifo[REF_FIFOS_MAX];
    struct ref_item item[REF_ITEMS_MAX]; /* a source serves its own in order of index */
};

/* One item served by one node, in its cycles: first beat read, last beat read. */
struct ref_serve {
    int item;
    int64_t start_cyc, end_cyc;
};

struct ref_log {
    int count[REF_NODES_MAX];
    struct ref_serve serve[REF_NODES_MAX][REF_ITEMS_MAX];
    int32_t high_water[REF_FIFOS_MAX]; /* units, at the end of an instant */
    int64_t level_ps[REF_FIFOS_MAX];   /* units times their time inside */
};

static inline int32_t ref_beats(const struct ref_node *node, int32_t words)
{
    int32_t width = node->width_words ? node->width_words : 1;
    return (words + width - 1) / width;
}

/* Runs until the sinks have taken everything. Returns 0, -1 when that has not come after edges_max edges, -2 when a queue of
 * the reference is too small. */
int ref_tick_run(const struct ref_net *net, struct ref_log *log, int64_t edges_max);

#endif
