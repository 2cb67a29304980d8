#include "nic/outbox.h"

#include <stdlib.h>

#define READY_FIRST_ROOM 256u

static int grow(struct outbox *outbox)
{
    uint32_t room = outbox->ready_mask + 1;
    struct outbox_entry *more = malloc(2 * (size_t)room * sizeof *more);
    if (!more)
        return -1;
    for (uint32_t i = 0; i < room; i++)
        more[i] = outbox->ready[(outbox->ready_first + i) & outbox->ready_mask];
    free(outbox->ready);
    outbox->ready = more;
    outbox->ready_mask = 2 * room - 1;
    outbox->ready_first = 0;
    outbox->ready_next = room;
    return 0;
}

/* Releases what is due. The run stops for what a program can see; unsignalled requests only count. */
static int64_t release(void *self, int64_t now)
{
    struct outbox *outbox = self;
    for (;;) {
        const struct heap_entry *first = heap_first(&outbox->waiting);
        if (!first || first->at > now)
            return first ? first->at : SIM_NEVER;
        if (outbox->ready_next - outbox->ready_first > outbox->ready_mask)
            model_assert(outbox->sim, grow(outbox) == 0, "out of memory");
        struct heap_entry entry = heap_take(&outbox->waiting);
        enum outbox_kind kind = (enum outbox_kind)(entry.ref >> 40 & 0xf);
        outbox->ready[outbox->ready_next++ & outbox->ready_mask] =
            (struct outbox_entry){entry.at, kind, (uint32_t)(entry.ref >> 32 & 0xff), (uint32_t)entry.ref};
        if (kind != OUTBOX_UNSIGNALLED)
            outbox->sim->stop = 1;
    }
}

int outbox_init(struct outbox *outbox, struct sim *sim)
{
    *outbox = (struct outbox){.sim = sim, .ready_mask = READY_FIRST_ROOM - 1};
    outbox->ready = malloc(READY_FIRST_ROOM * sizeof *outbox->ready);
    outbox->decider = sim_add(sim, release, outbox, "outbox", 1);
    return !outbox->ready || outbox->decider < 0 ? -1 : heap_init(&outbox->waiting, READY_FIRST_ROOM);
}

void outbox_free(struct outbox *outbox)
{
    free(outbox->ready);
    heap_free(&outbox->waiting);
}

void outbox_put(struct outbox *outbox, int64_t at_ps, enum outbox_kind kind, uint32_t host, uint32_t message)
{
    uint64_t ref = (uint64_t)kind << 40 | (uint64_t)host << 32 | message;
    uint64_t order = (uint64_t)kind << 60 | (uint64_t)host << 56 | outbox->put[kind][host]++;
    model_assert(outbox->sim, heap_put(&outbox->waiting, at_ps, order, ref) == 0, "out of memory");
    sim_wake(outbox->sim, outbox->decider, at_ps);
}

int outbox_take(struct outbox *outbox, struct outbox_entry *entry)
{
    if (outbox->ready_first == outbox->ready_next)
        return 0;
    *entry = outbox->ready[outbox->ready_first++ & outbox->ready_mask];
    return 1;
}
