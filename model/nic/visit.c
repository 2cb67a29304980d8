/* A QP's visit behind its lookups: the WQE unit, the packet, the read of its payload. See lookup.h. */
#include "nic/lookup.h"
#include "nic/rnic.h"

enum { WQE_PARSES, WQE_ASKS, WQE_READS };

/* ---- begin and end ---- */

int64_t visit_grant_at(const struct rnic *rnic, int64_t at_cyc)
{
    return lookup_has_room(&rnic->lookup, LOOKUP_QUEUE, LOOKUP_CONTEXT) ? at_cyc : SIM_NEVER;
}

void visit_begin(struct rnic *rnic, uint32_t qp, int64_t now_cyc)
{
    heap_take(&rnic->eligible);
    lookup_enter(rnic, LOOKUP_QUEUE, qp, 0, 1, now_cyc + rnic->params->visit_begin);
}

/* The QP goes back to the scheduler, if it has more to do. */
static void end_visit(struct rnic *rnic, uint32_t *job, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t index = lookup_job(lookup, *job)->qp;
    pool_give(&lookup->jobs, *job);
    *job = LOOKUP_NONE;
    rnic->qp[index].queued = 0;
    scheduler_kick(rnic, index, now_cyc, QP_WAIT_CONTEXT);
}

/* ---- the WQE unit ---- */

/* The cell becomes the QP's: what it had fetched before another took it is lost. */
static void own_cell(struct lookup *lookup, struct qp *qp, uint32_t index)
{
    if (lookup->cells == 0 || lookup->cell[index % lookup->cells] == index)
        return;
    lookup->cell[index % lookup->cells] = index;
    qp->asked = qp->fetched = qp->cut;
}

int64_t visit_to_wqes(struct rnic *rnic, uint32_t job, int64_t now_cyc, int64_t *again_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    if (lookup->wqe_job != LOOKUP_NONE) {
        *again_cyc = SIM_NEVER;
        return LOOKUP_NOT_TAKEN;
    }
    uint32_t index = lookup_job(lookup, job)->qp;
    struct qp *qp = &rnic->qp[index];
    lookup->wqe_job = job;
    if (lookup_job(lookup, job)->failed && !qp->failed)
        errors_of_request(rnic, index, qp->cut, now_cyc);
    own_cell(lookup, qp, index);
    if (qp->failed || lookup_job(lookup, job)->failed || (qp->fetched == qp->cut && qp->known == qp->asked)) {
        end_visit(rnic, &lookup->wqe_job, now_cyc);
        return now_cyc;
    }
    lookup->wqe_state = qp->fetched != qp->cut ? WQE_PARSES : WQE_ASKS;
    lookup->wqe_cyc =
        now_cyc + (lookup->wqe_state == WQE_PARSES ? rnic->params->visit_parse : rnic->params->visit_fetch);
    lookup_at(rnic, lookup->wqe_cyc, LOOKUP_LOOK_AGAIN, 0);
    return now_cyc;
}

/* Waits until at_cyc, SIM_NEVER: until somebody gives it back. 1: it is there. */
static int is_there(struct rnic *rnic, int64_t at_cyc, int *waits, int64_t now_cyc)
{
    if (at_cyc <= now_cyc)
        return 1;
    if (at_cyc == SIM_NEVER)
        *waits = 1;
    else
        lookup_at(rnic, at_cyc, LOOKUP_LOOK_AGAIN, 0);
    return 0;
}

static int path_has_room(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_SCHED]);
    int waits = 0, is_free = is_there(rnic, fifo_space_at(entry, RNIC_OPERATION_BYTES), &waits, now_cyc);
    entry->writer_waits |= waits;
    return is_free;
}

static void fetch_wqes(struct rnic *rnic, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    if (!path_has_room(rnic, now_cyc) ||
        !is_there(rnic, pcie_read_when(&rnic->pcie, PCIE_WQE_READ), &rnic->waits_for_read, now_cyc))
        return;
    grant_fetch(rnic, lookup_job(lookup, lookup->wqe_job)->qp, now_cyc);
    lookup->wqe_state = WQE_READS;
    lookup->wqe_cyc = SIM_NEVER;
}

