/* The way in: a frame is taken or dropped when it arrives, judged when it is all there, then dispatched: data to the
 * responder, ACKs to the requester. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>
#include <stdlib.h>

void receive_drop(struct rnic *rnic, uint32_t ref)
{
    const struct item *item = rnic_item(rnic, ref);
    if (item->kind != ITEM_ACK)
        message_end(rnic->setup.messages, item->message);
    if (item->trip > 0)
        pool_give(rnic->setup.trips, item->trip - 1);
    pool_give(rnic->setup.items, ref);
}

void receive_drop_bad(struct rnic *rnic, uint32_t ref)
{
    unsigned bad = rnic_item(rnic, ref)->bad;
    if (bad & ITEM_NOT_READ)
        rnic->drops_not_read++;
    else if (bad & ITEM_UNDERRUN)
        rnic->drops_underrun++;
    else
        rnic->drops_damaged++;
    receive_drop(rnic, ref);
}

static void dispatch_certain(struct rnic *rnic);

/* Admission (R10): a frame that does not fit in the receive FIFO at its arrival is dropped whole. Space that is known now is there
 * then, since only frames take it, and in order; without it the arrival instant decides. Returns when that is. */
static int64_t admit(struct rnic *rnic)
{
    struct fifo *in = &rnic->path[RNIC_MAC_RX].end;
    struct fifo *out = path_entry(&rnic->path[RNIC_RX]);
    const struct fifo_slot *next;
    while ((next = fifo_next(in)) != 0) {
        int64_t head_cyc = next->head_cyc;
        int fits = fifo_space_at(out, next->bytes) <= head_cyc;
        if (!fits && clk_edge(&rnic->mac_clk, head_cyc) > rnic->sim->now) {
            fifo_keep(in);
            return clk_edge(&rnic->mac_clk, head_cyc);
        }
        struct fifo_slot slot = fifo_take_next(in, head_cyc, next->tail_cyc);
        if (fits) {
            fifo_push(out, slot.head_cyc, slot.head_cyc + 1, slot.tail_cyc + 1, slot.bytes, slot.ref);
            dispatch_certain(rnic);
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
    struct item answer = {.kind = ITEM_ACK,
                          .bytes = FRAME_ACK_BYTES,
                          .psn = psn_add(data->psn, data->releases),
                          .status = (uint8_t)status,
                          .message = data->message,
                          .after_answers = data->after_answers,
                          .ahead = data->ahead,
                          .sack = data->sack,
                          .qp = rnic->qp[data->qp].peer};
    uint32_t ref = item_new(rnic->setup.items); /* the pool may move, and `data` with it */
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    struct item *ack = rnic_item(rnic, ref);
    *ack = answer;
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

enum verdict {
    ACCEPT,
    ANSWER, /* accepted, and to be answered with data */
    ANSWER_AGAIN,
    IGNORE,
    UNWANTED, /* by an unreliable QP, and nobody is told */
    ACK_AGAIN,
    NAK_SEQUENCE,
    NAK_RNR,
    NAK_INVALID,
    NAK_ACCESS
};

/* A SEND or a WRITE with immediate takes a receive WQE, which may not be there. */
static enum verdict take_receive(struct rnic *rnic, struct qp *qp, const struct item *item, struct message *message)
{
    if (!receive_takes_wqe(item, message))
        return ACCEPT;
    uint32_t srq = srq_of(rnic, item);
    struct receive_queue *queue = srq == SRQ_NONE ? qp->receives : rnic->srqs.srq[srq]->queue;
    if (__builtin_expect(message->has_receive, 0)) { /* it came ahead */
        receive_count_wqe(queue, message);
        return ACCEPT;
    }
    if (qp->transport == QP_UD && (message->qkey != qp->qkey || message->length_bytes > qp->mtu_bytes))
        return UNWANTED;
    const struct qp_receive *receive = receive_queue_first(queue, rnic->sim->now);
    if (srq != SRQ_NONE)
        srq_accessed(rnic, srq, receive == 0);
    if (!receive)
        return NAK_RNR;
    if (!receive_give_wqe(qp, message, receive))
        return NAK_INVALID;
    receive_count_wqe(queue, message);
    if (srq != SRQ_NONE)
        srq_taken(rnic, srq);
    return ACCEPT;
}

/* A READ or an atomic needs a place among the QP's answers. */
static enum verdict judge_answered(struct rnic *rnic, struct qp *qp, const struct item *item,
                                   const struct message *message)
{
    if (!answers_have_room(rnic, item->qp))
        return NAK_INVALID;
    responder_take(&qp->responder, message_psns(message, qp->mtu_bytes), 1);
    return ANSWER;
}

/* A packet that is not the expected one. What has come twice is not executed again (IBTA vol. 1, 9.7.5.1.3 and 9.7.5.1.4). ACCEPT: it is to be
 * judged as if it were the expected one. */
static __attribute__((noinline, cold)) enum verdict judge_unexpected(struct rnic *rnic, struct qp *qp,
                                                                     const struct item *item)
{
    if (qp->is_unreliable && item->first) {
        qp->responder.psn_expected = item->psn; /* what was lost before stays lost (IBTA vol. 1, 9.8.2.2) */
        return ACCEPT;
    }
    if (!rnic->recovers || qp->is_unreliable)
        return IGNORE;
    enum responder_news news = responder_unexpected(&qp->responder, item->psn);
    if (news != RESPONDER_TWICE && rnic->selective.on)
        return NAK_SEQUENCE; /* each is told of */
    if (news != RESPONDER_TWICE)
        return news == RESPONDER_GAP ? NAK_SEQUENCE : IGNORE;
    if (message_is_answered(rnic_message(rnic, item->message)))
        return qp->answers_held < rnic->params->responder_resources ? ANSWER_AGAIN : IGNORE;
    return item->ack_request ? ACK_AGAIN : IGNORE;
}

/* The responder's checks, and what the packet takes there. */
static inline __attribute__((always_inline)) enum verdict judge(struct rnic *rnic, struct qp *qp,
                                                                const struct item *item)
{
    if (item->psn != qp->responder.psn_expected) {
        enum verdict verdict = judge_unexpected(rnic, qp, item);
        if (verdict != ACCEPT)
            return verdict;
    }
    if (__builtin_expect(item->status != MESSAGE_OK, 0)) {
        qp->responder.nak_sent = (uint8_t)rnic->recovers;
        return item->status == MESSAGE_RNR_EXCEEDED ? NAK_RNR : NAK_ACCESS; /* the plan of faults has it refused */
    }
    struct message *message = rnic_message(rnic, item->message);
    if (message->opcode != MESSAGE_WRITE) {
        if (message_is_answered(message))
            return judge_answered(rnic, qp, item, message);
        enum verdict verdict = take_receive(rnic, qp, item, message);
        if (verdict != ACCEPT) {
            qp->responder.nak_sent = (uint8_t)rnic->recovers; /* those behind it are not told of */
            return verdict;
        }
    }
    responder_take(&qp->responder, 1, item->last);
    return ACCEPT;
}

static int acks_on_acceptance(const struct rnic *rnic)
{
    return rnic->setup.transport->ack_point == TRANSPORT_ACK_ACCEPTED;
}

/* Whether the packet takes a receive WQE, if it is accepted, or a place among the QP's answers: then its fate is known at its instant only,
 * as the host may post until then, and answers may end. All else that decides it is the responder's own, in the order of the packets. */
static int is_judged_at_its_instant(const struct rnic *rnic, const struct item *item)
{
    if (item->kind == ITEM_ANSWER) /* of which the requester knows what is missing, at any instant */
        return rnic->recovers;
    return !item->bad && item->kind == ITEM_DATA && rnic_message(rnic, item->message)->opcode != MESSAGE_WRITE;
}

/* When there is space in the path; SIM_NEVER: not decided yet, and I am woken. */
static int64_t room_at(struct rnic *rnic, enum rnic_path path, uint32_t bytes)
{
    struct fifo *entry = path_entry(&rnic->path[path]);
    int64_t at = fifo_space_at(entry, bytes);
    entry->writer_waits |= at == SIM_NEVER;
    return at;
}

/* When what the packet needs behind its dispatch is there: a place where it goes, and one for the ACK or NAK that it may lead to. */
static inline __attribute__((always_inline)) int64_t all_room_at(struct rnic *rnic, const struct item *item,
                                                                 int has_instant)
{
    if (item->bad)
        return 0;
    if (item->kind == ITEM_ACK)
        return room_at(rnic, RNIC_RETIRE, item->bytes);
    int64_t respond_at = room_at(rnic, RNIC_RESPOND, item->payload_bytes + rnic->qp[item->qp].grh_bytes);
    if (item->kind == ITEM_ANSWER)
        return respond_at;
    if (!acks_on_acceptance(rnic) || (!item->ack_request && !rnic->selective.on && !has_instant &&
                                      item->psn == rnic->qp[item->qp].responder.psn_expected))
        return respond_at;
    int64_t ack_at = room_at(rnic, RNIC_ACK, FRAME_ACK_BYTES);
    return respond_at > ack_at ? respond_at : ack_at;
}

/* Places are free in the order of their packets. */
static void free_places(struct rnic *rnic)
{
    for (; rnic->places.first != rnic->places.next; rnic->places.first++) {
        int64_t cyc = rnic->places.free_cyc[rnic->places.first & rnic->places.mask];
        if (cyc == SIM_NEVER)
            return;
        cyc = cyc > rnic->places.last_cyc ? cyc : rnic->places.last_cyc;
        rnic->places.last_cyc = cyc;
        fifo_release(&rnic->path[RNIC_RX].end, 1, cyc, cyc);
    }
}

/* A packet is dispatched: its place is free with that, or when it is written. */
static __attribute__((noinline, cold)) void leave_place(struct rnic *rnic, int64_t start_cyc, int goes_to_memory)
{
    rnic->places.free_cyc[rnic->places.next++ & rnic->places.mask] = goes_to_memory ? SIM_NEVER : start_cyc;
    free_places(rnic);
}

/* A NAK is made where ACKs are, so that it comes behind those of the packets before: here, or, when the writes before it are done, at
 * the write engine, which the packet reaches without its payload. */
static int refuse(struct rnic *rnic, uint32_t ref, enum verdict verdict, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    static const uint8_t status[] = {[ACK_AGAIN] = MESSAGE_TWICE,
                                     [NAK_SEQUENCE] = MESSAGE_RETRY_EXCEEDED,
                                     [NAK_RNR] = MESSAGE_RNR_EXCEEDED,
                                     [NAK_INVALID] = MESSAGE_REMOTE_INVALID,
                                     [NAK_ACCESS] = MESSAGE_REMOTE_ACCESS};
    struct qp *qp = &rnic->qp[item->qp];
    if (qp->is_unreliable)
        verdict = verdict == IGNORE ? IGNORE : UNWANTED;
    rnic->drops_unwanted += verdict == UNWANTED;
    rnic->drops_sequence += verdict == IGNORE || verdict == ACK_AGAIN || verdict == NAK_SEQUENCE;
    item->after_answers = qp->answers_asked;
    item->status = status[verdict];
    item->sack = item->psn;
    if (verdict == ACK_AGAIN)
        item->psn = psn_add(qp->responder.psn_expected, PSN_MASK);
    else if (verdict == NAK_SEQUENCE)
        item->psn = qp->responder.psn_expected;
    if (verdict > UNWANTED && !acks_on_acceptance(rnic)) {
        item->payload_bytes = 0;
        rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, 0, ref);
        return 1;
    }
    struct item data = *item;
    receive_drop(rnic, ref); /* before the NAK, which takes its place in the pool */
    if (verdict > UNWANTED)
        receive_acknowledge(rnic, &data, data.status == MESSAGE_TWICE ? MESSAGE_OK : data.status, now_cyc);
    return 0;
}

/* A packet that was sent again is accepted: its message's stamps up to the line are its own. */
static __attribute__((noinline, cold)) void end_trip(struct rnic *rnic, struct item *item, int from, int to)
{
    const int64_t *own = rnic_stamps(rnic, item);
    int64_t *stamp_ps = rnic_message(rnic, item->message)->stamp_ps;
    for (int i = from; i <= to; i++)
        stamp_ps[i] = own[i];
    pool_give(rnic->setup.trips, item->trip - 1);
    item->trip = 0;
}

static void answer(struct rnic *rnic, uint32_t ref, int is_again, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    if (is_again) {
        if (item->trip > 0) /* the first one's stamps count */
            pool_give(rnic->setup.trips, item->trip - 1);
    } else {
        rnic_message(rnic, item->message)->stamp_ps[MESSAGE_AT_JUDGED] = item->judged_at_ps;
        if (item->trip > 0)
            end_trip(rnic, item, MESSAGE_AT_PACKET, MESSAGE_AT_RECEIVED);
    }
    answers_ask(rnic, item, is_again, now_cyc); /* which holds the message now */
    pool_give(rnic->setup.items, ref);
}

/* The NAK of a packet that is taken ahead: what is missing, and what has come. */
void receive_tell_ahead(struct rnic *rnic, const struct item *item, int64_t from_cyc)
{
    struct item data = *item;
    data.psn = item->sack;
    data.sack = item->psn;
    receive_acknowledge(rnic, &data, MESSAGE_RETRY_EXCEEDED, from_cyc);
}

/* A packet behind a missing one is taken: it goes on to the write engine. */
static __attribute__((noinline, cold)) int take_ahead(struct rnic *rnic, uint32_t ref, int64_t now_cyc, int64_t ack_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    const struct qp *qp = &rnic->qp[item->qp];
    item->ahead = ITEM_AHEAD;
    item->sack = qp->responder.psn_expected;
    item->after_answers = qp->answers_asked;
    if (item->last)
        rnic_message(rnic, item->message)->stamp_ps[MESSAGE_AT_JUDGED] = item->judged_at_ps;
    if (item->trip > 0)
        end_trip(rnic, item, MESSAGE_AT_PACKET, MESSAGE_AT_RECEIVED);
    if (acks_on_acceptance(rnic))
        receive_tell_ahead(rnic, item, ack_cyc);
    item = rnic_item(rnic, ref); /* the pool may have moved */
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
    return 1;
}

/* Those that had come ahead of a READ or an atomic, which is taken now, count: an item of their own delivers and acknowledges them. 1: there
 * are some. */
static __attribute__((noinline, cold)) int release_behind(struct rnic *rnic, const struct item *request,
                                                          int64_t now_cyc, int64_t ack_cyc)
{
    const struct qp *qp = &rnic->qp[request->qp];
    struct item item = {.kind = ITEM_DATA,
                        .ahead = ITEM_CARRIER,
                        .qp = request->qp,
                        .message = request->message,
                        .psn = psn_add(qp->responder.psn_expected, PSN_MASK),
                        .after_answers = qp->answers_asked};
    selective_release(rnic, &item, ack_cyc);
    if (item.releases == 0)
        return 0;
    uint32_t ref = item_new(rnic->setup.items);
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    *rnic_item(rnic, ref) = item;
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, 0, ref);
    if (acks_on_acceptance(rnic)) {
        item.ahead = ITEM_IN_ORDER;
        receive_acknowledge(rnic, &item, MESSAGE_OK, ack_cyc);
    }
    return 1;
}

/* 1: it goes on to the write engine. */
static inline __attribute__((always_inline)) int take_data(struct rnic *rnic, uint32_t ref, int64_t now_cyc,
                                                           int64_t ack_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    int is_selective = rnic->selective.on;
    if (is_selective && psn_difference(item->psn, rnic->qp[item->qp].responder.psn_expected) > 0 &&
        selective_place(rnic, item))
        return take_ahead(rnic, ref, now_cyc, ack_cyc);
    enum verdict verdict = judge(rnic, &rnic->qp[item->qp], item);
    if (verdict != ACCEPT) {
        if (verdict > ANSWER_AGAIN)
            return refuse(rnic, ref, verdict, now_cyc);
        struct item request = *item;
        answer(rnic, ref, verdict == ANSWER_AGAIN, now_cyc);
        return is_selective && release_behind(rnic, &request, now_cyc, ack_cyc);
    }
    struct message *message = rnic_message(rnic, item->message);
    if (item->last) {
        message->stamp_ps[MESSAGE_AT_JUDGED] = item->judged_at_ps;
        if (__builtin_expect(item->trip > 0, 0))
            end_trip(rnic, item, MESSAGE_AT_PACKET, MESSAGE_AT_RECEIVED);
        if (acks_on_acceptance(rnic))
            message->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, ack_cyc);
    }
    item->payload_bytes += rnic->qp[item->qp].grh_bytes;
    if (is_selective)
        selective_release(rnic, item, ack_cyc);
    if (item->ack_request) {
        item->after_answers = rnic->qp[item->qp].answers_asked;
        if (acks_on_acceptance(rnic)) {
            receive_acknowledge(rnic, item, MESSAGE_OK, ack_cyc);
            item = rnic_item(rnic, ref); /* the pool may have moved */
        }
    }
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
    return 1;
}

