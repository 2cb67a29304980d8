/* The newer way to post, ibv_wr_start() to ibv_wr_complete(): requests are collected, and posted as a list. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MOST 1024u

struct shim_list {
    struct ibv_send_wr wr[LIST_MOST];
    struct ibv_sge sge[LIST_MOST][SHIM_SGE_MOST];
    uint32_t count;
    int result;
};

static struct shim_list *list_of(struct ibv_qp_ex *qp)
{
    return ((struct shim_qp *)qp)->list;
}

static void start(struct ibv_qp_ex *ex)
{
    struct shim_qp *qp = (struct shim_qp *)ex;
    if (qp->list == NULL)
        qp->list = malloc(sizeof *qp->list);
    if (qp->list == NULL)
        abort(); /* this call cannot fail */
    qp->list->count = 0;
    qp->list->result = 0;
}

/* One request more; of too many the last is used again, and the whole refused. */
static struct ibv_send_wr *add(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode)
{
    struct shim_list *list = list_of(qp);
    if (list->count == LIST_MOST) {
        list->result = ENOMEM;
        list->count--;
    }
    struct ibv_send_wr *wr = &list->wr[list->count];
    *wr = (struct ibv_send_wr){
        .wr_id = qp->wr_id, .opcode = opcode, .send_flags = qp->wr_flags, .sg_list = list->sge[list->count]};
    list->count++;
    return wr;
}

static void rdma(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t address, __be32 immediate)
{
    struct ibv_send_wr *wr = add(qp, opcode);
    wr->imm_data = immediate;
    wr->wr.rdma.rkey = rkey;
    wr->wr.rdma.remote_addr = address;
}

static void rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t address)
{
    rdma(qp, IBV_WR_RDMA_READ, rkey, address, 0);
}

static void rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t address)
{
    rdma(qp, IBV_WR_RDMA_WRITE, rkey, address, 0);
}

static void rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t address, __be32 immediate)
{
    rdma(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address, immediate);
}

static void send_plain(struct ibv_qp_ex *qp)
{
    add(qp, IBV_WR_SEND);
}

static void send_imm(struct ibv_qp_ex *qp, __be32 immediate)
{
    add(qp, IBV_WR_SEND_WITH_IMM)->imm_data = immediate;
}

static void atomic(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t address, uint64_t first,
                   uint64_t swap)
{
    struct ibv_send_wr *wr = add(qp, opcode);
    wr->wr.atomic.rkey = rkey;
    wr->wr.atomic.remote_addr = address;
    wr->wr.atomic.compare_add = first;
    wr->wr.atomic.swap = swap;
}

static void cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap)
{
    atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, address, compare, swap);
}

static void fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t address, uint64_t sum)
{
    atomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, address, sum, 0);
}

static struct ibv_send_wr *last(struct ibv_qp_ex *qp)
{
    return &list_of(qp)->wr[list_of(qp)->count - 1];
}

static void set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
    last(qp)->wr.ud.ah = ah;
    last(qp)->wr.ud.remote_qpn = qpn;
    last(qp)->wr.ud.remote_qkey = qkey;
}

static void set_sge_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_sge *sge)
{
    struct ibv_send_wr *wr = last(qp);
    if (count > SHIM_SGE_MOST) {
        list_of(qp)->result = EINVAL;
        return;
    }
    memcpy(wr->sg_list, sge, count * sizeof *sge);
    wr->num_sge = (int)count;
}

static void set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t address, uint32_t length)
{
    struct ibv_sge sge = {address, length, lkey};
    set_sge_list(qp, 1, &sge);
}

static void set_inline_data(struct ibv_qp_ex *qp, void *address, size_t length)
{
    set_sge(qp, 0, (uint64_t)(uintptr_t)address, (uint32_t)length);
    last(qp)->send_flags |= IBV_SEND_INLINE;
}

static void set_inline_data_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_data_buf *from)
{
    struct ibv_sge sge[SHIM_SGE_MOST];
    for (size_t i = 0; i < count && i < SHIM_SGE_MOST; i++)
        sge[i] = (struct ibv_sge){(uint64_t)(uintptr_t)from[i].addr, (uint32_t)from[i].length, 0};
    set_sge_list(qp, count, sge);
    last(qp)->send_flags |= IBV_SEND_INLINE;
}

static int complete(struct ibv_qp_ex *qp)
{
    struct shim_list *list = list_of(qp);
    struct ibv_send_wr *bad;
    for (uint32_t i = 0; i < list->count; i++)
        list->wr[i].next = i + 1 < list->count ? &list->wr[i + 1] : NULL;
    if (list->count == 0 || list->result != 0)
        return list->result;
    return shim_post_send(&qp->qp_base, list->wr, &bad);
}

static void drop(struct ibv_qp_ex *qp)
{
    list_of(qp)->count = 0;
}

void shim_wr_fill(struct shim_qp *qp)
{
    qp->ex.wr_start = start;
    qp->ex.wr_complete = complete;
    qp->ex.wr_abort = drop;
    qp->ex.wr_send = send_plain;
    qp->ex.wr_send_imm = send_imm;
    qp->ex.wr_rdma_read = rdma_read;
    qp->ex.wr_rdma_write = rdma_write;
    qp->ex.wr_rdma_write_imm = rdma_write_imm;
    qp->ex.wr_atomic_cmp_swp = cmp_swp;
    qp->ex.wr_atomic_fetch_add = fetch_add;
    qp->ex.wr_set_ud_addr = set_ud_addr;
    qp->ex.wr_set_sge = set_sge;
    qp->ex.wr_set_sge_list = set_sge_list;
    qp->ex.wr_set_inline_data = set_inline_data;
    qp->ex.wr_set_inline_data_list = set_inline_data_list;
}

void shim_wr_free(struct shim_qp *qp)
{
    free(qp->list);
}
