/* Selective repeat (transport.recovery = selective), as IRN has it (Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, 3.1 and 5.3).
 *
 * The responder takes packets of WRITEs and SENDs behind a missing one: their payload is written at once, and each is told of by a NAK with the
 * PSN that is missing and the one that has come. When the missing one comes, those behind it count, too, and what is complete is delivered in
 * order: it makes receive CQEs apart from payload, whatever nic.receive_cqe says. Not taken are READs and atomics, and what needs a receive WQE of an
 * SRQ, or one that is fetched: they are sent again.
 *
 * The requester sends again what has not come of what lies before the last that has, each once, then goes on with new packets. After a timeout
 * that is done once more, or, when nothing behind is known to have come, with all that was sent, as after an RNR NAK. */
#ifndef NIC_SELECTIVE_H
#define NIC_SELECTIVE_H

#include "transport/sack.h"

#include <stdint.h>

#define SELECTIVE_WINDOW_MOST 32768 /* transport.window */

struct selective_qp {
    /* the requester */
    struct sack come;     /* of what is not acknowledged */
    uint32_t lost_end;    /* what has not come before this is lost; psn_oldest or less: nothing is known to be */
    uint32_t repair_next; /* what is lost before this has been sent again */
    int64_t
        timer_cyc; /* when the QP's timer was to end, while it waits to send something again; 0: it begins anew then */
    /* the responder */
    struct sack ahead;
    uint32_t *message; /* by PSN, of those that are ahead: the message, and what the packet is to it */
};

struct selective {
    int on;
    uint32_t mask; /* of the rings */
    uint32_t count;
    struct selective_qp *qp;
};

struct rnic;
struct qp;
struct item;
struct pcie_up;

/* Once rnic->recovers is known. -1: the window is too large, one line in `error`. */
int selective_init(struct rnic *rnic, char *error, size_t error_bytes);
/* A new QP, with this index. Returns -1 without memory. */
int selective_open(struct rnic *rnic, uint32_t index);
void selective_free(struct rnic *rnic);

/* ---- the responder, at dispatch ---- */

/* A packet behind a missing one: 1 when it is taken. Either way a NAK is to tell of it (item->ahead: it had been taken before). */
int selective_place(struct rnic *rnic, struct item *item);
/* The expected packet was taken: those that came ahead and follow it count now, too (item->releases). ack_cyc: when an ACK of it is made. */
void selective_release(struct rnic *rnic, struct item *item, int64_t ack_cyc);
/* That packet is written: what is complete with those behind it is delivered. known_cyc: when the NIC knows of
 * the write; from_cyc: when an ACK of it is made, if that is behind the write. */
void selective_deliver(struct rnic *rnic, const struct item *item, const struct pcie_up *up, int64_t known_cyc,
                       int64_t from_cyc);

/* ---- the requester, in retire's decision ---- */

/* A NAK of the sequence says what has come. */
void selective_told(struct rnic *rnic, const struct item *nak);
/* So has all from this PSN to that one, though an answer before it has not. */
void selective_came(struct rnic *rnic, struct qp *qp, uint32_t from_psn, uint32_t to_psn);
/* So many packets are acknowledged, the oldest ones. */
void selective_forget(struct rnic *rnic, struct qp *qp, uint32_t packets);
/* All that is not known to have come, from this PSN on, is lost. */
void selective_lose(struct rnic *rnic, struct qp *qp, uint32_t psn);
/* The timer has ended: what was sent again was lost again. */
void selective_lose_again(struct rnic *rnic, struct qp *qp);
/* The next that is lost and not sent again, from this PSN on; the requester's end: none. */
uint32_t selective_next(const struct rnic *rnic, const struct qp *qp, uint32_t from_psn);
/* The scheduler: a packet was sent again: the next one is another that is lost, or a new one. */
void selective_go_on(struct rnic *rnic, struct qp *qp, int64_t now_cyc);

#endif
