/* Work requests, written into one message for the launcher: one post, one doorbell. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <string.h>

#include "api/rnicsim.h"

struct post {
    struct verbs_request request;
    _Alignas(8) unsigned char more[VERBS_MESSAGE_BYTES - sizeof(struct verbs_request)];
};

static struct post post; /* one call at a time */
static size_t used;

static void begin(enum verbs_kind kind, const struct shim_qp *qp)
{
    post.request = (struct verbs_request){.kind = kind,
                                          .until_ps = SHIM_NEVER,
                                          .qp = {.qpn = qp->ex.qp_base.qp_num,
                                                 .sq_depth = qp->init.cap.max_send_wr,
                                                 .rq_depth = qp->init.cap.max_recv_wr}};
    used = 0;
}

/* The model's opcode; -1: not modelled here. */
static int opcode_of(enum ibv_wr_opcode opcode)
{
    static const int opcodes[] = {[IBV_WR_RDMA_WRITE] = RNICSIM_WRITE,
                                  [IBV_WR_RDMA_WRITE_WITH_IMM] = RNICSIM_WRITE_IMM,
                                  [IBV_WR_SEND] = RNICSIM_SEND,
                                  [IBV_WR_SEND_WITH_IMM] = RNICSIM_SEND_IMM,
                                  [IBV_WR_RDMA_READ] = RNICSIM_READ,
                                  [IBV_WR_ATOMIC_CMP_AND_SWP] = RNICSIM_CMP_SWAP,
                                  [IBV_WR_ATOMIC_FETCH_AND_ADD] = RNICSIM_FETCH_ADD};
    return (unsigned)opcode < sizeof opcodes / sizeof *opcodes ? opcodes[opcode] : -1;
}

static uint32_t flags_of(unsigned int flags)
{
    return (flags & IBV_SEND_SIGNALED ? RNICSIM_SIGNALLED : 0) | (flags & IBV_SEND_INLINE ? RNICSIM_INLINE : 0) |
           (flags & IBV_SEND_SOLICITED ? RNICSIM_SOLICITED : 0) | (flags & IBV_SEND_FENCE ? RNICSIM_FENCE : 0);
}

static int add_list(struct verbs_wr *wr, const struct ibv_sge *sge, int count)
{
    struct verbs_sge *to = (void *)(wr + 1);
    for (int i = 0; i < count; i++)
        to[i] = (struct verbs_sge){sge[i].addr, sge[i].length, sge[i].lkey};
    wr->sge_count = (uint32_t)count;
    used += sizeof *wr + (size_t)count * sizeof *to;
    return 0;
}

static int add_inline(struct verbs_wr *wr, const struct ibv_sge *sge, int count, uint32_t most)
{
    unsigned char *to = (void *)(wr + 1);
    for (int i = 0; i < count; i++) {
        if (sge[i].length > most - wr->inline_bytes)
            return EINVAL;
        memcpy(to + wr->inline_bytes, (const void *)(uintptr_t)sge[i].addr, sge[i].length);
        wr->inline_bytes += sge[i].length;
    }
    used += sizeof *wr + (wr->inline_bytes + 7) / 8 * 8;
    return 0;
}

static void take_remote(struct verbs_wr *wr, const struct ibv_send_wr *from, enum ibv_qp_type type)
{
    if (type == IBV_QPT_UD) {
        wr->remote_qpn = from->wr.ud.remote_qpn;
        wr->remote_qkey = from->wr.ud.remote_qkey;
    } else if (wr->opcode == RNICSIM_CMP_SWAP || wr->opcode == RNICSIM_FETCH_ADD) {
        wr->remote_address = from->wr.atomic.remote_addr;
        wr->rkey = from->wr.atomic.rkey;
        wr->compare = from->wr.atomic.compare_add;
        wr->swap_or_add = wr->opcode == RNICSIM_CMP_SWAP ? from->wr.atomic.swap : from->wr.atomic.compare_add;
    } else {
        wr->remote_address = from->wr.rdma.remote_addr;
        wr->rkey = from->wr.rdma.rkey;
    }
}

/* 0, or an errno. */
static int add_send(const struct shim_qp *qp, const struct ibv_send_wr *from)
{
    int opcode = opcode_of(from->opcode), most = (int)qp->init.cap.max_send_sge;
    if (opcode < 0 || from->num_sge < 0 || from->num_sge > (most > 0 ? most : 1))
        return EINVAL;
    if (used + sizeof(struct verbs_wr) + VERBS_INLINE_MOST > sizeof post.more)
        return ENOMEM;
    struct verbs_wr *wr = (void *)(post.more + used);
    *wr = (struct verbs_wr){
        .wr_id = from->wr_id, .opcode = (uint32_t)opcode, .immediate = from->imm_data, .flags = flags_of(from->send_flags)};
    take_remote(wr, from, qp->init.qp_type);
    post.request.count++;
    return wr->flags & RNICSIM_INLINE ? add_inline(wr, from->sg_list, from->num_sge, qp->init.cap.max_inline_data)
                                      : add_list(wr, from->sg_list, from->num_sge);
}

static int end(void)
{
    return shim_ask(&post, sizeof post.request + used, NULL);
}

int shim_post_send(struct ibv_qp *base, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    const struct shim_qp *qp = (const struct shim_qp *)base;
    int result = base->state == IBV_QPS_RTS || base->state == IBV_QPS_SQD || base->state == IBV_QPS_ERR ? 0 : EINVAL;
    *bad = wr;
    if (result != 0)
        return result;
    shim_enter();
    shim_is_active();
    begin(VERBS_POST_SEND, qp);
    for (; wr != NULL && result == 0; wr = wr->next) {
        *bad = wr;
        result = add_send(qp, wr);
    }
    if (result == 0)
        result = end();
    shim_leave();
    return result;
}

int shim_post_recv(struct ibv_qp *base, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    const struct shim_qp *qp = (const struct shim_qp *)base;
    int result = base->state == IBV_QPS_RESET ? EINVAL : 0;
    shim_enter();
    shim_is_active();
    begin(VERBS_POST_RECEIVE, qp);
    *bad = wr;
    for (; wr != NULL && result == 0; wr = wr->next) {
        struct verbs_wr *to = (void *)(post.more + used);
        *bad = wr;
        if (wr->num_sge < 0 || wr->num_sge > (int)qp->init.cap.max_recv_sge)
            result = EINVAL;
        else if (used + sizeof *to + VERBS_INLINE_MOST > sizeof post.more)
            result = ENOMEM;
        if (result != 0)
            break;
        *to = (struct verbs_wr){.wr_id = wr->wr_id, .opcode = RNICSIM_RECV};
        post.request.count++;
        result = add_list(to, wr->sg_list, wr->num_sge);
    }
    if (result == 0)
        result = end();
    shim_leave();
    return result;
}
