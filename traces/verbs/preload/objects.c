/* Protection domains, memory regions, address handles: what a program makes before its queues. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <stdlib.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

static uint32_t next_pd = 1;

SHIM_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct ibv_pd *pd = calloc(1, sizeof *pd);
    if (pd != NULL)
        *pd = (struct ibv_pd){.context = context, .handle = next_pd++};
    return pd;
}

SHIM_EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    return 0;
}

static struct ibv_mr *register_region(struct ibv_pd *pd, void *address, size_t length, unsigned int access)
{
    struct verbs_request request = {.kind = VERBS_REGISTER,
                                    .until_ps = SHIM_NEVER,
                                    .region = {.address = (uint64_t)(uintptr_t)address,
                                               .length_bytes = length,
                                               .access = access,
                                               .pd = pd->handle}};
    struct verbs_reply reply = {0};
    struct ibv_mr *mr = calloc(1, sizeof *mr);
    int result = mr == NULL ? ENOMEM : length == 0 ? EINVAL : shim_share(request.region.address, length);
    if (result == 0 && (result = shim_ask(&request, sizeof request, &reply)) != 0)
        shim_unshare(request.region.address, length);
    if (result != 0) {
        free(mr);
        errno = result;
        return NULL;
    }
    *mr = (struct ibv_mr){.context = pd->context,
                          .pd = pd,
                          .addr = address,
                          .length = length,
                          .handle = reply.number,
                          .lkey = reply.number,
                          .rkey = reply.number};
    return mr;
}

SHIM_EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                            unsigned int access)
{
    if (iova != (uint64_t)(uintptr_t)address) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    shim_enter();
    shim_disarm();
    shim_is_active();
    struct ibv_mr *mr = register_region(pd, address, length, access);
    shim_leave();
    return mr;
}

SHIM_EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
    return ibv_reg_mr_iova2(pd, address, length, (uint64_t)(uintptr_t)address, (unsigned int)access);
}

SHIM_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access)
{
    return ibv_reg_mr_iova2(pd, address, length, iova, (unsigned int)access);
}

SHIM_EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
    struct verbs_request request = {
        .kind = VERBS_DEREGISTER, .until_ps = SHIM_NEVER, .region = {.key = mr->handle}};
    shim_enter();
    shim_disarm();
    shim_is_active();
    int result = shim_ask(&request, sizeof request, NULL);
    if (result == 0) {
        shim_unshare((uint64_t)(uintptr_t)mr->addr, mr->length);
        free(mr);
    }
    shim_leave();
    return result;
}

/* Where a datagram goes is told by its QP number: there is one other host. */
SHIM_EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    struct ibv_ah *ah = calloc(1, sizeof *ah);
    (void)attr;
    if (ah != NULL)
        *ah = (struct ibv_ah){.context = pd->context, .pd = pd};
    return ah;
}

SHIM_EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
    free(ah);
    return 0;
}
