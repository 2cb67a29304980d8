/* A host's CPU as the NIC sees it: one thread that posts and polls. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "host/params.h"
#include "kernel/rnd.h"

struct host {
    const struct host_params *params;
    int64_t shift_ps; /* its time is so much later than the simulation's */
    uint64_t stream;  /* of random draws */
    struct rnd_table interrupt_ps;
    int64_t busy_until_ps, work_ps;
    uint64_t calls;
};

/* Sets what is drawn at random; params and shift_ps are set by the caller. Returns -1 when a distribution is none. */
int host_init(struct host *host, uint64_t seed, uint64_t entity);

#define HOST_DOORBELL_BYTES 8u
#define HOST_PUSH_BYTES 64u
#define HOST_STORE_PART UINT32_MAX /* names a store that is not the last of its push */

/* A call that posts `count` WQEs, at at_ps or when the thread is free: *begin_ps. Returns when its store leaves the core. */
int64_t host_post(struct host *host, int64_t at_ps, uint32_t count, int64_t *begin_ps);
/* The same for `count` receive WQEs: no store, the NIC finds them in memory from the returned instant on. */
int64_t host_post_receive(struct host *host, int64_t at_ps, uint32_t count);
/* When a polling program sees what becomes visible at visible_at_ps. */
int64_t host_sees(const struct host *host, int64_t visible_at_ps);
/* When a program that sleeps looks at its CQ, which the MSI-X of its event number `event`, visible at msix_at_ps, has woken. */
int64_t host_is_woken(const struct host *host, int64_t msix_at_ps, uint64_t event);
/* Bytes of a WQE in 64 B units: control, remote address for a WRITE, one SGE or the inline data behind 4 bytes
 * (rdma-core v44.0, mlx5: 16-byte segments). */
uint32_t host_wqe_bytes(int is_write, int is_inline, uint32_t length_bytes);

#endif
