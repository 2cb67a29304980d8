#include "nic/qp.h"

#include "kernel/pool.h"
#include "nic/keys.h"

#include <stdlib.h>

static uint32_t ring_of(uint32_t depth)
{
    uint32_t ring = 1;
    while (ring < depth)
        ring *= 2;
    return ring;
}

struct receive_queue *receive_queue_new(uint32_t depth)
{
    uint32_t ring = ring_of(depth);
    struct receive_queue *queue = calloc(1, sizeof *queue + ring * sizeof *queue->slot);
    if (queue)
        *queue = (struct receive_queue){.depth = depth, .mask = ring - 1};
    return queue;
}

void receive_queue_free(struct receive_queue *queue)
{
    for (uint32_t i = 0; queue && i <= queue->mask; i++)
        free(queue->slot[i].list);
    free(queue);
}

int qp_init(struct qp *qp, uint32_t qpn, uint32_t sq_depth, uint32_t rq_depth, uint32_t srq,
            struct receive_queue *shared)
{
    *qp = (struct qp){.qpn = qpn, .sq_depth = sq_depth, .peer = QP_NONE, .srq = srq};
    qp->doorbell = qp->staged_first = qp->staged_last = POOL_NONE;
    qp->answer_first = qp->answer_last = qp->open_receive = qp->failed_receive = POOL_NONE;
    qp->access = KEY_ALL;
    qp->send_mask = ring_of(sq_depth) - 1;
    qp->send = malloc(((size_t)qp->send_mask + 1) * sizeof *qp->send);
    qp->receives = shared ? shared : receive_queue_new(rq_depth);
    return qp->send && qp->receives ? 0 : -1;
}

void qp_free(struct qp *qp)
{
    free(qp->send);
    if (qp->srq == SRQ_NONE)
        receive_queue_free(qp->receives);
}

static uint32_t place(const struct qp_table *table, uint32_t qpn)
{
    uint32_t i = qpn * 2654435761u & table->mask; /* Knuth's multiplicative hash */
    while (table->entry[i].qpn != 0 && table->entry[i].qpn != qpn)
        i = (i + 1) & table->mask;
    return i;
}

static int grow(struct qp_table *table)
{
    struct qp_table larger = {.mask = table->entry ? table->mask * 2 + 1 : 63, .count = table->count};
    larger.entry = calloc((size_t)larger.mask + 1, sizeof *larger.entry);
    if (!larger.entry)
        return -1;
    for (uint32_t i = 0; table->entry && i <= table->mask; i++)
        if (table->entry[i].qpn != 0)
            larger.entry[place(&larger, table->entry[i].qpn)] = table->entry[i];
    free(table->entry);
    *table = larger;
    return 0;
}

int qp_table_put(struct qp_table *table, uint32_t qpn, uint32_t index)
{
    if ((!table->entry || table->count * 2 > table->mask) && grow(table))
        return -1;
    uint32_t i = place(table, qpn);
    table->entry[i].qpn = qpn;
    table->entry[i].index = index;
    table->count++;
    return 0;
}

uint32_t qp_table_find(const struct qp_table *table, uint32_t qpn)
{
    if (!table->entry || qpn == 0)
        return QP_NONE;
    uint32_t i = place(table, qpn);
    return table->entry[i].qpn == qpn ? table->entry[i].index : QP_NONE;
}
