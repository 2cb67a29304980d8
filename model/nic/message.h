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

enum message_opcode { /* enum rnicsim_opcode, in which 4 is a receive's */
                      MESSAGE_SEND,
                      MESSAGE_SEND_IMM,
                      MESSAGE_WRITE,
                      MESSAGE_WRITE_IMM,
                      MESSAGE_READ = 5,
                      MESSAGE_CMP_SWAP,
                      MESSAGE_FETCH_ADD
};

enum message_status {
    MESSAGE_OK = 0,
    MESSAGE_QP_OPERATION = 2,
    MESSAGE_LOCAL_PROTECTION = 4,
    MESSAGE_FLUSHED = 5,
    MESSAGE_REMOTE_INVALID = 9,
    MESSAGE_REMOTE_ACCESS = 10,
    MESSAGE_REMOTE_OPERATION = 11,
    MESSAGE_RETRY_EXCEEDED = 12, /* in an ACK: a NAK of the sequence, as what comes of it in the end */
    MESSAGE_RNR_EXCEEDED = 13,
    MESSAGE_CNP = 254,  /* in an ACK: it is none, but a CNP */
    MESSAGE_TWICE = 255 /* of an item: it has come before, and is acknowledged again */
};                      /* enum ibv_wc_status */

enum message_key { MESSAGE_LOCAL_KEY = 1, MESSAGE_REMOTE_KEY = 2 }; /* bits */

/* 256 bytes: an index becomes an address with a shift. */
struct message {
    uint64_t wr_id, recv_wr_id;
    uint64_t local_address, remote_address; /* remote: of the receive buffer for a SEND */
    uint64_t ordinal;                       /* of all that were posted, from 1 */
    uint32_t lkey, rkey;                    /* rkey: as remote_address */
    uint32_t length_bytes;
    uint32_t request_bytes; /* of them that the request carries: all, or none of what is answered */
    union {
        uint32_t returned_bytes; /* what has come of the answer */
        uint32_t to;             /* UD: the QP at the other NIC. XRC, of what takes a receive WQE: the SRQ there */
    };
    uint32_t immediate;
    uint32_t qp;                  /* index at the requester's NIC */
    uint32_t first_psn, last_psn; /* once its first, its last packet is cut */
    union {
        uint32_t answer; /* of its QP's READs and atomics, from 0 */
        uint32_t qkey;   /* UD */
    };
    uint32_t owners; /* who holds it: the requester, and each of its packets, or what has come of them */
    uint8_t opcode, status;
    uint8_t signalled, has_inline, solicited;
    uint8_t fenced;                   /* it begins when the QP's answers are all there */
    uint8_t returned;                 /* its answer is written */
    uint8_t begun;                    /* it has a place among nic.requests */
    uint8_t numbered, cut;            /* its first, its last packet is cut */
    uint8_t answered;                 /* all of its answer is here */
    uint8_t has_receive : 2;          /* it has its receive WQE; 2: and its queue counts it as taken, in order */
    uint8_t wrong_keys : 2;           /* that the NICs find: enum message_key */
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
    return message->opcode == MESSAGE_SEND || message->opcode == MESSAGE_SEND_IMM;
}

static inline int message_has_immediate(const struct message *message)
{
    return message->opcode == MESSAGE_SEND_IMM || message->opcode == MESSAGE_WRITE_IMM;
}

/* Whether the peer answers it with data: a READ or an atomic. */
static inline int message_is_answered(const struct message *message)
{
    return message->opcode >= MESSAGE_READ;
}

static inline int message_is_atomic(const struct message *message)
{
    return message->opcode > MESSAGE_READ;
}

/* Whether it takes a receive WQE and makes a receive CQE. */
static inline int message_is_received(const struct message *message)
{
    return message->opcode != MESSAGE_WRITE && !message_is_answered(message);
}

/* The PSNs that it takes: one for each packet, of the request or of the answer (IBTA vol. 1, 9.7.2). */
static inline uint32_t message_psns(const struct message *message, uint32_t mtu_bytes)
{
    return message_is_atomic(message) ? 1 : frame_packets(message->length_bytes, mtu_bytes);
}

#endif
