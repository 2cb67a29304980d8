/* A QP that is not in the state for it refuses a post at once, as ibv_post_send(3) says; a queue that is full says so. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int send_one(struct ibv_qp *qp)
{
    struct ibv_send_wr *bad = NULL, wr = {.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    return ibv_post_send(qp, &wr, &bad);
}

static int receive_one(struct ibv_qp *qp)
{
    struct ibv_recv_wr *bad = NULL, wr = {.wr_id = 1};
    return ibv_post_recv(qp, &wr, &bad);
}

int main(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(list[0]);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, NULL, 0);
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC,
                                    .send_cq = cq,
                                    .recv_cq = cq,
                                    .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    printf("reset %s %s\n", strerrorname_np(send_one(qp)), strerrorname_np(receive_one(qp)));
    int result = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    printf("to init %d\n", result);
    printf("init %s", strerrorname_np(send_one(qp)));
    printf(" %d", receive_one(qp));
    printf(" %s\n", strerrorname_np(receive_one(qp)));
    attr.qp_state = IBV_QPS_RTS;
    printf("to rts %s\n", strerrorname_np(ibv_modify_qp(qp, &attr, IBV_QP_STATE)));
    return 0;
}
