#include "nic/qp.h"

#include <stdlib.h>

static uint32_t ring_of(uint32_t depth)
{
    uint32_t ring = 1;
    while (ring < depth)
        ring *= 2;
    return ring;
}

int qp_init(struct qp *qp, uint32_t qpn, uint32_t sq_depth, uint32_t rq_depth)
{
    *qp = (struct qp){.qpn = qpn, .sq_depth = sq_depth, .rq_depth = rq_depth, .peer = QP_NONE};
    qp->send_mask = ring_of(sq_depth) - 1;
    qp->receive_mask = ring_of(rq_depth) - 1;
    qp->send = malloc(((size_t)qp->send_mask + 1) * sizeof *qp->send);
    qp->receive = malloc(((size_t)qp->receive_mask + 1) * sizeof *qp->receive);
    return qp->send && qp->receive ? 0 : -1;
}

void qp_free(struct qp *qp)
{
    free(qp->send);
    free(qp->receive);
}
