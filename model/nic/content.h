/* What payload holds, where that is asked for (rnicsim_options.data): the bytes of each packet between the hosts' memories. It changes no time.
 *
 * The model knows what happens ahead of its time and out of order. So reads and writes of memory wait here until their instant has come
 * (R11): a packet's payload is read when it is in the NIC (inline data: when it is posted), and written when it is visible. The value of an atomic is
 * changed when it is in the NIC, and kept for a request that comes again. */
#ifndef NIC_CONTENT_H
#define NIC_CONTENT_H

#include "host/memory.h"
#include "kernel/heap.h"
#include "kernel/pool.h"

#include <stdint.h>

struct content_block { /* of a packet, or of inline data */
    uint8_t *bytes;
    uint32_t owners;
};

enum content_kind { CONTENT_READ, CONTENT_WRITE, CONTENT_ATOMIC, CONTENT_ATOMIC_AGAIN };

struct content_op {
    enum content_kind kind;
    uint32_t host, bytes, block;
    uint32_t message, offset;  /* offset: in it, of what is written */
    uint32_t block_offset;     /* in the block */
    uint64_t address, ordinal; /* ordinal: of the message, which may be another by then */
};

struct content_message {
    uint64_t compare, swap_or_add; /* of an atomic */
    uint64_t original;             /* what it found */
    uint32_t inline_block;         /* POOL_NONE: none */
    uint64_t ordinal, written_bytes;
    uint32_t host;   /* who posted it */
    uint8_t is_done; /* the atomic is, or will be */
};

struct content_check { /* of whole messages, with a pattern */
    uint64_t right_bytes, wrong_messages;
    uint64_t unknown_bytes; /* of atomics, and where memory was written otherwise meanwhile */
};

struct contents { /* of both hosts */
    struct memory memory[2];
    struct pool blocks, ops;
    struct heap due;
    uint64_t order;
    uint32_t *of_item; /* block of each item of the pool; POOL_NONE: none */
    struct content_message *of_message;
    uint32_t items, messages;
    int has_failed; /* without memory */
    int is_checked; /* memory holds a pattern, and messages are compared with it when they are whole */
    struct content_check check;
};

struct rnic;
struct sge_list;
struct pcie_up;

/* NULL without memory. is_checked: memory holds a pattern where nobody has written. */
struct contents *contents_new(int is_checked);
void contents_free(struct contents *contents);

/* A request is posted: inline data, as it is now, of its list of places or NULL; what an atomic has. */
void content_posted(struct contents *contents, uint32_t host, const struct pool *messages, uint32_t message,
                    const struct sge_list *list, uint64_t compare, uint64_t swap_or_add);
/* A packet's payload is in the NIC at at_cyc. */
void content_sent(struct rnic *rnic, uint32_t item, int64_t at_cyc);
/* The other item is the same frame once more. */
void content_doubled(struct rnic *rnic, uint32_t item, uint32_t other);
/* A packet's payload is written. */
void content_written(struct rnic *rnic, const struct pcie_up *up);
/* The bytes of a packet are kept for somebody else, too, until content_give(): their block, or POOL_NONE. They are there when the packet is on the line. */
uint32_t content_hold(struct contents *contents, uint32_t item);
const uint8_t *content_bytes(const struct contents *contents, uint32_t block);
void content_give(struct contents *contents, uint32_t block); /* POOL_NONE: nothing */
/* All up to now_ps is done. */
void contents_settle(struct contents *contents, const struct pool *messages, int64_t now_ps);

#endif
