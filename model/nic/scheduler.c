/* The QP scheduler: which QP is served when. A QP with something to do queues in the order in which it becomes eligible,
 * and after a grant queues again behind the others: round robin, a packet (or a fetch of WQEs) a visit. A granted QP's
 * context is in its read-modify-write loop for context_loop cycles, so one QP cannot be granted again sooner. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>

#define DESCRIPTOR_BYTES 1u /* an operation on its way: one beat of any width */
#define WQE_BYTES 64u

enum work { WORK_NONE, WORK_RECORD, WORK_FETCH, WORK_PACKET };

static enum work work_of(const struct rnic *rnic, const struct qp *qp)
{
    uint32_t held = qp->fetched - qp->cut;
    if (qp->failed || qp->peer == QP_NONE)
        return WORK_NONE;
    if (__builtin_expect(qp->wants_record, 0))
        return WORK_RECORD;
    if (qp->known != qp->fetched && !qp->fetching && held * 2 <= rnic->params->wqe_cache)
        return WORK_FETCH;
    if (held > 0 && requester_window_open(&qp->requester, rnic->setup.transport) &&
        (rnic->fabric_source != NIC_FABRIC_STREAM || qp->staged_first != POOL_NONE))
        return WORK_PACKET;
    return WORK_NONE;
}

/* The cycle, or the later one in which the payload that user logic streams is there. */
static inline int64_t behind_payload(const struct rnic *rnic, struct qp *qp, int64_t cyc)
{
    if (rnic->fabric_source != NIC_FABRIC_STREAM)
        return cyc;
    int64_t ready = fabric_ready_cyc(rnic, qp);
    if (ready <= cyc)
        return cyc;
    qp->wait = QP_WAIT_POST;
    return ready;
}

/* Queues the QP if it has something to do, for decide() to look at; returns the cycle from which on it is eligible, else SIM_NEVER. */
static int64_t enqueue(struct rnic *rnic, uint32_t index, int64_t cyc, enum qp_wait waited_for)
{
    struct qp *qp = &rnic->qp[index];
    if (qp->queued || work_of(rnic, qp) == WORK_NONE)
        return SIM_NEVER;
    qp->queued = 1;
    qp->wait = waited_for;
    if (qp->context_free_cyc > cyc) {
        cyc = qp->context_free_cyc;
        qp->wait = QP_WAIT_CONTEXT;
    }
    cyc = behind_payload(rnic, qp, cyc);
    model_assert(rnic->sim, heap_put(&rnic->eligible, cyc, index, index) == 0, "out of memory");
    return cyc;
}

void scheduler_kick(struct rnic *rnic, uint32_t index, int64_t cyc, enum qp_wait waited_for)
{
    cyc = enqueue(rnic, index, cyc, waited_for);
    if (cyc != SIM_NEVER && rnic_ps(rnic, cyc) > rnic->sim->now)
        sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}

static void take_doorbell(struct rnic *rnic, struct fifo_slot slot)
{
    struct rnic_doorbell *doorbell = rnic_doorbell(rnic, slot.ref);
    struct qp *qp = &rnic->qp[doorbell->qp];
    record_rung(rnic, qp, doorbell);
    if (doorbell->pushed && qp->fetched + 1 == qp->known)
        qp->fetched++; /* otherwise it waits for the ones before it, and is fetched with them */
    if (qp->failed)
        retire_flush(rnic, doorbell->qp, slot.head_cyc);
    else
        enqueue(rnic, doorbell->qp, slot.head_cyc, QP_WAIT_POST);
    pool_give(&rnic->doorbells, slot.ref);
}

/* WQEs, or a doorbell record. */
static void take_wqes(struct rnic *rnic, struct fifo_slot slot)
{
    uint32_t index = RNIC_QP_OF(slot.ref);
    struct qp *qp = &rnic->qp[index];
    if (slot.ref & RNIC_IS_RECORD)
        record_is_here(rnic, index, (slot.ref & RNIC_HAS_FAILED) != 0, slot.head_cyc);
    else
        for (; qp->fetching > 0; qp->fetching--)
            rnic_message(rnic, qp->send[qp->fetched++ & qp->send_mask])->stamp_ps[MESSAGE_AT_WQE] = rnic->sim->now;
    enqueue(rnic, index, slot.head_cyc, QP_WAIT_WQE);
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
            if (path == 0 && rnic->stores_wait)
                doorbell_forward(rnic);
        }
        if (!fifo_empty(in) && fifo_front(in)->head_cyc < next)
            next = fifo_front(in)->head_cyc;
    }
    if (rnic->fabric_source != NIC_FABRIC_OFF) {
        int64_t post = fabric_take_posts(rnic, now_cyc);
        next = post < next ? post : next;
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
    rnic_run_reads(rnic);
}

static void grant_record(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, DESCRIPTOR_BYTES, record_read(rnic, index));
    rnic_run_reads(rnic);
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
    int buffer_full =
        rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER &&
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
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    struct item *item = rnic_item(rnic, ref);
    cut_packet(rnic, qp, message, item);
    uint32_t units = rnic_payload_units(item->payload_bytes);
    if (rnic->fabric_source == NIC_FABRIC_STREAM) {
        fabric_take_packet(rnic, qp); /* its payload has its space */
    } else {
        space_take(&rnic->payload_space, units);
        level_in(&rnic->payload_level, now_cyc, units);
    }
    int is_here = message->has_inline || rnic->fabric_source != NIC_FABRIC_OFF;
    uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_PAYLOAD_READ, message->local_address + item->offset,
                                    is_here ? 0 : item->payload_bytes, ref);
    rnic->order[rnic->order_next++ & rnic->order_mask] = read;
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, DESCRIPTOR_BYTES, read);
    rnic_run_reads(rnic);
}

