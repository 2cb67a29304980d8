/* The requester's end of a request: an ACK retires requests in order, one an interval; signalled ones get a CQE. What goes wrong: errors.c. */
#include "nic/rnic.h"

#include <stdio.h>

/* User logic sees the completion in the next cycle, signalled or not. */
static void tell_fabric(struct rnic *rnic, struct message *message, uint32_t index, int64_t now_cyc)
{
    int64_t at_ps = rnic_ps(rnic, now_cyc + 1);
    int is_seen = message->signalled || message->status != MESSAGE_OK;
    message->stamp_ps[MESSAGE_AT_CQE] = message->stamp_ps[MESSAGE_AT_SEEN] = at_ps;
    rnic->completions += (uint64_t)is_seen;
    outbox_put(rnic->setup.outbox, at_ps, is_seen ? OUTBOX_SEND_DONE : OUTBOX_UNSIGNALLED, (uint32_t)rnic->setup.entity,
               index);
}

void retire_oldest(struct rnic *rnic, struct qp *qp, int64_t now_cyc, uint32_t status)
{
    uint32_t index = qp->send[qp->retired++ & qp->send_mask];
    if ((int32_t)(qp->acked - qp->retired) < 0)
        qp->acked = qp->retired;
    struct message *message = rnic_message(rnic, index);
    message->status = (uint8_t)status;
    message->stamp_ps[MESSAGE_AT_RETIRED] = rnic_ps(rnic, now_cyc);
    rnic->errors += status != MESSAGE_OK;
    if (message->begun)
        requests_retired(rnic, now_cyc + rnic->params->request_hold);
    if (rnic->fabric_source != NIC_FABRIC_OFF)
        tell_fabric(rnic, message, index, now_cyc);
    else if (message->signalled || status != MESSAGE_OK) {
        qp->cq_free_cyc = now_cyc + rnic->params->cq_loop;
        rnic_forward(path_entry(&rnic->path[RNIC_CQE]), now_cyc, RETIRE_CQE_BYTES, index);
    } else
        outbox_put(rnic->setup.outbox, rnic_ps(rnic, now_cyc + 1), OUTBOX_UNSIGNALLED, (uint32_t)rnic->setup.entity,
                   index);
    rnic->retiring.items++;
}

void retire_received(struct rnic *rnic, uint32_t message, int64_t cyc)
{
    model_assert(rnic->sim, agenda_put(&rnic->received, cyc, 0, message) == 0, "out of memory");
    rnic_wake_retire(rnic, cyc);
}

/* A received message is the next to get a CQE: it has come before the next ACK. */
static int received_is_next(const struct rnic *rnic, int64_t now_cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RETIRE].end;
    const struct agenda_entry *first = agenda_first(&rnic->received);
    return first && agenda_at(first) <= now_cyc && (fifo_empty(in) || fifo_front(in)->head_cyc > agenda_at(first));
}

/* The QP at the receiver, whose CQ it is. */
static struct qp *receiver_of(const struct rnic *rnic, uint32_t message)
{
    return &rnic->qp[rnic_receiver_of(rnic, rnic_message(rnic, message))];
}

static void finish_received(struct rnic *rnic, int64_t now_cyc)
{
    uint32_t message = (uint32_t)agenda_first(&rnic->received)->ref;
    agenda_drop_first(&rnic->received);
    receiver_of(rnic, message)->cq_free_cyc = now_cyc + rnic->params->cq_loop;
    rnic_forward(path_entry(&rnic->path[RNIC_CQE]), now_cyc, RETIRE_CQE_BYTES, message | RNIC_CQE_OF_RECEIVE);
    rnic->retiring.items++;
}