int64_t receive_ack_room_at(struct rnic *rnic)
{
    return room_at(rnic, RNIC_ACK, FRAME_ACK_BYTES);
}

int64_t receive_room_at(struct rnic *rnic, const struct item *item)
{
    return all_room_at(rnic, item, is_judged_at_its_instant(rnic, item));
}

void receive_take(struct rnic *rnic, uint32_t ref, int64_t now_cyc, int64_t ack_cyc)
{
    (void)take_data(rnic, ref, now_cyc, ack_cyc);
}

/* Whether it is the next packet of the QP's answers. One that has come twice is of no use; behind one that is missing, the requester asks for
 * that again (an implied NAK: IBTA vol. 1, 9.7.5.2.4), or, where it does not recover, does without. */
static int is_next_answer(struct rnic *rnic, const struct item *item, const struct message *message, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[item->qp];
    if (!rnic->recovers)
        return item->offset == message->returned_bytes;
    int32_t ahead = (int32_t)(message->answer - qp->answers_here);
    if (ahead == 0 && item->offset == message->returned_bytes)
        return 1;
    if ((ahead > 0 || (ahead == 0 && item->offset > message->returned_bytes)) && !qp->recovery.is_implied)
        recover_answer_missed(rnic, item->qp, now_cyc);
    return 0;
}

