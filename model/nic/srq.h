/* Shared receive queues (SRQ, IBTA vol. 1, chapter 10): receive WQEs that whichever of the attached QPs comes first takes, in the order in which
 * packets are dispatched.
 *
 *   dispatch: a packet that takes a receive WQE -> the SRQ's context (SRQC, context.h) -> its loop is free -> the next WQE, or an RNR NAK
 *
 * A take is a read-modify-write of the SRQ's context, and keeps it for nic.srq_loop cycles: no other packet takes one meanwhile, and dispatch
 * waits with it, as it is in order. WQEs that are not on chip: receive_wqe.h. With an armed limit a take that leaves fewer WQEs raises
 * an event (events.c), once: then the limit is disarmed (ibv_modify_srq(3), as rxe does it). */
#ifndef NIC_SRQ_H
#define NIC_SRQ_H

#include "nic/qp.h"

struct srq {
    struct receive_queue *queue;
    uint32_t srqn;
    uint32_t limit;   /* armed; 0: not */
    uint32_t visible; /* WQEs that the host's thread has posted by the latest take, counted like queue->posted */
    uint32_t qps;     /* attached */
    int64_t free_cyc; /* its context's loop */

    /* WQEs that are fetched: see receive_wqe.h */
    uint32_t spare;    /* of the latest read, that no packet has asked for */
    uint32_t promised; /* to packets that are not dispatched yet */
    int64_t read_cyc;  /* from when on what it brings is there; SIM_NEVER: not known yet */

    uint64_t accesses, empty; /* takes, with those that found nothing; these */
    uint64_t limits;          /* events */
};

struct srqs {
    struct srq **srq; /* by index */
    uint32_t count, room;
    struct qp_table by_number;
};

struct rnic;
struct item;

/* Another SRQ, of 1 .. 32768 WQEs; its index, or SRQ_NONE without memory. Before the first post. */
uint32_t srq_add(struct rnic *rnic, uint32_t srqn, uint32_t depth);
void srq_free(struct rnic *rnic);

/* Whose WQEs the packet takes, if any: its QP's SRQ, or with XRC the message's; SRQ_NONE: the QP's own. */
uint32_t srq_of(const struct rnic *rnic, const struct item *item);
/* Whether the packet takes a receive WQE of an SRQ, if it is accepted. */
int srq_takes(const struct rnic *rnic, const struct item *item);
/* From which cycle on it can; 0: it takes none. */
int64_t srq_free_cyc(const struct rnic *rnic, const struct item *item);
/* Dispatch, at its instant: a packet looks for a WQE; */
void srq_accessed(struct rnic *rnic, uint32_t srq, int is_empty);
/* it has taken it. */
void srq_taken(struct rnic *rnic, uint32_t srq);
/* How many WQEs from `ordinal` on a read brings: those that are posted by now, up to nic.srq_fetch and to the ring's end; 1 when there is none,
 * as that is seen by reading it. */
uint32_t srq_posted_behind(const struct rnic *rnic, const struct srq *srq, uint32_t ordinal);

#endif
