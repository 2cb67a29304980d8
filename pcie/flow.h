/* Flow control of posted TLPs towards the host: their credits, and the host's write lines behind them.
 *
 * A TLP takes a header credit (PH) and a data credit for each 16 bytes (PD). The root complex gives them back when it drains: when each of its 64-byte lines has one of `lines` entries on the way to memory, which it keeps for line_cyc;
 * that bounds the host's write rate to lines * 64 B / line time ("Understanding the Host Network", SIGCOMM 2024: T <= C * 64 / L).
 * UpdateFC then takes back_cyc to the sender. (PCIe Base Spec 3.0, 2.6.) Cycles are the link's.
 *
 * Posted TLPs are kept as runs of equal ones. A TLP is sparse when a link full of its like could not exhaust anything; while all that
 * could still be under way are sparse, no credit is looked up. */
#ifndef PCIE_FLOW_H
#define PCIE_FLOW_H

#include "kernel/sim.h"
#include "pcie/params.h"

enum flow_lack { FLOW_NO_PH, FLOW_NO_PD, FLOW_NO_NPH, FLOW_LACKS };

struct flow_tlp { /* a posted one */
    uint32_t took_cyc;
    uint32_t data; /* credits */
    uint32_t lines;
    uint32_t relaxed; /* has the RO attribute: does not wait for the one before it to drain */
};

struct flow_run {
    int64_t first_drained_cyc; /* the others follow, took_cyc after each other */
    struct flow_tlp tlp;
    uint32_t count;
    uint64_t headers, data, lines; /* taken before it, since the start */
};

struct flow_pool { /* of posted TLPs */
    uint64_t depth;
    int64_t back_cyc; /* from draining until it can be taken again */
    uint64_t taken;
    uint64_t needed; /* the run that the last look-up ended in: the next begins there */
    int64_t left;    /* what a link full of sparse TLPs leaves at the least: see flow_leaves_some() */
};

struct flow {
    struct flow_pool headers, data, lines; /* lines.depth 0: no limit */
    int64_t order_cyc;                     /* from draining to the draining of the next that is strictly ordered */
    struct flow_run *run;                  /* the newest mask + 1 */
    uint64_t runs, mask;
    int64_t drained_cyc; /* of the newest */
    int64_t window_cyc;  /* so long after a TLP that is not sparse everything is as if it had been */
    int64_t sparse_from_cyc;
};

/* mps: the largest payload; update_cyc: from draining until the sender knows. Returns -1 when memory is out. */
int flow_init(struct flow *flow, const struct pcie_params *params, int64_t update_cyc, int64_t line_cyc,
              int64_t order_cyc);
void flow_free(struct flow *flow);

/* ---- a posted TLP ---- */

/* From which cycle, not before at_cyc, it has its credits; *lack is set when that is later. */
int64_t flow_posted_when(struct flow *flow, struct flow_tlp tlp, int64_t at_cyc, enum flow_lack *lack);
/* It is sent at start_cyc, with its credits. Returns the cycle in which it drains, as if the way to the host took no time. */
int64_t flow_send(struct flow *flow, struct flow_tlp tlp, int64_t start_cyc);

/* What was sent last drains later, at drained_cyc: its address had to be translated. */
void flow_hold(struct flow *flow, int64_t drained_cyc);

/* ---- the same, when nothing can bind ---- */

/* A TLP that takes `units` for took_cyc each: a link full of its like leaves enough for any other. Those whose units are not back are the
 * first, of which part was sent before, and others that together took less than back_cyc, so fewer units than `left`; with the first and
 * the next, the most each, they are no more than there are: left = depth - 2 * most + 1. */
static inline int flow_leaves_some(const struct flow_pool *pool, int64_t took_cyc, uint32_t units)
{
    return took_cyc * pool->left >= pool->back_cyc * units;
}

/* So of each thing that it takes. */
static inline int flow_is_sparse(const struct flow *flow, struct flow_tlp tlp)
{
    int64_t took = tlp.took_cyc;
    return flow_leaves_some(&flow->headers, took, 1) && flow_leaves_some(&flow->data, took, tlp.data) &&
           (flow->lines.depth == 0 || flow_leaves_some(&flow->lines, took, tlp.lines)) &&
           (tlp.relaxed || took >= flow->order_cyc);
}

/* Such TLPs, from start_cyc on, have their credits whatever was sent before. */
static inline int flow_is_free(const struct flow *flow, int is_sparse, int64_t start_cyc)
{
    return start_cyc >= flow->sparse_from_cyc && is_sparse;
}

/* `count` TLPs that are free are sent, the first at start_cyc. Returns the cycle in which the last one drains, as if the way to the host
 * took no time. */
static inline int64_t flow_send_free(struct flow *flow, struct flow_tlp tlp, uint32_t count, int64_t start_cyc)
{
    int64_t first = start_cyc + tlp.took_cyc;
    flow->run[flow->runs++ & flow->mask] =
        (struct flow_run){first, tlp, count, flow->headers.taken, flow->data.taken, flow->lines.taken};
    flow->headers.taken += count;
    flow->data.taken += (uint64_t)count * tlp.data;
    flow->lines.taken += (uint64_t)count * tlp.lines;
    flow->drained_cyc = first + (int64_t)(count - 1) * tlp.took_cyc;
    return flow->drained_cyc;
}

#endif
