/* A queue pair at one NIC: its send queue as the NIC knows it, its receive queue, its transport state. */
#ifndef NIC_QP_H
#define NIC_QP_H

#include "nic/rate.h"
#include "nic/recover.h"
#include "nic/sge.h"
#include "transport/requester.h"
#include "transport/responder.h"

#include <stdint.h>

enum qp_wait { /* why it could not be granted earlier */
               QP_WAIT_POST,
               QP_WAIT_WQE,
               QP_WAIT_WINDOW,
               QP_WAIT_CONTEXT,
               QP_WAIT_RATE,
               QP_WAIT_REQUEST,
               QP_WAIT_MISS,
               QP_WAIT_RETRY
};

enum qp_state { QP_RTS, QP_RESET, QP_INIT, QP_RTR, QP_SQD, QP_ERROR }; /* enum rnicsim_qp_state */

enum qp_transport { QP_RC, QP_UC, QP_UD, QP_XRC }; /* enum rnicsim_transport */

enum qp_halt {
    QP_GOES_ON,
    QP_IN_ERROR, /* or a request is, and those before it are not acknowledged yet */
    QP_DRAINS,   /* in SQD */
    QP_NOT_READY /* in RESET, INIT, RTR */
};

#define QP_GRH_BYTES 40u
#define QP_FETCHES_MAX 16u /* of one QP's WQEs under way; a power of two */

struct qp_receive {
    uint64_t wr_id, address;
    int64_t posted_at_ps;
    uint32_t length_bytes, lkey;
    struct sge_list *list; /* its own; NULL: one place */
};

/* Receive WQEs, taken in the order in which they were posted: a QP's own, or an SRQ's (srq.h). */
struct receive_queue {
    uint32_t depth, mask;          /* of the ring: a power of two, less 1 */
    uint32_t posted, taken, asked; /* asked: fetches, counted like `taken` */
    struct qp_receive slot[];
};

struct qp {
    uint32_t qpn, peer_qpn;
    uint32_t peer; /* index of the peer QP at the other NIC; QP_NONE until both exist */
    uint32_t mtu_bytes, sq_depth, max_inline_bytes;
    uint64_t sq_address;   /* of the ring in host memory */
    uint64_t rings_offset; /* of its rings in the translations of all rings: nic/lookup.h */

    /* together, as they are small */
    uint8_t signal_all;
    uint8_t wants_record, reads_record;
    uint8_t queued;      /* eligible now or at a known cycle, or its context is fetched */
    uint8_t is_followed; /* its packets follow from a grant */
    uint8_t has_context; /* what the next grant needs has been fetched: 1 the QP's context, 2 the translations, too */
    uint8_t answering;   /* an answer of it has its turn, or will at a known cycle, or waits for a lock */
    uint8_t failed;      /* in state ERROR: what is posted is flushed */
    uint8_t deaf;        /* what comes is dropped: in RESET, INIT, ERROR */
    uint8_t state;       /* enum qp_state, but for ERROR, which `failed` tells */
    uint8_t halted;      /* it begins nothing from halted_at on: enum qp_halt */
    uint8_t local_under_way; /* a request that is done here: nothing behind it begins */
    uint8_t wait;            /* enum qp_wait */
    uint8_t service_level, weight;
    uint8_t transport;     /* enum qp_transport */
    uint8_t is_unreliable; /* its requests are complete when they are sent: UC, UD, or transport.completion */
    uint8_t header_bytes;  /* of its requests, beyond those of RC: DETH 8, XRCETH 4 (IBTA vol. 1, 9.2) */
    uint8_t grh_bytes;     /* in front of what it receives: 40 with UD (IBTA vol. 1, 11.4.1.2) */
    uint8_t failed_status; /* for the request that failed it, until that is told */
    uint8_t event_status;  /* what an event tells of its state */

