/* The requests that are begun and not retired: nic.qp_requests of one QP, and nic.requests, a table that QPs share. */
#include "nic/rnic.h"

int requests_hold(const struct rnic *rnic, const struct qp *qp)
{
    return qp->cut - qp->retired >= rnic->params->qp_requests || (rnic->answers.on && answers_hold_request(rnic, qp)) ||
           (rnic->has_local && local_holds(rnic, qp));
}

int requests_must_wait(const struct rnic *rnic, uint32_t index, int is_fetch, int is_packet, int64_t cyc)
{
    int begins = (is_packet && rnic_begins_request(rnic, &rnic->qp[index])) ||
                 (is_fetch && rnic->grants_requests && rnic->begun.depth > 0);
    return begins && space_when(&rnic->begun, 1) > cyc;
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

/* The first that waits is eligible from the cycle on. */
static void let_next(struct rnic *rnic, int64_t cyc)
{
    uint32_t index = rnic->waiting_first;
    rnic->waiting_first = rnic->qp[index].next_waiting;
    scheduler_queue(rnic, index, cyc);
}

void requests_pass_on(struct rnic *rnic, int64_t cyc)
{
    if (rnic->waiting_first == QP_NONE || space_when(&rnic->begun, 1) == SIM_NEVER)
        return;
    let_next(rnic, cyc);
}

void requests_retired(struct rnic *rnic, int64_t cyc)
{
    space_give(&rnic->begun, 1, cyc);
    if (rnic->waiting_first == QP_NONE)
        return;
    let_next(rnic, cyc);
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}
