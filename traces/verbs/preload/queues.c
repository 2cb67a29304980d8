/* Completion queues and queue pairs. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/rnicsim.h"

static struct shim_qp *first_qp;

struct shim_qp *shim_qp_find(uint32_t qpn)
{
    struct shim_qp *qp = first_qp;
    while (qp != NULL && qp->ex.qp_base.qp_num != qpn)
        qp = qp->next;
    return qp;
}

/* ---- completion queues ---- */

SHIM_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *cq_context,
                                         struct ibv_comp_channel *channel, int vector)
{
    struct shim_cq *cq = calloc(1, sizeof *cq);
    (void)vector;
    if (cq != NULL && entries > 0)
        cq->wc = calloc((size_t)entries, sizeof *cq->wc);
    if (cq == NULL || cq->wc == NULL) {
        errno = entries > 0 ? ENOMEM : EINVAL;
        free(cq);
        return NULL;
    }
    cq->room = (uint32_t)entries;
    cq->cq = (struct ibv_cq){.context = context, .channel = channel, .cq_context = cq_context, .cqe = entries};
    shim_events_of(cq);
    return &cq->cq;
}

SHIM_EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
    for (const struct shim_qp *qp = first_qp; qp != NULL; qp = qp->next)
        if (qp->init.send_cq == cq || qp->init.recv_cq == cq)
            return EBUSY;
    shim_events_forget((struct shim_cq *)cq);
    free(((struct shim_cq *)cq)->wc);
    free(cq);
    return 0;
}

static enum ibv_wc_opcode opcode_of(const struct verbs_completion *completion)
{
    if (completion->is_receive)
        return completion->opcode == RNICSIM_WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
    switch (completion->opcode) {
    case RNICSIM_WRITE:
    case RNICSIM_WRITE_IMM:
        return IBV_WC_RDMA_WRITE;
    case RNICSIM_READ:
        return IBV_WC_RDMA_READ;
    case RNICSIM_CMP_SWAP:
        return IBV_WC_COMP_SWAP;
    case RNICSIM_FETCH_ADD:
        return IBV_WC_FETCH_ADD;
    default:
        return IBV_WC_SEND;
    }
}

static struct ibv_wc wc_of(const struct verbs_completion *completion)
{
    int has_imm = completion->is_receive &&
                  (completion->opcode == RNICSIM_SEND_IMM || completion->opcode == RNICSIM_WRITE_IMM);
    return (struct ibv_wc){.wr_id = completion->wr_id,
                           .status = (enum ibv_wc_status)completion->status,
                           .opcode = opcode_of(completion),
                           .byte_len = completion->length_bytes,
                           .imm_data = has_imm ? completion->immediate : 0,
                           .qp_num = completion->qpn,
                           .src_qp = completion->src_qpn,
                           .wc_flags = (has_imm ? IBV_WC_WITH_IMM : 0u) | (completion->src_qpn != 0 ? IBV_WC_GRH : 0u)};
}

/* An entry that finds its CQ full is lost: the program has made it too small. */
static void put(struct shim_cq *cq, const struct ibv_wc *wc)
{
    if (cq->count < cq->room)
        cq->wc[(cq->first + cq->count++) % cq->room] = *wc;
    shim_event(cq);
}

void shim_complete(const struct verbs_completion *completion, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct shim_qp *qp = shim_qp_find(completion[i].qpn);
        struct ibv_wc wc = wc_of(&completion[i]);
        if (qp == NULL)
            continue;
        if (wc.status != IBV_WC_SUCCESS)
            qp->ex.qp_base.state = IBV_QPS_ERR;
        put((struct shim_cq *)(completion[i].is_receive ? qp->init.recv_cq : qp->init.send_cq), &wc);
    }
}

static int take(struct shim_cq *cq, int most, struct ibv_wc *wc)
{
    int taken = 0;
    for (; taken < most && cq->count > 0; cq->count--, cq->first = (cq->first + 1) % cq->room)
        wc[taken++] = cq->wc[cq->first];
    return taken;
}

