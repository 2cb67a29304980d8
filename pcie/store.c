#include "pcie/store.h"

#include "pcie/pcie.h"
#include "pcie/tlp.h"

#include <stdlib.h>

#define HEADERS_MOST \
    127u /* that may be unused at once, times the factor of scaled flow control (Base Spec 4.0, 3.4.2) */
#define DATA_MOST 2047u

static uint32_t least(int64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

int store_init(struct stores *stores, struct sim *sim, const struct pcie_params *params)
{
    uint32_t scale = params->scaled_credits == PCIE_SCALED_1 ? 1 : params->scaled_credits == PCIE_SCALED_4 ? 4 : 16;
    uint32_t headers = least(params->endpoint_posted_headers, HEADERS_MOST * scale), ring = 1;
    uint32_t data = least(params->endpoint_posted_data / TLP_CREDIT_BYTES, DATA_MOST * scale);
    *stores = (struct stores){.update_ps = params->update_fc + params->link_latency};
    while (ring < headers)
        ring *= 2;
    stores->mask = ring - 1;
    stores->held = malloc(ring * sizeof *stores->held);
    return !stores->held || agenda_init(&stores->at_root, 64) ||
                   space_init_ones(&stores->headers, sim, "endpoint's PH", headers) ||
                   space_init(&stores->data, sim, "endpoint's PD", data)
               ? -1
               : 0;
}

void store_free(struct stores *stores)
{
    agenda_free(&stores->at_root);
    space_free(&stores->headers);
    space_free(&stores->data);
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

/* From when on the store has its credits: 0 already, SIM_NEVER not decided yet; and which come last. */
static int64_t credits_when(const struct stores *stores, uint32_t bytes, enum flow_lack *lack)
{
    int64_t header_ps = space_when(&stores->headers, 1), data_ps = space_when(&stores->data, data_of(bytes));
    *lack = header_ps >= data_ps ? FLOW_NO_PH : FLOW_NO_PD;
    return header_ps >= data_ps ? header_ps : data_ps;
}

/* The link cycle from which on the store, at the root complex at at_ps, can be sent; its credits are there from credit_ps on. */
static int64_t ready_at(struct pcie *pcie, int64_t at_ps, int64_t credit_ps, enum flow_lack lack)
{
    int64_t ready_cyc = clk_at_or_after(&pcie->link_clk, at_ps);
    if (ready_cyc < pcie->down_free_cyc)
        ready_cyc = pcie->down_free_cyc;
    int64_t credit_cyc = credit_ps > 0 ? clk_at_or_after(&pcie->link_clk, credit_ps) : ready_cyc;
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
    struct link_skips *skips = &pcie->skips[PCIE_DOWN];
    int64_t start_cyc = link_behind_skip(skips, ready_cyc, pcie->down_free_cyc);
    link_pass_skip(skips, start_cyc);
    pcie->down_free_cyc = pcie_deliver(pcie, &what, start_cyc);
    return clk_after(pcie->user_clk, clk_edge(&pcie->link_clk, pcie->down_free_cyc) + pcie->params->link_latency);
}

int pcie_store_send(struct pcie *pcie)
{
    struct stores *stores = &pcie->stores;
    struct agenda_entry store = *agenda_first(&stores->at_root);
    uint32_t bytes = (uint32_t)(store.ref >> 32);
    enum flow_lack lack;
    int64_t credit_ps = credits_when(stores, bytes, &lack);
    if (credit_ps == SIM_NEVER) {
        stores->wait = 1;
        return 0;
    }
    agenda_drop_first(&stores->at_root);
    space_take(&stores->headers, 1);
    space_take(&stores->data, data_of(bytes));
    int64_t in_cyc = send(pcie, bytes, ready_at(pcie, agenda_at(&store), credit_ps, lack));
    stores->held[stores->next++ & stores->mask] = (struct store_held){in_cyc, bytes, (uint32_t)store.ref};
    return 1;
}

int64_t pcie_store_take(struct pcie *pcie, int64_t from_cyc)
{
    struct stores *stores = &pcie->stores;
    const struct store_held *store = &stores->held[stores->first++ & stores->mask];
    if (from_cyc < store->in_cyc)
        from_cyc = store->in_cyc;
    if (from_cyc < stores->taken_cyc)
        from_cyc = stores->taken_cyc;
    stores->taken_cyc = from_cyc;
    int64_t back_ps = clk_edge(pcie->user_clk, from_cyc) + stores->update_ps;
    space_give(&stores->headers, 1, back_ps);
    space_give(&stores->data, data_of(store->bytes), back_ps);
    if (stores->wait)
        sim_wake(pcie->sim, pcie->down_decider, back_ps);
    stores->wait = 0;
    return from_cyc;
}
