/* The way in: a frame is taken or dropped when it arrives, judged when it is all there, then dispatched: data to the
 * responder, ACKs to the requester. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>

void receive_drop(struct rnic *rnic, uint32_t ref)
{
    const struct item *item = rnic_item(rnic, ref);
    if (item->kind == ITEM_DATA && item->last)
        message_end(rnic->setup.messages, item->message);
    pool_give(rnic->setup.items, ref);
}

/* Admission (R10): a frame that does not fit in the receive FIFO at its arrival is dropped whole. Space that is known now is there
 * then, since only frames take it, and in order; without it the arrival instant decides. Returns when that is. */
static int64_t admit(struct rnic *rnic)
{
    struct fifo *in = &rnic->path[RNIC_MAC_RX].end;
    struct fifo *out = path_entry(&rnic->path[RNIC_RX]);
    while (!fifo_empty(in)) {
        int64_t head_cyc = fifo_front(in)->head_cyc;
        int fits = fifo_space_at(out, fifo_front(in)->bytes) <= head_cyc;
        if (!fits && clk_edge(&rnic->mac_clk, head_cyc) > rnic->sim->now)
            return clk_edge(&rnic->mac_clk, head_cyc);
        struct fifo_slot slot = fifo_take(in);
        fifo_release(in, slot.bytes, slot.head_cyc, slot.tail_cyc);
        if (fits) {
            fifo_push(out, slot.head_cyc, slot.head_cyc + 1, slot.tail_cyc + 1, 0, slot.bytes, slot.ref);
            continue;
        }
        out->drops++;
        rnic->drops_full++;
        receive_drop(rnic, slot.ref);
    }
    return SIM_NEVER;
}

static int64_t decide_arrival(void *self, int64_t now)
{
    (void)now;
    return admit(self);
}

void receive_arrivals(struct rnic *rnic)
{
    int64_t at = admit(rnic);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->arrival, at);
}

void receive_acknowledge(struct rnic *rnic, const struct item *data, uint32_t status, int64_t from_cyc)
{
    uint32_t ref = item_new(rnic->setup.items);
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    struct item *ack = rnic_item(rnic, ref);
    *ack = (struct item){.kind = ITEM_ACK,
                         .bytes = FRAME_ACK_BYTES,
                         .psn = data->psn,
                         .status = (uint8_t)status,
                         .qp = rnic->qp[data->qp].peer};
    struct fifo *entry = path_entry(&rnic->path[RNIC_ACK]);
    int64_t space_at = fifo_space_at(entry, ack->bytes);
    model_assert(rnic->sim, space_at != SIM_NEVER, "%s: an ACK finds no space", rnic->setup.name);
    if (space_at > from_cyc)
        from_cyc = space_at;
    if (rnic->ack_last_cyc > from_cyc)
        from_cyc = rnic->ack_last_cyc;
    rnic->ack_last_cyc = from_cyc;
    rnic_forward(entry, from_cyc, ack->bytes, ref);
}

enum verdict { ACCEPT, IGNORE, NAK_RNR, NAK_INVALID };

#define STATUS_INVALID_REQUEST 9u /* IBV_WC_REM_INV_REQ_ERR */

/* The responder's checks, and the receive WQE that a SEND or a WRITE with immediate takes. */
static enum verdict judge(struct rnic *rnic, struct qp *qp, const struct item *item)
{
    if (item->psn != qp->responder.psn_expected)
        return IGNORE;
    struct message *message = rnic_message(rnic, item->message);
    int takes = message_is_send(message) ? item->first : item->last && message_is_received(message);
    if (takes) {
        const struct qp_receive *receive = &qp->receive[qp->receives_taken & qp->receive_mask];
        if (qp->receives_taken == qp->receives_posted || receive->posted_at_ps > rnic->sim->now)
            return NAK_RNR;
        if (message_is_send(message)) {
            if (message->length_bytes > receive->length_bytes)
                return NAK_INVALID;
            message->remote_address = receive->address;
        }
        message->recv_wr_id = receive->wr_id;
        qp->receives_taken++;
    }
    responder_take(&qp->responder, item->psn, item->last);
    return ACCEPT;
}

static int acks_on_acceptance(const struct rnic *rnic)
{
    return rnic->setup.transport->ack_point == TRANSPORT_ACK_ACCEPTED;
}

