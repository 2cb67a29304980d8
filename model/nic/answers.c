/* The responder's answers: which packet of which QP's READ or atomic is sent next, and what of it must wait. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>

#define FLUSHING_READ_BYTES 1u /* of a FLUSH: the shortest read there is, one DW on the link */

static struct answer *answer_at(const struct rnic *rnic, uint32_t index)
{
    return (struct answer *)rnic->answers.pool.slot + index;
}

int answers_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct answers *answers = &rnic->answers;
    uint32_t units = (uint32_t)(rnic->params->answer_buffer / 64);
    snprintf(error, error_bytes, "out of memory");
    answers->first = answers->last = QP_NONE;
    if (pool_init(&answers->pool, sizeof(struct answer), 16) || heap_init(&answers->behind_writes, 16) ||
        heap_init(&answers->diverted, 16) || heap_init(&answers->later, 16) ||
        space_init(&answers->space, rnic->sim, "answer buffer", units) || level_init(&answers->level, units, 0))
        return -1;
    level_set_clocks(&answers->level, &rnic->user_clk, &rnic->user_clk);
    return 0;
}

void answers_free(struct rnic *rnic)
{
    pool_free(&rnic->answers.pool);
    heap_free(&rnic->answers.behind_writes);
    heap_free(&rnic->answers.diverted);
    heap_free(&rnic->answers.later);
    space_free(&rnic->answers.space);
    level_free(&rnic->answers.level);
}

int answers_hold_request(const struct rnic *rnic, const struct qp *qp)
{
    const struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
    if (message->numbered) /* it is sent again */
        return 0;
    if (message->fenced && qp->answers_due > 0)
        return 1;
    if (!message_is_answered(message))
        return 0;
    uint32_t under_way = psn_add(qp->requester.psn_next, PSN_MASK + 1 - qp->requester.psn_oldest);
    return qp->answers_due >= qp->max_rd_atomic ||
           (under_way > 0 && under_way + message_psns(message, qp->mtu_bytes) > (PSN_MASK + 1) / 2);
}

/* ---- from dispatch to a turn ---- */

void answers_await_turn(struct rnic *rnic, uint32_t index, int64_t from_cyc)
{
    struct qp *qp = &rnic->qp[index];
    if (qp->answering || qp->answer_first == POOL_NONE)
        return;
    const struct answer *answer = answer_at(rnic, qp->answer_first);
    if (answer->waits_for_writes || (answer->kind == ANSWER_READ && qp->atomics_unwritten > 0))
        return;
    int64_t at_cyc = answer->ready_cyc > from_cyc ? answer->ready_cyc : from_cyc;
    qp->answering = 1;
    model_assert(rnic->sim, heap_put(&rnic->answers.later, at_cyc, index, index) == 0, "out of memory");
    if (rnic_ps(rnic, at_cyc) > rnic->sim->now) /* else the scheduler itself is at it */
        sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, at_cyc));
}

static uint32_t new_answer(struct rnic *rnic, const struct answer *made)
{
    uint32_t ref = pool_take(&rnic->answers.pool);
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    *answer_at(rnic, ref) = *made;
    return ref;
}

/* Behind which answer of the QP's list a new one goes; POOL_NONE: to the front. Answers come in the order of their requests; an ACK has been on its
 * way here, while answers to later requests were queued: it goes before those of them that have not begun, as responses are in order of PSN (IBTA
 * vol. 1, 9.5). */
static uint32_t place_behind(const struct rnic *rnic, const struct qp *qp, const struct answer *made)
{
    uint32_t behind = POOL_NONE;
    if (made->kind != ANSWER_ACK)
        return qp->answer_first == POOL_NONE ? POOL_NONE : qp->answer_last;
    for (uint32_t ref = qp->answer_first; ref != POOL_NONE; ref = answer_at(rnic, ref)->next) {
        const struct answer *answer = answer_at(rnic, ref);
        int is_later = (int16_t)(uint16_t)(answer->ordinal - made->ordinal) > 0;
        if (is_later && answer->offset_bytes == answer->begin_bytes)
            break;
        behind = ref;
    }
    return behind;
}