/* All that is cut up to `psn` is acknowledged, with these stamps. */
static void acknowledge(struct rnic *rnic, struct qp *qp, uint32_t psn, int64_t wire_ps, int64_t received_ps)
{
    uint32_t end =
        qp->cut; /* a QP in error flushes what was never cut, and nothing is acknowledged from what failed it on */
    if (qp->failed && (int32_t)(end - qp->failed_request) > 0)
        end = qp->failed_request;
    for (; (int32_t)(end - qp->acked) > 0; qp->acked++) {
        struct message *message = rnic_message(rnic, qp->send[qp->acked & qp->send_mask]);
        if (psn_difference(message->last_psn, psn) > 0)
            return;
        if (message_is_local(message)) {
            if (!message->returned || message->status != MESSAGE_OK)
                return;
            continue;
        }
        if (message_is_answered(message)) { /* it has the stamps of its answer */
            qp->requester.answer_psns -= message_psns(message, qp->mtu_bytes) - 1;
            continue;
        }
        message->stamp_ps[MESSAGE_AT_ACK_WIRE] = wire_ps;
        message->stamp_ps[MESSAGE_AT_ACK_RECEIVED] = received_ps;
    }
}

static void begin_ack(struct rnic *rnic, const struct item *ack, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[ack->qp];
    int is_nak = ack->status != MESSAGE_OK, recovers = rnic->recovers && !qp->failed && !qp->is_unreliable;
    uint32_t psn = is_nak ? psn_add(ack->psn, PSN_MASK) : ack->psn, status = ack->status;
    rnic->retiring_qp = ack->qp;
    rnic->retiring_nak = 0;
    if (__builtin_expect(qp->halted == QP_NOT_READY, 0)) /* of what it was before */
        return;
    if (__builtin_expect(is_nak, 0) && status == MESSAGE_CNP) {
        congestion_react(rnic, ack->qp);
        return;
    }
    if (recovers && !recover_take_ack(rnic, ack->qp, ack, &psn, now_cyc))
        return;
    uint32_t acked = requester_acked(&qp->requester, psn);
    if (rnic->payload.is_kept && !qp->failed)
        kept_free(rnic, qp, acked, now_cyc);
    if (__builtin_expect(rnic->lookup.on, 0))
        lookup_acknowledged(rnic, qp, 1, now_cyc);
    if (recovers)
        recover_acknowledged(rnic, qp, acked, now_cyc);
    if (!qp->failed || !is_nak)
        acknowledge(rnic, qp, psn, ack->wire_at_ps, ack->judged_at_ps);
    if (is_nak && recovers) /* behind an answer that is missing it says nothing yet: that is asked for first */
        status =
            psn == psn_add(ack->psn, PSN_MASK) || status == MESSAGE_RETRY_EXCEEDED || status == MESSAGE_RNR_EXCEEDED
                ? recover_after_nak(rnic, ack->qp, ack, now_cyc)
                : MESSAGE_OK;
    rnic->retiring_nak = status != MESSAGE_OK;
    if (status != MESSAGE_OK && !qp->failed)
        errors_fail(rnic, qp, status, qp->acked, now_cyc);
    else if (status == MESSAGE_OK)
        scheduler_kick(rnic, ack->qp, now_cyc + 1, QP_WAIT_WINDOW);
    if (__builtin_expect(qp->halted, 0))
        errors_look(rnic, ack->qp, now_cyc);
}

void retire_returned(struct rnic *rnic, uint32_t message, int64_t cyc)
{
    model_assert(rnic->sim, heap_put(&rnic->returned, cyc, rnic->answers.writes_done, message) == 0, "out of memory");
    rnic_wake_retire(rnic, cyc);
}

/* What was begun at this NIC itself is done. A QP that failed meanwhile has flushed it. */
static void end_local(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct message *message = rnic_message(rnic, index);
    uint32_t number = message->qp;
    struct qp *qp = &rnic->qp[number];
    rnic->retiring_qp = number;
    rnic->retiring_nak = qp->failed;
    qp->local_under_way = 0;
    if (!qp->failed) {
        if (local_end(rnic, message) == MESSAGE_OK)
            acknowledge(rnic, qp, psn_add(qp->requester.psn_oldest, PSN_MASK), SIM_NEVER, SIM_NEVER);
        else
            errors_halt(rnic, number, local_request(qp, index), now_cyc);
        errors_look(rnic, number, now_cyc);
        scheduler_kick(rnic, number, now_cyc + 1, QP_WAIT_REQUEST);
    }
    message_end(rnic->setup.messages, index);
}

