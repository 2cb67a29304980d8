#include "nic/follow.h"

#include "nic/rnic.h"

#include <stdio.h>

int follow_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    const struct nic_params *p = rnic->params;
    int in_bytes = p->scheduler == NIC_SCHEDULER_DRR || p->scheduler == NIC_SCHEDULER_WFQ ||
                   p->quantum_unit == NIC_QUANTUM_UNIT_BYTE || ready_counts_class_bytes(p);
    rnic->follow.qp = QP_NONE;
    rnic->grants_requests = p->grant == NIC_GRANT_REQUEST;
    rnic->fetch_most = rnic->grants_requests ? 1 : (uint32_t)p->wqe_fetch_most;
    rnic->fetch_entry = path_entry(&rnic->path[rnic->path[RNIC_FETCH].count > 0 ? RNIC_FETCH : RNIC_SCHED]);
    rnic->fetch_entry->write_decider = rnic->path[RNIC_FETCH].end.read_decider = rnic->scheduler;
    if (!rnic->grants_requests)
        return 0;
    snprintf(
        error, error_bytes,
        "nic.grant = request: what is not fetched has no length yet, so nic.scheduler, quantum_unit, class_scheduler "
        "and class_quantum_unit must not count bytes: allowed rr, wrr or strict, of packets or messages");
    if (in_bytes)
        return -1;
    snprintf(error, error_bytes,
             "nic.grant = request with nic.context_unit, qpc_entries, cqc_entries, mpt_entries or mtt_entries: "
             "allowed with all contexts on chip (0)");
    if (rnic->contexts.on)
        return -1;
    snprintf(error, error_bytes, "out of memory");
    return agenda_init(&rnic->follow.wqes, 64);
}

int64_t follow_fetches(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *in = &rnic->path[RNIC_FETCH].end, *entry = path_entry(&rnic->path[RNIC_SCHED]);
    while (!fifo_empty(in)) {
        int64_t space_at = fifo_space_at(entry, RNIC_OPERATION_BYTES), at = fifo_front(in)->head_cyc;
        entry->writer_waits |= space_at == SIM_NEVER;
        at = space_at > at ? space_at : at;
        if (at > now_cyc)
            return at;
        struct fifo_slot slot = fifo_take(in);
        rnic_forward(entry, now_cyc, RNIC_OPERATION_BYTES, slot.ref);
        fifo_release(in, slot.bytes, now_cyc, now_cyc);
        rnic_run_reads(rnic);
    }
    return SIM_NEVER;
}

void follow_fetch(struct rnic *rnic, uint32_t ref, int64_t cyc)
{
    model_assert(rnic->sim, agenda_put(&rnic->follow.wqes, cyc, 0, ref) == 0, "out of memory");
}

/* The next WQE's QP; 0: none. */
static int next_qp(struct rnic *rnic)
{
    struct follow *follow = &rnic->follow;
    const struct agenda_entry *first = agenda_first(&follow->wqes);
    if (!first)
        return 0;
    uint32_t ref = (uint32_t)first->ref;
    agenda_drop_first(&follow->wqes);
    follow->qp = RNIC_QP_OF(ref);
    rnic->qp[follow->qp].is_followed = 1;
    inputs_take_fetch(rnic, &rnic->qp[follow->qp], RNIC_FETCH_OF(ref));
    return 1;
}

/* When its next packet can go; SIM_NEVER: I am woken by what it waits for. */
static int64_t packet_when(struct rnic *rnic, const struct qp *qp, int64_t now_cyc)
{
    struct follow *follow = &rnic->follow;
    follow->waits_for_window =
        !requester_window_open(&qp->requester) || (rnic->answers.on && qp->offset_bytes == 0 &&
                                                   answers_hold_request(rnic, qp)); /* an answer brings it back, too */
    if (follow->waits_for_window)
        return SIM_NEVER;
    int64_t at = scheduler_packet_when(rnic, qp, &follow->waits_for_read, &follow->waits_for_space);
    at = at > follow->free_cyc ? at : follow->free_cyc;
    return at > now_cyc ? at : now_cyc;
}

int64_t follow_run(struct rnic *rnic, int64_t now_cyc)
{
    struct follow *follow = &rnic->follow;
    follow->waits_for_read = follow->waits_for_space = follow->waits_for_window = 0;
    while (follow->qp != QP_NONE || next_qp(rnic)) {
        uint32_t index = follow->qp;
        struct qp *qp = &rnic->qp[index];
        if (qp->failed || qp->recovery.waits || qp->fetched == qp->cut) {
            follow->qp = QP_NONE;
            qp->is_followed = 0;
            scheduler_kick(rnic, index, now_cyc, QP_WAIT_WQE);
            continue;
        }
        int64_t at = packet_when(rnic, qp, now_cyc);
        if (at > now_cyc)
            return at;
        rnic_pay(rnic, index, grant_packet(rnic, index, now_cyc));
        follow->free_cyc = now_cyc + 1;
    }
    return SIM_NEVER;
}
