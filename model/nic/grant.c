/* What a QP does when it is granted: it fetches WQEs, reads its doorbell record, or sends a packet. */
#include "nic/rnic.h"
#include "transport/frame.h"

#define WQE_BYTES 64u

void grant_fetch(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    uint32_t slot = qp->asked & qp->send_mask, fetch = qp->fetch_next++ & (QP_FETCHES_MAX - 1);
    uint32_t count = qp->known - qp->asked;
    uint32_t room = (uint32_t)rnic->params->wqe_cache - (qp->asked - qp->cut);
    if (count > rnic->fetch_most)
        count = rnic->fetch_most;
    if (count > room)
        count = room;
    if (slot + count > qp->send_mask + 1)
        count = qp->send_mask + 1 - slot; /* not past the ring's end */
    for (uint32_t i = 0; i < count; i++)
        rnic_message(rnic, qp->send[qp->asked++ & qp->send_mask])->stamp_ps[MESSAGE_AT_GRANT] = rnic->sim->now;
    if (__builtin_expect(rnic->begun_limited, 0) && rnic->grants_requests && rnic->begun.depth > 0) {
        space_take(&rnic->begun, 1);
        rnic_message(rnic, qp->send[slot])->begun = 1;
    }
    qp->fetch[fetch].count = (uint8_t)count;
    qp->fetch[fetch].is_here = 0;
    if (rnic->lookup.on) /* a block, whatever of it is posted */
        count = (uint32_t)rnic->params->wqe_fetch_most;
    uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_WQE_READ, qp->sq_address + (uint64_t)slot * WQE_BYTES,
                                    count * WQE_BYTES, index | fetch << RNIC_FETCH_SHIFT);
    rnic_forward(rnic->fetch_entry, now_cyc, RNIC_OPERATION_BYTES, read);
    rnic_run_reads(rnic);
}

void grant_record(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    rnic_forward(rnic->fetch_entry, now_cyc, RNIC_OPERATION_BYTES, record_read(rnic, index));
    rnic_run_reads(rnic);
}

/* A request that is answered with data: the answer's packets acknowledge it. */
static void cut_request(struct qp *qp, struct message *message, struct item *item)
{
    uint32_t psns = message_psns(message, qp->mtu_bytes) - item->offset / qp->mtu_bytes;
    requester_expect(&qp->requester, psns);
    message->last_psn = psn_add(item->psn, psns - 1);
    item->ack_request = 0;
    if (message_is_atomic(message))
        item->bytes += FRAME_ATOMIC_ETH_BYTES - FRAME_RETH_BYTES;
    else if (message->opcode == MESSAGE_FLUSH)
        item->bytes += FRAME_FETH_BYTES;
    if (message->cut) /* it is sent again */
        return;
    qp->answers_due++;
    message->answer = qp->answers_cut++;
}

/* The QP has gone back, behind this packet or as far as here. */
static __attribute__((noinline, cold)) void cut_again(struct rnic *rnic, struct qp *qp, const struct message *message,
                                                      struct item *item)
{
    if (!requester_repeats(&qp->requester, item->psn)) {
        qp->requester.is_back = 0;
        return;
    }
    rnic->repeated++;
    item->again = 1;
    if ((rnic->selective.on || qp->halted) && !message_is_answered(message))
        item->ack_request = 1; /* nothing behind it may follow that would have it acknowledged */
    if (message_is_answered(message))
        item->offset = (uint32_t)psn_difference(item->psn, message->first_psn) * qp->mtu_bytes; /* what was missing */
    if (item->last) {
        item->trip = pool_take(rnic->setup.trips) + 1;
        model_assert(rnic->sim, item->trip != 0, "out of memory");
    }
}

static void cut_packet(struct rnic *rnic, struct qp *qp, struct message *message, struct item *item)
{
    int ack_request;
    /* what is kept until the ACK: the packet that leaves no room for another must ask for one */
    int buffer_full = rnic->payload.is_kept && payload_is_last(rnic, qp);
    item->kind = ITEM_DATA;
    item->qp = __builtin_expect(qp->transport == QP_UD, 0) ? message->to : qp->peer;
    item->message = qp->send[qp->cut & qp->send_mask];
    item->payload_bytes = rnic_next_payload_bytes(rnic, qp);
    item->offset = qp->offset_bytes;
    item->first = qp->offset_bytes == 0;
    item->last = qp->offset_bytes + item->payload_bytes == message->request_bytes;
    item->psn = requester_send(&qp->requester, rnic->setup.transport, item->last, buffer_full, &ack_request);
    item->ack_request = (uint8_t)ack_request;
    message_hold(rnic->setup.messages, item->message);
    if (__builtin_expect(qp->requester.is_back, 0))
        cut_again(rnic, qp, message, item);
    if (item->first && !message->numbered) {
        message->numbered = 1;
        message->first_psn = item->psn;
    }
    item->bytes = frame_data_bytes(item->payload_bytes, item->first && !message_is_send(message),
                                   item->last && message_has_word(message)) +
                  qp->header_bytes;
    qp->offset_bytes += item->payload_bytes;
    if (__builtin_expect(qp->recovery.due_cyc == 0, 0))
        recover_begin_timer(rnic, rnic_qp_index(rnic, qp), rnic_cycle(rnic, rnic->sim->now));
    if (item->last) {
        message->last_psn = item->psn;
        if (message_is_answered(message))
            cut_request(qp, message, item);
        message->cut = 1;
        qp->offset_bytes = 0;
        qp->cut++;
    }
}

