/* The requests that are begun and not retired: nic.qp_requests of one QP, and nic.requests, a table that QPs share. */
#include "nic/rnic.h"

int requests_hold(const struct rnic *rnic, const struct qp *qp)
{
    return qp->cut - qp->retired >= rnic->params->qp_requests || (rnic->answers.on && answers_hold_request(rnic, qp));
}

int requests_must_wait(const struct rnic *rnic, uint32_t index)
{
    return rnic_begins_request(rnic, &rnic->qp[index]) &&
           space_when(&rnic->begun, 1) > rnic_cycle(rnic, rnic->sim->now);
}

void requests_wait(struct rnic *rnic, uint32_t index)
{
    struct qp *qp = &rnic->qp[index];
    int64_t at = space_when(&rnic->begun, 1);
    qp->wait = QP_WAIT_REQUEST;
    if (at != SIM_NEVER) {
        scheduler_queue(rnic, index, at);
        return;
    }
    qp->queued = 1;
    qp->next_waiting = QP_NONE;
    *(rnic->waiting_first == QP_NONE ? &rnic->waiting_first : &rnic->qp[rnic->waiting_last].next_waiting) = index;
    rnic->waiting_last = index;
}

void requests_retired(struct rnic *rnic, int64_t cyc)
{
    uint32_t index = rnic->waiting_first;
    space_give(&rnic->begun, 1, cyc);
    if (index == QP_NONE)
        return;
    rnic->waiting_first = rnic->qp[index].next_waiting;
    scheduler_queue(rnic, index, cyc);
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}
