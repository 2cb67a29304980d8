/* Receive WQEs that are not on chip (nic.receive_reads): one is fetched for each message that takes one, when the packet is judged, so that a read
 * over PCIe lies in the way of each. Packets are looked at as far as the dispatch FIFO holds them, and dispatched in order. The scheduler
 * issues the fetches, as it alone pushes into its paths.
 *
 * Those of an SRQ are fetched in blocks of nic.srq_fetch, one read of an SRQ at a time: a packet takes what the latest read brings, as long as
 * there is something left, whichever QP it is for; the next one has to wait for that read before it begins another, and so have those behind
 * it, since packets are looked at in order. */
#ifndef NIC_RECEIVE_WQE_H
#define NIC_RECEIVE_WQE_H

#include "kernel/agenda.h"
#include "kernel/space.h"

struct rnic;

struct fetched_receives {
    int on;
    struct space reads;   /* user cycles */
    struct agenda asks;   /* packets for which the scheduler is to fetch, by when it sees them */
    struct receive_look { /* a ring beside the dispatch FIFO */
        int64_t there_cyc;
        uint32_t ordinal; /* of its read's first WQE, counted like receive_queue.taken */
        uint32_t srq;     /* SRQ_NONE: of its QP's own queue, or it takes none */
        uint8_t count;    /* WQEs that its read brings */
        uint8_t failed;
    } * look;
    uint32_t mask, next; /* the next packet to be looked at, counted as the FIFO does */
    int waits;           /* for a fetch to end */
};

int receive_wqe_init(struct rnic *rnic);
void receive_wqe_free(struct rnic *rnic);
/* Dispatch looks at the packets judged by now; returns when at the next one, SIM_NEVER: none, or it is woken. */
int64_t receive_wqe_look(struct rnic *rnic, int64_t now_cyc);
/* When the next one is judged, after now. */
int64_t receive_wqe_next_look(const struct rnic *rnic, int64_t now_cyc);
/* From when on the front packet has its receive WQE; SIM_NEVER: not known yet. */
int64_t receive_wqe_front_cyc(const struct rnic *rnic);
/* It is dispatched: whether that could not be read. */
int receive_wqe_front_taken(struct rnic *rnic);
/* The scheduler fetches those that it sees; returns when to come again. */
int64_t receive_wqe_fetch(struct rnic *rnic, int64_t now_cyc);
/* The read is done at at_cyc: its place is free nic.wqe_hold later. */
void receive_wqe_read(struct rnic *rnic, int64_t at_cyc);
/* Path wqe has brought it. */
void receive_wqe_is_here(struct rnic *rnic, uint32_t ref, int64_t cyc);

#endif
