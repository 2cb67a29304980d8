#include "nic/srq.h"

#include "nic/rnic.h"

#include <stdlib.h>

/* Its events are the first that do not follow from what the PCIe link has done. */
static int turn_on(struct rnic *rnic)
{
    return rnic->srqs.count > 0
               ? 0
               : sim_reach(rnic->sim, rnic->dispatch, rnic->pcie.up_decider, rnic->user_clk.whole, SIM_FORWARD);
}

static int make_room(struct srqs *srqs)
{
    uint32_t room = srqs->room ? 2 * srqs->room : 4;
    struct srq **more = srqs->count < srqs->room ? srqs->srq : realloc(srqs->srq, room * sizeof *more);
    if (!more)
        return -1;
    srqs->room = srqs->count < srqs->room ? srqs->room : room;
    srqs->srq = more;
    return 0;
}

uint32_t srq_add(struct rnic *rnic, uint32_t srqn, uint32_t depth)
{
    struct srqs *srqs = &rnic->srqs;
    struct srq *srq = calloc(1, sizeof *srq);
    struct receive_queue *queue = receive_queue_new(depth);
    if (!srq || !queue || make_room(srqs) || qp_table_put(&srqs->by_number, srqn, srqs->count) || turn_on(rnic)) {
        free(srq);
        receive_queue_free(queue);
        return SRQ_NONE;
    }
    *srq = (struct srq){.queue = queue, .srqn = srqn};
    srqs->srq[srqs->count] = srq;
    return srqs->count++;
}

void srq_free(struct rnic *rnic)
{
    struct srqs *srqs = &rnic->srqs;
    for (uint32_t i = 0; i < srqs->count; i++) {
        receive_queue_free(srqs->srq[i]->queue);
        free(srqs->srq[i]);
    }
    free(srqs->srq);
    free(srqs->by_number.entry);
}

uint32_t srq_of(const struct rnic *rnic, const struct item *item)
{
    const struct qp *qp = &rnic->qp[item->qp];
    return qp->transport == QP_XRC ? rnic_message(rnic, item->message)->to : qp->srq;
}

int srq_takes(const struct rnic *rnic, const struct item *item)
{
    return item->kind == ITEM_DATA && receive_takes_wqe(item, rnic_message(rnic, item->message)) &&
           srq_of(rnic, item) != SRQ_NONE;
}

int64_t srq_free_cyc(const struct rnic *rnic, const struct item *item)
{
    return rnic->srqs.count > 0 && !item->bad && srq_takes(rnic, item) ? rnic->srqs.srq[srq_of(rnic, item)]->free_cyc
                                                                       : 0;
}

void srq_accessed(struct rnic *rnic, uint32_t index, int is_empty)
{
    struct srq *srq = rnic->srqs.srq[index];
    srq->free_cyc = rnic_cycle(rnic, rnic->sim->now) + rnic->params->srq_loop;
    srq->accesses++;
    srq->empty += (uint64_t)is_empty;
}

void srq_taken(struct rnic *rnic, uint32_t index)
{
    struct srq *srq = rnic->srqs.srq[index];
    const struct receive_queue *queue = srq->queue;
    while (srq->visible != queue->posted && queue->slot[srq->visible & queue->mask].posted_at_ps <= rnic->sim->now)
        srq->visible++;
    if (srq->visible - queue->taken >= srq->limit)
        return;
    srq->limit = 0;
    srq->limits++;
    events_srq_limit(rnic, index);
}

uint32_t srq_posted_behind(const struct rnic *rnic, const struct srq *srq, uint32_t ordinal)
{
    const struct receive_queue *queue = srq->queue;
    uint32_t most = (uint32_t)rnic->params->srq_fetch, left = queue->mask + 1 - (ordinal & queue->mask), count = 0;
    int32_t posted = (int32_t)(queue->posted - ordinal); /* negative: more was promised than there is */
    most = most < left ? most : left;
    while (count < most && (int32_t)count < posted &&
           queue->slot[(ordinal + count) & queue->mask].posted_at_ps <= rnic->sim->now)
        count++;
    return count > 0 ? count : 1;
}
