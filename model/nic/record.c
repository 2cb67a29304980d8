/* Doorbell records: the host writes the producer index of a send queue to its own memory and rings with a store that only says which
 * queue. The NIC reads the record (8 B) before it knows of the WQEs. One read a queue at a time: what is rung for meanwhile needs
 * another. A push carries the index, so what it tells is known at once. */
#include "nic/rnic.h"

#define RECORD_BYTES 8u
#define DESCRIPTOR_BYTES 1u

/* A line of its own in front of the ring. */
static uint64_t address_of(const struct qp *qp)
{
    return qp->sq_address - 64;
}

/* The next `count` WQEs that were rung for are known. */
static void know(struct rnic *rnic, struct qp *qp, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rnic_message(rnic, qp->send[(qp->known + i) & qp->send_mask])->stamp_ps[MESSAGE_AT_DOORBELL] = rnic->sim->now;
    qp->known += count;
    qp->unread -= count;
    qp->wants_record = qp->unread > 0 && !qp->reads_record;
}

void record_rung(struct rnic *rnic, struct qp *qp, const struct rnic_doorbell *doorbell)
{
    qp->unread += doorbell->count;
    if (rnic->params->doorbell_record == NIC_DOORBELL_RECORD_OFF || doorbell->pushed || qp->failed)
        know(rnic, qp, qp->unread);
    else
        qp->wants_record = !qp->reads_record;
}

void record_give_up(struct rnic *rnic, struct qp *qp)
{
    know(rnic, qp, qp->unread);
}

uint32_t record_read(struct rnic *rnic, uint32_t index)
{
    struct qp *qp = &rnic->qp[index];
    qp->record_index = qp->known + qp->unread; /* what it holds at the least when it is read */
    qp->reads_record = 1;
    qp->wants_record = 0;
    return pcie_read_begin(&rnic->pcie, PCIE_RECORD_READ, address_of(qp), RECORD_BYTES, index);
}

void record_is_here(struct rnic *rnic, uint32_t index, int has_failed, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    uint32_t news = qp->record_index - qp->known, request = qp->known;
    int is_needed = qp->unread > 0 && news <= qp->unread; /* else a push, or an error, has told meanwhile */
    qp->reads_record = 0;
    know(rnic, qp, !is_needed ? 0 : has_failed ? qp->unread : news);
    if (has_failed && is_needed)
        errors_of_request(rnic, index, request, now_cyc);
}