static void put_in_order(struct rnic *rnic, uint32_t index, uint32_t ref)
{
    struct qp *qp = &rnic->qp[index];
    struct answer *answer = answer_at(rnic, ref);
    uint32_t behind = place_behind(rnic, qp, answer);
    uint32_t *link = behind == POOL_NONE ? &qp->answer_first : &answer_at(rnic, behind)->next;
    answer->next = *link;
    *link = ref;
    if (answer->next == POOL_NONE)
        qp->answer_last = ref;
    if (answer->waits_for_writes)
        model_assert(rnic->sim,
                     heap_put(&rnic->answers.behind_writes, (int64_t)answer->after_writes, index,
                              (uint64_t)index << 32 | ref) == 0,
                     "out of memory");
    answers_await_turn(rnic, index, answer->ready_cyc);
}

int answers_have_room(struct rnic *rnic, uint32_t index)
{
    const struct qp *qp = &rnic->qp[index];
    if (qp->answers_held - qp->answers_again < rnic->params->responder_resources)
        return 1;
    rnic->answers.refused++;
    return 0;
}

/* Packets on their way to the write engine, and the one that it is at. */
static uint32_t writes_under_way(const struct rnic *rnic)
{
    return path_items(&rnic->path[RNIC_RESPOND]) + staging_packets(rnic) +
           (rnic->pcie.writing[PCIE_IN_PAYLOAD - 1].active != 0);
}

static uint8_t kind_of(const struct message *message, int is_again)
{
    if (message_is_atomic(message))
        return is_again ? ANSWER_KEPT : ANSWER_ATOMIC;
    return message->opcode == MESSAGE_FLUSH ? ANSWER_FLUSH : ANSWER_READ;
}

void answers_ask(struct rnic *rnic, const struct item *request, int is_again, int64_t now_cyc)
{
    struct answers *answers = &rnic->answers;
    struct qp *qp = &rnic->qp[request->qp];
    const struct message *message = rnic_message(rnic, request->message);
    uint32_t under_way = writes_under_way(rnic);
    struct answer made = {.kind = kind_of(message, is_again),
                          .again = (uint8_t)is_again,
                          .offset_bytes = request->offset,
                          .begin_bytes = request->offset,
                          .address = message->remote_address,
                          .bytes = message_answer_bytes(message),
                          .message = request->message,
                          .psn = request->psn,
                          .msn = qp->responder.msn,
                          .after_writes = answers->writes_done + under_way,
                          .waits_for_writes = under_way > 0,
                          .ready_cyc = now_cyc + rnic->params->answer_latency};
    if (answers->written_cyc > made.ready_cyc) /* the last write before it is decided, and still to come */
        made.ready_cyc = answers->written_cyc;
    made.ordinal = ++qp->answers_asked;
    qp->answers_again += (uint32_t)is_again;
    if (++qp->answers_held > answers->most)
        answers->most = qp->answers_held;
    put_in_order(rnic, request->qp, new_answer(rnic, &made));
}

void answers_written(struct rnic *rnic, int64_t sent_cyc)
{
    struct answers *answers = &rnic->answers;
    const struct heap_entry *first;
    answers->written_cyc = sent_cyc;
    answers->writes_done++;
    while ((first = heap_first(&answers->behind_writes)) != 0 && (uint64_t)first->at <= answers->writes_done) {
        uint32_t index = (uint32_t)(first->ref >> 32);
        struct answer *answer = answer_at(rnic, (uint32_t)first->ref);
        heap_take(&answers->behind_writes);
        answer->waits_for_writes = 0;
        if (sent_cyc > answer->ready_cyc)
            answer->ready_cyc = sent_cyc;
        answers_await_turn(rnic, index, answer->ready_cyc);
    }
}

