#include "pcie/store.h"

#include "pcie/pcie.h"
#include "pcie/tlp.h"

#include <stdlib.h>

#define HEADERS_MOST \
    127u /* that may be unused at once, times the factor of scaled flow control (Base Spec 4.0, 3.4.2) */
#define DATA_MOST 2047u

static uint64_t least(int64_t a, uint64_t b)
{
    return (uint64_t)a < b ? (uint64_t)a : b;
}

int store_init(struct stores *stores, const struct pcie_params *params)
{
    uint64_t scale = params->scaled_credits == PCIE_SCALED_1 ? 1 : params->scaled_credits == PCIE_SCALED_4 ? 4 : 16;
    uint64_t ring = 1;
    *stores = (struct stores){.headers = least(params->endpoint_posted_headers, HEADERS_MOST * scale),
                              .data = least(params->endpoint_posted_data / TLP_CREDIT_BYTES, DATA_MOST * scale),
                              .update_ps = params->update_fc + params->link_latency};
    while (ring < stores->headers)
        ring *= 2;
    stores->mask = ring - 1;
    stores->held = malloc(ring * sizeof *stores->held);
    return !stores->held || agenda_init(&stores->at_root, 64) ? -1 : 0;
}

void store_free(struct stores *stores)
{
    agenda_free(&stores->at_root);
    free(stores->held);
}

void pcie_store(struct pcie *pcie, int64_t at_ps, uint32_t bytes, uint32_t ref)
{
    uint64_t what = (uint64_t)bytes << 32 | ref;
    model_assert(pcie->sim, agenda_put(&pcie->stores.at_root, at_ps, 0, what) == 0, "out of memory");
    sim_wake(pcie->sim, pcie->down_decider, at_ps);
}

/* Credits of data that a store takes. */
static uint32_t data_of(uint32_t bytes)
{
    return (bytes + TLP_CREDIT_BYTES - 1) / TLP_CREDIT_BYTES;
}

/* The same of data: `need` of its credits must have come back, of stores from the oldest on whose header may be out. */
static int64_t data_when(struct stores *stores, uint64_t need, uint64_t oldest)
{
    uint64_t i = stores->needed > oldest ? stores->needed : oldest;
    while (i < stores->taken && stores->held[i & stores->mask].data < need)
        i++;
    stores->needed = i;
    return i < stores->taken ? stores->held[i & stores->mask].back_ps : SIM_NEVER;
}

/* From when on the next store has its credits: 0 already, SIM_NEVER not decided yet; and which come last. */
static int64_t credits_when(struct stores *stores, uint32_t data, enum flow_lack *lack)
{
    uint64_t need = stores->sent_data + data, oldest = 0;
    int64_t header_ps = 0;
    *lack = FLOW_NO_PH;
    if (stores->sent >= stores->headers) { /* a header comes back with each store, in their order */
        oldest = stores->sent - stores->headers;
        header_ps = oldest < stores->taken ? stores->held[oldest & stores->mask].back_ps : SIM_NEVER;
    }
    if (need <= stores->data || header_ps == SIM_NEVER)
        return header_ps;
    int64_t data_ps = data_when(stores, need - stores->data, oldest);
    if (data_ps <= header_ps)
        return header_ps;
    *lack = FLOW_NO_PD;
    return data_ps;
}

/* The link cycle from which on the store, at the root complex at at_ps, can be sent; its credits are there from credit_ps on. */
static int64_t ready_at(struct pcie *pcie, int64_t at_ps, int64_t credit_ps, enum flow_lack lack)
{
    int64_t ready_cyc = clk_at_or_after(&pcie->link_clk, at_ps);
    if (ready_cyc < pcie->down_free_cyc)
        ready_cyc = pcie->down_free_cyc;
    if (credit_ps <= at_ps)
        return ready_cyc;
    int64_t credit_cyc = clk_at_or_after(&pcie->link_clk, credit_ps);
    if (credit_cyc <= ready_cyc)
        return ready_cyc;
    pcie->wait[PCIE_DOORBELL].credit_cyc[lack] += credit_cyc - ready_cyc;
    return credit_cyc;
}

/* Sends a store of `bytes` that is ready at ready_cyc. Returns the user cycle in which the endpoint has it. */
static int64_t send(struct pcie *pcie, uint32_t bytes, int64_t ready_cyc)
{
    struct pcie_tlps what = {1, bytes, bytes + pcie->request_bytes, 0};
    what.took_cyc = interface_occupancy_cyc(&pcie->completions_side, bytes, what.link_bytes);
    pcie_count_down(pcie, PCIE_DOORBELL, &what, 1);
    pcie->down_free_cyc = pcie_deliver(pcie, what.link_bytes, what.took_cyc, ready_cyc, pcie->down_free_cyc);
    return clk_after(pcie->user_clk, pcie_arrival_ps(pcie, pcie->down_free_cyc));
}

int64_t pcie_register_read(struct pcie *pcie, int64_t register_cyc)
{
    struct pcie_tlps request = {1, 0, pcie->request_bytes, 0}, answer = {1, 4, 4 + pcie->completion_bytes, 0};
    pcie_count_down(pcie, PCIE_REGISTER_READ, &request, 1);
    struct pcie_count *up = &pcie->count[PCIE_UP][PCIE_REGISTER_READ];
    up->tlps++;
    up->payload_bytes += answer.payload_bytes;
    up->link_bytes += answer.link_bytes;
    int64_t bytes = request.link_bytes + answer.link_bytes;
    return clk_edge(&pcie->link_clk, bytes) - clk_edge(&pcie->link_clk, 0) + 2 * pcie->params->link_latency +
           clk_edge(pcie->user_clk, register_cyc) - clk_edge(pcie->user_clk, 0);
}

int pcie_store_send(struct pcie *pcie)
{
    struct stores *stores = &pcie->stores;
    struct agenda_entry store = *agenda_first(&stores->at_root);
    uint32_t bytes = (uint32_t)(store.ref >> 32), data = data_of(bytes);
    enum flow_lack lack;
    int64_t credit_ps = credits_when(stores, data, &lack);
    if (credit_ps == SIM_NEVER) {
        stores->wait = 1;
        return 0;
    }
    agenda_drop_first(&stores->at_root);
    int64_t in_cyc = send(pcie, bytes, ready_at(pcie, agenda_at(&store), credit_ps, lack));
    stores->sent_data += data;
    stores->held[stores->sent++ & stores->mask] =
        (struct store_held){.in_cyc = in_cyc, .data = stores->sent_data, .bytes = bytes, .ref = (uint32_t)store.ref};
    return 1;
}

int64_t pcie_store_take(struct pcie *pcie, int64_t from_cyc)
{
    struct stores *stores = &pcie->stores;
    struct store_held *store = &stores->held[stores->taken++ & stores->mask];
    if (from_cyc < store->in_cyc)
        from_cyc = store->in_cyc;
    if (from_cyc < stores->taken_cyc)
        from_cyc = stores->taken_cyc;
    stores->taken_cyc = from_cyc;
    store->back_ps = clk_edge(pcie->user_clk, from_cyc) + stores->update_ps;
    if (stores->wait) /* at once: what waits behind the store, and a timeout that passes, are told of as soon as its way is known */
        sim_wake(pcie->sim, pcie->down_decider, pcie->sim->now + 1);
    stores->wait = 0;
    return from_cyc;
}