/* The next answer that is written acknowledges its request and those before it; 1 when something was done. */
static int return_one(struct rnic *rnic, int64_t now_cyc)
{
    const struct heap_entry *first = heap_first(&rnic->returned);
    if (!first || first->at > now_cyc)
        return 0;
    uint32_t index = (uint32_t)heap_take(&rnic->returned).ref;
    struct message *message = rnic_message(rnic, index);
    if (message_is_local(message)) {
        end_local(rnic, index, now_cyc);
        return 1;
    }
    struct qp *qp = &rnic->qp[message->qp];
    uint32_t acked = requester_acked(&qp->requester, message->last_psn);
    qp->answers_due--;
    if (__builtin_expect(rnic->lookup.on, 0))
        lookup_acknowledged(rnic, qp, 1, now_cyc);
    if (rnic->payload.is_kept && !qp->failed)
        kept_free(rnic, qp, acked, now_cyc);
    message->returned = 1;
    if (rnic->recovers && !qp->failed)
        recover_acknowledged(rnic, qp, acked, now_cyc);
    rnic->retiring_qp = message->qp;
    rnic->retiring_nak = qp->failed; /* what is posted behind it can be flushed now */
    if (!qp->failed)
        acknowledge(rnic, qp, message->last_psn, message->stamp_ps[MESSAGE_AT_ACK_WIRE],
                    message->stamp_ps[MESSAGE_AT_ACK_RECEIVED]);
    errors_look(rnic, message->qp, now_cyc);
    scheduler_kick(rnic, message->qp, now_cyc + 1, QP_WAIT_REQUEST);
    message_end(rnic->setup.messages, index); /* the responder's part, kept for the answer */
    return 1;
}

/* The next timer that has ended, or loss that an answer told of; 1 when something was done. */
static int recover_one(struct rnic *rnic, int64_t now_cyc)
{
    uint32_t qp, status;
    if (!recover_run(rnic, now_cyc, &qp, &status))
        return 0;
    if (status != MESSAGE_OK) {
        errors_fail(rnic, &rnic->qp[qp], status, rnic->qp[qp].acked, now_cyc);
        errors_go_on(rnic, qp, now_cyc);
    }
    return 1;
}

/* What of unreliable QPs the MAC tells; NULL: nothing. With transport.completion = sent that comes through the path. */
static const struct agenda_entry *sent_first(const struct rnic *rnic)
{
    return rnic->tells_when_sent && !rnic->completes_when_sent ? agenda_first(&rnic->sent) : 0;
}

/* The next packet of an unreliable QP that has left the MAC, as if it were acknowledged; 1 when something was done. */
static int sent_one(struct rnic *rnic, int64_t now_cyc)
{
    const struct agenda_entry *first = sent_first(rnic);
    if (!first || agenda_at(first) > now_cyc)
        return 0;
    uint32_t ref = (uint32_t)first->ref;
    agenda_drop_first(&rnic->sent);
    begin_ack(rnic, rnic_item(rnic, ref), now_cyc);
    pool_give(rnic->setup.items, ref);
    return 1;
}

/* Whether its oldest request is acknowledged, and answered if it asks for that. */
static int can_retire(const struct rnic *rnic, const struct qp *qp)
{
    if (qp->retired == qp->acked)
        return 0;
    const struct message *message = rnic_message(rnic, qp->send[qp->retired & qp->send_mask]);
    return !message_is_answered(message) ||
           message->returned; /* what is local counts as acknowledged when it is done */
}

/* Whether the next step is the QP's that is under way: it retires another request, or its flush begins. */
static int goes_on(const struct rnic *rnic)
{
    return rnic->retiring_qp != QP_NONE && (rnic->retiring_nak || can_retire(rnic, &rnic->qp[rnic->retiring_qp]));
}

/* Retires one request of the QP under way; 0 when there is none left. */
static int retire_one(struct rnic *rnic, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[rnic->retiring_qp];
    if (!can_retire(rnic, qp))
        return 0;
    retire_oldest(rnic, qp, now_cyc, MESSAGE_OK);
    if (rnic->begun_limited)
        scheduler_kick(rnic, rnic->retiring_qp, now_cyc + 1, QP_WAIT_WINDOW);
    return 1;
}

