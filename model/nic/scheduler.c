/* The QP scheduler: which QP is served when. A QP with something to do queues in the order in which it becomes eligible,
 * and after a grant queues again behind the others: round robin, a packet (or a fetch of WQEs) a visit. A granted QP's
 * context is in its read-modify-write loop for context_loop cycles, so one QP cannot be granted again sooner. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>

#define DESCRIPTOR_BYTES 1u /* an operation on its way: one beat of any width */
#define WQE_BYTES 64u

enum work { WORK_NONE, WORK_FETCH, WORK_PACKET };

static enum work work_of(const struct rnic *rnic, const struct qp *qp)
{
    uint32_t held = qp->fetched - qp->cut;
    if (qp->failed || qp->peer == QP_NONE)
        return WORK_NONE;
    if (qp->known != qp->fetched && !qp->fetching && held * 2 <= rnic->params->wqe_cache)
        return WORK_FETCH;
    if (held > 0 && requester_window_open(&qp->requester, rnic->setup.transport))
        return WORK_PACKET;
    return WORK_NONE;
}

void scheduler_kick(struct rnic *rnic, uint32_t index, int64_t cyc, enum qp_wait waited_for)
{
    struct qp *qp = &rnic->qp[index];
    if (qp->queued || work_of(rnic, qp) == WORK_NONE)
        return;
    qp->queued = 1;
    qp->wait = waited_for;
    if (qp->context_free_cyc > cyc) {
        cyc = qp->context_free_cyc;
        qp->wait = QP_WAIT_CONTEXT;
    }
    model_assert(rnic->sim, heap_put(&rnic->eligible, cyc, index, index) == 0, "out of memory");
    if (rnic_ps(rnic, cyc) > rnic->sim->now)
        sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}

static void take_doorbell(struct rnic *rnic, struct fifo_slot slot)
{
    struct rnic_doorbell *doorbell = &rnic->doorbell[slot.ref];
    struct qp *qp = &rnic->qp[doorbell->qp];
    int64_t now = rnic->sim->now;
    for (uint32_t i = 0; i < doorbell->count; i++)
        rnic_message(rnic, qp->send[(qp->known + i) & qp->send_mask])->stamp_ps[MESSAGE_AT_DOORBELL] = now;
    qp->known += doorbell->count;
    if (doorbell->pushed && qp->fetched + 1 == qp->known)
        qp->fetched++; /* otherwise it waits for the ones before it, and is fetched with them */
    if (qp->failed)
        retire_flush(rnic, doorbell->qp, slot.head_cyc);
    else
        scheduler_kick(rnic, doorbell->qp, slot.head_cyc, QP_WAIT_POST);
    doorbell->next_free = rnic->doorbell_free;
    rnic->doorbell_free = slot.ref;
}

static void take_wqes(struct rnic *rnic, struct fifo_slot slot)
{
    struct qp *qp = &rnic->qp[slot.ref];
    for (; qp->fetching > 0; qp->fetching--)
        rnic_message(rnic, qp->send[qp->fetched++ & qp->send_mask])->stamp_ps[MESSAGE_AT_WQE] = rnic->sim->now;
    scheduler_kick(rnic, slot.ref, slot.head_cyc, QP_WAIT_WQE);
}

/* Takes what is visible by now from the doorbells and the fetched WQEs; returns when the next will be. */
static int64_t take_inputs(struct rnic *rnic, int64_t now_cyc)
{
    int64_t next = SIM_NEVER;
    for (int path = 0; path < 2; path++) {
        struct fifo *in = &rnic->path[path == 0 ? RNIC_DOORBELL : RNIC_WQE].end;
        while (!fifo_empty(in) && fifo_front(in)->head_cyc <= now_cyc) {
            struct fifo_slot slot = fifo_take(in);
            if (path == 0)
                take_doorbell(rnic, slot);
            else
                take_wqes(rnic, slot);
            fifo_release(in, slot.bytes, now_cyc, now_cyc);
        }
        if (!fifo_empty(in) && fifo_front(in)->head_cyc < next)
            next = fifo_front(in)->head_cyc;
    }
    return next;
}

