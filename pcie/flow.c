#include "pcie/flow.h"

#include "pcie/tlp.h"

#include <stdlib.h>

static uint64_t power_of_two(uint64_t least)
{
    uint64_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

/* most: units that one TLP takes. */
static struct flow_pool pool_of(uint64_t depth, int64_t back_cyc, uint64_t most)
{
    return (struct flow_pool){.depth = depth, .back_cyc = back_cyc, .left = (int64_t)(depth - 2 * most + 1)};
}

int flow_init(struct flow *flow, const struct pcie_params *params, int64_t update_cyc, int64_t line_cyc,
              int64_t order_cyc)
{
    uint64_t mps = (uint64_t)params->mps;
    *flow = (struct flow){
        .headers = pool_of((uint64_t)params->posted_headers, update_cyc, 1),
        .data = pool_of((uint64_t)(params->posted_data / TLP_CREDIT_BYTES), update_cyc, mps / TLP_CREDIT_BYTES + 1),
        .lines = pool_of((uint64_t)params->host_write_lines, line_cyc, mps / TLP_LINE_BYTES + 1),
        .order_cyc = order_cyc,
        .drained_cyc = INT64_MIN / 2,
        .sparse_from_cyc = INT64_MIN};
    /* A posted TLP older than `headers` is drained, as a later one has its header; its lines may still be held. */
    uint64_t runs = flow->headers.depth > flow->lines.depth ? flow->headers.depth : flow->lines.depth;
    flow->mask = power_of_two(runs + 2) - 1;
    flow->run = malloc((flow->mask + 1) * sizeof *flow->run);
    flow->window_cyc = (update_cyc > line_cyc ? update_cyc : line_cyc) + order_cyc;
    return flow->run ? 0 : -1;
}

void flow_free(struct flow *flow)
{
    free(flow->run);
}

/* Units of each kind that a run's TLPs take, and that were taken before it. */
static uint64_t units_of(const struct flow *flow, const struct flow_pool *pool, const struct flow_run *run)
{
    return pool == &flow->headers ? 1 : pool == &flow->data ? run->tlp.data : run->tlp.lines;
}

static uint64_t before(const struct flow *flow, const struct flow_pool *pool, const struct flow_run *run)
{
    return pool == &flow->headers ? run->headers : pool == &flow->data ? run->data : run->lines;
}

/* When `units` more of a pool are back. */
static int64_t pool_when(const struct flow *flow, struct flow_pool *pool, uint64_t units)
{
    uint64_t need = pool->taken + units;
    if (pool->depth == 0 || units == 0 || need <= pool->depth)
        return INT64_MIN;
    need -= pool->depth; /* so many must have come back */
    uint64_t oldest = flow->runs > flow->mask + 1 ? flow->runs - flow->mask - 1 : 0;
    if (pool->needed < oldest)
        pool->needed = oldest;
    const struct flow_run *run = &flow->run[pool->needed & flow->mask];
    while (pool->needed > oldest && before(flow, pool, run) >= need) /* a larger one asked, and was not sent */
        run = &flow->run[--pool->needed & flow->mask];
    while (before(flow, pool, run) + run->count * units_of(flow, pool, run) < need)
        run = &flow->run[++pool->needed & flow->mask];
    uint64_t each = units_of(flow, pool, run), already = before(flow, pool, run);
    uint64_t index = need > already ? (need - already + each - 1) / each - 1 : 0;
    return run->first_drained_cyc + (int64_t)index * run->tlp.took_cyc + pool->back_cyc;
}

int64_t flow_posted_when(struct flow *flow, struct flow_tlp tlp, int64_t at_cyc, enum flow_lack *lack)
{
    int64_t headers = pool_when(flow, &flow->headers, 1), data = pool_when(flow, &flow->data, tlp.data);
    if (headers > at_cyc) {
        at_cyc = headers;
        *lack = FLOW_NO_PH;
    }
    if (data > at_cyc) {
        at_cyc = data;
        *lack = FLOW_NO_PD;
    }
    return at_cyc;
}

int64_t flow_send(struct flow *flow, struct flow_tlp tlp, int64_t start_cyc)
{
    int64_t end = start_cyc + tlp.took_cyc, drained = end;
    int64_t lines = pool_when(flow, &flow->lines, tlp.lines),
            order = flow->drained_cyc + (tlp.relaxed ? 0 : flow->order_cyc);
    drained = lines > drained ? lines : drained;
    drained = order > drained ? order : drained; /* in order, too */
    flow->run[flow->runs++ & flow->mask] =
        (struct flow_run){drained, tlp, 1, flow->headers.taken, flow->data.taken, flow->lines.taken};
    flow->headers.taken++;
    flow->data.taken += tlp.data;
    flow->lines.taken += tlp.lines;
    flow->drained_cyc = drained;
    if (!flow_is_sparse(flow, tlp) || drained > end)
        flow->sparse_from_cyc = drained + flow->window_cyc;
    return drained;
}

void flow_hold(struct flow *flow, int64_t drained_cyc)
{
    if (drained_cyc <= flow->drained_cyc)
        return;
    struct flow_run *newest = &flow->run[(flow->runs - 1) & flow->mask];
    newest->first_drained_cyc += drained_cyc - flow->drained_cyc;
    flow->drained_cyc = drained_cyc;
    flow->sparse_from_cyc = drained_cyc + flow->window_cyc;
}
