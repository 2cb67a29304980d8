/* Received frames and the lookups: into their channels, and out to the write engine or to retire. See lookup.h. */
#include "nic/lookup.h"
#include "nic/rnic.h"

void lookup_frame_came(struct rnic *rnic)
{
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    if (fifo_empty(in))
        return;
    int64_t at = rnic_ps(rnic, fifo_front(in)->tail_cyc);
    if (at > rnic->sim->now) /* else it waits for a station */
        sim_wake(rnic->sim, rnic->scheduler, at);
}

int64_t lookup_take_frames(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    while (!fifo_empty(in)) {
        if (fifo_front(in)->tail_cyc > now_cyc)
            return fifo_front(in)->tail_cyc;
        struct item *item = rnic_item(rnic, fifo_front(in)->ref);
        enum lookup_channel channel = item->kind == ITEM_DATA ? LOOKUP_DATA : LOOKUP_ACK;
        if (!item->bad && !lookup_has_room(&rnic->lookup, channel, LOOKUP_CONTEXT))
            return SIM_NEVER;
        struct fifo_slot slot = fifo_take(in);
        item->judged_at_ps = rnic_ps(rnic, slot.tail_cyc);
        if (item->bad)
            receive_drop_bad(rnic, slot.ref);
        else
            lookup_enter(rnic, channel, item->qp, slot.ref, item->kind == ITEM_DATA && item->ack_request ? 2 : 1,
                         now_cyc + rnic->params->receive_begin);
        fifo_release(in, slot.bytes, now_cyc, now_cyc);
    }
    return SIM_NEVER;
}

/* ---- between context and translation ---- */

static const struct message *message_of(const struct rnic *rnic, const struct item *item)
{
    return rnic_message(rnic, item->message);
}

/* Whether it looks at a receive WQE: each packet of a SEND does. */
static int asks_for_receive(const struct rnic *rnic, const struct item *item)
{
    const struct message *message = message_of(rnic, item);
    return message_is_send(message) || (item->last && message_is_received(message));
}

int64_t lookup_place(struct rnic *rnic, uint32_t index, int64_t now_cyc, int64_t *again_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    const struct lookup_job *job = lookup_job(lookup, index);
    *again_cyc =
        lookup->receive_job == LOOKUP_NONE && lookup->receive_free_cyc > now_cyc ? lookup->receive_free_cyc : SIM_NEVER;
    if (lookup->receive_job != LOOKUP_NONE || lookup->receive_free_cyc > now_cyc ||
        !lookup_has_room(lookup, LOOKUP_DATA, LOOKUP_TRANSLATION))
        return LOOKUP_NOT_TAKEN;
    if (job->failed || !asks_for_receive(rnic, rnic_item(rnic, job->ref))) {
        lookup_come(rnic, index, LOOKUP_TRANSLATION, now_cyc + rnic->params->lookup_gap, now_cyc);
        return now_cyc;
    }
    uint32_t qp = job->qp, ref = job->ref, wqe = pool_take(&lookup->jobs);
    model_assert(rnic->sim, wqe != POOL_NONE, "out of memory");
    *lookup_job(lookup, wqe) = (struct lookup_job){.qp = qp, .ref = ref, .channel = LOOKUP_RECEIVE, .entries = 1};
    lookup->receive_job = index;
    lookup->receive_cyc = SIM_NEVER;
    lookup_come(rnic, wqe, LOOKUP_TRANSLATION, now_cyc + rnic->params->receive_wqe_begin, now_cyc);
    return now_cyc;
}

void lookup_has_place(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    lookup_job(lookup, lookup->receive_job)->failed |= job->failed;
    lookup->receive_cyc = now_cyc + rnic->params->receive_wqe;
    lookup_at(rnic, lookup->receive_cyc, LOOKUP_LOOK_AGAIN, 0);
}

/* The message's CQE, and with it the ACK, is a job of its own behind its last packet. */
static void ask_for_cqe(struct rnic *rnic, uint32_t qp, struct item *item, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t index = pool_take(&lookup->jobs);
    model_assert(rnic->sim, index != POOL_NONE, "out of memory");
    *lookup_job(lookup, index) = (struct lookup_job){.qp = qp,
                                                     .ref = item->message,
                                                     .psn = item->psn,
                                                     .channel = LOOKUP_DATA,
                                                     .entries = item->ack_request ? 2 : 1,
                                                     .is_cqe = 1};
    item->ack_request = 0;
    lookup_come(rnic, index, LOOKUP_TRANSLATION, now_cyc + rnic->params->receive_cqe_gap, now_cyc);
}

void lookup_place_run(struct rnic *rnic, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t index = lookup->receive_job;
    if (index == LOOKUP_NONE || lookup->receive_cyc > now_cyc)
        return;
    struct lookup_job *job = lookup_job(lookup, index);
    struct item *item = rnic_item(rnic, job->ref);
    uint32_t qp = job->qp;
    int makes_cqe = item->last && !job->failed;
    job->entries = !makes_cqe && item->ack_request ? 2 : 1;
    lookup->receive_job = LOOKUP_NONE;
    lookup->receive_free_cyc = now_cyc + (makes_cqe ? rnic->params->receive_free : 0);
    lookup_come(rnic, index, LOOKUP_TRANSLATION, now_cyc, now_cyc);
    if (makes_cqe)
        ask_for_cqe(rnic, qp, item, now_cyc);
}

