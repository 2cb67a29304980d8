/* The link towards the NIC: completions and the host's stores, first come first served by the instant at which they are at
 * the root complex. Completions of one request stay together. */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

void pcie_store(struct pcie *pcie, int64_t at_ps, uint32_t bytes, uint32_t ref)
{
    model_assert(pcie->sim, agenda_put(&pcie->at_host, at_ps, pcie->stores++, PCIE_STORE_FLAG | (uint64_t)bytes << 32 | ref) == 0,
                 "out of memory");
    sim_wake(pcie->sim, pcie->down_decider, at_ps);
}

/* Sends `tlps` with `link_bytes` in all from start_cyc on; returns the user cycle in which the last is in the endpoint. */
static int64_t send(struct pcie *pcie, enum pcie_kind kind, uint32_t tlps, uint32_t payload_bytes, uint32_t link_bytes,
                    int64_t start_cyc)
{
    struct pcie_count *count = &pcie->count[PCIE_DOWN][kind];
    count->tlps += tlps;
    count->payload_bytes += payload_bytes;
    count->link_bytes += link_bytes;
    int64_t took = pcie_occupancy_cyc(pcie, payload_bytes, link_bytes);
    pcie->down_work_cyc += took;
    pcie->down_free_cyc = start_cyc + took;
    return clk_after(pcie->user_clk, clk_edge(&pcie->link_clk, pcie->down_free_cyc) + pcie->params->link_latency);
}

static int64_t send_completions(struct pcie *pcie, const struct pcie_request *request, int64_t start_cyc)
{
    const struct pcie_params *p = pcie->params;
    uint64_t address = request->address;
    uint32_t left = request->bytes, tlps = 0, payload = 0;
    int each_block = p->completions == PCIE_COMPLETIONS_RCB;
    int64_t most = each_block ? p->rcb : p->mps;
    if ((address & (uint64_t)(most - 1)) == 0) { /* aligned: equal pieces and a rest */
        tlps = (left + (uint32_t)most - 1) / (uint32_t)most;
        payload = tlp_payload_bytes(address, left);
        left = 0;
    }
    while (left > 0) {
        uint32_t piece = tlp_completion(address, left, (uint32_t)p->mps, (uint32_t)p->rcb, each_block);
        payload += tlp_payload_bytes(address, piece);
        address += piece;
        left -= piece;
        tlps++;
    }
    return send(pcie, pcie->read[request->read].kind, tlps, payload, payload + tlps * TLP_COMPLETION_BYTES, start_cyc);
}

/* The request's completions are in: its tag and space are free, its operation may be done. */
static int complete(struct pcie *pcie, uint32_t index, int64_t at_cyc)
{
    struct pcie_request *request = &pcie->request[index];
    struct pcie_read *read = &pcie->read[request->read];
    reserve_give(&pcie->reserve, (request->bytes + 63) / 64, at_cyc + 1);
    pcie->request_free[pcie->request_free_count++] = index;
    read->in_flight--;
    if (!read->sent || read->in_flight > 0)
        return 0;
    read->done_cyc = at_cyc;
    return 1;
}

struct pcie_down pcie_down_next(struct pcie *pcie, int64_t now, int64_t horizon_ps, int64_t stores_from_cyc,
                                int64_t *wake_at)
{
    for (;;) {
        const struct agenda_entry *first = agenda_first(&pcie->at_host);
        *wake_at = first ? first->at : SIM_NEVER;
        if (!first || first->at > horizon_ps)
            return (struct pcie_down){.event = PCIE_DOWN_NOTHING};
        int is_store = (first->ref & PCIE_STORE_FLAG) != 0;
        if (is_store && stores_from_cyc == SIM_NEVER) {
            if (first->at <= now)
                *wake_at = SIM_NEVER; /* it stops the link until space is told */
            return (struct pcie_down){.event = PCIE_DOWN_NOTHING};
        }
        struct agenda_entry entry = *first;
        agenda_drop_first(&pcie->at_host);
        int64_t start = clk_at_or_after(&pcie->link_clk, entry.at);
        if (start < pcie->down_free_cyc)
            start = pcie->down_free_cyc;
        if (is_store) {
            uint32_t bytes = (uint32_t)(entry.ref >> 32) & 0x7fffffffu;
            int64_t at_cyc = send(pcie, PCIE_DOORBELL, 1, bytes, bytes + TLP_REQUEST_BYTES, start);
            if (stores_from_cyc > at_cyc) {
                at_cyc = stores_from_cyc;
                pcie->down_free_cyc = clk_at_or_after(&pcie->link_clk, clk_edge(pcie->user_clk, at_cyc));
            }
            return (struct pcie_down){PCIE_DOWN_STORE, (uint32_t)entry.ref, at_cyc};
        }
        uint32_t index = (uint32_t)entry.ref;
        uint32_t read = pcie->request[index].read;
        int64_t at_cyc = send_completions(pcie, &pcie->request[index], start);
        if (complete(pcie, index, at_cyc))
            return (struct pcie_down){PCIE_DOWN_READ_DONE, read, at_cyc};
    }
}