/* A packet of an answer, at the requester. 1: it goes on to the write engine. */
static int take_answer(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    struct message *message = rnic_message(rnic, item->message);
    struct qp *qp = &rnic->qp[item->qp];
    if (!is_next_answer(rnic, item, message, now_cyc)) {
        rnic->drops_sequence++;
        receive_drop(rnic, ref);
        return 0;
    }
    message->returned_bytes += item->payload_bytes;
    if (item->last) {
        message->stamp_ps[MESSAGE_AT_ACK_WIRE] = item->wire_at_ps;
        message->stamp_ps[MESSAGE_AT_ACK_RECEIVED] = item->judged_at_ps;
        message->answered = 1;
        qp->answers_here++;
        if (item->trip > 0)
            end_trip(rnic, item, MESSAGE_AT_RESPONDED, MESSAGE_AT_RESPONDED);
    }
    if (rnic->recovers) {
        qp->recovery.is_implied = 0;
        recover_progress(rnic, qp, now_cyc);
    }
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
    return 1;
}

void receive_take_answer(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    take_answer(rnic, ref, now_cyc);
}

/* The front packet leaves its FIFO at start_cyc. */
static inline __attribute__((always_inline)) void dispatch(struct rnic *rnic, int64_t start_cyc, int context_failed)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    struct fifo_slot slot = fifo_take(in);
    struct item *item = rnic_item(rnic, slot.ref);
    item->judged_at_ps = rnic_ps(rnic, slot.tail_cyc);
    if (context_failed)
        item->bad |= ITEM_NOT_READ;
    int goes_to_memory = 0;
    rnic->dispatching.items++;
    rnic->dispatching.work_cyc++;
    rnic->dispatch_free_cyc = start_cyc + 1;
    if (item->bad) {
        receive_drop_bad(rnic, slot.ref);
    } else if (item->kind == ITEM_DATA) {
        goes_to_memory = take_data(rnic, slot.ref, start_cyc, start_cyc);
    } else if (item->kind == ITEM_ANSWER) {
        goes_to_memory = take_answer(rnic, slot.ref, start_cyc);
    } else {
        rnic_forward(path_entry(&rnic->path[RNIC_RETIRE]), start_cyc, item->bytes, slot.ref);
    }
    if (!__builtin_expect(rnic->place_until_written, 0))
        fifo_release(in, slot.bytes, start_cyc, start_cyc);
    else
        leave_place(rnic, start_cyc, goes_to_memory);
}