int64_t lookup_ack_gap(const struct rnic *rnic, const struct lookup_job *job)
{
    return rnic_item(rnic, job->ref)->kind == ITEM_ANSWER ? rnic->params->answer_gap : rnic->params->retire_gap;
}

void lookup_answer_cqe(struct rnic *rnic, uint32_t qp, uint32_t ref, int64_t at_cyc, int64_t now_cyc)
{
    const struct item *item = rnic_item(rnic, ref);
    if (item->kind != ITEM_ANSWER || !item->last)
        return;
    uint32_t index = pool_take(&rnic->lookup.jobs);
    model_assert(rnic->sim, index != POOL_NONE, "out of memory");
    *lookup_job(&rnic->lookup, index) = (struct lookup_job){.qp = qp, .channel = LOOKUP_ACK, .entries = 1, .is_cqe = 1};
    lookup_come(rnic, index, LOOKUP_TRANSLATION, at_cyc + rnic->params->receive_cqe_gap, now_cyc);
}

/* ---- behind the translation ---- */

/* 0, or it cannot be taken before *again_cyc. */
static int must_wait(int64_t at_cyc, int64_t now_cyc, int64_t *again_cyc)
{
    *again_cyc = at_cyc;
    return at_cyc > now_cyc;
}

static int64_t drop_failed(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    rnic_item(rnic, ref)->bad |= ITEM_NOT_READ;
    receive_drop_bad(rnic, ref);
    return now_cyc;
}

/* The payload goes to the write engine beat by beat; then the ACK, which has come out of the station behind it, is made. */
int64_t lookup_to_write(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    const struct nic_params *p = rnic->params;
    const struct item *item = rnic_item(rnic, job->ref);
    if (job->failed)
        return drop_failed(rnic, job->ref, now_cyc);
    if (must_wait(lookup->scatter_free_cyc, now_cyc, again_cyc) ||
        must_wait(receive_room_at(rnic, item), now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    int64_t send_cyc = message_is_send(message_of(rnic, item)) ? p->receive_send : 0;
    int64_t last_cyc = now_cyc + send_cyc + p->receive_scatter + lookup_beats(p, item->payload_bytes);
    int64_t ack_cyc = now_cyc + p->station_interval;
    ack_cyc = ack_cyc > last_cyc ? ack_cyc : last_cyc;
    rnic->dispatching.items++;
    rnic->dispatching.work_cyc += last_cyc - now_cyc;
    receive_take(rnic, job->ref, now_cyc + send_cyc, ack_cyc);
    lookup->scatter_free_cyc = job->entries > 1 ? ack_cyc + p->receive_ack : last_cyc;
    return job->entries > 1 ? ack_cyc : now_cyc;
}

int64_t lookup_to_cqe(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    const struct nic_params *p = rnic->params;
    const struct item data = {.psn = job->psn, .qp = job->qp};
    if (must_wait(lookup->scatter_free_cyc, now_cyc, again_cyc) ||
        must_wait(receive_ack_room_at(rnic), now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    lookup->scatter_free_cyc = now_cyc + p->receive_ack;
    if (psn_difference(rnic->qp[job->qp].responder.psn_expected, job->psn) <= 0) /* it was refused, and that was told */
        return now_cyc;
    int64_t ack_cyc = now_cyc + p->station_interval;
    rnic_message(rnic, job->ref)->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, job->entries > 1 ? ack_cyc : now_cyc);
    if (job->entries == 1)
        return now_cyc;
    receive_acknowledge(rnic, &data, MESSAGE_OK, ack_cyc);
    lookup->scatter_free_cyc = ack_cyc + p->receive_ack;
    return ack_cyc;
}

/* A packet of an answer goes to the write engine beat by beat, the lookup of its CQE behind it. */
static int64_t to_memory(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    const struct nic_params *p = rnic->params;
    int64_t *free_cyc = &rnic->lookup.returned_free_cyc;
    if (must_wait(*free_cyc, now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    if (job->is_cqe) {
        *free_cyc = now_cyc + p->receive_ack;
        return now_cyc;
    }
    const struct item *item = rnic_item(rnic, job->ref);
    if (must_wait(receive_room_at(rnic, item), now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    *free_cyc = now_cyc + p->receive_scatter + lookup_beats(p, item->payload_bytes);
    receive_take_answer(rnic, job->ref, now_cyc);
    return now_cyc;
}

int64_t lookup_to_retire(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    if (job->is_cqe)
        return to_memory(rnic, job, now_cyc, again_cyc);
    if (job->failed)
        return drop_failed(rnic, job->ref, now_cyc);
    const struct item *item = rnic_item(rnic, job->ref);
    if (item->kind == ITEM_ANSWER)
        return to_memory(rnic, job, now_cyc, again_cyc);
    if (must_wait(receive_room_at(rnic, item), now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    rnic->dispatching.items++;
    rnic->dispatching.work_cyc++;
    rnic_forward(path_entry(&rnic->path[RNIC_RETIRE]), now_cyc, item->bytes, job->ref);
    return now_cyc;
}
