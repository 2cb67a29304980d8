/* What goes wrong at a QP, and what becomes of what was posted on it (IBTA vol. 1, 10.3.1.6 and 10.8.5): the QP is in state ERROR from then on, and
 * each request and each receive WQE gets one CQE, in order: those before the one in error as usual, that one with the reason, those
 * behind it flushed. All of this is the retire decider's. */
#ifndef NIC_ERRORS_H
#define NIC_ERRORS_H

#include <stdint.h>

struct rnic;
struct qp;

/* ---- told by others ---- */

/* The request, counted like qp.posted, is in error at the cycle: a read over PCIe was refused or timed out, or its key is wrong. */
void errors_of_request(struct rnic *rnic, uint32_t qp, uint32_t request, int64_t cyc);
/* The QP cannot take what its peer sends (or is to be in error for another's sake): status is what a program is told by an event, 0: by none. */
void errors_of_qp(struct rnic *rnic, uint32_t qp, uint32_t status, int64_t cyc);
/* Something was posted or has come back that a QP in error flushes. */
void errors_go_on(struct rnic *rnic, uint32_t qp, int64_t cyc);

/* ---- in retire's decision ---- */

/* The QP fails with this status for this request, which is its oldest. */
void errors_fail(struct rnic *rnic, struct qp *qp, uint32_t status, uint32_t request, int64_t now_cyc);
/* The request is in error: the QP fails when all before it is acknowledged. */
void errors_halt(struct rnic *rnic, uint32_t qp, uint32_t request, int64_t now_cyc);
/* More is acknowledged: is all before it? */
void errors_look(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
/* The next of what was told; the next CQE of a flush. 1: something was done. */
int errors_take(struct rnic *rnic, int64_t now_cyc);
int errors_flush(struct rnic *rnic, int64_t now_cyc);

#endif