/* From which cycle on the QP's work finds all that it needs, as seen at at_cyc; SIM_NEVER: not decided yet, and I am woken by what
 * comes back. Also what it waits for. */
static int64_t can_grant_at(struct rnic *rnic, enum work work, const struct qp *qp, int64_t at_cyc,
                            enum rnic_wait *waits_for)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_SCHED]);
    int64_t path_at = fifo_space_at(entry, DESCRIPTOR_BYTES);
    int64_t read_at = pcie_read_when(&rnic->pcie, work == WORK_PACKET ? PCIE_PAYLOAD_READ : PCIE_WQE_READ);
    int64_t space_at = work != WORK_PACKET || rnic->fabric_source == NIC_FABRIC_STREAM
                           ? 0
                           : space_when(&rnic->payload_space, rnic_payload_units(next_payload_bytes(rnic, qp)));
    entry->writer_waits |= path_at == SIM_NEVER;
    rnic->waits_for_read = read_at == SIM_NEVER;
    rnic->waits_for_space = space_at == SIM_NEVER;
    int64_t latest = path_at > read_at ? path_at : read_at;
    if (latest > at_cyc || space_at > at_cyc)
        *waits_for = space_at > latest ? RNIC_WAIT_BUFFER : RNIC_WAIT_DOWNSTREAM;
    return space_at > latest ? space_at : latest;
}

static const enum rnic_wait wait_of[] = {[QP_WAIT_POST] = RNIC_WAIT_INPUT,
                                         [QP_WAIT_WQE] = RNIC_WAIT_WQE,
                                         [QP_WAIT_WINDOW] = RNIC_WAIT_WINDOW,
                                         [QP_WAIT_CONTEXT] = RNIC_WAIT_CONTEXT};

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

/* The first QP in the queue, and the earliest cycle (not before from_cyc) at which it can be granted as far as is known;
 * SIM_NEVER: nobody, or I am woken by what it waits for. */
static int64_t next_grant(struct rnic *rnic, int64_t from_cyc, uint32_t *index, enum work *work)
{
    const struct heap_entry *first;
    while ((first = heap_first(&rnic->eligible)) != 0) {
        struct qp *qp = &rnic->qp[first->ref];
        *index = (uint32_t)first->ref;
        *work = work_of(rnic, qp);
        if (*work == WORK_NONE) { /* it has failed since */
            heap_take(&rnic->eligible);
            qp->queued = 0;
            continue;
        }
        int64_t at = first->at > rnic->scheduler_free_cyc ? first->at : rnic->scheduler_free_cyc;
        if (at < from_cyc)
            at = from_cyc;
        int64_t space_at = can_grant_at(rnic, *work, qp, at, &rnic->scheduler_blocked_by);
        return space_at > at ? space_at : at;
    }
    return SIM_NEVER;
}

/* A QP that was granted, the first in the queue, queues behind the others if it has more to do. */
static void queue_again(struct rnic *rnic, struct qp *qp)
{
    if (work_of(rnic, qp) == WORK_NONE) {
        heap_take(&rnic->eligible);
        qp->queued = 0;
        return;
    }
    qp->wait = QP_WAIT_CONTEXT;
    heap_delay_first(&rnic->eligible, behind_payload(rnic, qp, qp->context_free_cyc));
}

static void grant(struct rnic *rnic, uint32_t index, enum work work, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    account(rnic, qp, heap_first(&rnic->eligible)->at, now_cyc, rnic->scheduler_blocked_by);
    rnic->scheduler_free_cyc = now_cyc + rnic->params->scheduler_interval;
    qp->context_free_cyc = now_cyc + rnic->params->context_loop;
    if (work == WORK_FETCH)
        grant_fetch(rnic, index, now_cyc);
    else if (work == WORK_RECORD)
        grant_record(rnic, index, now_cyc);
    else
        grant_packet(rnic, index, now_cyc);
    queue_again(rnic, qp);
}

static int64_t decide(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t now_cyc = now == rnic->scheduler_wake_ps ? rnic->scheduler_wake_cyc : rnic_cycle(rnic, now);
    if (now != rnic->scheduler_wake_ps && rnic_ps(rnic, now_cyc) != now)
        return rnic_ps(rnic, now_cyc); /* woken between two edges */
    int64_t input = take_inputs(rnic, now_cyc);
    uint32_t index;
    enum work work;
    int64_t at = next_grant(rnic, now_cyc, &index, &work);
    if (at == now_cyc) {
        grant(rnic, index, work, now_cyc);
        at = next_grant(rnic, now_cyc + 1, &index, &work);
    }
    if (input < at)
        at = input;
    return at == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, at);
}

int scheduler_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    uint32_t units = (uint32_t)(rnic->params->payload_buffer / 64);
    rnic->scheduler = sim_add(rnic->sim, decide, rnic, "scheduler", rnic->user_clk.whole);
    rnic->path[RNIC_DOORBELL].end.read_decider = rnic->scheduler;
    rnic->path[RNIC_WQE].end.read_decider = rnic->scheduler;
    path_entry(&rnic->path[RNIC_SCHED])->write_decider = rnic->scheduler;
    snprintf(error, error_bytes, "out of memory");
    if (rnic->scheduler < 0 || heap_init(&rnic->eligible, 64) ||
        space_init(&rnic->payload_space, rnic->sim, "payload buffer", units) ||
        level_init(&rnic->payload_level, units, 0))
        return -1;
    level_set_clocks(&rnic->payload_level, &rnic->user_clk, &rnic->user_clk);
    return 0;
}
