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

enum item_ahead { /* of a packet of data (nic/selective.h) */
                  ITEM_IN_ORDER,
                  ITEM_AHEAD, /* it is taken, though one before it is missing */
                  ITEM_CARRIER /* it has no payload: it only brings those that had come ahead, behind a READ or an atomic */
};

struct item {
    uint32_t bytes; /* of the frame, without FCS */
    uint32_t payload_bytes;
    uint32_t offset; /* of the payload in its message */
    uint32_t psn;
    uint32_t qp;      /* index at the NIC that receives it */
    uint32_t message; /* of data and answers */
    uint8_t kind;
    uint8_t first, last; /* of its message */
    uint8_t ack_request;
    uint8_t bad;    /* arrives with a wrong FCS: enum item_bad */
    uint8_t status; /* 0, else a NAK's meaning as enum ibv_wc_status; of data: it is refused, and the NAK is to come */
    uint8_t again;  /* it was sent before, or an answer before it was */
    uint8_t ahead;  /* enum item_ahead; of a NAK: not 0 when the packet was taken */
    uint16_t
        after_answers; /* of an ACK, and of the data that leads to it: so many of the QP's answers (modulo 2^16) go before it */
    uint16_t releases;  /* so many packets that came ahead follow it now */
    uint32_t sack;      /* of a NAK: the PSN that has come; of what is ahead: the one that is missing */
    uint32_t msn : 24;  /* of an ACK and an answer, and of the data that leads to it: messages complete with that */
    uint32_t ce : 8;    /* congestion experienced: it was marked on its way */
    uint32_t trip;      /* of a last packet that is sent again: where its own stamps are, plus 1 */
    int64_t wire_at_ps; /* of an ACK or an answer */
    int64_t judged_at_ps;
};

_Static_assert(sizeof(struct item) == 64, "an item's size is a power of two: an index becomes an address with a shift");

/* A zeroed item of a pool of them (windows bound it). POOL_NONE without memory. */
static inline uint32_t item_new(struct pool *items)
{
    uint32_t index = pool_take(items);
    if (index != POOL_NONE)
        ((struct item *)items->slot)[index] = (struct item){0};
    return index;
}

#endif