/* When its SRQ's context is free, not before the cycle. */
static __attribute__((noinline)) int64_t behind_srq(struct rnic *rnic, const struct item *item, int64_t cyc)
{
    int64_t free_cyc = srq_free_cyc(rnic, item);
    return free_cyc > cyc ? free_cyc : cyc;
}

/* Dispatches what has come, in order, as far as its fate is certain: most of it makes no choice and runs inside whoever brings a frame.
 * What takes a receive WQE is dispatched at its instant, by the decider. Returns that instant. */
static int64_t run_dispatch(struct rnic *rnic, int is_decider)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    while (!fifo_empty(in)) {
        const struct fifo_slot *front = fifo_front(in);
        const struct item *item = rnic_item(rnic, front->ref);
        int64_t ready = front->tail_cyc > rnic->dispatch_free_cyc ? front->tail_cyc : rnic->dispatch_free_cyc;
        int has_instant = is_judged_at_its_instant(rnic, item);
        int64_t start = all_room_at(rnic, item, has_instant);
        if (start == SIM_NEVER)
            return SIM_NEVER;
        if (start < ready)
            start = ready;
        if (has_instant) {
            int64_t from = start;
            start = behind_srq(rnic, item, start);
            if (!is_decider || rnic_ps(rnic, start) > rnic->sim->now)
                return rnic_ps(rnic, start);
            rnic->dispatching.wait_cyc[RNIC_WAIT_SRQ] += start - from;
            ready += start - from;
        }
        rnic->dispatching.wait_cyc[RNIC_WAIT_DOWNSTREAM] += start - ready;
        dispatch(rnic, start, 0);
    }
    return SIM_NEVER;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When all that the front packet needs is there; SIM_NEVER: not known yet. Also what comes last. */
