/* What flows between the rooms: a packet on its way, and the pool it comes from. Known by an index. */
#ifndef KERNEL_ITEM_H
#define KERNEL_ITEM_H

#include <stdint.h>

enum item_kind { ITEM_DATA, ITEM_ACK };

struct item {
    uint32_t bytes; /* of the frame, without FCS */
    uint32_t payload_bytes;
    uint32_t offset; /* of the payload in its message */
    uint32_t psn;
    uint32_t qp;      /* index at the NIC that receives it */
    uint32_t message; /* data */
    uint8_t kind;
    uint8_t first, last; /* of its message */
    uint8_t ack_request;
    uint8_t bad;    /* arrives with a wrong FCS */
    uint8_t status; /* ACK: 0, else a NAK's meaning as enum ibv_wc_status */
    uint32_t next_free;
    int64_t wire_at_ps, received_at_ps, judged_at_ps;
};

#define ITEM_NONE UINT32_MAX

struct item_pool {
    struct item *item;
    uint32_t room, free_first, in_use;
};

int item_pool_init(struct item_pool *pool, uint32_t room);
void item_pool_free(struct item_pool *pool);
/* A zeroed item; the pool doubles when it is empty (windows bound it). ITEM_NONE without memory. */
uint32_t item_new(struct item_pool *pool);
void item_end(struct item_pool *pool, uint32_t index);

#endif
