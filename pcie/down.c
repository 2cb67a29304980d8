/* The link towards the NIC: completions and the host's stores, first come first served by the instant at which they are at
 * the root complex. Completions of one request stay together. */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

/* The next completion of what is left of a read. */
static uint32_t completion_bytes(const struct pcie_params *p, uint64_t address, uint32_t bytes)
{
    int each_block = p->completions == PCIE_COMPLETIONS_RCB;
    uint32_t piece = tlp_completion(address, bytes, (uint32_t)p->mps, (uint32_t)p->rcb, each_block);
    uint32_t over = (uint32_t)(address + piece) & ((uint32_t)p->rcb - 1);
    return p->partial_line == PCIE_PARTIAL_APART && piece == bytes && over < piece ? piece - over : piece;
}

struct pcie_tlps pcie_completions_of(const struct pcie *pcie, uint64_t address, uint32_t bytes)
{
    struct pcie_tlps all = {0};
    while (bytes > 0) {
        uint32_t piece = completion_bytes(pcie->params, address, bytes);
        uint32_t payload = tlp_payload_bytes(address, piece);
        all.payload_bytes += payload;
        all.link_bytes += payload + pcie->completion_bytes;
        all.took_cyc += interface_occupancy_cyc(&pcie->completions_side, payload, payload + pcie->completion_bytes);
        all.tlps++;
        address += piece;
        bytes -= piece;
    }
    return all;
}

/* Counts `times` times the same. */
void pcie_count_down(struct pcie *pcie, enum pcie_kind kind, const struct pcie_tlps *what, uint32_t times)
{
    struct pcie_count *count = &pcie->count[PCIE_DOWN][kind];
    count->tlps += (uint64_t)times * what->tlps;
    count->payload_bytes += (uint64_t)times * what->payload_bytes;
    count->link_bytes += (uint64_t)times * what->link_bytes;
    pcie->down_work_cyc += times * what->took_cyc;
}

int64_t pcie_deliver(struct pcie *pcie, uint32_t link_bytes, int64_t took_cyc, int64_t start_cyc, int64_t free_cyc)
{
    struct stops *stops = &pcie->stops[PCIE_DOWN];
    start_cyc = stops_behind(stops, start_cyc, free_cyc);
    stops_pass(stops, start_cyc);
    if (!replay_is_on(&pcie->replay[PCIE_DOWN]))
        return start_cyc + took_cyc;
    int64_t end_cyc = replay_send(&pcie->replay[PCIE_DOWN], link_bytes, start_cyc, took_cyc);
    stops_pass(stops, end_cyc - took_cyc); /* until the good copy begins, skips find the link idle */
    return end_cyc;
}

int64_t pcie_deliver_completions(struct pcie *pcie, uint64_t address, uint32_t bytes, int64_t start_cyc,
                                 int64_t free_cyc)
{
    while (bytes > 0) {
        uint32_t piece = completion_bytes(pcie->params, address, bytes), payload = tlp_payload_bytes(address, piece);
        uint32_t link_bytes = payload + pcie->completion_bytes;
        int64_t took_cyc = interface_occupancy_cyc(&pcie->completions_side, payload, link_bytes);
        start_cyc = free_cyc = pcie_deliver(pcie, link_bytes, took_cyc, start_cyc, free_cyc);
        address += piece;
        bytes -= piece;
    }
    return free_cyc;
}

/* A request's completions. They are worked out only when it differs from the one before. */
static inline const struct pcie_form *form_of(struct pcie *pcie, const struct pcie_request *request)
{
    struct pcie_form *form = &pcie->small;
    uint32_t offset = (uint32_t)(request->address & (TLP_PAGE_BYTES - 1));
    if (form->bytes != request->bytes || form->offset != offset)
        *form = (struct pcie_form){offset, request->bytes, pcie_completions_of(pcie, request->address, request->bytes),
                                   tlp_blocks(request->address, request->bytes, (uint32_t)pcie->params->rcb)};
    return form;
}

/* Sends the completions that are ready by last_ps, until an operation is done. Returns that operation, or PCIE_NO_READ.
 * counts_data, the reserve's, is a constant: each case has code of its own. */