/* A second empty look is a wait: time goes on to where something comes. */
int shim_poll(struct ibv_cq *queue, int most, struct ibv_wc *wc)
{
    struct shim_cq *cq = (struct shim_cq *)queue;
    struct verbs_request request = {.kind = shim.empty_polls > 0 ? VERBS_WAIT_POLL : VERBS_POLL, .until_ps = SHIM_NEVER};
    shim_enter();
    if (cq->count == 0 && (shim.empty_polls > 0 || shim.nothing_at_ps != shim.now_ps))
        shim_ask(&request, sizeof request, NULL);
    int taken = take(cq, most, wc);
    shim.empty_polls = taken > 0 ? 0 : shim.empty_polls + 1;
    shim_leave();
    return taken;
}

/* ---- queue pairs ---- */

static int transport_of(enum ibv_qp_type type)
{
    return type == IBV_QPT_RC ? RNICSIM_RC : type == IBV_QPT_UC ? RNICSIM_UC : type == IBV_QPT_UD ? RNICSIM_UD : -1;
}

/* 0, or an errno. */
static int wrong_with(const struct ibv_pd *pd, const struct ibv_qp_init_attr *init)
{
    if (pd == NULL || init->send_cq == NULL || init->recv_cq == NULL || init->cap.max_inline_data > SHIM_INLINE_MOST + 16)
        return EINVAL;
    if (transport_of(init->qp_type) < 0 || init->srq != NULL)
        return EOPNOTSUPP;
    return init->cap.max_send_wr > 32768 || init->cap.max_recv_wr > 32768 || init->cap.max_send_sge > SHIM_SGE_MOST ||
                   init->cap.max_recv_sge > SHIM_SGE_MOST
               ? EINVAL
               : 0;
}

static int make_qp(struct shim_qp *qp, const struct ibv_pd *pd)
{
    struct verbs_reply reply;
    const struct ibv_qp_cap *cap = &qp->init.cap;
    struct verbs_request request = {.kind = VERBS_QP_CREATE,
                                    .until_ps = SHIM_NEVER,
                                    .qp = {.pd = pd->handle,
                                           .transport = (uint32_t)transport_of(qp->init.qp_type),
                                           .sq_depth = cap->max_send_wr > 0 ? cap->max_send_wr : 1,
                                           .rq_depth = cap->max_recv_wr,
                                           .inline_bytes = cap->max_inline_data,
                                           .signal_all = qp->init.sq_sig_all != 0}};
    shim_enter();
    shim_is_active();
    int result = shim_ask(&request, sizeof request, &reply);
    shim_leave();
    qp->ex.qp_base.qp_num = qp->ex.qp_base.handle = reply.number;
    return result;
}

SHIM_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    struct shim_qp *qp = NULL;
    int result = wrong_with(pd, init);
    if (result == 0 && (qp = calloc(1, sizeof *qp)) == NULL)
        result = ENOMEM;
    if (result == 0) {
        qp->init = *init;
        result = make_qp(qp, pd);
    }
    if (result != 0) {
        free(qp);
        errno = result;
        return NULL;
    }
    struct ibv_qp *base = &qp->ex.qp_base;
    base->context = pd->context;
    base->qp_context = init->qp_context;
    base->pd = pd;
    base->send_cq = init->send_cq;
    base->recv_cq = init->recv_cq;
    base->state = IBV_QPS_RESET;
    base->qp_type = init->qp_type;
    shim_wr_fill(qp);
    qp->next = first_qp;
    first_qp = qp;
    return base;
}

SHIM_EXPORT struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
    return &((struct shim_qp *)qp)->ex;
}

/* ---- states ---- */

static int model_state(enum ibv_qp_state state)
{
    static const int states[] = {[IBV_QPS_RESET] = RNICSIM_QP_RESET, [IBV_QPS_INIT] = RNICSIM_QP_INIT,
                                 [IBV_QPS_RTR] = RNICSIM_QP_RTR,     [IBV_QPS_RTS] = RNICSIM_QP_RTS,
                                 [IBV_QPS_SQD] = RNICSIM_QP_SQD,     [IBV_QPS_SQE] = -1,
                                 [IBV_QPS_ERR] = RNICSIM_QP_ERROR};
    return state > IBV_QPS_ERR ? -1 : states[state];
}

