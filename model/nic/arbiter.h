/* Whose packet is next: chooses among entities (QPs, or traffic classes) that have something to send. No time and no events: the caller
 * says when an entity is ready, asks whose turn it is, and tells what was sent. Asking changes nothing that a later answer depends on.
 *
 * A turn (a visit) lasts for a quantum, in packets, bytes of frames or whole messages; with weights for weight * quantum. It ends early
 * when the entity has nothing ready. Policies (each a row of the table in arbiter.c):
 *   rr      in turn; weights do not count
 *   wrr     in turn, weight * quantum each (Katevenis et al., 1991)
 *   drr     in turn, what is left of a quantum of bytes is kept for the next turn (Shreedhar and Varghese, 1995): shares of bytes are
 *           those of the weights, within one quantum
 *   strict  the highest level first, at each packet; in turn within a level
 *   wfq     the earliest virtual finish of those that should have begun: WF2Q+ (Bennett and Zhang, 1997), within one packet of the
 *           weights' shares of bytes
 * Each choice costs O(1), or O(log n) for wfq. */
#ifndef NIC_ARBITER_H
#define NIC_ARBITER_H

#include "kernel/heap.h"

#include <stdint.h>

#define ARBITER_NONE UINT32_MAX
#define ARBITER_LEVELS 16u

enum arbiter_unit { ARBITER_PACKETS, ARBITER_BYTES, ARBITER_MESSAGES };

struct arbiter_entity {
    uint32_t weight;        /* 1 .. 255 */
    uint32_t level;         /* below ARBITER_LEVELS */
    uint32_t next;          /* in its list */
    uint32_t bytes;         /* of its next packet's frame */
    int64_t left;           /* of its turn, in the quantum's unit */
    uint64_t start, finish; /* of its next packet, in virtual time */
    uint8_t is_backlogged;  /* it has more to send, though it may not be ready */
};

struct arbiter_policy;

struct arbiter {
    const struct arbiter_policy *policy;
    struct arbiter_entity *entity; /* the caller's, by index */
    enum arbiter_unit unit;
    int64_t quantum;
    struct arbiter_list {
        uint32_t first, last;
    } list[ARBITER_LEVELS];
    uint32_t levels_ready; /* a bit for each list that is not empty */

    struct heap later, begun;      /* wfq: by virtual start; by virtual finish */
    uint64_t virtual_now, weights; /* of all that are backlogged */
};

struct arbiter_policy {
    const char *name;
    int (*reserve)(struct arbiter *arbiter, uint32_t entities); /* NULL: nothing to do */
    /* It is ready; its next packet's bytes are set. */
    void (*put)(struct arbiter *arbiter, uint32_t index);
    uint32_t (*first)(struct arbiter *arbiter);
    /* The first has sent `bytes`; its next packet's bytes are set, 0 when none is ready. 1: its turn goes on. */
    int (*served)(struct arbiter *arbiter, uint32_t index, uint32_t bytes, int ends_message);
    /* One that is not ready, though it was to be ready again, will not be. NULL: nothing to do. */
    void (*leave)(struct arbiter *arbiter, uint32_t index);
    uint8_t by_bytes; /* the quantum must be bytes */
    uint8_t in_order; /* whoever gets ready later comes later, as long as all have one quantum of one packet */
};

/* In the order of the choices of nic.scheduler and nic.class_scheduler. */
extern const struct arbiter_policy *const arbiter_policy[];

/* policy: a row's number. quantum >= 1; of bytes: at least as large as every packet. Returns -1 without memory. */
int arbiter_init(struct arbiter *arbiter, int policy, enum arbiter_unit unit, int64_t quantum);
void arbiter_free(struct arbiter *arbiter);
/* The entities are at entity[0 .. entities - 1] from now on. Returns -1 without memory. */
int arbiter_reserve(struct arbiter *arbiter, struct arbiter_entity *entity, uint32_t entities);

/* The entity, which is not ready, gets ready with a packet of so many bytes (>= 1). */
static inline void arbiter_put(struct arbiter *arbiter, uint32_t index, uint32_t bytes)
{
    arbiter->entity[index].bytes = bytes;
    arbiter->policy->put(arbiter, index);
}

/* Whose turn it is; ARBITER_NONE: nobody is ready. */
static inline uint32_t arbiter_first(struct arbiter *arbiter)
{
    return arbiter->policy->first(arbiter);
}

/* The first has sent a packet of `bytes` (0: it was served with something else). next_bytes: of its next packet when that is ready at
 * once, else 0; is_backlogged: it will be ready again without anything new. Returns 1 when its turn goes on: it stays the first; else
 * it is not ready any more, and the caller puts it again. */
static inline int arbiter_served(struct arbiter *arbiter, uint32_t index, uint32_t bytes, int ends_message,
                                 uint32_t next_bytes, int is_backlogged)
{
    arbiter->entity[index].bytes = next_bytes;
    arbiter->entity[index].is_backlogged = (uint8_t)is_backlogged;
    return arbiter->policy->served(arbiter, index, bytes, ends_message);
}

/* The entity, which is not ready, will not be ready again without something new, though that was said. */
static inline void arbiter_leave(struct arbiter *arbiter, uint32_t index)
{
    struct arbiter_entity *entity = &arbiter->entity[index];
    if (entity->is_backlogged && arbiter->policy->leave)
        arbiter->policy->leave(arbiter, index);
    entity->is_backlogged = 0;
    entity->left = 0;
}

/* ---- for the policies ---- */

extern const struct arbiter_policy arbiter_rr, arbiter_wrr, arbiter_drr, arbiter_strict, arbiter_wfq;

#endif