/* What comes before an ACK: *is_done when that was a step of its own. Returns whether an answer acknowledges something. */
static __attribute__((noinline)) int other_step(struct rnic *rnic, int64_t now_cyc, int *is_done)
{
    *is_done = errors_take(rnic, now_cyc) || errors_flush(rnic, now_cyc) || recover_one(rnic, now_cyc);
    if (*is_done)
        return 0;
    *is_done = received_is_next(rnic, now_cyc);
    if (!*is_done)
        return return_one(rnic, now_cyc) || sent_one(rnic, now_cyc);
    finish_received(rnic, now_cyc);
    return 0;
}

/* One step at now_cyc: takes an ACK or an answer that is written, or retires or flushes a request; 0 when there is nothing to do. */
static int step(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *in = &rnic->path[RNIC_RETIRE].end;
    if (rnic->retiring_qp != QP_NONE) {
        if (retire_one(rnic, now_cyc))
            return 1;
        if (rnic->retiring_nak)
            errors_go_on(rnic, rnic->retiring_qp, now_cyc);
        rnic->retiring_qp = QP_NONE;
    }
    int is_done = 0, is_returned = now_cyc >= rnic->retire_other_cyc && other_step(rnic, now_cyc, &is_done);
    if (is_done)
        return 1;
    if (!is_returned) {
        if (fifo_empty(in) || fifo_front(in)->head_cyc > now_cyc)
            return 0;
        struct fifo_slot slot = fifo_take(in);
        begin_ack(rnic, rnic_item(rnic, slot.ref), now_cyc);
        pool_give(rnic->setup.items, slot.ref);
        fifo_release(in, slot.bytes, now_cyc, now_cyc);
    }
    (void)retire_one(rnic, now_cyc);
    return 1;
}

/* What is written by now takes its CQ first. */
static void take_commits(struct rnic *rnic, int64_t now_cyc)
{
    const struct agenda_entry *first;
    while ((first = agenda_first(&rnic->commits)) != 0 && agenda_at(first) <= now_cyc) {
        struct qp *qp = &rnic->qp[first->ref];
        int64_t from_cyc = agenda_at(first) > qp->cq_free_cyc ? agenda_at(first) : qp->cq_free_cyc;
        qp->cq_free_cyc = from_cyc + rnic->params->cq_commit;
        agenda_drop_first(&rnic->commits);
    }
}

/* From when on the CQ of the QP that is next, as far as it is here, takes a CQE. */
static int64_t cq_free_cyc(const struct rnic *rnic, int64_t now_cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RETIRE].end;
    if (rnic->retiring_qp != QP_NONE && can_retire(rnic, &rnic->qp[rnic->retiring_qp]))
        return rnic->qp[rnic->retiring_qp].cq_free_cyc;
    if (received_is_next(rnic, now_cyc))
        return receiver_of(rnic, (uint32_t)agenda_first(&rnic->received)->ref)->cq_free_cyc;
    const struct heap_entry *returned = heap_first(&rnic->returned);
    if (returned && returned->at <= now_cyc)
        return rnic->qp[rnic_message(rnic, (uint32_t)returned->ref)->qp].cq_free_cyc;
    const struct agenda_entry *sent = sent_first(rnic);
    if (sent && agenda_at(sent) <= now_cyc)
        return rnic->qp[rnic_item(rnic, (uint32_t)sent->ref)->qp].cq_free_cyc;
    if (fifo_empty(in) || fifo_front(in)->head_cyc > now_cyc)
        return 0;
    return rnic->qp[rnic_item(rnic, fifo_front(in)->ref)->qp].cq_free_cyc;
}

