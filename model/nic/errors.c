#include "nic/errors.h"

#include "nic/rnic.h"

#define OF_QP (UINT64_C(1) << 63) /* in the heap of what was told: no request, but a status */

static void tell(struct rnic *rnic, uint64_t what, uint32_t qp, int64_t cyc)
{
    model_assert(rnic->sim, heap_put(&rnic->failing, cyc + 1, qp, what) == 0, "out of memory");
    rnic_wake_retire(rnic, cyc + 1);
}

void errors_of_request(struct rnic *rnic, uint32_t qp, uint32_t request, int64_t cyc)
{
    tell(rnic, (uint64_t)qp << 32 | request, qp, cyc);
}

void errors_of_qp(struct rnic *rnic, uint32_t qp, uint32_t status, int64_t cyc)
{
    tell(rnic, OF_QP | (uint64_t)qp << 32 | status, qp, cyc);
}

void errors_go_on(struct rnic *rnic, uint32_t qp, int64_t cyc)
{
    record_give_up(rnic, &rnic->qp[qp]);
    model_assert(rnic->sim, heap_put(&rnic->flush, cyc + 1, qp, qp) == 0, "out of memory");
    rnic_wake_retire(rnic, cyc + 1);
}

/* It may have been the one whose turn it was: another may have it. */
void errors_fail(struct rnic *rnic, struct qp *qp, uint32_t status, uint32_t request, int64_t now_cyc)
{
    if (rnic->lookup.on) /* nobody waits for ACKs of what it has sent */
        lookup_acknowledged(rnic, qp, qp->unacked, now_cyc);
    if (rnic->payload.entries.depth > 0)
        kept_give_up(rnic, qp, now_cyc);
    qp->failed = qp->deaf = 1;
    qp->halted = QP_IN_ERROR;
    qp->failed_status = (uint8_t)status;
    qp->failed_request = request;
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1));
}

static uint32_t status_of(const struct message *message)
{
    if (message->status != MESSAGE_OK) /* it was done here, and failed */
        return message->status;
    return message->wrong_keys & MESSAGE_LOCAL_KEY ? MESSAGE_LOCAL_PROTECTION : MESSAGE_QP_OPERATION;
}

void errors_look(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    if (qp->halted != QP_IN_ERROR || qp->failed)
        return;
    int waits = rnic->recovers && !rnic->lookup.on; /* else nobody sees to it that it comes to that */
    if (waits && (int32_t)(qp->halted_at - qp->acked) > 0)
        return;
    const struct message *message = rnic_message(rnic, qp->send[qp->halted_at & qp->send_mask]);
    errors_fail(rnic, qp, status_of(message), qp->halted_at, now_cyc);
    errors_go_on(rnic, index, now_cyc);
}

void errors_halt(struct rnic *rnic, uint32_t index, uint32_t request, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    if (qp->failed || (qp->halted == QP_IN_ERROR && (int32_t)(request - qp->halted_at) >= 0))
        return;
    qp->halted = QP_IN_ERROR;
    qp->halted_at = request;
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1));
    errors_look(rnic, index, now_cyc);
}

int errors_take(struct rnic *rnic, int64_t now_cyc)
{
    const struct heap_entry *first = heap_first(&rnic->failing);
    if (!first || first->at > now_cyc)
        return 0;
    uint64_t what = heap_take(&rnic->failing).ref;
    uint32_t index = (uint32_t)((what & ~OF_QP) >> 32), last = (uint32_t)what;
    struct qp *qp = &rnic->qp[index];
    if (!(what & OF_QP)) {
        errors_halt(rnic, index, last, now_cyc);
        return 1;
    }
    if (qp->failed)
        return 1;
    errors_fail(rnic, qp, MESSAGE_OK, qp->acked, now_cyc);
    errors_go_on(rnic, index, now_cyc);
    if (last == MESSAGE_OK)
        return 1;
    qp->event_status = (uint8_t)last;
    outbox_put(rnic->setup.outbox, host_sees(&rnic->host, rnic_ps(rnic, now_cyc + 1)), OUTBOX_QP_ERROR,
               (uint32_t)rnic->setup.entity, index);
    return 1;
}

/* ---- flushing ---- */

uint32_t receive_end(struct rnic *rnic, uint32_t qp, uint64_t wr_id, uint32_t status)
{
    uint32_t index = message_new(rnic->setup.messages);
    model_assert(rnic->sim, index != POOL_NONE, "out of memory");
    struct message *message = rnic_message(rnic, index);
    message->wr_id = wr_id;
    message->qp = qp;
    message->opcode = MESSAGE_RECEIVE;
    message->status = (uint8_t)status;
    return index;
}

/* The next of its receive WQEs that is to be told of; POOL_NONE: none. Those that others share are not flushed. */
static uint32_t next_receive(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    uint32_t ended = qp->open_receive, failed = qp->failed_receive;
    if (ended != POOL_NONE) {
        qp->open_receive = POOL_NONE;
        return receive_end(rnic, index, rnic_message(rnic, ended)->recv_wr_id, MESSAGE_FLUSHED);
    }
    qp->failed_receive = POOL_NONE;
    if (failed != POOL_NONE)
        return failed;
    struct receive_queue *queue = qp->receives;
    int is_own = qp->srq == SRQ_NONE && qp->transport != QP_XRC && !rnic->receives_fetched.on && !rnic->lookup.on;
    if (!is_own || queue->taken == queue->posted)
        return POOL_NONE;
    const struct qp_receive *next = &queue->slot[queue->taken & queue->mask];
    int64_t posted_cyc = rnic_cycle(rnic, next->posted_at_ps);
    if (posted_cyc > now_cyc) { /* it is just being posted */
        errors_go_on(rnic, index, posted_cyc);
        return POOL_NONE;
    }
    queue->taken++;
    return receive_end(rnic, index, next->wr_id, MESSAGE_FLUSHED);
}

/* 1: there was one. */
static int flush_receive(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    uint32_t message = rnic->qp[index].receives_due > 0 ? POOL_NONE : next_receive(rnic, index, now_cyc);
    if (message == POOL_NONE)
        return 0;
    rnic->errors++;
    rnic->qp[index].cq_free_cyc = now_cyc + rnic->params->cq_loop;
    rnic_forward(path_entry(&rnic->path[RNIC_CQE]), now_cyc, RETIRE_CQE_BYTES, message);
    return 1;
}

int errors_flush(struct rnic *rnic, int64_t now_cyc)
{
    const struct heap_entry *first = heap_first(&rnic->flush);
    if (!first || first->at > now_cyc)
        return 0;
    uint32_t index = (uint32_t)first->ref;
    struct qp *qp = &rnic->qp[index];
    if (qp->retired != qp->acked || qp->retired == qp->known) { /* those that are acknowledged wait for their data */
        if (qp->retired != qp->acked || !flush_receive(rnic, index, now_cyc))
            heap_take(&rnic->flush);
        return 1;
    }
    uint32_t status = MESSAGE_FLUSHED;
    if (qp->retired == qp->failed_request && qp->failed_status) {
        status = qp->failed_status; /* it gets the reason, the others are flushed */
        qp->failed_status = 0;
    }
    retire_oldest(rnic, qp, now_cyc, status);
    return 1;
}
