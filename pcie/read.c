/* The DMA engine's read side: cuts operations into requests by MRRS and 4 KiB, one an interval, each with a tag and space
 * reserved for its completions. In order and without a choice, so it is arithmetic as far as tags and space are known (R7). */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

uint32_t pcie_read_begin(struct pcie *pcie, enum pcie_kind kind, uint64_t address, uint32_t bytes, uint32_t ref)
{
    space_take(&pcie->reads[kind == PCIE_WQE_READ], 1);
    uint32_t index = pcie->read_unused[--pcie->read_unused_count];
    pcie->read[index] = (struct pcie_read){.address = address, .bytes = bytes, .ref = ref, .kind = (uint8_t)kind};
    return index;
}

void pcie_read_end(struct pcie *pcie, uint32_t read, int64_t at_cyc)
{
    space_give(&pcie->reads[pcie->read[read].kind == PCIE_WQE_READ], 1, at_cyc + 1);
    pcie->read_unused[pcie->read_unused_count++] = read;
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The user cycle in which what came back at at_ps can be used again. */
static int64_t usable_cyc(const struct pcie *pcie, int64_t at_ps)
{
    return at_ps == RESERVE_ALREADY ? 0 : clk_after(pcie->user_clk, at_ps) + 1;
}

/* The cycle in which a request that is ready at ready_cyc starts, whose tag and space come back at the instants given. */
static int64_t wait_for_resources(struct pcie *pcie, int64_t ready_cyc, int64_t tag_ps, int64_t space_ps)
{
    int64_t tag_at = usable_cyc(pcie, tag_ps), space_at = usable_cyc(pcie, space_ps);
    if (tag_at > ready_cyc && tag_at >= space_at)
        pcie->tag_wait_cyc += tag_at - ready_cyc;
    else if (space_at > ready_cyc)
        pcie->space_wait_cyc += space_at - ready_cyc;
    return max2(ready_cyc, max2(tag_at, space_at));
}

static void queue_request(struct pcie *pcie, int64_t at_ps, uint64_t address, uint32_t bytes, uint8_t kind)
{
    uint32_t index = pcie->request_free[--pcie->request_free_count];
    struct pcie_request *request = &pcie->request[index];
    request->at_cyc = clk_at_or_after(&pcie->link_clk, at_ps);
    request->address = address;
    request->bytes = bytes;
    request->read = pcie->current;
    request->kind = kind;
    pcie->queue[pcie->queue_next++ & pcie->queue_mask] = index;
}

/* Sends requests of the current operation until all are sent, or a tag or space is not decided yet. */
static void send_requests(struct pcie *pcie)
{
    const struct pcie_params *params = pcie->params;
    const uint32_t most = (uint32_t)params->mrrs;
    struct pcie_read *read = &pcie->read[pcie->current];
    uint64_t address = pcie->current_address;
    uint32_t left = pcie->current_bytes, sent = 0;
    int64_t ready = max2(read->begun_cyc, pcie->issue_free_cyc);
    for (; left > 0; sent++) {
        uint32_t bytes = tlp_piece(address, left, most), units = (bytes + 63) / 64;
        int64_t tag_ps = reserve_tag_when(&pcie->reserve), space_ps = reserve_space_when(&pcie->reserve, units);
        int64_t latest_ps = max2(tag_ps, space_ps), start = ready;
        if (latest_ps == SIM_NEVER)
            break;
        if (latest_ps >= clk_edge(pcie->user_clk, ready - 1))
            start = wait_for_resources(pcie, ready, tag_ps, space_ps);
        reserve_take(&pcie->reserve, units);
        queue_request(pcie, clk_edge(pcie->user_clk, start + params->read_latency), address, bytes, read->kind);
        address += bytes;
        left -= bytes;
        int64_t busy = left > 0 ? params->read_interval : params->operation_interval;
        pcie->issue_work_cyc += busy;
        ready = start + busy;
    }
    if (sent == 0)
        return;
    read->in_flight += sent;
    read->sent = left == 0;
    pcie->issue_free_cyc = ready;
    pcie->current_address = address;
    pcie->current_bytes = left;
    if (pcie->queue_next - pcie->queue_first == sent) /* the first of them is the link's next */
        sim_wake(pcie->sim, pcie->up_decider,
                 clk_edge(&pcie->link_clk, pcie->request[pcie->queue[pcie->queue_first & pcie->queue_mask]].at_cyc));
}

static void begin_operation(struct pcie *pcie)
{
    struct fifo_slot slot = fifo_take(pcie->operations);
    int64_t from_cyc = max2(slot.tail_cyc, pcie->issue_free_cyc);
    pcie->current = slot.ref;
    pcie->current_address = pcie->read[slot.ref].address;
    pcie->current_bytes = pcie->read[slot.ref].bytes;
    pcie->read[slot.ref].begun_cyc = from_cyc;
    pcie->operations_done++;
    fifo_release(pcie->operations, slot.bytes, from_cyc, from_cyc);
}

int pcie_read_run(struct pcie *pcie)
{
    int done = 0;
    for (;;) {
        if (pcie->current_bytes == 0) {
            if (fifo_empty(pcie->operations))
                return done;
            begin_operation(pcie);
            struct pcie_read *read = &pcie->read[pcie->current];
            if (pcie->current_bytes == 0) { /* nothing to read: done at once, in its turn */
                pcie->issue_free_cyc = read->begun_cyc + pcie->params->operation_interval;
                read->done_cyc = read->begun_cyc + pcie->params->read_latency;
                done = 1;
                continue;
            }
        }
        send_requests(pcie);
        if (pcie->current_bytes > 0)
            return done;
    }
}