static int64_t front_cyc(const struct rnic *rnic, enum rnic_wait *waits_for)
{
    int64_t context = rnic->contexts.on ? context_front_cyc(rnic) : 0;
    int64_t receive = rnic->receives_fetched.on ? receive_wqe_front_cyc(rnic) : 0;
    *waits_for = context > receive ? RNIC_WAIT_CONTEXT_MISS : RNIC_WAIT_RECEIVE_WQE;
    return context > receive ? context : receive;
}

/* It is to be taken: 1 when something of that could not be read. */
static int front_taken(struct rnic *rnic)
{
    int failed = rnic->receives_fetched.on && receive_wqe_front_taken(rnic);
    return (rnic->contexts.on && context_front_taken(rnic)) || failed;
}

/* With contexts or receive WQEs that can be missing nothing is certain before its instant: the decider looks up what is judged by now,
 * and dispatches what can be. */
static __attribute__((noinline, cold)) int64_t run_and_look_ahead(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    for (;;) {
        int64_t next = rnic->contexts.on ? context_look_ahead(rnic, now_cyc) : SIM_NEVER;
        next = rnic->receives_fetched.on ? earlier(next, receive_wqe_look(rnic, now_cyc)) : next;
        enum rnic_wait waits_for;
        int64_t there = fifo_empty(in) ? SIM_NEVER : front_cyc(rnic, &waits_for);
        if (there == SIM_NEVER)
            return next;
        const struct fifo_slot *front = fifo_front(in);
        int64_t ready = front->tail_cyc > rnic->dispatch_free_cyc ? front->tail_cyc : rnic->dispatch_free_cyc;
        int64_t from = there > ready ? there : ready, room = receive_room_at(rnic, rnic_item(rnic, front->ref));
        int64_t behind = room > from ? room : from, srq_at = srq_free_cyc(rnic, rnic_item(rnic, front->ref));
        int64_t start = srq_at > behind ? srq_at : behind;
        if (start > now_cyc)
            return start < next ? start : next;
        model_assert(rnic->sim, start == now_cyc, "%s: a packet is dispatched too late", rnic->setup.name);
        rnic->dispatching.wait_cyc[waits_for] += from - ready;
        rnic->dispatching.wait_cyc[RNIC_WAIT_DOWNSTREAM] += behind - from;
        rnic->dispatching.wait_cyc[RNIC_WAIT_SRQ] += start - behind;
        dispatch(rnic, start, front_taken(rnic));
    }
}