/* When something else may come first, while a CQ is waited for. */
static int64_t later_cyc_of(const struct rnic *rnic, int64_t now_cyc)
{
    const struct heap *heaps[] = {&rnic->flush, &rnic->failing, &rnic->returned};
    int64_t next = SIM_NEVER;
    for (int i = 0; i < 3; i++) {
        const struct heap_entry *first = heap_first(heaps[i]);
        if (first && first->at > now_cyc && first->at < next)
            next = first->at;
    }
    const struct agenda_entry *sent = sent_first(rnic);
    if (sent && agenda_at(sent) > now_cyc && agenda_at(sent) < next)
        next = agenda_at(sent);
    int64_t timer = recover_next_cyc(rnic);
    return timer > now_cyc && timer < next ? timer : next;
}

/* When something else than an ACK is next. */
static __attribute__((noinline)) int64_t other_input_cyc(const struct rnic *rnic)
{
    const struct heap *heaps[] = {&rnic->flush, &rnic->failing, &rnic->returned};
    const struct agenda_entry *received = agenda_first(&rnic->received);
    int64_t next = recover_next_cyc(rnic);
    if (received && agenda_at(received) < next)
        next = agenda_at(received);
    for (int i = 0; i < 3; i++) {
        const struct heap_entry *first = heap_first(heaps[i]);
        if (first && first->at < next)
            next = first->at;
    }
    const struct agenda_entry *sent = sent_first(rnic);
    return sent && agenda_at(sent) < next ? agenda_at(sent) : next;
}

static int64_t next_input_cyc(struct rnic *rnic, int64_t now_cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RETIRE].end;
    if (now_cyc >= rnic->retire_other_cyc)
        rnic->retire_other_cyc = other_input_cyc(rnic);
    int64_t next = fifo_empty(in) ? SIM_NEVER : fifo_front(in)->head_cyc;
    return rnic->retire_other_cyc < next ? rnic->retire_other_cyc : next;
}

static int64_t decide(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t now_cyc = rnic_cycle(rnic, now), wake_at;
    if (rnic_ps(rnic, now_cyc) != now || now_cyc < rnic->retire_free_cyc)
        return rnic_ps(rnic, now_cyc < rnic->retire_free_cyc ? rnic->retire_free_cyc : now_cyc);
    /* a step may make a CQE: without space for it nothing is retired */
    if (rnic_blocked(rnic, path_entry(&rnic->path[RNIC_CQE]), RETIRE_CQE_BYTES, now_cyc, &wake_at))
        return wake_at;
    if (__builtin_expect(rnic->cqs_are_busy, 0)) {
        take_commits(rnic, now_cyc);
        int64_t free_cyc = cq_free_cyc(rnic, now_cyc), later_cyc = later_cyc_of(rnic, now_cyc);
        if (free_cyc > now_cyc)
            return rnic_ps(rnic, free_cyc < later_cyc ? free_cyc : later_cyc);
    }
    if (step(rnic, now_cyc)) {
        rnic->retiring.work_cyc += rnic->params->retire_interval;
        rnic->retire_free_cyc = now_cyc + rnic->params->retire_interval;
        if (goes_on(rnic))
            return rnic_ps(rnic, rnic->retire_free_cyc);
    }
    int64_t next = next_input_cyc(rnic, now_cyc);
    next = next < rnic->retire_free_cyc ? rnic->retire_free_cyc : next;
    return next == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, next);
}

int retire_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "too many decision points");
    rnic->retiring_qp = QP_NONE;
    rnic->retire_other_cyc = SIM_NEVER;
    rnic->cqs_are_busy = rnic->params->cq_loop > rnic->params->retire_interval || rnic->params->cq_commit > 0;
    rnic->retire = sim_add(rnic->sim, decide, rnic, "retire", rnic->user_clk.whole);
    if (rnic->retire < 0 || heap_init(&rnic->flush, 16) || heap_init(&rnic->failing, 16) ||
        heap_init(&rnic->returned, 16) || recover_init(rnic, error, error_bytes) || agenda_init(&rnic->received, 16) ||
        agenda_init(&rnic->commits, 16))
        return -1;
    rnic->path[RNIC_RETIRE].end.read_decider = rnic->retire;
    path_entry(&rnic->path[RNIC_CQE])->write_decider = rnic->retire;
    return 0;
}
