/* The atomic unit: a FetchAdd or a compare-and-swap that the peer asks for is an answer whose value is read and changed in one.
 *
 * nic.atomic = nic: the NIC reads the value, changes it and writes it, under a lock of its address. Addresses that fall on one lock are
 * served one after the other: a lock is taken with the grant and free when the write is sent, as a read behind it does not pass it.
 * nic.atomic = host: one AtomicOp request over PCIe; the root complex does the rest, in the order of arrival. */
#ifndef NIC_ATOMICS_H
#define NIC_ATOMICS_H

#include "kernel/heap.h"

#include <stdint.h>

struct atomic_lock {
    uint64_t address;                     /* of the value that is being changed */
    uint32_t qp;                          /* whose; QP_NONE: the lock is free */
    uint32_t waiting_first, waiting_last; /* QPs whose next answer needs it */
};

struct atomics {
    struct atomic_lock *lock; /* NULL: by the host */
    uint32_t count;
    struct heap changed;   /* locks, by when the value can be written */
    struct heap freed;     /* locks, by when they are free */
    uint64_t done, waited; /* waited: turns that were lost to a lock that was taken */
};

struct rnic;
struct answer;
struct item;
struct pcie_write;

#define ATOMIC_BYTES 8u
#define ATOMIC_WRITE_BIT (1u << 31) /* beside contexts to be written back, in their FIFO */

int atomics_init(struct rnic *rnic);
void atomics_free(struct rnic *rnic);

/* The scheduler, in its decide(): locks that are free by now go to who waits, values that are changed go to be written; returns when to
 * come again. */
int64_t atomics_run(struct rnic *rnic, int64_t now_cyc);
/* The QP's next answer needs a lock that is taken: it waits for that, and 1 is returned. */
int atomics_must_wait(struct rnic *rnic, uint32_t qp, const struct answer *answer);
/* It is granted: the read of the value, as an operation for the read engine. */
uint32_t atomics_begin(struct rnic *rnic, uint32_t qp, const struct answer *answer, uint32_t item);

/* The value is in the NIC, or could not be read. */
void atomics_value_is_here(struct rnic *rnic, const struct item *item, int failed, int64_t at_cyc);
/* The write engine: what it writes, and that it has. */
void atomics_describe(const struct rnic *rnic, uint32_t ref, struct pcie_write *write);
void atomics_written(struct rnic *rnic, uint32_t ref, int64_t sent_cyc);

#endif