/* Nothing is dispatched before its instant: when the decider is to look at what has come. */
static __attribute__((noinline, cold)) int64_t next_look_ps(struct rnic *rnic)
{
    if (rnic->lookup.on) {
        lookup_frame_came(rnic);
        return SIM_NEVER;
    }
    int64_t now_cyc = rnic_cycle(rnic, rnic->sim->now);
    now_cyc -= rnic_ps(rnic, now_cyc) >
               rnic->sim->now; /* between two edges: what is judged at the next one is still to come */
    int64_t at = rnic->contexts.on ? context_next_look(rnic, now_cyc) : SIM_NEVER;
    at = rnic->receives_fetched.on ? earlier(at, receive_wqe_next_look(rnic, now_cyc)) : at;
    return at == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, at);
}

void receive_free_place(struct rnic *rnic, int64_t cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    int was_empty = fifo_empty(in);
    uint32_t i = rnic->places.first; /* it is the first that is being written */
    while (i != rnic->places.next && rnic->places.free_cyc[i & rnic->places.mask] != SIM_NEVER)
        i++;
    model_assert(rnic->sim, i != rnic->places.next, "%s: a packet is written that was not dispatched",
                 rnic->setup.name);
    rnic->places.free_cyc[i & rnic->places.mask] = cyc;
    free_places(rnic);
    int64_t at = SIM_NEVER; /* what comes into that place */
    if (rnic->looks_ahead)
        at = next_look_ps(rnic);
    else if (was_empty && !fifo_empty(in))
        at = rnic_ps(rnic, fifo_front(in)->tail_cyc);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->dispatch, at);
}

