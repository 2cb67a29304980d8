/* A host's CPU as the NIC sees it: one thread that posts and polls. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "host/jitter.h"
#include "host/params.h"
#include "kernel/rnd.h"

struct host {
    const struct host_params *params;
    int64_t shift_ps; /* its time is so much later than the simulation's */
    int64_t busy_until_ps, work_ps;
    uint64_t calls;
    uint64_t stream; /* of its random draws */
    struct jitter jitter;
    struct rnd_table wake_ps, interrupt_ps;
    int64_t slow_until_ps; /* its clock is low after it woke */
    uint64_t early_share;  /* of 2^32: pushed lines that leave early */
    uint64_t lines_pushed;
};

#define HOST_PUSH_BYTES 64u
#define HOST_STORE_PART UINT32_MAX /* names a store that is not the last of its push */

/* stream: of its random draws. Returns 0, or -1 with one line in `error`. */
int host_init(struct host *host, const struct host_params *params, int64_t shift_ps, uint64_t stream, char *error,
              size_t error_bytes);
/* A call that posts `count` WQEs, at at_ps or when the thread is free: *begin_ps. Returns when its store leaves the core. */
int64_t host_post(struct host *host, int64_t at_ps, uint32_t count, int64_t *begin_ps);
/* The same for `count` receive WQEs: no store, the NIC finds them in memory from the returned instant on. */
int64_t host_post_receive(struct host *host, int64_t at_ps, uint32_t count);
/* After a post the thread waits for wait_ps: it reads a register. */
void host_wait(struct host *host, int64_t wait_ps);
/* When a polling program sees what becomes visible at visible_at_ps. */
int64_t host_sees(const struct host *host, int64_t visible_at_ps);
/* When a program that sleeps looks at its CQ, which the MSI-X of its event number `event`, visible at msix_at_ps, has woken. */
int64_t host_is_woken(const struct host *host, int64_t msix_at_ps, uint64_t event);
/* Bytes of a WQE in 64 B units: control, remote address for a WRITE, one SGE or the inline data behind 4 bytes
 * (rdma-core v44.0, mlx5: 16-byte segments). */
uint32_t host_wqe_bytes(int is_write, int is_inline, uint32_t length_bytes);
/* Bytes of each store in which the next line of 64 B that is pushed leaves the core. */
uint32_t host_push_piece(struct host *host);

#endif
