/* Requests that are done at the NIC itself and send nothing: LOCAL_INV, BIND_MW, FAST_REG (IBTA vol. 1, 10.6.6, 10.6.7, 11.4.1.1).
 *
 * One has its turn like a packet, takes its time, and then changes its host's keys; nothing behind it in its queue begins before. A LOCAL_INV waits
 * until all before it is acknowledged, fenced or not, as what is sent again needs its key. */
#ifndef NIC_LOCAL_H
#define NIC_LOCAL_H

#include <stdint.h>

struct rnic;
struct qp;
struct message;

/* From now on the NIC may be given such. -1, and one line in `error`: it is of a kind that cannot. */
int local_turn_on(struct rnic *rnic, char *error, unsigned long error_bytes);
/* Whether the QP's next request must wait: for one of them that is under way, or before it. */
int local_holds(const struct rnic *rnic, const struct qp *qp);
/* The QP's next request, which is one, is granted. */
void local_begin(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
/* It is done. Returns its status (enum message_status), also kept in it. */
uint32_t local_end(struct rnic *rnic, struct message *message);
/* The request, counted like qp.posted, that a message is which is not acknowledged. */
uint32_t local_request(const struct qp *qp, uint32_t message);

#endif
