/* A first program with verbs: two processes, one RC queue pair each, one operation.
 *
 *   gcc -o rc rc.c -libverbs
 *   ./rc send              waits for the other
 *   ./rc send 127.0.0.1    connects to it
 *
 * Operations: send, write, read, atomic. The side that connects asks for it; the side that holds the bytes at the end checks
 * them. On a machine with RDMA hardware it runs as it is; on the model:
 *
 *   rnicsim verbs -b u280_100g --host a './rc send' --host b './rc send 127.0.0.1' */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 18516
#define BYTES 8192
#define ADDED 5

/* What one side tells the other before they can talk by RDMA. */
struct place {
    uint32_t qpn, psn, rkey;
    uint64_t address;
    union ibv_gid gid;
};

struct side {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    unsigned char *buffer;
    int socket;
    struct place own, peer;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void need(int is_good, const char *what)
{
    if (!is_good)
        fail(what);
}

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + i / 256 + 1);
}

/* ---- TCP ---- */

static void connect_to(struct side *side, const char *address)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (address != NULL) {
        need(inet_pton(AF_INET, address, &at.sin_addr) == 1, "address");
        need(connect(listener, (struct sockaddr *)&at, sizeof at) == 0, "connect");
        side->socket = listener;
        return;
    }
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    need(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0, "listen");
    side->socket = accept(listener, NULL, NULL);
    need(side->socket >= 0, "accept");
    close(listener);
}

static void swap(const struct side *side, const void *own, void *peer, size_t bytes)
{
    need(write(side->socket, own, bytes) == (ssize_t)bytes, "write");
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(side->socket, (char *)peer + done, bytes - done);
        need(got > 0, "read");
        done += (size_t)got;
    }
}

static void meet(const struct side *side)
{
    char own = 1, peer;
    swap(side, &own, &peer, 1);
}

/* ---- verbs ---- */

static void open_device(struct side *side)
{
    int count;
    struct ibv_device **list = ibv_get_device_list(&count);
    need(list != NULL && count > 0, "no RDMA device");
    side->context = ibv_open_device(list[0]);
    need(side->context != NULL, "ibv_open_device");
    ibv_free_device_list(list);
}

static void create(struct side *side)
{
    struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC,
                                    .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
    side->pd = ibv_alloc_pd(side->context);
    need(side->pd != NULL, "ibv_alloc_pd");
    side->buffer = calloc(1, BYTES);
    need(side->buffer != NULL, "calloc");
    side->mr = ibv_reg_mr(side->pd, side->buffer, BYTES,
                          IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                              IBV_ACCESS_REMOTE_ATOMIC);
    need(side->mr != NULL, "ibv_reg_mr");
    side->cq = ibv_create_cq(side->context, 8, NULL, NULL, 0);
    need(side->cq != NULL, "ibv_create_cq");
    init.send_cq = init.recv_cq = side->cq;
    side->qp = ibv_create_qp(side->pd, &init);
    need(side->qp != NULL, "ibv_create_qp");
}

static void to_init(struct side *side)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                               .port_num = 1,
                               .qp_access_flags =
                                   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC};
    need(ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0,
         "to INIT");
}

static void to_rtr(struct side *side)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
                               .path_mtu = IBV_MTU_1024,
                               .dest_qp_num = side->peer.qpn,
                               .rq_psn = side->peer.psn,
                               .max_dest_rd_atomic = 1,
                               .min_rnr_timer = 12,
                               .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 64}}};
    attr.ah_attr.grh.dgid = side->peer.gid;
    need(ibv_modify_qp(side->qp, &attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                           IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0,
         "to RTR");
}

static void to_rts(struct side *side)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
                               .timeout = 14,
                               .retry_cnt = 7,
                               .rnr_retry = 7,
                               .sq_psn = side->own.psn,
                               .max_rd_atomic = 1};
    need(ibv_modify_qp(side->qp, &attr,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC) == 0,
         "to RTS");
}

