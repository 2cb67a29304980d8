/* What a responder sends back beside ACKs: the data of READs and the results of atomics, cut into packets whose payload is read from the
 * host's memory.
 *
 *   dispatch: a request -> its answer waits for the writes before it (a read must not pass them, IBTA vol. 1, 9.5) -> QPs with an
 *   answer have their turns, a packet each -> [D scheduler: scheduler.c, beside requests] -> path sched and on, like a data packet
 *
 * A QP's answers are sent in order, and ACKs do not pass them: the port holds up none of its ACKs, but one that may not leave yet
 * becomes an answer itself, behind those before it. Payload of answers has a buffer of its own: else requests that keep theirs until they
 * are acknowledged could hold up the answers that the acknowledgement waits behind, at both ends. */
#ifndef NIC_ANSWERS_H
#define NIC_ANSWERS_H

#include "kernel/heap.h"
#include "kernel/item.h"
#include "kernel/level.h"
#include "kernel/space.h"

enum answer_kind {
    ANSWER_READ, /* of an ATOMIC WRITE: of no bytes, behind its write */
    ANSWER_ATOMIC,
    ANSWER_KEPT,  /* of an atomic that was executed before */
    ANSWER_FLUSH, /* behind a read that brings nothing but pushes writes before it (PCIe Base Spec, 2.4.1) */
    ANSWER_ACK
};

struct answer {
    uint64_t address; /* of the data */
    uint64_t after_writes;
    int64_t ready_cyc;
    uint32_t bytes, offset_bytes; /* all, and sent so far */
    uint32_t begin_bytes;         /* from there on; not from 0 where a requester has some already */
    uint32_t message, psn;        /* psn: of its next packet */
    uint32_t msn;
    uint32_t next;        /* of the same QP */
    uint8_t kind, status; /* status: of an ACK */
    uint8_t waits_for_writes;
    uint8_t again;    /* its request has come before */
    uint8_t ahead;    /* of a NAK, as of an item */
    uint32_t sack;    /* the same */
    uint16_t ordinal; /* of its QP's answers, modulo 2^16; of an ACK that of the one before it */
};

struct answers {
    int on; /* some QP may have READs or atomics under way; else nothing here is used */
    struct pool pool;
    struct heap behind_writes; /* answers, by the count of writes that they wait for */
    struct heap diverted;      /* ACKs that become answers then, each with its QP */
    uint64_t diversions;       /* their order */
    struct heap later;         /* QPs, by when their next packet can be granted */
    uint32_t first, last;      /* the QPs that have their turns; QP_NONE */
    uint64_t writes_done;      /* packets that the write engine has written, since answers are on */
    int64_t written_cyc;       /* when the last of these was */
    struct space space;        /* 64 B units of nic.answer_buffer, user cycles */
    struct level level;
    int waits_for_space, had_turn; /* for space that nobody has given back; the latest grant was an answer's */
    uint64_t most, refused;        /* answers of one QP at once; requests beyond what a QP may have */
};

struct rnic;
struct qp;

int answers_init(struct rnic *rnic, char *error, size_t error_bytes);
void answers_free(struct rnic *rnic);
/* Before the first request that is answered: declares the ways in which answers reach others. Returns -1 without memory. */
int answers_turn_on(struct rnic *rnic);

/* Whether the QP's next request must wait: for answers under way, all of them if it is fenced. */
int answers_hold_request(const struct rnic *rnic, const struct qp *qp);

/* Dispatch, at its instant: whether the QP may have one more answer; the request, which is the next in order, gets it. */
int answers_have_room(struct rnic *rnic, uint32_t qp);
void answers_ask(struct rnic *rnic, const struct item *request, int is_again, int64_t now_cyc);

/* The scheduler, in its decide(): what can be granted by now has its turn; returns when the next one can. */
int64_t answers_run(struct rnic *rnic, int64_t now_cyc);
/* From which cycle on, not before at_cyc, a packet can be granted; SIM_NEVER: there is none, or I am woken. */
int64_t answers_grant_at(struct rnic *rnic, int64_t at_cyc);
/* The QP's next answer gets its turn when it is ready, not before from_cyc; it is not there, or waits for writes: later. */
void answers_await_turn(struct rnic *rnic, uint32_t qp, int64_t from_cyc);
/* Whether an answer goes first where a request could be granted, too. */
int answers_go_first(const struct rnic *rnic);
void answers_grant(struct rnic *rnic, int64_t now_cyc);

/* The write engine has written a packet: it is sent at this cycle. */
void answers_written(struct rnic *rnic, int64_t sent_cyc);

/* The port. An ACK whose turn it is must not leave yet: it has become an answer, and 1 is returned. */
int answers_divert_ack(void *rnic, uint32_t ack, int64_t now_cyc);
/* A packet leaves: its payload leaves the buffer, and ACKs may follow when it is the last of its answer. */
void answers_sent(struct rnic *rnic, const struct item *item, int64_t end_cyc);
/* The data of an answer could not be read: it becomes a NAK. */
void answers_fail(struct rnic *rnic, struct item *item);

#endif