static void grant_fetch(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    uint32_t slot = qp->fetched & qp->send_mask;
    uint32_t count = qp->known - qp->fetched;
    uint32_t room = (uint32_t)rnic->params->wqe_cache - (qp->fetched - qp->cut);
    if (count > rnic->params->wqe_fetch_most)
        count = (uint32_t)rnic->params->wqe_fetch_most;
    if (count > room)
        count = room;
    if (slot + count > qp->send_mask + 1)
        count = qp->send_mask + 1 - slot; /* not past the ring's end */
    for (uint32_t i = 0; i < count; i++)
        rnic_message(rnic, qp->send[(qp->fetched + i) & qp->send_mask])->stamp_ps[MESSAGE_AT_GRANT] = rnic->sim->now;
    qp->fetching = (int)count;
    uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_WQE_READ, qp->sq_address + (uint64_t)slot * WQE_BYTES,
                                    count * WQE_BYTES, index);
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, DESCRIPTOR_BYTES, read);
}

/* The packet that the QP would send next. */
static uint32_t next_payload_bytes(const struct rnic *rnic, const struct qp *qp)
{
    uint32_t left = rnic_message(rnic, qp->send[qp->cut & qp->send_mask])->length_bytes - qp->offset_bytes;
    return left < qp->mtu_bytes ? left : qp->mtu_bytes;
}

static void cut_packet(struct rnic *rnic, struct qp *qp, struct message *message, struct item *item)
{
    int ack_request;
    /* payload kept until the ACK: the packet that leaves no room for another must ask for one */
    int buffer_full = rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER &&
                      rnic->payload_space.depth - space_away(&rnic->payload_space) < 2 * ((uint64_t)qp->mtu_bytes + 63) / 64;
    item->kind = ITEM_DATA;
    item->qp = qp->peer;
    item->message = qp->send[qp->cut & qp->send_mask];
    item->payload_bytes = next_payload_bytes(rnic, qp);
    item->offset = qp->offset_bytes;
    item->first = qp->offset_bytes == 0;
    item->last = qp->offset_bytes + item->payload_bytes == message->length_bytes;
    item->psn = requester_send(&qp->requester, rnic->setup.transport, item->last, buffer_full, &ack_request);
    item->ack_request = (uint8_t)ack_request;
    item->bytes = frame_data_bytes(item->payload_bytes, item->first && !message_is_send(message),
                                   item->last && message_has_immediate(message));
    qp->offset_bytes += item->payload_bytes;
    if (item->last) {
        message->last_psn = item->psn;
        message->cut = 1;
        qp->offset_bytes = 0;
        qp->cut++;
    }
}

static void grant_packet(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
    if (message->stamp_ps[MESSAGE_AT_GRANT] == SIM_NEVER) { /* it was pushed */
        message->stamp_ps[MESSAGE_AT_GRANT] = rnic->sim->now;
        message->stamp_ps[MESSAGE_AT_WQE] = rnic->sim->now;
    }
    uint32_t ref = item_new(rnic->setup.items);
    model_assert(rnic->sim, ref != ITEM_NONE, "out of memory");
    struct item *item = rnic_item(rnic, ref);
    cut_packet(rnic, qp, message, item);
    uint32_t units = (item->payload_bytes + 63) / 64;
    space_take(&rnic->payload_space, units);
    level_in(&rnic->payload_level, rnic->sim->now, units);
    uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_PAYLOAD_READ, message->local_address + item->offset,
                                    message->has_inline ? 0 : item->payload_bytes, ref);
    rnic->order[rnic->order_next++ & rnic->order_mask] = read;
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, DESCRIPTOR_BYTES, read);
}

/* Whether the first QP in the queue can be granted at now_cyc; else *wake_at and what it waits for. */
static int can_grant(struct rnic *rnic, enum work work, const struct qp *qp, int64_t now_cyc, int64_t *wake_at,
                     enum rnic_wait *waits_for)
{
    *waits_for = RNIC_WAIT_DOWNSTREAM;
    if (rnic_blocked(rnic, path_entry(&rnic->path[RNIC_SCHED]), DESCRIPTOR_BYTES, now_cyc, wake_at))
        return 0;
    int64_t from_cyc = pcie_read_when(&rnic->pcie, work == WORK_FETCH ? PCIE_WQE_READ : PCIE_PAYLOAD_READ);
    if (work == WORK_PACKET && from_cyc <= now_cyc) {
        *waits_for = RNIC_WAIT_BUFFER;
        from_cyc = space_when(&rnic->payload_space, (next_payload_bytes(rnic, qp) + 63) / 64);
    }
    rnic->scheduler_waits = from_cyc == SIM_NEVER; /* then I am woken by what comes back */
    *wake_at = from_cyc == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, from_cyc);
    return from_cyc <= now_cyc;
}

