/* What flows between the rooms: a packet on its way. Known by its index in a pool. */
#ifndef KERNEL_ITEM_H
#define KERNEL_ITEM_H

#include "kernel/pool.h"

enum item_kind {
    ITEM_DATA,
    ITEM_ACK,
    ITEM_ANSWER /* a packet of a READ's or an atomic's answer */
};

enum item_bad {
    ITEM_UNDERRUN = 1, /* it ran dry at the sender's MAC */
    ITEM_NOT_READ = 2, /* its payload could not be read */
    ITEM_DAMAGED = 4   /* on the line */
};

struct item {
    uint32_t bytes; /* of the frame, without FCS */
    uint32_t payload_bytes;
    uint32_t offset; /* of the payload in its message */
    uint32_t psn;
    uint32_t qp;      /* index at the NIC that receives it */
    uint32_t message; /* of data and answers */
    uint32_t msn;     /* of an ACK and an answer, and of the data that leads to it: messages complete with that */
    uint8_t kind;
    uint8_t first, last; /* of its message */
    uint8_t ack_request;
    uint8_t bad;    /* arrives with a wrong FCS: enum item_bad */
    uint8_t status; /* 0, else a NAK's meaning as enum ibv_wc_status; of data: it is refused, and the NAK is to come */
    uint8_t again;  /* it was sent before, or an answer before it was */
    uint16_t
        after_answers; /* of an ACK, and of the data that leads to it: so many of the QP's answers (modulo 2^16) go before it */
    uint32_t trip;      /* of a last packet that is sent again: where its own stamps are, plus 1 */
    int64_t wire_at_ps; /* of an ACK or an answer */
    int64_t judged_at_ps;
};

/* A zeroed item of a pool of them (windows bound it). POOL_NONE without memory. */
static inline uint32_t item_new(struct pool *items)
{
    uint32_t index = pool_take(items);
    if (index != POOL_NONE)
        ((struct item *)items->slot)[index] = (struct item){0};
    return index;
}

#endif
