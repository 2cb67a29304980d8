/* The end of requests (retire.c), what is kept for them until then (kept.c), and what goes wrong (errors.c). */
#ifndef NIC_RETIRE_H
#define NIC_RETIRE_H

#include "nic/rnic.h"

#define RETIRE_CQE_BYTES 1u            /* a CQE in path cqe: a descriptor, of any width one beat */
#define RNIC_CQE_OF_RECEIVE (1u << 31) /* in what path cqe holds, beside the message */

int retire_init(struct rnic *rnic, char *error, size_t error_bytes);
/* The oldest request of the QP leaves its send queue. */
void retire_oldest(struct rnic *rnic, struct qp *qp, int64_t now_cyc, uint32_t status);
/* The answer to a READ or an atomic is written at the cycle, or a request is done that sends nothing: it can be retired. */
void retire_returned(struct rnic *rnic, uint32_t message, int64_t cyc);
/* A received message is written at cyc: its CQE is to be made. */
void retire_received(struct rnic *rnic, uint32_t message, int64_t cyc);
/* The CQE of this QP's CQ is written: its context is taken once more from cyc on. */
static inline void retire_commits(struct rnic *rnic, uint32_t qp, int64_t cyc)
{
    model_assert(rnic->sim, agenda_put(&rnic->commits, cyc, 0, qp) == 0, "out of memory");
}

/* What is kept of the oldest packets, of so many PSNs, is free: their entries, and their payload if it is there that it would be sent again
 * from. */
void kept_free(struct rnic *rnic, struct qp *qp, uint32_t psns, int64_t now_cyc);
/* The entries of a QP that fails: of all that it has sent and nobody has acknowledged. Its payload stays. */
void kept_give_up(struct rnic *rnic, struct qp *qp, int64_t now_cyc);

/* A receive WQE of the QP is told of with an error: what its CQE is made of. */
uint32_t receive_end(struct rnic *rnic, uint32_t qp, uint64_t wr_id, uint32_t status);

#endif
