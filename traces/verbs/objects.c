/* QPs, keys and memory that programs make, and what they post. */
#include "traces/verbs/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LIST_MOST 4096u
/* Inline data of a program lies anywhere; the model takes it from here at once. No program has such addresses. */
#define SCRATCH (UINT64_C(0xffff) << 48)

/* What the model refuses is a mistake of the program; its death is the launcher's. */
static int errno_of(struct verbs_server *server, int result)
{
    if (result == RNICSIM_EMODEL)
        server->result = result;
    return result == RNICSIM_OK ? 0 : EINVAL;
}

static uint32_t access_of(uint32_t access)
{
    return (access & RNICSIM_ACCESS_ALL) | RNICSIM_ACCESS_NO_MORE;
}

static int create_qp(struct verbs_server *server, uint32_t host, const struct verbs_qp *qp, uint32_t *number)
{
    struct verbs_host *of = &server->host[host];
    uint32_t *larger = realloc(of->qpn, (of->qps + 1) * sizeof *larger);
    if (larger == NULL)
        return ENOMEM;
    of->qpn = larger;
    struct rnicsim_qp_attr attr = {.host = host,
                                   .peer_host = host ^ 1,
                                   .qpn = server->next_number,
                                   .sq_depth = qp->sq_depth,
                                   .rq_depth = qp->rq_depth,
                                   .max_inline_bytes = qp->inline_bytes,
                                   .signal_all = (int)qp->signal_all,
                                   .transport = (enum rnicsim_transport)qp->transport,
                                   .pd = qp->pd,
                                   .state = RNICSIM_QP_RESET};
    int result = rnicsim_qp_create(server->sim, &attr, &server->error);
    if (result != RNICSIM_OK)
        return errno_of(server, result);
    of->qpn[of->qps++] = *number = server->next_number++;
    return 0;
}

static int modify_qp(struct verbs_server *server, uint32_t host, const struct verbs_qp *qp)
{
    struct rnicsim_retry retry = {qp->timeout, qp->retry_count, qp->rnr_retry, qp->rnr_timer};
    struct rnicsim_qp_attr attr = {.host = host,
                                   .qpn = qp->qpn,
                                   .state = (enum rnicsim_qp_state)qp->state,
                                   .transport = (enum rnicsim_transport)qp->transport,
                                   .peer_qpn = qp->peer_qpn,
                                   .mtu_bytes = qp->mtu_bytes,
                                   .sq_psn = qp->sq_psn,
                                   .rq_psn = qp->rq_psn,
                                   .max_rd_atomic = qp->max_rd_atomic,
                                   .access = access_of(qp->access),
                                   .qkey = qp->qkey,
                                   .retry = &retry};
    return errno_of(server, rnicsim_qp_modify(server->sim, &attr, &server->error));
}

static int register_region(struct verbs_server *server, uint32_t host, const struct verbs_region *region,
                           uint32_t *number)
{
    struct rnicsim_mr_attr attr = {.host = host,
                                   .key = server->next_number << 8,
                                   .base = region->address,
                                   .length_bytes = region->length_bytes,
                                   .page_bytes = VERBS_PAGE_BYTES,
                                   .access = access_of(region->access),
                                   .pd = region->pd};
    int result = rnicsim_mr_register(server->sim, &attr, &server->error);
    *number = attr.key;
    server->next_number += result == RNICSIM_OK;
    return errno_of(server, result);
}

static int lend(struct verbs_server *server, uint32_t host, const struct verbs_region *region)
{
    struct verbs_host *of = &server->host[host];
    for (size_t i = 0; i < VERBS_MAPS; i++) {
        struct verbs_map *map = &of->map[i];
        if (map->length_bytes > 0)
            continue;
        void *bytes = mmap(NULL, region->length_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, of->memory_fd,
                           (off_t)region->offset);
        if (bytes == MAP_FAILED)
            return ENOMEM;
        *map = (struct verbs_map){region->address, region->length_bytes, bytes};
        return errno_of(server, rnicsim_memory_lend(server->sim, host, region->address, bytes, region->length_bytes,
                                                    &server->error));
    }
    return ENOMEM;
}

static void end_map(struct verbs_server *server, uint32_t host, struct verbs_map *map)
{
    rnicsim_memory_lend(server->sim, host, map->address, NULL, map->length_bytes, &server->error);
    munmap(map->bytes, map->length_bytes);
    map->length_bytes = 0;
}

static int unlend(struct verbs_server *server, uint32_t host, uint64_t address)
{
    for (size_t i = 0; i < VERBS_MAPS; i++)
        if (server->host[host].map[i].length_bytes > 0 && server->host[host].map[i].address == address) {
            end_map(server, host, &server->host[host].map[i]);
            return 0;
        }
    return EINVAL;
}

int verbs_objects(struct verbs_server *server, uint32_t host, const struct verbs_request *request, uint32_t *number)
{
    switch (request->kind) {
    case VERBS_QP_CREATE:
        return create_qp(server, host, &request->qp, number);
    case VERBS_QP_MODIFY:
        return modify_qp(server, host, &request->qp);
    case VERBS_REGISTER:
        return register_region(server, host, &request->region, number);
    case VERBS_DEREGISTER:
        return errno_of(server, rnicsim_mr_deregister(server->sim, host, request->region.key, &server->error));
    case VERBS_LEND:
        return lend(server, host, &request->region);
    default:
        return unlend(server, host, request->region.address);
    }
}

