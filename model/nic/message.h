/* A posted work request, from the verbs call until both ends are done with it. Known by its index in a pool. */
#ifndef NIC_MESSAGE_H
#define NIC_MESSAGE_H

#include "kernel/pool.h"
#include "transport/frame.h"

#define MESSAGE_STAMPS 18 /* in the order of the waterfall: model/api/rnicsim.h */

enum message_stamp {
    MESSAGE_AT_ARRIVAL, /* set by whoever posts; SIM_NEVER: with AT_POST */
    MESSAGE_AT_POST,
    MESSAGE_AT_MMIO,
    MESSAGE_AT_DOORBELL,
    MESSAGE_AT_GRANT,
    MESSAGE_AT_WQE,
    MESSAGE_AT_PACKET,
    MESSAGE_AT_PAYLOAD,
    MESSAGE_AT_PORT,
    MESSAGE_AT_WIRE,
    MESSAGE_AT_RECEIVED,
    MESSAGE_AT_JUDGED,
    MESSAGE_AT_RESPONDED,
    MESSAGE_AT_ACK_WIRE,
    MESSAGE_AT_ACK_RECEIVED,
    MESSAGE_AT_RETIRED,
    MESSAGE_AT_CQE,
    MESSAGE_AT_SEEN
};

enum message_opcode { /* enum rnicsim_opcode */
                      MESSAGE_SEND,
                      MESSAGE_SEND_IMM,
                      MESSAGE_WRITE,
                      MESSAGE_WRITE_IMM,
                      MESSAGE_RECEIVE, /* no request: what a receive WQE's CQE tells that is flushed or in error */
                      MESSAGE_READ,
                      MESSAGE_CMP_SWAP,
                      MESSAGE_FETCH_ADD,
                      MESSAGE_FLUSH,
                      MESSAGE_ATOMIC_WRITE,
                      MESSAGE_SEND_INV,
                      MESSAGE_LOCAL_INV,
                      MESSAGE_BIND_MW,
                      MESSAGE_FAST_REG
};

enum message_status {
    MESSAGE_OK = 0,
    MESSAGE_LOCAL_LENGTH = 1,
    MESSAGE_QP_OPERATION = 2,
    MESSAGE_LOCAL_PROTECTION = 4,
    MESSAGE_FLUSHED = 5,
    MESSAGE_BIND_FAILED = 6,
    MESSAGE_REMOTE_INVALID = 9,
    MESSAGE_REMOTE_ACCESS = 10,
    MESSAGE_REMOTE_OPERATION = 11,
    MESSAGE_RETRY_EXCEEDED = 12, /* in an ACK: a NAK of the sequence, as what comes of it in the end */
    MESSAGE_RNR_EXCEEDED = 13,
    MESSAGE_CNP = 254,  /* in an ACK: it is none, but a CNP */
    MESSAGE_TWICE = 255 /* of an item: it has come before, and is acknowledged again */
};                      /* enum ibv_wc_status */

enum message_key { /* bits: what is wrong; whether it is to be looked at when a packet needs it */
                   MESSAGE_LOCAL_KEY = 1,
                   MESSAGE_REMOTE_KEY = 2,
                   MESSAGE_KEYS_LATER = 4
};

enum message_flush { MESSAGE_FLUSH_VISIBLE = 1, MESSAGE_FLUSH_PERSISTENT = 2, MESSAGE_FLUSH_REGION = 16 }; /* FETH */