static inline __attribute__((always_inline)) uint32_t complete_reads(struct pcie *pcie, int64_t last_ps,
                                                                     int counts_data)
{
    const struct clk link = pcie->link_clk; /* a copy of its own: kept in registers */
    int64_t latency = pcie->params->link_latency, free_cyc = pcie->down_free_cyc, free_ps = clk_edge(&link, free_cyc);
    int64_t full_cyc = pcie->full.took_cyc;
    int may_replay = replay_is_on(&pcie->replay[PCIE_DOWN]);
    uint32_t full_headers = pcie->full_headers;
    struct stops *stops = &pcie->stops[PCIE_DOWN];
    uint32_t done = PCIE_NO_READ, full[2] = {0, 0}; /* aligned requests of pcie.mrrs, of each kind of read */
    const struct agenda_entry *first;
    while ((first = agenda_first(&pcie->at_host)) != 0 && agenda_at(first) <= last_ps) {
        uint32_t index = (uint32_t)first->ref;
        const struct pcie_request *request = &pcie->request[index];
        struct pcie_read *read = &pcie->read[request->read];
        int64_t start = agenda_at(first) <= free_ps ? free_cyc : clk_at_or_after(&link, agenda_at(first));
        int64_t end = start + full_cyc;
        uint32_t headers = full_headers;
        agenda_drop_first(&pcie->at_host);
        if (request->full) {
            full[request->kind]++;
        } else {
            const struct pcie_form *form = form_of(pcie, request);
            headers = form->headers;
            pcie_count_down(pcie, request->kind, &form->tlps, 1);
            end = start + form->tlps.took_cyc;
        }
        if (may_replay || end > stops->due_cyc) /* a skip before one of them */
            end = pcie_deliver_completions(pcie, request->address, request->bytes, start, free_cyc);
        free_cyc = end;
        free_ps = clk_edge(&link, free_cyc);
        int64_t in_ps = free_ps + latency;
        reserve_give(&pcie->reserve, RESERVE_HEADERS, headers, in_ps);
        if (counts_data)
            reserve_give(&pcie->reserve, RESERVE_DATA, tlp_blocks(request->address, request->bytes, TLP_CREDIT_BYTES),
                         in_ps);
        pcie->reserve.given++;
        pcie->request_free[pcie->request_free_count++] = index;
        if (--read->in_flight == 0 && read->sent) {
            read->done_cyc = clk_after(pcie->user_clk, in_ps);
            done = request->read;
            break;
        }
    }
    for (int kind = 0; kind < 2; kind++)
        if (full[kind] > 0)
            pcie_count_down(pcie, (enum pcie_kind)kind, &pcie->full, full[kind]);
    pcie->down_free_cyc = free_cyc;
    return done;
}

struct pcie_down pcie_down_next(struct pcie *pcie, int64_t horizon_ps, int64_t *wake_at)
{
    const struct agenda_entry *store = agenda_first(&pcie->stores.at_root);
    int64_t store_at = store ? agenda_at(store) : SIM_NEVER;
    int comes = store_at <= horizon_ps && store;
    int64_t last_ps = comes ? store_at - 1 : horizon_ps; /* at one instant the store goes first */
    const struct agenda_entry *first = agenda_first(&pcie->at_host);
    if (first && agenda_at(first) <= last_ps) {
        uint32_t read = pcie->retire                ? pcie_retire_reads(pcie, last_ps)
                        : pcie->reserve.counts_data ? complete_reads(pcie, last_ps, 1)
                                                    : complete_reads(pcie, last_ps, 0);
        if (read != PCIE_NO_READ)
            return (struct pcie_down){PCIE_DOWN_READ_DONE, read, pcie->read[read].done_cyc};
        first = agenda_first(&pcie->at_host);
    }
    *wake_at = first && agenda_at(first) < store_at ? agenda_at(first) : store_at;
    return (struct pcie_down){.event = comes ? PCIE_DOWN_STORE : PCIE_DOWN_NOTHING,
                              .ref = comes ? (uint32_t)store->ref : 0};
}