/* The QP's next packet is made. */
static inline __attribute__((always_inline)) uint32_t make_packet(struct rnic *rnic, struct qp *qp)
{
    struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
    if (rnic_begins_request(rnic, qp)) {
        space_take(&rnic->begun, 1);
        message->begun = 1;
    }
    if (message->stamp_ps[MESSAGE_AT_GRANT] == SIM_NEVER) { /* it was pushed */
        message->stamp_ps[MESSAGE_AT_GRANT] = rnic->sim->now;
        message->stamp_ps[MESSAGE_AT_WQE] = rnic->sim->now;
    }
    uint32_t ref = item_new(rnic->setup.items);
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    cut_packet(rnic, qp, message, rnic_item(rnic, ref));
    if (__builtin_expect(rnic->selective.on, 0) && qp->requester.is_back)
        selective_go_on(rnic, qp, rnic_cycle(rnic, rnic->sim->now));
    return ref;
}

/* The packet's place in the payload buffer, where that is no matter of units of 64 B only, and its entry. */
static __attribute__((noinline, cold)) void take_place(struct rnic *rnic, struct qp *qp, uint32_t bytes,
                                                       int64_t now_cyc)
{
    if (rnic->fabric_source == NIC_FABRIC_STREAM)
        fabric_take_packet(rnic, qp); /* its payload has it already */
    else
        payload_take(rnic, bytes, now_cyc);
    payload_keep(rnic, now_cyc);
}

/* Its payload is to be read. Returns the operation. */
static inline __attribute__((always_inline)) uint32_t
read_payload(struct rnic *rnic, struct qp *qp, const struct message *message, uint32_t ref, int64_t now_cyc)
{
    const struct item *item = rnic_item(rnic, ref);
    uint32_t units = rnic_payload_units(item->payload_bytes);
    int is_kept = item->again && rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER;
    if (__builtin_expect(item->again, 0)) { /* it has its entry, and perhaps its payload */
        if (!is_kept)
            payload_take(rnic, item->payload_bytes, now_cyc);
    } else if (__builtin_expect(rnic->payload.is_gated, 0)) {
        take_place(rnic, qp, item->payload_bytes, now_cyc);
    } else {
        space_take(&rnic->payload_space, units);
        level_in(&rnic->payload_level, now_cyc, units);
    }
    int is_here = is_kept || message->has_inline || rnic->fabric_source != NIC_FABRIC_OFF;
    uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_PAYLOAD_READ, message->local_address + item->offset,
                                    is_here ? 0 : item->payload_bytes, ref);
    if (__builtin_expect(message->local_sges > 0, 0))
        places_gather(rnic, read, item);
    rnic->order[rnic->order_next++ & rnic->order_mask] = read;
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, RNIC_OPERATION_BYTES, read);
    return read;
}

uint32_t grant_packet(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
    uint32_t ref = make_packet(rnic, qp);
    uint32_t read = read_payload(rnic, qp, message, ref, now_cyc);
    if (__builtin_expect(message->wrong_keys, 0) && access_wrong_local(rnic, message))
        rnic->pcie.read[read].failed = 1;
    rnic_run_reads(rnic);
    return rnic_item(rnic, ref)->bytes;
}

uint32_t grant_cut(struct rnic *rnic, uint32_t index)
{
    return make_packet(rnic, &rnic->qp[index]);
}

void grant_read(struct rnic *rnic, uint32_t ref, int has_failed, int64_t now_cyc)
{
    const struct message *message = rnic_message(rnic, rnic_item(rnic, ref)->message);
    uint32_t read = read_payload(rnic, &rnic->qp[message->qp], message, ref, now_cyc);
    rnic->pcie.read[read].failed |= (uint8_t)has_failed;
    rnic_run_reads(rnic);
}
