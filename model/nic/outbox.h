/* What is seen outside, released in order of time (R11): completions and remote writes, each naming its message; and what happens to an SRQ. */
#ifndef NIC_OUTBOX_H
#define NIC_OUTBOX_H

#include "kernel/heap.h"
#include "kernel/sim.h"

enum outbox_kind {
    OUTBOX_SEND_DONE,
    OUTBOX_RECV_DONE,
    OUTBOX_WRITE_VISIBLE,
    OUTBOX_UNSIGNALLED,
    OUTBOX_SRQ_LIMIT, /* its number, instead of a message */
    OUTBOX_QP_ERROR,  /* a QP's index, the same */
    OUTBOX_KINDS
};

#define OUTBOX_HOSTS 4

struct outbox_entry {
    int64_t at_ps;
    enum outbox_kind kind;
    uint32_t host; /* that sees it */
    uint32_t message;
};

struct outbox_slot {
    int64_t at_ps;
    uint64_t what; /* kind, host and message: the upper half decides at one instant */
};

/* Most of it comes nearly in the order of time: a ring in that order. What would have to pass many others in it (an interrupt tells of
 * events long before) waits in a heap. */
struct outbox {
    struct sim *sim;
    struct outbox_slot *slot;             /* a ring: released and not yet polled, then those that wait */
    uint32_t mask, first, released, next; /* released: the first that is not */
    struct heap far;
    uint64_t far_put;
    int decider;
    int64_t released_ps; /* the latest that was */
    int is_stuck;        /* somebody tries again for ever, and nothing has been released for long: see recover.h */
};

int outbox_init(struct outbox *outbox, struct sim *sim);
void outbox_free(struct outbox *outbox);
/* At one instant the order is by kind, host, and as put in. at_ps > now. */
void outbox_put(struct outbox *outbox, int64_t at_ps, enum outbox_kind kind, uint32_t host, uint32_t message);
/* The next that was released; 0: none. */
static inline int outbox_take(struct outbox *outbox, struct outbox_entry *entry)
{
    if (outbox->first == outbox->released)
        return 0;
    const struct outbox_slot *slot = &outbox->slot[outbox->first++ & outbox->mask];
    *entry = (struct outbox_entry){slot->at_ps, (enum outbox_kind)(slot->what >> 40), slot->what >> 32 & 0xff,
                                   (uint32_t)slot->what};
    return 1;
}

#endif