static void join(struct side *side)
{
    side->own = (struct place){.qpn = side->qp->qp_num,
                               .psn = 0x1234,
                               .rkey = side->mr->rkey,
                               .address = (uintptr_t)side->buffer};
    need(ibv_query_gid(side->context, 1, 0, &side->own.gid) == 0, "ibv_query_gid");
    swap(side, &side->own, &side->peer, sizeof side->own);
    to_init(side);
    meet(side); /* no side goes to RTR before the other is there */
    to_rtr(side);
    to_rts(side);
}

static void post(struct side *side, enum ibv_wr_opcode opcode, uint32_t bytes)
{
    struct ibv_sge sge = {(uintptr_t)side->buffer, bytes, side->mr->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED};
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = side->peer.address;
        wr.wr.atomic.rkey = side->peer.rkey;
        wr.wr.atomic.compare_add = ADDED;
    } else {
        wr.wr.rdma.remote_addr = side->peer.address;
        wr.wr.rdma.rkey = side->peer.rkey;
    }
    int result = ibv_post_send(side->qp, &wr, &bad);
    if (result != 0) {
        fprintf(stderr, "ibv_post_send: %s\n", strerror(result));
        exit(1);
    }
}

static void post_receive(struct side *side)
{
    struct ibv_sge sge = {(uintptr_t)side->buffer, BYTES, side->mr->lkey};
    struct ibv_recv_wr *bad, wr = {.wr_id = 2, .sg_list = &sge, .num_sge = 1};
    need(ibv_post_recv(side->qp, &wr, &bad) == 0, "ibv_post_recv");
}

static void wait_for_completion(struct side *side)
{
    struct ibv_wc wc;
    int count;
    do
        count = ibv_poll_cq(side->cq, 1, &wc);
    while (count == 0);
    if (count < 0 || wc.status != IBV_WC_SUCCESS) {
        fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc.status));
        exit(1);
    }
}

/* ---- the operation ---- */

static void fill(struct side *side)
{
    for (size_t i = 0; i < BYTES; i++)
        side->buffer[i] = pattern(i);
}

static void check(const struct side *side)
{
    for (size_t i = 0; i < BYTES; i++)
        if (side->buffer[i] != pattern(i)) {
            fprintf(stderr, "byte %zu is wrong\n", i);
            exit(1);
        }
    printf("%d bytes are right\n", BYTES);
}

static void check_number(const struct side *side, uint64_t wanted)
{
    uint64_t number;
    memcpy(&number, side->buffer, sizeof number);
    if (number != wanted) {
        fprintf(stderr, "the number is %llu, not %llu\n", (unsigned long long)number, (unsigned long long)wanted);
        exit(1);
    }
    printf("the number is right: %llu\n", (unsigned long long)number);
}

static void run_atomic(struct side *side, int is_client)
{
    uint64_t first = 37;
    if (!is_client)
        memcpy(side->buffer, &first, sizeof first);
    meet(side);
    if (is_client) {
        post(side, IBV_WR_ATOMIC_FETCH_AND_ADD, sizeof first);
        wait_for_completion(side);
    }
    meet(side);
    check_number(side, is_client ? first : first + ADDED);
}

static void run(struct side *side, const char *operation, int is_client)
{
    int is_send = strcmp(operation, "send") == 0, is_read = strcmp(operation, "read") == 0;
    if (is_client != is_read)
        fill(side);
    if (is_send && !is_client)
        post_receive(side);
    meet(side);
    if (is_client)
        post(side, is_send ? IBV_WR_SEND : is_read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, BYTES);
    if (is_client || is_send)
        wait_for_completion(side);
    meet(side);
    if (is_client == is_read)
        check(side);
}

int main(int argc, char **argv)
{
    struct side side = {0};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: rc send|write|read|atomic [ADDRESS]\n");
        return 2;
    }
    open_device(&side);
    create(&side);
    connect_to(&side, argc == 3 ? argv[2] : NULL);
    join(&side);
    if (strcmp(argv[1], "atomic") == 0)
        run_atomic(&side, argc == 3);
    else
        run(&side, argv[1], argc == 3);
    ibv_destroy_qp(side.qp);
    ibv_destroy_cq(side.cq);
    ibv_dereg_mr(side.mr);
    ibv_dealloc_pd(side.pd);
    ibv_close_device(side.context);
    close(side.socket);
    free(side.buffer);
    return 0;
}
