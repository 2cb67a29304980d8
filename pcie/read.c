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

/* Sends one request of the current operation; 0 when a tag or space is not decided yet. */
static int send_request(struct pcie *pcie)
{
    struct pcie_read *read = &pcie->read[pcie->current];
    uint32_t bytes = tlp_piece(pcie->current_address, pcie->current_bytes, (uint32_t)pcie->params->mrrs);
    uint32_t units = (bytes + 63) / 64;
    int64_t tag_at = reserve_tag_when(&pcie->reserve);
    int64_t space_at = reserve_space_when(&pcie->reserve, units);
    if (tag_at == SIM_NEVER || space_at == SIM_NEVER)
        return 0;
    int64_t ready = max2(read->begun_cyc, pcie->issue_free_cyc);
    int64_t start = max2(ready, max2(tag_at, space_at));
    if (tag_at > ready && tag_at >= space_at)
        pcie->tag_wait_cyc += tag_at - ready;
    else if (space_at > ready)
        pcie->space_wait_cyc += space_at - ready;
    reserve_take(&pcie->reserve, units);
    uint32_t request = pcie->request_free[--pcie->request_free_count];
    int64_t at_ps = clk_edge(pcie->user_clk, start + pcie->params->read_latency);
    pcie->request[request] = (struct pcie_request){clk_at_or_after(&pcie->link_clk, at_ps), pcie->current_address, bytes,
                                                   pcie->current};
    pcie->queue[pcie->queue_next++ & pcie->queue_mask] = request;
    if (pcie->queue_next - pcie->queue_first == 1)
        sim_wake(pcie->sim, pcie->up_decider, clk_edge(&pcie->link_clk, pcie->request[request].at_cyc));
    read->in_flight++;
    pcie->current_address += bytes;
    pcie->current_bytes -= bytes;
    int64_t busy = pcie->current_bytes > 0 ? pcie->params->read_interval : pcie->params->operation_interval;
    pcie->issue_free_cyc = start + busy;
    pcie->issue_work_cyc += busy;
    return 1;
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
        if (!send_request(pcie))
            return done;
        pcie->read[pcie->current].sent = pcie->current_bytes == 0;
    }
}
