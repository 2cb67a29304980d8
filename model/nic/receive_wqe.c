#include "nic/receive_wqe.h"

#include "nic/rnic.h"

#include <stdlib.h>

#define RECEIVE_WQE_BYTES 64u
#define RECEIVE_RING (UINT64_C(1) << 31) /* behind the QP's send ring */

int receive_wqe_init(struct rnic *rnic)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    receives->mask = rnic->path[RNIC_RX].end.mask;
    receives->look = calloc((size_t)receives->mask + 1, sizeof *receives->look);
    return !receives->look || agenda_init(&receives->asks, 64) ||
                   space_init_ones(&receives->reads, rnic->sim, "receive reads", (uint32_t)rnic->params->receive_reads)
               ? -1
               : 0;
}

void receive_wqe_free(struct rnic *rnic)
{
    free(rnic->receives_fetched.look);
    agenda_free(&rnic->receives_fetched.asks);
    space_free(&rnic->receives_fetched.reads);
}

/* The scheduler sees it in the next cycle. */
static void ask(struct rnic *rnic, struct receive_look *look, uint32_t index, uint32_t qp, int64_t now_cyc)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    space_take(&receives->reads, 1);
    look->there_cyc = SIM_NEVER;
    look->ordinal = rnic->qp[qp].receives_asked++;
    model_assert(rnic->sim, agenda_put(&receives->asks, now_cyc + 1, 0, (uint64_t)qp << 32 | index) == 0,
                 "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1));
}

int64_t receive_wqe_look(struct rnic *rnic, int64_t now_cyc)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    receives->waits = 0;
    for (; receives->next != in->next; receives->next++) {
        const struct fifo_slot *slot = &in->slot[receives->next & in->mask];
        const struct item *item = rnic_item(rnic, slot->ref);
        uint32_t index = receives->next & receives->mask;
        if (slot->tail_cyc > now_cyc)
            return slot->tail_cyc;
        receives->look[index] = (struct receive_look){0};
        if (item->bad || item->kind != ITEM_DATA || !receive_takes_wqe(item, rnic_message(rnic, item->message)))
            continue;
        int64_t free_cyc = space_when(&receives->reads, 1);
        receives->waits = free_cyc == SIM_NEVER;
        if (free_cyc > now_cyc)
            return free_cyc;
        ask(rnic, &receives->look[index], index, item->qp, now_cyc);
    }
    return SIM_NEVER;
}

int64_t receive_wqe_next_look(const struct rnic *rnic, int64_t now_cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    uint32_t next = rnic->receives_fetched.next;
    if (next == in->next || in->slot[next & in->mask].tail_cyc <= now_cyc)
        return SIM_NEVER;
    return in->slot[next & in->mask].tail_cyc;
}

int64_t receive_wqe_front_cyc(const struct rnic *rnic)
{
    const struct fetched_receives *receives = &rnic->receives_fetched;
    uint32_t front = rnic->path[RNIC_RX].end.first;
    return receives->next == front ? SIM_NEVER : receives->look[front & receives->mask].there_cyc;
}

int receive_wqe_front_failed(const struct rnic *rnic)
{
    const struct fetched_receives *receives = &rnic->receives_fetched;
    return receives->look[rnic->path[RNIC_RX].end.first & receives->mask].failed;
}

int64_t receive_wqe_fetch(struct rnic *rnic, int64_t now_cyc)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    const struct agenda_entry *first;
    while ((first = agenda_first(&receives->asks)) != 0) {
        int64_t space_at = fifo_space_at(rnic->fetch_entry, RNIC_OPERATION_BYTES), at = agenda_at(first);
        rnic->fetch_entry->writer_waits |= space_at == SIM_NEVER;
        at = space_at > at ? space_at : at;
        if (at > now_cyc)
            return at;
        uint32_t qp = (uint32_t)(first->ref >> 32), index = (uint32_t)first->ref;
        uint64_t slot = receives->look[index].ordinal & rnic->qp[qp].receive_mask;
        uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_RECEIVE_READ,
                                        rnic->qp[qp].sq_address + RECEIVE_RING + slot * RECEIVE_WQE_BYTES,
                                        RECEIVE_WQE_BYTES, index | RNIC_IS_RECEIVE);
        agenda_drop_first(&receives->asks);
        rnic_forward(rnic->fetch_entry, now_cyc, RNIC_OPERATION_BYTES, read);
        rnic_run_reads(rnic);
    }
    return SIM_NEVER;
}

void receive_wqe_read(struct rnic *rnic, int64_t at_cyc)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    int64_t free_cyc = at_cyc + rnic->params->wqe_hold + 1;
    space_give(&receives->reads, 1, free_cyc);
    if (receives->waits)
        sim_wake(rnic->sim, rnic->dispatch, rnic_ps(rnic, free_cyc));
}

void receive_wqe_is_here(struct rnic *rnic, uint32_t ref, int64_t cyc)
{
    struct receive_look *look = &rnic->receives_fetched.look[RNIC_RECEIVE_OF(ref)];
    look->there_cyc = cyc + 1;
    look->failed = (ref & RNIC_HAS_FAILED) != 0;
    sim_wake(rnic->sim, rnic->dispatch, rnic_ps(rnic, cyc + 1));
}