    /* the send queue: a ring of messages. posted (by the program) >= known (doorbell decoded) >= fetched (WQE in the NIC)
     * >= cut (all packets made) >= acked >= retired */
    uint32_t *send;
    uint32_t send_mask;
    uint32_t posted, known, fetched, cut, retired;
    uint32_t acked;        /* of those that are cut, the oldest that is not acknowledged, counted like `retired` */
    uint32_t unread;       /* more were rung for, but the doorbell record that tells is not read yet */
    uint32_t rung_in_vain; /* WQEs whose doorbell was dropped: the next one tells of them, too */
    uint32_t halted_at;    /* a request, counted like `posted` */
    uint32_t record_index; /* what is known when the record under way is here, counted like `known` */
    uint32_t offset_bytes; /* into the message being cut */
    uint32_t asked;        /* WQEs whose fetch is granted, those that are here too, counted like `fetched` */
    uint32_t fetch_first, fetch_next; /* fetches under way, in order */
    struct {
        uint8_t count, is_here; /* WQEs; before those of an earlier fetch */
    } fetch[QP_FETCHES_MAX];
    struct requester requester;
    struct recovery recovery;
    uint32_t answers_cut, answers_here;  /* READs and atomics that were sent; whose answers are all here */
    uint32_t next_waiting;               /* for a request of another to retire */
    uint16_t max_rd_atomic, answers_due; /* READs and atomics that may be, and are, under way */

    /* scheduler */
    struct rate rate;
    int64_t eligible_cyc;
    int64_t context_free_cyc;
    int64_t cq_free_cyc;
    uint32_t staged_first, staged_last; /* packets of user logic that are there, not yet granted; POOL_NONE */

    /* the receive queue and the responder */
    struct receive_queue *receives;
    uint32_t srq;           /* whose that is; SRQ_NONE: its own */
    uint32_t doorbell;      /* the latest that waits in the doorbell path, with nic.doorbell_coalesce; POOL_NONE */
    uint32_t qkey;          /* of UD */
    uint32_t pd, access;    /* its protection domain; what its peer may do: enum key_access */
    uint32_t acks_behind;   /* of it: among its answers, or on their way from there to the port */
    uint32_t answers_again; /* of answers_held those to requests that have come before, which take no place of others */
    uint32_t unacked;       /* by units: packets made, each of which an ACK or an answer is to come for */
    uint32_t receives_looked; /* by units: looked up, counted like receives->taken */
    struct responder responder;
    uint32_t receives_due;                /* messages that are taken whole, and whose CQEs are not made yet */
    uint32_t open_receive;                /* the message that has a receive WQE and is not whole yet; POOL_NONE */
    uint32_t failed_receive;              /* what tells of the receive WQE that failed it; POOL_NONE */
    uint32_t answer_first, answer_last;   /* its answers, in order; POOL_NONE */
    uint32_t answers_held;                /* of them those to READs and atomics */
    uint16_t answers_asked, answers_sent; /* since the start, modulo 2^16: queued; whose last packet has left */
    uint32_t next_answering;              /* of the QPs that have their turns */
    uint32_t atomics_unwritten;           /* of its answers: granted, and what they change is not written yet */
    uint32_t failed_request;              /* which that is, counted like `posted` */

    /* payload kept until the ACK: the oldest packet kept is at this offset of this message */
    uint32_t kept;
    uint32_t kept_offset_bytes;
};

#define QP_NONE UINT32_MAX
#define SRQ_NONE UINT32_MAX

/* QP number -> index. */
struct qp_table {
    struct {
        uint32_t qpn, index;
    } * entry; /* open addressing; qpn 0: empty */
    uint32_t mask, count;
};

/* qpn >= 1, not in the table. Returns -1 without memory. */
int qp_table_put(struct qp_table *table, uint32_t qpn, uint32_t index);
/* QP_NONE when there is none, as with 0. */
uint32_t qp_table_find(const struct qp_table *table, uint32_t qpn);

/* An empty queue of 0 .. 2^31 WQEs; NULL without memory. */
struct receive_queue *receive_queue_new(uint32_t depth);
void receive_queue_free(struct receive_queue *queue);
/* The WQE that is next; NULL when none was posted by now. */
static inline const struct qp_receive *receive_queue_first(const struct receive_queue *queue, int64_t now_ps)
{
    const struct qp_receive *first = &queue->slot[queue->taken & queue->mask];
    return queue->taken == queue->posted || first->posted_at_ps > now_ps ? 0 : first;
}

/* Allocates the rings. shared: the queue of the SRQ, else NULL, and it has one of its own, of rq_depth. Returns -1 without memory. */
int qp_init(struct qp *qp, uint32_t qpn, uint32_t sq_depth, uint32_t rq_depth, uint32_t srq,
            struct receive_queue *shared);
void qp_free(struct qp *qp);

#endif
