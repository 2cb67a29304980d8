/* What units look up for their jobs: contexts, and translations of rings and payload. */
#include "nic/context_ask.h"

/* Rings are regions of their own: send queue, completion queue and receive queue of a QP, each its pages one after the other. Their tables lie in the
 * upper halves of those for what programs register, which begin at 0, so that few of either are not in one set of a cache. */
#define RING_REGIONS (UINT64_C(1) << 32 | 256)
#define RING_PAGES (UINT64_C(1) << 52 | UINT64_C(2048) << 12)
#define WQE_BYTES 64u

/* The block of WQEs from its next one on, as far as the ring goes. */
static void translate_wqes(const struct rnic *rnic, struct context_request *request)
{
    const struct qp *qp = &rnic->qp[request->qp];
    uint32_t slot = qp->cut & qp->send_mask, left = qp->send_mask + 1 - slot;
    uint32_t most = (uint32_t)rnic->params->wqe_fetch_most;
    context_translate(rnic, request, RING_REGIONS + 3 * request->qp, RING_PAGES + qp->rings_offset + slot * WQE_BYTES,
                      (left < most ? left : most) * WQE_BYTES);
}

static void translate_cqe(const struct rnic *rnic, struct context_request *request)
{
    const struct qp *qp = &rnic->qp[request->qp];
    uint64_t slot = qp->retired & qp->send_mask, bytes = (uint64_t)rnic->params->cqe_bytes;
    context_translate(rnic, request, RING_REGIONS + 3 * request->qp + 1,
                      RING_PAGES + qp->rings_offset + lookup_ring_bytes(qp->send_mask, WQE_BYTES) + slot * bytes,
                      (uint32_t)bytes);
}

/* The block of receive WQEs that the packet's is in; a message's last packet uses it up. A QP's blocks share one place. */
static void translate_receive(struct rnic *rnic, struct context_request *request, const struct lookup_job *job)
{
    struct qp *qp = &rnic->qp[request->qp];
    uint32_t most = (uint32_t)rnic->params->wqe_fetch_most, block = qp->receives_looked / most;
    uint64_t rings = qp->rings_offset + lookup_ring_bytes(qp->send_mask, WQE_BYTES) +
                     lookup_ring_bytes(qp->send_mask, (uint64_t)rnic->params->cqe_bytes);
    context_translate(rnic, request, RING_REGIONS + 3 * request->qp + 2,
                      RING_PAGES + rings + (uint64_t)(block * most & qp->receives->mask) * WQE_BYTES, WQE_BYTES);
    request->block = (uint64_t)block << 20 | request->qp;
    qp->receives_looked += rnic_item(rnic, job->ref)->last;
}

/* Of a packet to be sent, of one received, or of an answer's that is received. */
static int translate_payload(const struct rnic *rnic, struct context_request *request, const struct lookup_job *job)
{
    const struct item *item = rnic_item(rnic, job->ref);
    const struct message *message = rnic_message(rnic, item->message);
    uint32_t region = message->lkey, bytes = message->has_inline ? 0 : item->payload_bytes;
    uint64_t address = message->local_address + item->offset;
    if (job->channel != LOOKUP_SEND)
        bytes = context_place_of(rnic, item, &region, &address);
    if (bytes > 0)
        context_translate(rnic, request, region, address, bytes);
    return bytes > 0;
}

static struct context_request of_job(struct rnic *rnic, const struct lookup_job *job)
{
    struct context_request request = {.qp = job->qp, .who = CONTEXT_OF_LOOKUP};
    unsigned kinds = CONTEXT_BIT(CONTEXT_QPC) | CONTEXT_BIT(CONTEXT_CQC) | CONTEXT_BIT(CONTEXT_EQC);
    if (job->unit == LOOKUP_TRANSLATION) {
        kinds = CONTEXT_TRANSLATION;
        if (job->channel == LOOKUP_QUEUE)
            translate_wqes(rnic, &request);
        else if (job->is_cqe || (job->channel == LOOKUP_ACK && rnic_item(rnic, job->ref)->kind == ITEM_ACK))
            translate_cqe(rnic, &request);
        else if (job->channel == LOOKUP_RECEIVE)
            translate_receive(rnic, &request, job);
        else if (!translate_payload(rnic, &request, job))
            kinds = 0;
    }
    if (job->channel == LOOKUP_RECEIVE)
        kinds |= CONTEXT_BIT(CONTEXT_RQE);
    context_want(rnic, &request, kinds);
    return request;
}

void context_look_up(struct rnic *rnic, uint32_t job, int64_t now_cyc, uint32_t *pages)
{
    struct context_request request = of_job(rnic, lookup_job(&rnic->lookup, job));
    *pages = (uint32_t)request.pages_left;
    if (!request.wants) {
        lookup_found(rnic, job, 0, now_cyc);
        return;
    }
    request.job = job;
    uint32_t index = context_keep(rnic, &request);
    if (context_go_on(rnic, index, now_cyc, 1))
        context_complete(rnic, index, now_cyc);
}
