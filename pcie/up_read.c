/* Read requests on the link towards the host. */
#include "pcie/up.h"

static inline void put_at_host(struct pcie *pcie, uint32_t index, int64_t ready_ps)
{
    model_assert(pcie->sim, agenda_put(&pcie->at_host, ready_ps, 0, index) == 0, "out of memory");
}

static void wake_down(struct pcie *pcie)
{
    int64_t first_at = agenda_at(agenda_first(&pcie->at_host));
    if (first_at > pcie->sim->now) /* else a store stops the link, and its space wakes it */
        sim_wake(pcie->sim, pcie->down_decider, first_at);
}

/* One read request from start_cyc on, where credits are short, TLPs are replayed, requests can fail or the host is not a plain one. */
static void send_read(struct pcie *pcie, int64_t start_cyc)
{
    uint32_t index = up_queued_read(pcie)->request;
    const struct pcie_request *request = &pcie->request[index];
    if (pcie->ats) {
        int64_t translated = up_translated_cyc(pcie, PCIE_IN_READ, request->address, start_cyc);
        if (translated > start_cyc) { /* it and what is behind it wait */
            pcie->queue[pcie->queue_first & pcie->queue_mask].at_cyc = translated;
            return;
        }
    }
    uint32_t operand_bytes = pcie_operand_bytes(request->kind), bytes = pcie->request_bytes + operand_bytes;
    int64_t took = interface_occupancy_cyc(&pcie->requests_side, operand_bytes, bytes);
    int64_t ready_cyc = up_later(up_queued_read(pcie)->at_cyc, pcie->up_free_cyc);
    pcie->wait[request->kind].credit_cyc[FLOW_NO_NPH] +=
        up_read_credit_cyc(pcie, pcie->queue_first, ready_cyc) - ready_cyc;
    model_assert(pcie->sim, up_read_credit_cyc(pcie, pcie->queue_first, start_cyc) == start_cyc,
                 "a read is sent without its credit");
    pcie->count[PCIE_UP][request->kind].link_bytes += operand_bytes;
    pcie->count[PCIE_UP][request->kind].payload_bytes += operand_bytes;
    stops_pass(&pcie->stops[PCIE_UP], start_cyc);
    pcie->up_free_cyc = up_send_again(pcie, bytes, start_cyc, took);
    pcie->queue[pcie->queue_first & pcie->queue_mask].at_cyc = pcie->up_free_cyc;
    int64_t sent_ps = clk_edge(&pcie->link_clk, pcie->up_free_cyc);
    int64_t at_ps = pcie_arrival_ps(pcie, pcie->up_free_cyc);
    int64_t ready_ps = root_read(&pcie->root, at_ps, request->address, request->bytes);
    put_at_host(pcie, index, pcie->retire ? pcie_retire_sent(pcie, index, sent_ps, ready_ps) : ready_ps);
    pcie->queue_first++;
    pcie->up_work_cyc += took;
    wake_down(pcie);
}

/* Each takes the same time on the link: its header, or a beat of the user interface. */
void up_send_reads(struct pcie *pcie, int64_t start_cyc, int64_t last_cyc)
{
    const struct clk link = pcie->link_clk; /* copies of its own: kept in registers */
    uint32_t next = pcie->queue_first, end = pcie->queue_next, mask = pcie->queue_mask, first = next;
    if (pcie->sends_one_by_one || !pcie->root.is_plain || up_read_credit_cyc(pcie, end - 1, start_cyc) > start_cyc ||
        end - next > pcie->read_credits) {
        send_read(pcie, start_cyc);
        return;
    }
    int64_t took = interface_occupancy_cyc(&pcie->requests_side, 0, pcie->request_bytes), free_cyc;
    const int64_t latency = pcie->params->link_latency, written = pcie->root.acked_ps;
    stops_pass(&pcie->stops[PCIE_UP], start_cyc);
    last_cyc = up_earlier(last_cyc, pcie->stops[PCIE_UP].due_cyc - 1);
    struct pcie_queued *queued = &pcie->queue[next & mask];
    do {
        free_cyc = start_cyc + took;
        queued->at_cyc = free_cyc;
        put_at_host(pcie, queued->request,
                    root_read_plain(&pcie->root, up_later(clk_edge(&link, free_cyc) + latency, written)));
        if (++next == end)
            break;
        queued = &pcie->queue[next & mask];
        start_cyc = up_later(free_cyc, queued->at_cyc);
    } while (start_cyc <= last_cyc);
    pcie->queue_first = next;
    pcie->up_free_cyc = free_cyc;
    pcie->up_work_cyc += (next - first) * took;
    wake_down(pcie);
}
