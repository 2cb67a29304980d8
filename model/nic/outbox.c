#include "nic/outbox.h"

#define OUTBOX_FIRST_ROOM 256u

/* Releases what is due. The run stops for what a program can see; unsignalled requests only count. */
static int64_t release(void *self, int64_t now)
{
    struct outbox *outbox = self;
    for (;;) {
        const struct heap_entry *first = heap_first(&outbox->waiting);
        if (!first || first->at > now)
            return first ? first->at : SIM_NEVER;
        struct heap_entry entry = heap_take(&outbox->waiting);
        outbox->released_ps = now;
        model_assert(outbox->sim, agenda_put(&outbox->ready, entry.at, 0, entry.ref) == 0, "out of memory");
        if ((enum outbox_kind)(entry.ref >> 40) != OUTBOX_UNSIGNALLED)
            outbox->sim->stop = 1;
    }
}

int outbox_init(struct outbox *outbox, struct sim *sim)
{
    *outbox = (struct outbox){.sim = sim, .decider = sim_add(sim, release, outbox, "outbox", 1)};
    return outbox->decider < 0 || agenda_init(&outbox->ready, OUTBOX_FIRST_ROOM) ||
                   heap_init(&outbox->waiting, OUTBOX_FIRST_ROOM)
               ? -1
               : 0;
}

void outbox_free(struct outbox *outbox)
{
    agenda_free(&outbox->ready);
    heap_free(&outbox->waiting);
}

void outbox_put(struct outbox *outbox, int64_t at_ps, enum outbox_kind kind, uint32_t host, uint32_t message)
{
    uint64_t ref = (uint64_t)kind << 40 | (uint64_t)host << 32 | message;
    uint64_t order = (uint64_t)kind << 60 | (uint64_t)host << 56 | outbox->put[kind][host]++;
    model_assert(outbox->sim, heap_put(&outbox->waiting, at_ps, order, ref) == 0, "out of memory");
    sim_wake(outbox->sim, outbox->decider, at_ps);
}