/* 256 bytes: an index becomes an address with a shift. */
struct message {
    uint64_t wr_id, recv_wr_id;
    uint64_t local_address, remote_address; /* remote: of the receive buffer for a SEND */
    uint64_t ordinal;                       /* of all that were posted, from 1 */
    uint32_t lkey, rkey;                    /* rkey: as remote_address */
    uint32_t length_bytes;
    uint32_t request_bytes; /* of them that the request carries: all, or none of what comes back */
    union {
        uint32_t returned_bytes; /* what has come of the answer */
        uint32_t to;             /* UD: the QP at the other NIC. XRC, of what takes a receive WQE: the SRQ there */
    };
    uint32_t immediate;           /* or the key to invalidate, or what a FLUSH is to reach: FETH */
    uint32_t qp;                  /* index at the requester's NIC */
    uint32_t first_psn, last_psn; /* once its first, its last packet is cut */
    union {
        uint32_t answer; /* of its QP's READs and atomics, from 0 */
        uint32_t qkey;   /* UD */
        uint32_t access; /* of a window or region: enum key_access */
    };
    uint32_t owners; /* who holds it: the requester, and each of its packets, or what has come of them */
    uint8_t opcode, status;
    uint8_t signalled, has_inline;
    uint8_t returned;      /* its answer is written, or it is done where it was posted */
    uint8_t begun;         /* it has a place among nic.requests */
    uint8_t numbered, cut; /* its first, its last packet is cut */
    uint8_t answered;      /* all of its answer is here */
    uint8_t local_sges,
        receive_sges;        /* places that its buffer here, its receive buffer there consist of; 0: one (sge.h) */
    uint8_t has_receive : 2; /* it has its receive WQE; 2: and its queue counts it as taken, in order */
    uint8_t wrong_keys : 3;  /* that the NICs find: enum message_key */
    uint8_t fenced : 1;      /* it begins when the QP's answers are all there */
    uint8_t solicited : 1;
    int64_t payload_seen_ps;          /* when all of it that is written so far is visible in the peer's memory */
    int64_t delivered_at_ps;          /* all of it, and its CQE; SIM_NEVER: not yet */
    int64_t stamp_ps[MESSAGE_STAMPS]; /* SIM_NEVER: not passed */
};
_Static_assert(sizeof(struct message) == 256, "a message's size is a power of two");

/* A zeroed message with one owner, of a pool of them (queue depths bound it). POOL_NONE without memory. */
uint32_t message_new(struct pool *messages);
/* One owner is done. */
static inline void message_end(struct pool *messages, uint32_t index)
{
    if (--((struct message *)messages->slot)[index].owners == 0)
        pool_give(messages, index);
}
/* One more. */
static inline void message_hold(struct pool *messages, uint32_t index)
{
    ((struct message *)messages->slot)[index].owners++;
}

static inline struct message *message_at(const struct pool *messages, uint32_t index)
{
    return (struct message *)messages->slot + index;
}

static inline int message_is_send(const struct message *message)
{
    return message->opcode <= MESSAGE_SEND_IMM || message->opcode == MESSAGE_SEND_INV;
}

/* Whether its last packet carries four bytes more: an immediate, or the key that is to be invalidated. */
static inline int message_has_word(const struct message *message)
{
    return message->opcode == MESSAGE_SEND_IMM || message->opcode == MESSAGE_WRITE_IMM ||
           message->opcode == MESSAGE_SEND_INV;
}

/* Whether the peer answers it: a READ, an atomic, a FLUSH or an ATOMIC WRITE. */
static inline int message_is_answered(const struct message *message)
{
    return (unsigned)message->opcode - MESSAGE_READ <= MESSAGE_ATOMIC_WRITE - MESSAGE_READ;
}

/* Whether the answer is the value that it found. */
static inline int message_is_atomic(const struct message *message)
{
    return message->opcode == MESSAGE_CMP_SWAP || message->opcode == MESSAGE_FETCH_ADD;
}

/* Whether it is done where it was posted, and sends nothing. What it has stands in other fields' places: local.c. */
static inline int message_is_local(const struct message *message)
{
    return message->opcode >= MESSAGE_LOCAL_INV;
}

/* What the answer brings; a FLUSH and an ATOMIC WRITE are answered by an empty READ response (IBTA vol. 1 rel. 1.5, A19). */
static inline uint32_t message_answer_bytes(const struct message *message)
{
    return message->opcode == MESSAGE_READ || message_is_atomic(message) ? message->length_bytes : 0;
}

/* Whether it takes a receive WQE and makes a receive CQE. */
static inline int message_is_received(const struct message *message)
{
    return (message->opcode < MESSAGE_READ && message->opcode != MESSAGE_WRITE) || message->opcode == MESSAGE_SEND_INV;
}

/* The PSNs that it takes: one for each packet, of the request or of the answer (IBTA vol. 1, 9.7.2). */
static inline uint32_t message_psns(const struct message *message, uint32_t mtu_bytes)
{
    return message->opcode > MESSAGE_READ && message_is_answered(message)
               ? 1
               : frame_packets(message->length_bytes, mtu_bytes);
}

#endif
