#include "nic/receive_wqe.h"

#include "nic/rnic.h"

#include <stdlib.h>

#define RECEIVE_WQE_BYTES 64u
#define RECEIVE_RING (UINT64_C(1) << 31) /* behind the QP's send ring */
#define SRQ_RINGS (UINT64_C(1) << 56)    /* apart from the QPs' */

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
    model_assert(rnic->sim, agenda_put(&receives->asks, now_cyc + 1, 0, (uint64_t)qp << 32 | index) == 0,
                 "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1));
}

/* The packet takes a WQE of its SRQ's latest read, or of another that begins with it. */
static void ask_shared(struct rnic *rnic, struct receive_look *look, uint32_t index, uint32_t qp, int64_t now_cyc)
{
    struct srq *srq = rnic->srqs.srq[look->srq];
    if (srq->spare == 0) {
        look->ordinal = srq->queue->taken + srq->promised;
        look->count = (uint8_t)srq_posted_behind(rnic, srq, look->ordinal);
        srq->spare = look->count;
        srq->read_cyc = SIM_NEVER;
        ask(rnic, look, index, qp, now_cyc);
    }
    look->there_cyc = srq->read_cyc;
    srq->spare--;
    srq->promised++;
}

/* From when on the packet can be looked at; SIM_NEVER: not known yet, and dispatch is woken. */
static int64_t look_cyc(struct rnic *rnic, const struct receive_look *look)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    int64_t read_cyc = 0;
    if (look->srq != SRQ_NONE) {
        if (rnic->srqs.srq[look->srq]->spare > 0)
            return 0;
        read_cyc = rnic->srqs.srq[look->srq]->read_cyc;
    }
    int64_t free_cyc = space_when(&receives->reads, 1);
    receives->waits = free_cyc == SIM_NEVER;
    return read_cyc > free_cyc ? read_cyc : free_cyc;
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
        struct receive_look *look = &receives->look[index];
        *look = (struct receive_look){.srq = SRQ_NONE, .count = 1};
        if (item->bad || item->kind != ITEM_DATA || !receive_takes_wqe(item, rnic_message(rnic, item->message)))
            continue;
        look->srq = rnic->qp[item->qp].srq;
        int64_t free_cyc = look_cyc(rnic, look);
        if (free_cyc > now_cyc)
            return free_cyc;
        if (look->srq != SRQ_NONE) {
            ask_shared(rnic, look, index, item->qp, now_cyc);
            continue;
        }
        look->ordinal = rnic->qp[item->qp].receives->asked++;
        ask(rnic, look, index, item->qp, now_cyc);
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

int receive_wqe_front_taken(struct rnic *rnic)
{
    const struct fetched_receives *receives = &rnic->receives_fetched;
    const struct receive_look *look = &receives->look[rnic->path[RNIC_RX].end.first & receives->mask];
    if (look->srq != SRQ_NONE)
        rnic->srqs.srq[look->srq]->promised--;
    return look->failed;
}

/* Where its read begins. */
static uint64_t address_of(const struct rnic *rnic, const struct receive_look *look, uint32_t qp)
{
    uint64_t slot = look->ordinal & rnic->qp[qp].receives->mask;
    uint64_t ring =
        look->srq == SRQ_NONE ? rnic->qp[qp].sq_address + RECEIVE_RING : SRQ_RINGS + ((uint64_t)look->srq << 32);
    return ring + slot * RECEIVE_WQE_BYTES;
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
        const struct receive_look *look = &receives->look[index];
        uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_RECEIVE_READ, address_of(rnic, look, qp),
                                        look->count * RECEIVE_WQE_BYTES, index | RNIC_IS_RECEIVE);
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

/* Those that wait for the same read of their SRQ have theirs, too. Nobody takes more of what could not be read. */
static void shared_is_here(struct rnic *rnic, const struct receive_look *read)
{
    struct fetched_receives *receives = &rnic->receives_fetched;
    struct srq *srq = rnic->srqs.srq[read->srq];
    srq->read_cyc = read->there_cyc;
    if (read->failed)
        srq->spare = 0;
    for (uint32_t i = rnic->path[RNIC_RX].end.first; i != receives->next; i++) {
        struct receive_look *look = &receives->look[i & receives->mask];
        if (look->srq != read->srq || look->there_cyc != SIM_NEVER)
            continue;
        look->there_cyc = read->there_cyc;
        look->failed = read->failed;
    }
}

void receive_wqe_is_here(struct rnic *rnic, uint32_t ref, int64_t cyc)
{
    struct receive_look *look = &rnic->receives_fetched.look[RNIC_RECEIVE_OF(ref)];
    look->there_cyc = cyc + 1;
    look->failed = (ref & RNIC_HAS_FAILED) != 0;
    if (look->srq != SRQ_NONE)
        shared_is_here(rnic, look);
    sim_wake(rnic->sim, rnic->dispatch, rnic_ps(rnic, cyc + 1));
}