static int64_t decide_dispatch(void *self, int64_t now)
{
    struct rnic *rnic = self;
    if (!rnic->looks_ahead)
        return run_dispatch(rnic, 1);
    if (rnic->lookup.on) /* the scheduler does it all */
        return SIM_NEVER;
    int64_t now_cyc = rnic_cycle(rnic, now), next = now_cyc;
    if (rnic_ps(rnic, now_cyc) == now) /* else woken between two edges */
        next = run_and_look_ahead(rnic, now_cyc);
    return next == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, next);
}

static void dispatch_certain(struct rnic *rnic)
{
    int64_t at = __builtin_expect(rnic->looks_ahead, 0) ? next_look_ps(rnic) : run_dispatch(rnic, 0);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->dispatch, at);
}

int receive_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "too many decision points");
    rnic->arrival = sim_add(rnic->sim, decide_arrival, rnic, "arrival", rnic->mac_clk.whole);
    rnic->dispatch = sim_add(rnic->sim, decide_dispatch, rnic, "dispatch", rnic->user_clk.whole);
    if (rnic->arrival < 0 || rnic->dispatch < 0)
        return -1;
    rnic->places.mask = rnic->path[RNIC_RX].end.mask;
    rnic->places.free_cyc = malloc(((size_t)rnic->places.mask + 1) * sizeof *rnic->places.free_cyc);
    if (!rnic->places.free_cyc)
        return -1;
    rnic->looks_ahead = rnic->contexts.on || rnic->receives_fetched.on;
    rnic->path[RNIC_MAC_RX].end.takes_at_once = 1;
    rnic->path[RNIC_RX].end.reader_wants_tail = 1;
    level_forget(&rnic->path[RNIC_MAC_RX].end.level); /* no memory: a frame is taken or dropped at once */
    int writer = rnic->lookup.on ? rnic->scheduler : rnic->dispatch;
    path_entry(&rnic->path[RNIC_RESPOND])->write_decider = writer;
    path_entry(&rnic->path[RNIC_RETIRE])->write_decider = writer;
    path_entry(&rnic->path[RNIC_ACK])->write_decider = acks_on_acceptance(rnic) ? writer : rnic->pcie.up_decider;
    return 0;
}
