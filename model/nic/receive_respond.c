/* The responder: what becomes of a packet of data or of a request that is dispatched, and who is told. */
#include "nic/rnic.h"
#include "transport/frame.h"

void receive_acknowledge(struct rnic *rnic, const struct item *data, uint32_t status, int64_t from_cyc)
{
    struct item answer = {.kind = ITEM_ACK,
                          .bytes = FRAME_ACK_BYTES,
                          .psn = psn_add(data->psn, data->releases),
                          .msn = data->msn,
                          .status = (uint8_t)status,
                          .message = data->message,
                          .after_answers = data->after_answers,
                          .ahead = data->ahead,
                          .sack = data->sack,
                          .qp = rnic->qp[data->qp].peer};
    uint32_t ref = item_new(rnic->setup.items); /* the pool may move, and `data` with it */
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    *rnic_item(rnic, ref) = answer;
    receive_send_ack(rnic, ref, from_cyc);
}

void receive_send_ack(struct rnic *rnic, uint32_t ref, int64_t from_cyc)
{
    const struct item *ack = rnic_item(rnic, ref);
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

int receive_give_wqe(struct rnic *rnic, const struct qp *qp, struct message *message, const struct qp_receive *receive)
{
    if (message_is_send(message)) {
        if ((uint64_t)message->length_bytes + qp->grh_bytes > receive->length_bytes)
            return 0;
        message->remote_address = receive->address;
        message->rkey = receive->lkey;
        if (receive->list) { /* the WQE's place in its queue may be another's before the message is whole */
            uint32_t index = rnic_message_index(rnic, message);
            model_assert(rnic->sim, sges_open(rnic->setup.sges, index) == 0, "out of memory");
            *sges_of(rnic->setup.sges, index, SGE_OF_RECEIVE) = *receive->list;
            message->receive_sges = (uint8_t)receive->list->count;
        }
    }
    message->recv_wr_id = receive->wr_id;
    message->has_receive = 1;
    return 1;
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
    NAK_ACCESS,
    NAK_OPERATION
};

/* A receive WQE is taken, and ends with an error that fails the QP. */
static enum verdict spoil_receive(struct rnic *rnic, struct qp *qp, struct receive_queue *queue, uint64_t wr_id,
                                  uint32_t status, enum verdict verdict)
{
    if (qp->is_unreliable)
        return verdict; /* and it stays for the next message (IBTA vol. 1, 9.8.2.2.4; 9.8.3) */
    queue->taken++;
    qp->failed_receive = receive_end(rnic, rnic_qp_index(rnic, qp), wr_id, status);
    return verdict;
}

/* A packet of a SEND, or the last of a WRITE with immediate, that takes no receive WQE: its message has one. */
static enum verdict go_on_receiving(struct rnic *rnic, struct qp *qp, const struct item *item, struct message *message)
{
    if (!item->last)
        return ACCEPT;
    if (message->opcode == MESSAGE_SEND_INV &&
        keys_invalidate(&rnic->keys, message->immediate, qp->pd, rnic_qp_index(rnic, qp)) != 0) {
        qp->open_receive = POOL_NONE;
        qp->failed_receive = receive_end(rnic, rnic_qp_index(rnic, qp), message->recv_wr_id, MESSAGE_REMOTE_INVALID);
        return NAK_INVALID;
    }
    qp->open_receive = POOL_NONE;
    qp->receives_due++;
    return ACCEPT;
}

/* A SEND or a WRITE with immediate takes a receive WQE, which may not be there. */
static enum verdict take_receive(struct rnic *rnic, struct qp *qp, const struct item *item, uint32_t index)
{
    struct message *message = rnic_message(rnic, index);
    if (!receive_takes_wqe(item, message))
        return go_on_receiving(rnic, qp, item, message);
    uint32_t srq = srq_of(rnic, item);
    struct receive_queue *queue = srq == SRQ_NONE ? qp->receives : rnic->srqs.srq[srq]->queue;
    if (__builtin_expect(message->has_receive, 0)) { /* it came ahead */
        receive_count_wqe(queue, message);
        return go_on_receiving(rnic, qp, item, message);
    }
    if (qp->transport == QP_UD && (message->qkey != qp->qkey || message->length_bytes > qp->mtu_bytes))
        return UNWANTED;
    const struct qp_receive *receive = receive_queue_first(queue, rnic->sim->now);
    if (srq != SRQ_NONE)
        srq_accessed(rnic, srq, receive == 0);
    if (!receive)
        return NAK_RNR;
    if (!receive_give_wqe(rnic, qp, message, receive))
        return spoil_receive(rnic, qp, queue, receive->wr_id, MESSAGE_LOCAL_LENGTH, NAK_INVALID);
    if (message_is_send(message) && !access_receive(rnic, qp, receive, message->length_bytes + qp->grh_bytes))
        return spoil_receive(rnic, qp, queue, receive->wr_id, MESSAGE_LOCAL_PROTECTION, NAK_OPERATION);
    receive_count_wqe(queue, message);
    if (srq != SRQ_NONE)
        srq_taken(rnic, srq);
    qp->open_receive = index;
    return go_on_receiving(rnic, qp, item, message);
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
        return qp->answers_again < rnic->params->responder_resources ? ANSWER_AGAIN : IGNORE;
    return item->ack_request ? ACK_AGAIN : IGNORE;
}

/* The responder's checks, and what the packet takes there. */
static inline __attribute__((always_inline)) enum verdict judge(struct rnic *rnic, struct qp *qp,
                                                                const struct item *item)
{
    if (__builtin_expect(qp->deaf, 0))
        return UNWANTED;
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
    if (__builtin_expect(message->wrong_keys, 0) && access_wrong_remote(rnic, qp, message)) {
        qp->responder.nak_sent = (uint8_t)rnic->recovers;
        return NAK_ACCESS;
    }
    if (message->opcode != MESSAGE_WRITE) {
        if (message_is_answered(message))
            return judge_answered(rnic, qp, item, message);
        enum verdict verdict = take_receive(rnic, qp, item, item->message);
        if (verdict != ACCEPT) {
            qp->responder.nak_sent = (uint8_t)rnic->recovers; /* those behind it are not told of */
            return verdict;
        }
    }
    responder_take(&qp->responder, 1, item->last);
    return ACCEPT;
}

/* A NAK is made where ACKs are, so that it comes behind those of the packets before: here, or, when the writes before it are done, at
 * the write engine, which the packet reaches without its payload. */
static int refuse(struct rnic *rnic, uint32_t ref, enum verdict verdict, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    static const uint8_t status[] = {[ACK_AGAIN] = MESSAGE_TWICE,          [NAK_SEQUENCE] = MESSAGE_RETRY_EXCEEDED,
                                     [NAK_RNR] = MESSAGE_RNR_EXCEEDED,     [NAK_INVALID] = MESSAGE_REMOTE_INVALID,
                                     [NAK_ACCESS] = MESSAGE_REMOTE_ACCESS, [NAK_OPERATION] = MESSAGE_REMOTE_OPERATION};
    struct qp *qp = &rnic->qp[item->qp];
    if (qp->is_unreliable)
        verdict = verdict == IGNORE ? IGNORE : UNWANTED;
    rnic->drops_unwanted += verdict == UNWANTED;
    rnic->drops_sequence += verdict == IGNORE || verdict == ACK_AGAIN || verdict == NAK_SEQUENCE;
    item->after_answers = qp->answers_asked;
    item->msn = qp->responder.msn & PSN_MASK;
    item->status = status[verdict];
    item->sack = item->psn;
    if (verdict > NAK_RNR) /* IBTA vol. 1, 9.9.3: such a responder's QP is in error, too */
        errors_of_qp(rnic, item->qp, item->status, now_cyc);
    if (verdict == ACK_AGAIN)
        item->psn = psn_add(qp->responder.psn_expected, PSN_MASK);
    else if (verdict == NAK_SEQUENCE)
        item->psn = qp->responder.psn_expected;
    if (verdict > UNWANTED && !receive_acks_on_acceptance(rnic)) {
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
void receive_end_trip(struct rnic *rnic, struct item *item, int from, int to)
{
    const int64_t *own = rnic_stamps(rnic, item);
    int64_t *stamp_ps = rnic_message(rnic, item->message)->stamp_ps;
    for (int i = from; i <= to; i++)
        stamp_ps[i] = own[i];
    pool_give(rnic->setup.trips, item->trip - 1);
    item->trip = 0;
}

/* 1: it goes on to the write engine, in front of its answer: an ATOMIC WRITE, once. */
static int answer(struct rnic *rnic, uint32_t ref, int is_again, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    if (is_again) {
        if (item->trip > 0) /* the first one's stamps count */
            pool_give(rnic->setup.trips, item->trip - 1);
    } else {
        rnic_message(rnic, item->message)->stamp_ps[MESSAGE_AT_JUDGED] = item->judged_at_ps;
        if (item->trip > 0)
            receive_end_trip(rnic, item, MESSAGE_AT_PACKET, MESSAGE_AT_RECEIVED);
    }
    int is_written = !is_again && rnic_message(rnic, item->message)->opcode == MESSAGE_ATOMIC_WRITE;
    if (is_written) {
        message_hold(rnic->setup.messages, item->message);
        rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
    }
    answers_ask(rnic, item, is_again, now_cyc); /* which holds the message now */
    if (!is_written)
        pool_give(rnic->setup.items, ref);
    return is_written;
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
        receive_end_trip(rnic, item, MESSAGE_AT_PACKET, MESSAGE_AT_RECEIVED);
    if (receive_acks_on_acceptance(rnic))
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
    if (receive_acks_on_acceptance(rnic)) {
        item.ahead = ITEM_IN_ORDER;
        receive_acknowledge(rnic, &item, MESSAGE_OK, ack_cyc);
    }
    return 1;
}

/* A packet that was marked: a CNP, here or behind its write, where ACKs are made. */
static __attribute__((noinline, cold)) void notice_mark(struct rnic *rnic, struct item *item, int64_t ack_cyc)
{
    rnic->congestion.marked++;
    if (!receive_acks_on_acceptance(rnic))
        return;
    item->ce = 0;
    if (congestion_is_told(rnic, item, ack_cyc))
        congestion_tell(rnic, item, ack_cyc);
}

/* 1: it goes on to the write engine. */
int receive_take(struct rnic *rnic, uint32_t ref, int64_t now_cyc, int64_t ack_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    if (__builtin_expect(item->ce, 0) && rnic->congestion.on) {
        notice_mark(rnic, item, ack_cyc);
        item = rnic_item(rnic, ref); /* the pool may have moved */
    }
    int is_selective = rnic->selective.on;
    if (is_selective && psn_difference(item->psn, rnic->qp[item->qp].responder.psn_expected) > 0 &&
        selective_place(rnic, item))
        return take_ahead(rnic, ref, now_cyc, ack_cyc);
    enum verdict verdict = judge(rnic, &rnic->qp[item->qp], item);
    if (verdict != ACCEPT) {
        if (verdict > ANSWER_AGAIN)
            return refuse(rnic, ref, verdict, now_cyc);
        struct item request = *item;
        int is_written = answer(rnic, ref, verdict == ANSWER_AGAIN, now_cyc);
        return (is_selective && release_behind(rnic, &request, now_cyc, ack_cyc)) || is_written;
    }
    struct message *message = rnic_message(rnic, item->message);
    if (item->last) {
        message->stamp_ps[MESSAGE_AT_JUDGED] = item->judged_at_ps;
        if (__builtin_expect(item->trip > 0, 0))
            receive_end_trip(rnic, item, MESSAGE_AT_PACKET, MESSAGE_AT_RECEIVED);
        if (receive_acks_on_acceptance(rnic))
            message->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, ack_cyc);
    }
    item->payload_bytes += rnic->qp[item->qp].grh_bytes;
    if (is_selective)
        selective_release(rnic, item, ack_cyc);
    if (item->ack_request) {
        item->after_answers = rnic->qp[item->qp].answers_asked;
        item->msn = rnic->qp[item->qp].responder.msn & PSN_MASK;
        if (receive_acks_on_acceptance(rnic)) {
            receive_acknowledge(rnic, item, MESSAGE_OK, ack_cyc);
            item = rnic_item(rnic, ref); /* the pool may have moved */
        }
    }
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
    return 1;
}