/* Whether the data packet can go on at now_cyc; else *wake_at. */
static int responder_has_room(struct rnic *rnic, const struct item *item, int64_t now_cyc, int64_t *wake_at)
{
    if (rnic_blocked(rnic, path_entry(&rnic->path[RNIC_RESPOND]), item->payload_bytes, now_cyc, wake_at))
        return 0;
    return !rnic_blocked(rnic, path_entry(&rnic->path[RNIC_ACK]), FRAME_ACK_BYTES, now_cyc, wake_at);
}

static void take_data(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    enum verdict verdict = judge(rnic, &rnic->qp[item->qp], item);
    if (verdict != ACCEPT) {
        if (verdict == NAK_RNR)
            receive_acknowledge(rnic, item, MESSAGE_RNR_EXCEEDED, now_cyc);
        else if (verdict == NAK_INVALID)
            receive_acknowledge(rnic, item, STATUS_INVALID_REQUEST, now_cyc);
        else
            rnic->drops_sequence++;
        receive_drop(rnic, ref);
        return;
    }
    struct message *message = rnic_message(rnic, item->message);
    if (item->last)
        message->stamp_ps[MESSAGE_AT_JUDGED] = item->judged_at_ps;
    if (acks_on_acceptance(rnic)) {
        if (item->last)
            message->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, now_cyc);
        if (item->ack_request) {
            receive_acknowledge(rnic, item, MESSAGE_OK, now_cyc);
            item = rnic_item(rnic, ref); /* the pool may have moved */
        }
    }
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
}

static int64_t decide_dispatch(void *self, int64_t now)
{
    struct rnic *rnic = self;
    struct fifo *in = &rnic->path[RNIC_RX].end;
    while (!fifo_empty(in)) {
        const struct fifo_slot *front = fifo_front(in);
        int64_t at = front->tail_cyc > rnic->dispatch_free_cyc ? front->tail_cyc : rnic->dispatch_free_cyc,
                at_ps = rnic_ps(rnic, at);
        if (at_ps > now)
            return at_ps;
        int64_t now_cyc = at_ps == now ? at : rnic_cycle(rnic, now);
        struct item *item = rnic_item(rnic, front->ref);
        int64_t wake_at;
        int room = item->bad || (item->kind == ITEM_DATA ? responder_has_room(rnic, item, now_cyc, &wake_at)
                                                         : !rnic_blocked(rnic, path_entry(&rnic->path[RNIC_RETIRE]),
                                                                         item->bytes, now_cyc, &wake_at));
        if (!room)
            return wake_at;
        struct fifo_slot slot = fifo_take(in);
        item->judged_at_ps = rnic_ps(rnic, slot.tail_cyc);
        rnic->dispatching.items++;
        rnic->dispatching.work_cyc++;
        rnic->dispatching.wait_cyc[RNIC_WAIT_DOWNSTREAM] += now_cyc - at;
        rnic->dispatch_free_cyc = now_cyc + 1;
        if (item->bad) {
            rnic->drops_bad++;
            receive_drop(rnic, slot.ref);
        } else if (item->kind == ITEM_DATA) {
            take_data(rnic, slot.ref, now_cyc);
        } else {
            rnic_forward(path_entry(&rnic->path[RNIC_RETIRE]), now_cyc, item->bytes, slot.ref);
        }
        fifo_release(in, slot.bytes, now_cyc, now_cyc);
    }
    return SIM_NEVER;
}

int receive_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "too many decision points");
    rnic->arrival = sim_add(rnic->sim, decide_arrival, rnic, "arrival", rnic->mac_clk.whole);
    rnic->dispatch = sim_add(rnic->sim, decide_dispatch, rnic, "dispatch", rnic->user_clk.whole);
    if (rnic->arrival < 0 || rnic->dispatch < 0)
        return -1;
    rnic->path[RNIC_RX].end.read_decider = rnic->dispatch;
    rnic->path[RNIC_RX].end.reader_wants_tail = 1;
    path_entry(&rnic->path[RNIC_RESPOND])->write_decider = rnic->dispatch;
    path_entry(&rnic->path[RNIC_RETIRE])->write_decider = rnic->dispatch;
    path_entry(&rnic->path[RNIC_ACK])->write_decider =
        acks_on_acceptance(rnic) ? rnic->dispatch : rnic->pcie.up_decider;
    return 0;
}