void verbs_host_leaves(struct verbs_server *server, uint32_t host)
{
    struct verbs_host *of = &server->host[host];
    for (size_t i = 0; i < of->qps; i++) {
        struct rnicsim_qp_attr attr = {.host = host, .qpn = of->qpn[i], .state = RNICSIM_QP_ERROR};
        rnicsim_qp_modify(server->sim, &attr, &server->error);
    }
    for (size_t i = 0; i < VERBS_MAPS; i++)
        if (of->map[i].length_bytes > 0)
            end_map(server, host, &of->map[i]);
    free(of->qpn);
    of->qpn = NULL;
    of->qps = of->first = of->count = 0;
}

/* ---- posts ---- */

struct list {
    struct rnicsim_wr wr[LIST_MOST];
    struct rnicsim_sge sge[LIST_MOST * 4];
    uint32_t sges;
    uint64_t scratch;
};

/* One request of the message. Returns where the next one begins, or NULL. */
static const unsigned char *take(struct verbs_server *server, uint32_t host, const unsigned char *at,
                                 const unsigned char *end, struct list *list, struct rnicsim_wr *wr)
{
    const struct verbs_wr *from = (const void *)at;
    if ((size_t)(end - at) < sizeof *from)
        return NULL;
    size_t bytes = from->sge_count * sizeof(struct verbs_sge) + (from->inline_bytes + 7) / 8 * 8;
    at += sizeof *from;
    if ((size_t)(end - at) < bytes || list->sges + from->sge_count > LIST_MOST * 4)
        return NULL;
    *wr = (struct rnicsim_wr){.wr_id = from->wr_id,
                              .remote_address = from->remote_address,
                              .rkey = from->rkey,
                              .immediate = from->immediate,
                              .opcode = (enum rnicsim_opcode)from->opcode,
                              .flags = from->flags | RNICSIM_ANY_KEY,
                              .remote_qpn = from->remote_qpn,
                              .remote_qkey = from->remote_qkey,
                              .compare = from->compare,
                              .swap_or_add = from->swap_or_add,
                              .sge = &list->sge[list->sges],
                              .sge_count = from->sge_count};
    for (uint32_t i = 0; i < from->sge_count; i++) {
        struct verbs_sge sge = ((const struct verbs_sge *)at)[i];
        list->sge[list->sges++] = (struct rnicsim_sge){sge.address, sge.length_bytes, sge.lkey};
        wr->length_bytes += sge.length_bytes;
    }
    if (from->inline_bytes > 0) {
        wr->local_address = list->scratch;
        wr->length_bytes = from->inline_bytes;
        list->scratch += VERBS_INLINE_MOST;
        errno_of(server, rnicsim_memory_write(server->sim, host, wr->local_address, at, from->inline_bytes,
                                              &server->error));
    }
    if (wr->sge_count == 1) { /* the same, and less work */
        wr->local_address = wr->sge->address;
        wr->lkey = wr->sge->lkey;
        wr->sge_count = 0;
    }
    return at + bytes;
}

static int post_receives(struct verbs_server *server, uint32_t host, const struct verbs_request *request,
                         const struct list *list)
{
    struct rnicsim_recv *buffers = calloc(request->count, sizeof *buffers);
    if (buffers == NULL)
        return ENOMEM;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct rnicsim_wr *wr = &list->wr[i];
        buffers[i] = (struct rnicsim_recv){.wr_id = wr->wr_id,
                                           .address = wr->local_address,
                                           .lkey = wr->lkey,
                                           .length_bytes = wr->length_bytes,
                                           .sge = wr->sge,
                                           .sge_count = wr->sge_count};
    }
    int result = rnicsim_post_recv(server->sim, host, request->qp.qpn, buffers, request->count, request->at_ps,
                                   &server->error);
    free(buffers);
    return errno_of(server, result);
}

/* What verbs say for a queue that is full. */
static int is_full(const struct verbs_server *server, uint32_t host, const struct verbs_request *request)
{
    struct rnicsim_qp_info info;
    if (rnicsim_qp_query(server->sim, host, request->qp.qpn, &info) != RNICSIM_OK)
        return 0;
    return request->kind == VERBS_POST_SEND ? info.send_queued + request->count > request->qp.sq_depth
                                            : info.receive_queued + request->count > request->qp.rq_depth;
}

int verbs_post(struct verbs_server *server, uint32_t host, const struct verbs_request *request, size_t bytes)
{
    static struct list list; /* too large for a stack, and only one post is under way */
    const unsigned char *at = (const unsigned char *)(request + 1), *end = (const unsigned char *)request + bytes;
    list.sges = 0;
    list.scratch = SCRATCH;
    if (request->count < 1 || request->count > LIST_MOST)
        return EINVAL;
    for (uint32_t i = 0; i < request->count && at != NULL; i++)
        at = take(server, host, at, end, &list, &list.wr[i]);
    if (at == NULL)
        return ENOMEM;
    if (is_full(server, host, request))
        return ENOMEM;
    if (request->kind == VERBS_POST_RECEIVE)
        return post_receives(server, host, request, &list);
    return errno_of(server, rnicsim_post_send(server->sim, host, request->qp.qpn, list.wr, request->count,
                                              request->at_ps, &server->error));
}
