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

struct pcie_tlps pcie_completions_of(const struct pcie *pcie, uint64_t address, uint32_t bytes)
{
    const struct pcie_params *p = pcie->params;
    int each_block = p->completions == PCIE_COMPLETIONS_RCB;
    struct pcie_tlps all = {0};
    while (bytes > 0) {
        uint32_t piece = tlp_completion(address, bytes, (uint32_t)p->mps, (uint32_t)p->rcb, each_block);
        all.payload_bytes += tlp_payload_bytes(address, piece);
        all.tlps++;
        address += piece;
        bytes -= piece;
    }
    all.link_bytes = all.payload_bytes + all.tlps * TLP_COMPLETION_BYTES;
    all.took_cyc = pcie_occupancy_cyc(pcie, all.payload_bytes, all.link_bytes);
    return all;
}

/* Sends them from start_cyc on; returns the instant at which the last is in the endpoint. */
static inline int64_t send(struct pcie *pcie, enum pcie_kind kind, const struct pcie_tlps *what, int64_t start_cyc)
{
    struct pcie_count *count = &pcie->count[PCIE_DOWN][kind];
    count->tlps += what->tlps;
    count->payload_bytes += what->payload_bytes;
    count->link_bytes += what->link_bytes;
    pcie->down_work_cyc += what->took_cyc;
    pcie->down_free_cyc = start_cyc + what->took_cyc;
    return clk_edge(&pcie->link_clk, pcie->down_free_cyc) + pcie->params->link_latency;
}

/* A store of `bytes`: the user cycle in which the endpoint takes it, which it can from from_cyc on; until then it stops the link. */
static int64_t send_store(struct pcie *pcie, uint32_t bytes, int64_t start_cyc, int64_t from_cyc)
{
    struct pcie_tlps what = {1, bytes, bytes + TLP_REQUEST_BYTES, 0};
    what.took_cyc = pcie_occupancy_cyc(pcie, bytes, what.link_bytes);
    int64_t at_cyc = clk_after(pcie->user_clk, send(pcie, PCIE_DOORBELL, &what, start_cyc));
    if (from_cyc <= at_cyc)
        return at_cyc;
    pcie->down_free_cyc = clk_at_or_after(&pcie->link_clk, clk_edge(pcie->user_clk, from_cyc));
    return from_cyc;
}

/* Sends a request's completions from start_cyc on: its tag and space are free then, its operation may be done. */
static inline int complete(struct pcie *pcie, uint32_t index, int64_t start_cyc)
{
    const struct pcie_request *request = &pcie->request[index];
    struct pcie_read *read = &pcie->read[request->read];
    struct pcie_tlps other;
    const struct pcie_tlps *what = &pcie->full;
    if (request->bytes != (uint32_t)pcie->params->mrrs || (request->address & pcie->full_misaligned)) {
        other = pcie_completions_of(pcie, request->address, request->bytes);
        what = &other;
    }
    int64_t at_ps = send(pcie, request->kind, what, start_cyc);
    reserve_give(&pcie->reserve, (request->bytes + 63) / 64, at_ps);
    pcie->request_free[pcie->request_free_count++] = index;
    if (--read->in_flight > 0 || !read->sent)
        return 0;
    read->done_cyc = clk_after(pcie->user_clk, at_ps);
    return 1;
}

struct pcie_down pcie_down_next(struct pcie *pcie, int64_t now, int64_t horizon_ps, int64_t stores_from_cyc,
                                int64_t *wake_at)
{
    const struct agenda_entry *first;
    while ((first = agenda_first(&pcie->at_host)) != 0 && first->at <= horizon_ps) {
        int64_t at = first->at, start = clk_at_or_after(&pcie->link_clk, at);
        uint64_t ref = first->ref;
        if (start < pcie->down_free_cyc)
            start = pcie->down_free_cyc;
        if (ref & PCIE_STORE_FLAG) {
            if (stores_from_cyc == SIM_NEVER) {
                *wake_at = at <= now ? SIM_NEVER : at; /* it stops the link until space is told */
                return (struct pcie_down){.event = PCIE_DOWN_NOTHING};
            }
            agenda_drop_first(&pcie->at_host);
            int64_t at_cyc = send_store(pcie, (uint32_t)(ref >> 32) & 0x7fffffffu, start, stores_from_cyc);
            return (struct pcie_down){PCIE_DOWN_STORE, (uint32_t)ref, at_cyc};
        }
        agenda_drop_first(&pcie->at_host);
        uint32_t read = pcie->request[ref].read;
        if (complete(pcie, (uint32_t)ref, start))
            return (struct pcie_down){PCIE_DOWN_READ_DONE, read, pcie->read[read].done_cyc};
    }
    *wake_at = first ? first->at : SIM_NEVER;
    return (struct pcie_down){.event = PCIE_DOWN_NOTHING};
}
