/* What comes to the scheduler: doorbells, WQEs and doorbell records, posts of user logic, contexts, and what follows from its grants. */
#include "nic/rnic.h"

static void take_doorbell(struct rnic *rnic, struct fifo_slot slot)
{
    struct rnic_doorbell *doorbell = rnic_doorbell(rnic, slot.ref);
    struct qp *qp = &rnic->qp[doorbell->qp];
    record_rung(rnic, qp, doorbell);
    if (qp->doorbell == slot.ref)
        qp->doorbell = POOL_NONE;
    if (doorbell->pushed && qp->asked + 1 == qp->known && qp->fetched == qp->asked)
        qp->asked = ++qp->fetched; /* otherwise it waits for the ones before it, and is fetched with them */
    if (qp->failed)
        errors_go_on(rnic, doorbell->qp, slot.head_cyc);
    else
        scheduler_enqueue(rnic, doorbell->qp, slot.head_cyc, QP_WAIT_POST);
    pool_give(&rnic->doorbells, slot.ref);
}

void inputs_take_fetch(struct rnic *rnic, struct qp *qp, uint32_t fetch)
{
    qp->fetch[fetch].is_here = 1;
    for (; qp->fetch_first != qp->fetch_next && qp->fetch[qp->fetch_first & (QP_FETCHES_MAX - 1)].is_here;
         qp->fetch_first++)
        for (uint32_t left = qp->fetch[qp->fetch_first & (QP_FETCHES_MAX - 1)].count; left > 0; left--)
            rnic_message(rnic, qp->send[qp->fetched++ & qp->send_mask])->stamp_ps[MESSAGE_AT_WQE] = rnic->sim->now;
}

/* WQEs, or a doorbell record. */
static void take_wqes(struct rnic *rnic, struct fifo_slot slot)
{
    if (__builtin_expect(slot.ref & RNIC_IS_RECEIVE, 0)) {
        receive_wqe_is_here(rnic, slot.ref, slot.head_cyc);
        return;
    }
    uint32_t index = RNIC_QP_OF(slot.ref);
    struct qp *qp = &rnic->qp[index];
    if (slot.ref & RNIC_IS_RECORD) {
        record_is_here(rnic, index, (slot.ref & RNIC_HAS_FAILED) != 0, slot.head_cyc);
    } else if (__builtin_expect(rnic->grants_requests, 0)) {
        follow_fetch(rnic, slot.ref, slot.head_cyc);
        return;
    } else if (__builtin_expect(!(slot.ref & RNIC_HAS_FAILED), 1)) {
        inputs_take_fetch(rnic, qp, RNIC_FETCH_OF(slot.ref));
    }
    if (__builtin_expect(rnic->lookup.on, 0))
        visit_fetched(rnic, index, (slot.ref & RNIC_HAS_FAILED) != 0, slot.head_cyc);
    scheduler_enqueue(rnic, index, slot.head_cyc, QP_WAIT_WQE);
}

int64_t inputs_take(struct rnic *rnic, int64_t now_cyc)
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
    if (__builtin_expect(rnic->has_more_inputs, 0)) {
        int64_t post = rnic->fabric_source == NIC_FABRIC_OFF ? SIM_NEVER : fabric_take_posts(rnic, now_cyc);
        int64_t context = rnic->contexts.on ? context_run(rnic, now_cyc) : SIM_NEVER;
        next = post < next ? post : next;
        next = context < next ? context : next;
        int64_t answer = rnic->answers.on ? answers_run(rnic, now_cyc) : SIM_NEVER;
        next = answer < next ? answer : next;
        int64_t receive = rnic->receives_fetched.on ? receive_wqe_fetch(rnic, now_cyc) : SIM_NEVER;
        int64_t fetch = follow_fetches(rnic, now_cyc);
        int64_t follow = rnic->grants_requests ? follow_run(rnic, now_cyc) : SIM_NEVER;
        next = receive < next ? receive : next;
        next = fetch < next ? fetch : next;
        next = follow < next ? follow : next;
    }
    return next;
}
