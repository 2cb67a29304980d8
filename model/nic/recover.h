/* The requester's recovery (RC): what was lost is sent again from where it was lost on.
 *
 * What tells of a loss: a NAK of the sequence, an RNR NAK, an ACK or an answer behind a READ's or an atomic's answer that has not come
 * whole (an implied NAK), or the QP's timer, which runs while anything is not acknowledged and begins anew with every progress (IBTA vol. 1,
 * 9.7.5 and 9.7.6). All of it is seen in the decision of retire.c. Then the QP goes back: its next packet is again the one that was lost,
 * nic.retransmit_latency cycles later, or when the time of the RNR NAK is over. Packets behind the scheduler are not called back.
 *
 * A QP that waits for ever for its peer's receive WQE would never let a run end that waits for nothing else: when no host has seen anything
 * for RECOVER_STUCK_PS of that, the run stops, and says so (outbox.is_stuck). It can go on.
 *
 * A timer is an entry in one heap a NIC; progress only notes when it would end now, and an entry that comes too early is put off. */
#ifndef NIC_RECOVER_H
#define NIC_RECOVER_H

#include "transport/retry.h"

#include <stddef.h>
#include <stdint.h>

struct recovery {
    struct retry retry;
    uint8_t retries_most, retries_left, rnr_left;
    uint8_t is_implied;   /* it went back because of an answer, and none has come since */
    uint8_t waits;        /* it is to go on when the timer ends */
    int64_t rnr_since_ps; /* the first RNR NAK since there was progress; 0: none */
    uint8_t expired;      /* so often has the timer ended since there was progress */
    int64_t timeout_cyc;  /* how long it runs the first time; 0: no timer */
    int64_t due_cyc;      /* when the timer ends; 0: it does not run */
    int64_t entry_cyc;    /* of its entry in the heap; 0: none */
};

#define RECOVER_STUCK_PS INT64_C(100000000000000) /* 100 s: the longest message takes 17 s at 1 Gb/s */

enum recover_cause { RECOVER_NAK, RECOVER_RNR, RECOVER_IMPLIED, RECOVER_TIMEOUT, RECOVER_CAUSES };

#define RECOVER_EVENTS 10000u /* of one NIC that are kept, the first ones */

/* A QP has gone back. */
struct recover_event {
    int64_t at_ps;
    uint32_t qp, psn; /* psn: of the packet that is the next now */
    enum recover_cause cause;
};

struct rnic;
struct qp;
struct item;

int recover_init(struct rnic *rnic, char *error, size_t error_bytes);
void recover_free(struct rnic *rnic);
/* A new QP of the NIC's. retry NULL: as the parameters have it. */
void recover_open(const struct rnic *rnic, struct qp *qp, const struct retry *retry);

/* The QP's next packet has this PSN: one that was sent and is not acknowledged, or the next that was not. Of a READ it is what is missing
 * of its answer. */
void recover_go_to(struct rnic *rnic, struct qp *qp, uint32_t psn, int64_t now_cyc);

/* The scheduler: a packet was sent that asks for an answer of some kind; the timer begins if it does not run. */
void recover_begin_timer(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
/* Dispatch: a packet of an answer was accepted. */
void recover_progress(struct rnic *rnic, struct qp *qp, int64_t now_cyc);
/* Dispatch: a packet of an answer came behind one that did not: retire is told at the cycle. */
void recover_answer_missed(struct rnic *rnic, uint32_t qp, int64_t cyc);

/* Retire. An ACK or a NAK, before it counts: the PSN up to which it acknowledges; 0: it means nothing. */
int recover_take_ack(struct rnic *rnic, uint32_t qp, const struct item *ack, uint32_t *psn, int64_t now_cyc);
/* After it: what the NAK asks for. Returns a status (enum message_status) with which the QP fails, or 0. */
uint32_t recover_after_nak(struct rnic *rnic, uint32_t qp, const struct item *nak, int64_t now_cyc);
/* So many packets are acknowledged. */
void recover_acknowledged(struct rnic *rnic, struct qp *qp, uint32_t packets, int64_t now_cyc);
/* Timers that have ended by now. Returns 1 when it was one: *qp fails with *status, if that is not 0. */
int recover_run(struct rnic *rnic, int64_t now_cyc, uint32_t *qp, uint32_t *status);
/* When to come again. */
int64_t recover_next_cyc(const struct rnic *rnic);

#endif
