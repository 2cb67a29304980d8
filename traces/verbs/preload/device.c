/* The device: rdma0, one port of RoCE v2. */
#include "traces/verbs/preload/shim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#undef ibv_get_device_list
#undef ibv_query_port

#define VENDOR_ID 0x02c9   /* programs choose by these numbers what they use: */
#define VENDOR_PART_ID 4119 /* inline data and ibv_wr_*(), as of a ConnectX-5 */
#define SYSFS_ROCE_V2 1 /* of a call between the libraries, whose header is not installed */
#define GUID UINT64_C(0x0200000000000001)
#define FIRST_ADDRESS UINT32_C(0xc0000201) /* 192.0.2.1 and .2, which are nobody's (RFC 5737) */

/* Others compare what lies behind an ibv_device, as the library's own devices are longer. */
static union {
    struct ibv_device device;
    char room[1024];
} rdma0 = {.device = {.node_type = IBV_NODE_CA,
                      .transport_type = IBV_TRANSPORT_IB,
                      .name = "rdma0",
                      .dev_name = "rdma0",
                      .dev_path = "/sys/class/infiniband_verbs/rdma0",
                      .ibdev_path = "/sys/class/infiniband/rdma0"}};

SHIM_EXPORT struct ibv_device **ibv_get_device_list(int *count)
{
    struct ibv_device **list = calloc(2, sizeof *list);
    if (list != NULL)
        list[0] = &rdma0.device;
    if (count != NULL)
        *count = list != NULL;
    return list;
}

SHIM_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

SHIM_EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
    return device->name;
}

SHIM_EXPORT int ibv_get_device_index(struct ibv_device *device)
{
    (void)device;
    return 0;
}

SHIM_EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
    (void)device;
    return htobe64(GUID + shim.host);
}

SHIM_EXPORT int ibv_fork_init(void)
{
    return 0;
}

SHIM_EXPORT int ibv_read_sysfs_file(const char *folder, const char *file, char *text, size_t bytes);
SHIM_EXPORT int ibv_read_sysfs_file(const char *folder, const char *file, char *text, size_t bytes)
{
    (void)folder, (void)file, (void)text, (void)bytes;
    return -1; /* it has none */
}

/* ---- the context ---- */

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
    return shim_poll(cq, most, wc);
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *wanted)
{
    struct ibv_qp_init_attr init;
    (void)context;
    memcpy(&init, wanted, sizeof init); /* begins alike */
    struct ibv_qp *qp = ibv_create_qp(wanted->pd, &init);
    if (qp != NULL)
        wanted->cap = init.cap;
    return qp;
}

SHIM_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    struct verbs_context *verbs = calloc(1, sizeof *verbs);
    int result = verbs == NULL ? ENOMEM : shim_join();
    if (result != 0) {
        free(verbs);
        errno = result;
        return NULL;
    }
    verbs->sz = sizeof *verbs;
    verbs->create_qp_ex = create_qp_ex;
    verbs->context = (struct ibv_context){.device = device,
                                          .cmd_fd = -1,
                                          .async_fd = -1,
                                          .num_comp_vectors = 1,
                                          .abi_compat = __VERBS_ABI_IS_EXTENDED,
                                          .ops = {.poll_cq = poll_cq,
                                                  .req_notify_cq = shim_arm_cq,
                                                  .post_send = shim_post_send,
                                                  .post_recv = shim_post_recv}};
    pthread_mutex_init(&verbs->context.mutex, NULL);
    return &verbs->context;
}

SHIM_EXPORT int ibv_close_device(struct ibv_context *context)
{
    free(verbs_get_ctx(context));
    return 0;
}

SHIM_EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    (void)context;
    *attr = (struct ibv_device_attr){.fw_ver = "rnicsim",
                                     .node_guid = htobe64(GUID + shim.host),
                                     .sys_image_guid = htobe64(GUID + shim.host),
                                     .max_mr_size = UINT64_MAX,
                                     .page_size_cap = VERBS_PAGE_BYTES,
                                     .vendor_id = VENDOR_ID,
                                     .vendor_part_id = VENDOR_PART_ID,
                                     .max_qp = 65536,
                                     .max_qp_wr = 32768,
                                     .max_sge = SHIM_SGE_MOST,
                                     .max_sge_rd = SHIM_SGE_MOST,
                                     .max_cq = 65536,
                                     .max_cqe = 4194303,
                                     .max_mr = 65536,
                                     .max_pd = 65536,
                                     .max_qp_rd_atom = SHIM_MAX_READS,
                                     .max_res_rd_atom = 65536 * SHIM_MAX_READS,
                                     .max_qp_init_rd_atom = SHIM_MAX_READS,
                                     .atomic_cap = IBV_ATOMIC_HCA,
                                     .max_ah = 65536,
                                     .max_pkeys = 1,
                                     .phys_port_cnt = 1};
    return 0;
}

SHIM_EXPORT int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *out)
{
    struct ibv_port_attr attr = {.state = IBV_PORT_ACTIVE,
                                 .max_mtu = IBV_MTU_4096,
                                 .active_mtu = IBV_MTU_4096,
                                 .gid_tbl_len = 1,
                                 .max_msg_sz = 1u << 30,
                                 .pkey_tbl_len = 1,
                                 .max_vl_num = 1,
                                 .active_width = 2,
                                 .active_speed = 32,
                                 .phys_state = 5,
                                 .link_layer = IBV_LINK_LAYER_ETHERNET};
    (void)context;
    if (port != 1)
        return EINVAL;
    memcpy(out, &attr, offsetof(struct ibv_port_attr, port_cap_flags2)); /* older programs have no more */
    return 0;
}

/* ---- GIDs and P_Keys ---- */

static union ibv_gid own_gid(void)
{
    union ibv_gid gid = {.raw = {[10] = 0xff, [11] = 0xff}};
    uint32_t address = htonl(FIRST_ADDRESS + shim.host);
    memcpy(&gid.raw[12], &address, sizeof address);
    return gid;
}

SHIM_EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
    (void)context;
    if (port != 1 || index != 0)
        return -1;
    *gid = own_gid();
    return 0;
}

SHIM_EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index,
                                  struct ibv_gid_entry *entry, uint32_t flags, size_t bytes)
{
    struct ibv_gid_entry own = {.gid = own_gid(), .port_num = 1, .gid_type = IBV_GID_TYPE_ROCE_V2};
    (void)context, (void)flags;
    if (port != 1 || index != 0)
        return EINVAL;
    memcpy(entry, &own, bytes < sizeof own ? bytes : sizeof own);
    return 0;
}

SHIM_EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most,
                                         uint32_t flags, size_t bytes)
{
    return most > 0 && _ibv_query_gid_ex(context, 1, 0, entries, flags, bytes) == 0 ? 1 : 0;
}

SHIM_EXPORT int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type);
SHIM_EXPORT int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index,
                                   unsigned int *type)
{
    (void)context, (void)port, (void)index;
    *type = SYSFS_ROCE_V2;
    return 0;
}

SHIM_EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
    (void)context;
    if (port != 1 || index != 0)
        return -1;
    *pkey = htons(0xffff);
    return 0;
}

SHIM_EXPORT int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
    (void)context, (void)port;
    return pkey == htons(0xffff) ? 0 : -1;
}