static void make_packet(struct rnic *rnic, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t index = lookup_job(lookup, lookup->wqe_job)->qp;
    struct qp *qp = &rnic->qp[index];
    if (qp->failed || !requester_window_open(&qp->requester) ||
        (rnic->holds_requests && qp->offset_bytes == 0 &&
         requests_hold(rnic, qp))) { /* an ACK, or an answer, brings it back */
        end_visit(rnic, &lookup->wqe_job, now_cyc);
        return;
    }
    int unused = 0; /* ACKs wake the scheduler in any case */
    if (!lookup_has_room(lookup, LOOKUP_SEND, LOOKUP_CONTEXT) ||
        (lookup->unacked.depth > 0 && !is_there(rnic, space_when(&lookup->unacked, 1), &unused, now_cyc)))
        return;
    if (lookup->unacked.depth > 0)
        space_take(&lookup->unacked, 1);
    qp->unacked++;
    uint32_t ref = grant_cut(rnic, index);
    rate_pay(&qp->rate, rnic_item(rnic, ref)->bytes, rnic->sim->now);
    lookup->gives_job = lookup->wqe_job;
    lookup->gives_cyc = SIM_NEVER;
    lookup->wqe_job = LOOKUP_NONE;
    lookup_enter(rnic, LOOKUP_SEND, index, ref, 1, now_cyc + rnic->params->packet_begin);
}

void visit_taken_in(struct rnic *rnic, int64_t start_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    lookup->gives_cyc = start_cyc + rnic->params->visit_end;
    lookup->packet_cyc = start_cyc + rnic->params->visit_interval;
    lookup_at(rnic, lookup->gives_cyc, LOOKUP_LOOK_AGAIN, 0);
    lookup_at(rnic, lookup->packet_cyc, LOOKUP_LOOK_AGAIN, 0);
}

void visit_wqe_run(struct rnic *rnic, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    if (lookup->gives_job != LOOKUP_NONE && lookup->gives_cyc <= now_cyc)
        end_visit(rnic, &lookup->gives_job, now_cyc);
    if (lookup->wqe_job == LOOKUP_NONE || lookup->wqe_cyc > now_cyc)
        return;
    if (lookup->wqe_state == WQE_ASKS)
        fetch_wqes(rnic, now_cyc);
    else if (lookup->gives_job == LOOKUP_NONE && lookup->packet_cyc <= now_cyc)
        make_packet(rnic, now_cyc);
}

void visit_fetched(struct rnic *rnic, uint32_t qp, int has_failed, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    model_assert(rnic->sim, lookup->wqe_job != LOOKUP_NONE && lookup_job(lookup, lookup->wqe_job)->qp == qp,
                 "WQEs come that no visit waits for");
    if (has_failed) {
        end_visit(rnic, &lookup->wqe_job, now_cyc);
        return;
    }
    lookup->wqe_state = WQE_PARSES;
    lookup->wqe_cyc = now_cyc;
}

void lookup_acknowledged(struct rnic *rnic, struct qp *qp, uint32_t packets, int64_t now_cyc)
{
    if (packets > qp->unacked) /* the QP has failed, and all of its packets are given up */
        packets = qp->unacked;
    qp->unacked -= packets;
    if (rnic->lookup.unacked.depth == 0 || packets == 0)
        return;
    space_give(&rnic->lookup.unacked, packets, now_cyc + 1);
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1));
}

/* ---- the payload ---- */

int64_t lookup_build_cyc(const struct rnic *rnic, uint32_t payload_bytes)
{
    if (rnic->payload_last_cyc == 0) /* it is the first */
        return 0;
    return rnic->payload_last_cyc + rnic->params->packet_build + lookup_beats(rnic->params, payload_bytes);
}

int64_t visit_to_read(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    if (lookup->read_ref != LOOKUP_NONE) {
        *again_cyc = SIM_NEVER;
        return LOOKUP_NOT_TAKEN;
    }
    lookup->read_ref = job->ref;
    lookup->read_has_failed = job->failed;
    lookup->read_cyc = now_cyc + rnic->params->packet_read;
    lookup_at(rnic, lookup->read_cyc, LOOKUP_LOOK_AGAIN, 0);
    return now_cyc;
}

void visit_read_run(struct rnic *rnic, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    if (lookup->read_ref == LOOKUP_NONE || lookup->read_cyc > now_cyc)
        return;
    uint32_t bytes = rnic_item(rnic, lookup->read_ref)->payload_bytes;
    if (!path_has_room(rnic, now_cyc) ||
        !is_there(rnic, pcie_read_when(&rnic->pcie, PCIE_PAYLOAD_READ), &rnic->waits_for_read, now_cyc) ||
        !is_there(rnic, payload_chunks_when(rnic, bytes), &rnic->waits_for_space, now_cyc))
        return;
    grant_read(rnic, lookup->read_ref, lookup->read_has_failed, now_cyc);
    lookup->read_ref = LOOKUP_NONE;
}
