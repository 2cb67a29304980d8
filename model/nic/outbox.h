/* What is seen outside, released in order of time (R11): completions and remote writes, each naming its message; and what happens to an SRQ. */
#ifndef NIC_OUTBOX_H
#define NIC_OUTBOX_H

#include "kernel/agenda.h"
#include "kernel/heap.h"
#include "kernel/sim.h"

enum outbox_kind {
    OUTBOX_SEND_DONE,
    OUTBOX_RECV_DONE,
    OUTBOX_WRITE_VISIBLE,
    OUTBOX_UNSIGNALLED,
    OUTBOX_SRQ_LIMIT, /* its number, instead of a message */
    OUTBOX_KINDS
};

#define OUTBOX_HOSTS 4

struct outbox_entry {
    int64_t at_ps;
    enum outbox_kind kind;
    uint32_t host; /* that sees it */
    uint32_t message;
};

struct outbox {
    struct sim *sim;
    struct heap waiting;
    uint64_t put[OUTBOX_KINDS][OUTBOX_HOSTS]; /* the order at one instant: by kind, host, and as put in */
    struct agenda ready;                      /* released, not yet polled */
    int decider;
    int64_t released_ps; /* the latest that was */
    int is_stuck;        /* somebody tries again for ever, and nothing has been released for long: see recover.h */
};

int outbox_init(struct outbox *outbox, struct sim *sim);
void outbox_free(struct outbox *outbox);
/* at_ps > now. */
void outbox_put(struct outbox *outbox, int64_t at_ps, enum outbox_kind kind, uint32_t host, uint32_t message);
/* The next that was released; 0: none. */
static inline int outbox_take(struct outbox *outbox, struct outbox_entry *entry)
{
    const struct agenda_entry *first = agenda_first(&outbox->ready);
    if (!first)
        return 0;
    *entry = (struct outbox_entry){agenda_at(first), (enum outbox_kind)(first->ref >> 40), first->ref >> 32 & 0xff,
                                   (uint32_t)first->ref};
    agenda_drop_first(&outbox->ready);
    return 1;
}

#endif