static const enum rnic_wait wait_of[] = {[QP_WAIT_POST] = RNIC_WAIT_INPUT, [QP_WAIT_WQE] = RNIC_WAIT_WQE,
                                         [QP_WAIT_WINDOW] = RNIC_WAIT_WINDOW, [QP_WAIT_CONTEXT] = RNIC_WAIT_CONTEXT};

/* The time since the last grant: first until the QP was eligible, then until the grant. */
static void account(struct rnic *rnic, const struct qp *qp, int64_t eligible_cyc, int64_t now_cyc,
                    enum rnic_wait waited_for)
{
    struct rnic_decision *account = &rnic->scheduling;
    int64_t from = rnic->scheduler_free_cyc;
    if (eligible_cyc > from) {
        account->wait_cyc[wait_of[qp->wait]] += eligible_cyc - from;
        from = eligible_cyc;
    }
    if (now_cyc > from)
        account->wait_cyc[waited_for] += now_cyc - from;
    account->items++;
    account->work_cyc += rnic->params->scheduler_interval;
}

/* Grants the first QP in the queue if it can; returns when to come again. */
static int64_t grant(struct rnic *rnic, int64_t now_cyc, enum rnic_wait *blocked_by)
{
    const struct heap_entry *first = heap_first(&rnic->eligible);
    if (!first)
        return SIM_NEVER;
    int64_t at = first->at > rnic->scheduler_free_cyc ? first->at : rnic->scheduler_free_cyc;
    if (at > now_cyc)
        return rnic_ps(rnic, at);
    uint32_t index = (uint32_t)first->ref;
    struct qp *qp = &rnic->qp[index];
    enum work work = work_of(rnic, qp);
    int64_t wake_at;
    if (work != WORK_NONE && !can_grant(rnic, work, qp, now_cyc, &wake_at, blocked_by))
        return wake_at;
    int64_t eligible = heap_take(&rnic->eligible).at;
    qp->queued = 0;
    if (work != WORK_NONE) {
        account(rnic, qp, eligible, now_cyc, *blocked_by);
        if (work == WORK_FETCH)
            grant_fetch(rnic, index, now_cyc);
        else
            grant_packet(rnic, index, now_cyc);
        rnic->scheduler_free_cyc = now_cyc + rnic->params->scheduler_interval;
        qp->context_free_cyc = now_cyc + rnic->params->context_loop;
        scheduler_kick(rnic, index, now_cyc, QP_WAIT_CONTEXT);
    }
    first = heap_first(&rnic->eligible);
    if (!first)
        return SIM_NEVER;
    at = first->at > rnic->scheduler_free_cyc ? first->at : rnic->scheduler_free_cyc;
    return rnic_ps(rnic, at > now_cyc ? at : now_cyc + 1);
}

static int64_t decide(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t now_cyc = rnic_cycle(rnic, now);
    if (rnic_ps(rnic, now_cyc) != now)
        return rnic_ps(rnic, now_cyc); /* woken between two edges */
    int64_t input = take_inputs(rnic, now_cyc);
    int64_t wake_at = grant(rnic, now_cyc, &rnic->scheduler_blocked_by);
    if (input != SIM_NEVER && rnic_ps(rnic, input) < wake_at)
        wake_at = rnic_ps(rnic, input);
    return wake_at;
}

int scheduler_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    uint32_t units = (uint32_t)(rnic->params->payload_buffer / 64);
    rnic->scheduler = sim_add(rnic->sim, decide, rnic, "scheduler", rnic->user_clk.whole);
    rnic->path[RNIC_DOORBELL].end.read_decider = rnic->scheduler;
    rnic->path[RNIC_WQE].end.read_decider = rnic->scheduler;
    path_entry(&rnic->path[RNIC_SCHED])->write_decider = rnic->scheduler;
    snprintf(error, error_bytes, "out of memory");
    return rnic->scheduler < 0 || heap_init(&rnic->eligible, 64) ||
                   space_init(&rnic->payload_space, rnic->sim, "payload buffer", units) ||
                   level_init(&rnic->payload_level, units, 0)
               ? -1
               : 0;
}