/* The attributes that the mask names, kept for ibv_query_qp(). */
static void keep(struct ibv_qp_attr *kept, const struct ibv_qp_attr *attr, int mask)
{
#define KEEP(bit, field)                                                                                               \
    if (mask & (bit))                                                                                                  \
    kept->field = attr->field
    KEEP(IBV_QP_STATE, qp_state);
    KEEP(IBV_QP_ACCESS_FLAGS, qp_access_flags);
    KEEP(IBV_QP_PKEY_INDEX, pkey_index);
    KEEP(IBV_QP_PORT, port_num);
    KEEP(IBV_QP_QKEY, qkey);
    KEEP(IBV_QP_AV, ah_attr);
    KEEP(IBV_QP_PATH_MTU, path_mtu);
    KEEP(IBV_QP_TIMEOUT, timeout);
    KEEP(IBV_QP_RETRY_CNT, retry_cnt);
    KEEP(IBV_QP_RNR_RETRY, rnr_retry);
    KEEP(IBV_QP_RQ_PSN, rq_psn);
    KEEP(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
    KEEP(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
    KEEP(IBV_QP_SQ_PSN, sq_psn);
    KEEP(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
    KEEP(IBV_QP_DEST_QPN, dest_qp_num);
#undef KEEP
}

static struct verbs_qp modification(const struct shim_qp *qp, const struct ibv_qp_attr *attr)
{
    return (struct verbs_qp){.qpn = qp->ex.qp_base.qp_num,
                             .state = (uint32_t)model_state(attr->qp_state),
                             .transport = (uint32_t)transport_of(qp->init.qp_type),
                             .peer_qpn = attr->dest_qp_num,
                             .mtu_bytes = qp->init.qp_type == IBV_QPT_UD ? 4096u : 128u << attr->path_mtu,
                             .sq_psn = attr->sq_psn & 0xffffff,
                             .rq_psn = attr->rq_psn & 0xffffff,
                             .max_rd_atomic = attr->max_rd_atomic,
                             .access = (uint32_t)attr->qp_access_flags,
                             .qkey = attr->qkey,
                             .timeout = attr->timeout,
                             .retry_count = attr->retry_cnt,
                             .rnr_retry = attr->rnr_retry,
                             .rnr_timer = attr->min_rnr_timer};
}

SHIM_EXPORT int ibv_modify_qp(struct ibv_qp *base, struct ibv_qp_attr *attr, int mask)
{
    struct shim_qp *qp = (struct shim_qp *)base;
    struct ibv_qp_attr kept = qp->attr;
    keep(&kept, attr, mask);
    if ((mask & IBV_QP_STATE) == 0)
        kept.qp_state = base->state;
    if (model_state(kept.qp_state) < 0)
        return EINVAL;
    struct verbs_request request = {
        .kind = VERBS_QP_MODIFY, .until_ps = SHIM_NEVER, .qp = modification(qp, &kept)};
    shim_enter();
    shim_is_active();
    int result = shim_ask(&request, sizeof request, NULL);
    shim_leave();
    if (result != 0)
        return result;
    qp->attr = kept;
    base->state = kept.qp_state;
    return 0;
}

SHIM_EXPORT int ibv_query_qp(struct ibv_qp *base, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
    const struct shim_qp *qp = (const struct shim_qp *)base;
    (void)mask;
    *attr = qp->attr;
    attr->qp_state = attr->cur_qp_state = base->state;
    attr->cap = qp->init.cap;
    *init = qp->init;
    return 0;
}

SHIM_EXPORT int ibv_destroy_qp(struct ibv_qp *base)
{
    struct shim_qp *qp = (struct shim_qp *)base, **at = &first_qp;
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    ibv_modify_qp(base, &attr, IBV_QP_STATE); /* the model keeps it, and nothing comes to it any more */
    while (*at != qp)
        at = &(*at)->next;
    *at = qp->next;
    shim_wr_free(qp);
    free(qp);
    return 0;
}