int answers_divert_ack(void *self, uint32_t ref, int64_t now_cyc)
{
    struct rnic *rnic = self;
    const struct item *ack = rnic_item(rnic, ref);
    uint32_t index = rnic->peer->qp[ack->qp].peer;
    if ((rnic->qp[index].answers_sent == ack->after_answers && rnic->qp[index].acks_behind == 0) ||
        ack->status == MESSAGE_CNP)
        return 0;
    rnic->qp[index].acks_behind++;
    uint32_t answer = new_answer(rnic, &(struct answer){.kind = ANSWER_ACK,
                                                        .psn = ack->psn,
                                                        .msn = ack->msn,
                                                        .ordinal = ack->after_answers,
                                                        .status = ack->status,
                                                        .ahead = ack->ahead,
                                                        .sack = ack->sack,
                                                        .message = ack->message,
                                                        .ready_cyc = now_cyc + 1});
    model_assert(
        rnic->sim,
        heap_put(&rnic->answers.diverted, now_cyc + 1, rnic->answers.diversions++, (uint64_t)index << 32 | answer) == 0,
        "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1));
    pool_give(rnic->setup.items, ref);
    return 1;
}

/* ---- the scheduler ---- */

int64_t answers_run(struct rnic *rnic, int64_t now_cyc)
{
    struct answers *answers = &rnic->answers;
    const struct heap_entry *first;
    int64_t next = atomics_run(rnic, now_cyc);
    while ((first = heap_first(&answers->diverted)) != 0 && first->at <= now_cyc) {
        uint64_t ref = heap_take(&answers->diverted).ref;
        put_in_order(rnic, (uint32_t)(ref >> 32), (uint32_t)ref);
    }
    if (first && first->at < next)
        next = first->at;
    while ((first = heap_first(&answers->later)) != 0 && first->at <= now_cyc) {
        uint32_t index = (uint32_t)heap_take(&answers->later).ref;
        if (atomics_must_wait(rnic, index, answer_at(rnic, rnic->qp[index].answer_first)))
            continue;
        rnic->qp[index].next_answering = QP_NONE;
        *(answers->first == QP_NONE ? &answers->first : &rnic->qp[answers->last].next_answering) = index;
        answers->last = index;
    }
    return first && first->at < next ? first->at : next;
}

static uint32_t next_payload_bytes(const struct rnic *rnic, const struct qp *qp)
{
    const struct answer *answer = answer_at(rnic, qp->answer_first);
    uint32_t left = answer->bytes - answer->offset_bytes;
    return left < qp->mtu_bytes ? left : qp->mtu_bytes;
}

int64_t answers_grant_at(struct rnic *rnic, int64_t at_cyc)
{
    struct answers *answers = &rnic->answers;
    for (uint32_t index; (index = answers->first) != QP_NONE;) { /* a lock may have been taken since */
        uint32_t next = rnic->qp[index].next_answering;
        if (!atomics_must_wait(rnic, index, answer_at(rnic, rnic->qp[index].answer_first)))
            break;
        answers->first = next;
    }
    if (answers->first == QP_NONE)
        return SIM_NEVER;
    struct fifo *entry = path_entry(&rnic->path[RNIC_SCHED]);
    int64_t path_at = fifo_space_at(entry, RNIC_OPERATION_BYTES);
    int64_t read_at = pcie_read_when(&rnic->pcie, PCIE_PAYLOAD_READ);
    int64_t space_at =
        space_when(&answers->space, rnic_payload_units(next_payload_bytes(rnic, &rnic->qp[answers->first])));
    entry->writer_waits |= path_at == SIM_NEVER;
    rnic->waits_for_read |= read_at == SIM_NEVER;
    answers->waits_for_space = space_at == SIM_NEVER;
    int64_t latest = path_at > read_at ? path_at : read_at;
    latest = space_at > latest ? space_at : latest;
    return latest > at_cyc ? latest : at_cyc;
}

int answers_go_first(const struct rnic *rnic)
{
    return rnic->params->answer_policy == NIC_ANSWERS_FIRST ||
           (rnic->params->answer_policy == NIC_ANSWERS_IN_TURN && !rnic->answers.had_turn);
}

/* The next packet of the QP's first answer; 1: it is the last. */
static int cut_packet(struct rnic *rnic, struct qp *qp, struct item *item)
{
    struct answer *answer = answer_at(rnic, qp->answer_first);
    *item = (struct item){.qp = qp->peer,
                          .message = answer->message,
                          .psn = answer->psn,
                          .msn = answer->msn & PSN_MASK,
                          .status = answer->status};
    if (answer->kind == ANSWER_ACK) {
        item->kind = ITEM_ACK;
        item->ahead = answer->ahead;
        item->sack = answer->sack;
        item->first = 1; /* which tells it from a packet that failed */
        item->bytes = FRAME_ACK_BYTES;
        return 1;
    }
    item->kind = ITEM_ANSWER;
    item->payload_bytes = next_payload_bytes(rnic, qp);
    item->offset = answer->offset_bytes;
    item->first = answer->offset_bytes == answer->begin_bytes;
    item->again = answer->again;
    answer->offset_bytes += item->payload_bytes;
    item->last = answer->offset_bytes == answer->bytes;
    int has_value = answer->kind == ANSWER_ATOMIC || answer->kind == ANSWER_KEPT;
    item->bytes =
        has_value ? FRAME_ACK_BYTES + FRAME_ATOMIC_ACK_BYTES
                  : frame_data_bytes(item->payload_bytes, 0, 0) + (item->first || item->last ? FRAME_AETH_BYTES : 0);
    answer->psn = psn_add(answer->psn, 1);
    return item->last;
}

/* With its last packet the answer is over. */
static void end_answer(struct rnic *rnic, struct qp *qp, const struct answer *answer, struct item *last)
{
    pool_give(&rnic->answers.pool, qp->answer_first);
    qp->answer_first = answer->next;
    if (answer->kind == ANSWER_ACK)
        return;
    qp->answers_held--;
    qp->answers_again -= answer->again;
    message_end(rnic->setup.messages, answer->message);
    if (!answer->again)
        return;
    last->trip = pool_take(rnic->setup.trips) + 1;
    model_assert(rnic->sim, last->trip != 0, "out of memory");
}

void answers_grant(struct rnic *rnic, int64_t now_cyc)
{
    struct answers *answers = &rnic->answers;
    uint32_t index = answers->first, ref = item_new(rnic->setup.items);
    struct qp *qp = &rnic->qp[index];
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    answers->first = qp->next_answering;
    qp->answering = 0;
    struct item *item = rnic_item(rnic, ref);
    struct answer answer = *answer_at(rnic, qp->answer_first); /* as it is before this packet */
    int is_last = cut_packet(rnic, qp, item);
    if (answer.kind != ANSWER_ACK)
        message_hold(rnic->setup.messages, answer.message);
    if (is_last)
        end_answer(rnic, qp, &answer, item);
    uint32_t units = rnic_payload_units(item->payload_bytes);
    if (units > 0) {
        space_take(&answers->space, units);
        level_in(&answers->level, now_cyc, units);
    }
    uint32_t read_bytes = answer.kind == ANSWER_KEPT    ? 0
                          : answer.kind == ANSWER_FLUSH ? FLUSHING_READ_BYTES
                                                        : item->payload_bytes;
    uint32_t read =
        answer.kind == ANSWER_ATOMIC
            ? atomics_begin(rnic, index, &answer, ref)
            : pcie_read_begin(&rnic->pcie, PCIE_PAYLOAD_READ, answer.address + answer.offset_bytes, read_bytes, ref);
    rnic->order[rnic->order_next++ & rnic->order_mask] = read;
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, RNIC_OPERATION_BYTES, read);
    rnic_run_reads(rnic);
    answers_await_turn(rnic, index, now_cyc + 1);
}

/* ---- the port ---- */

void answers_sent(struct rnic *rnic, const struct item *item, int64_t end_cyc)
{
    struct answers *answers = &rnic->answers;
    uint32_t units = rnic_payload_units(item->payload_bytes);
    if (units > 0) {
        space_give(&answers->space, units, end_cyc + 1);
        level_out(&answers->level, end_cyc, units);
        rnic_wake_scheduler(rnic, answers->waits_for_space, end_cyc + 1);
    }
    struct qp *qp = &rnic->qp[rnic->peer->qp[item->qp].peer];
    qp->answers_sent += item->last;
    qp->acks_behind -= item->kind == ITEM_ACK && item->first;
}

void answers_fail(struct rnic *rnic, struct item *item)
{
    message_end(rnic->setup.messages, item->message); /* an ACK holds none */
    if (item->trip > 0)
        pool_give(rnic->setup.trips, item->trip - 1);
    item->trip = 0;
    item->kind = ITEM_ACK;
    item->first = 0;
    item->status = MESSAGE_REMOTE_OPERATION;
    item->bytes = FRAME_ACK_BYTES;
}
