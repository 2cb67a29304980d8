#include "nic/outbox.h"

#include <stdlib.h>

#define OUTBOX_FIRST_ROOM 256u
#define PASSES_MOST 32 /* of others in the ring */

static int is_before(int64_t at_ps, uint64_t what, const struct outbox_slot *slot)
{
    return at_ps < slot->at_ps || (at_ps == slot->at_ps && what >> 32 < slot->what >> 32);
}

static int grow(struct outbox *outbox)
{
    uint32_t room = outbox->mask + 1;
    struct outbox_slot *more = malloc(2 * (size_t)room * sizeof *more);
    if (!more)
        return -1;
    for (uint32_t i = outbox->first; i != outbox->next; i++)
        more[i & (2 * room - 1)] = outbox->slot[i & outbox->mask];
    free(outbox->slot);
    outbox->slot = more;
    outbox->mask = 2 * room - 1;
    return 0;
}

/* Into the ring, behind all that is not later; -1: it would have to pass more than so many. */
static inline int put_in_ring(struct outbox *outbox, int64_t at_ps, uint64_t what, uint32_t passes_most)
{
    if (outbox->next - outbox->first > outbox->mask)
        model_assert(outbox->sim, grow(outbox) == 0, "out of memory");
    struct outbox_slot *slot = outbox->slot;
    uint32_t mask = outbox->mask, end = outbox->next, waiting = end - outbox->released, i = end;
    uint32_t last = waiting > passes_most ? end - passes_most : outbox->released;
    while (i != last && is_before(at_ps, what, &slot[(i - 1) & mask]))
        i--;
    if (i == last && waiting > passes_most && is_before(at_ps, what, &slot[(i - 1) & mask]))
        return -1;
    for (uint32_t k = end; k != i; k--)
        slot[k & mask] = slot[(k - 1) & mask];
    slot[i & mask] = (struct outbox_slot){at_ps, what};
    outbox->next++;
    return 0;
}

/* Those that are in the heap and before all in the ring go there. */
static void take_near(struct outbox *outbox)
{
    const struct heap_entry *far;
    while ((far = heap_first(&outbox->far)) != 0 &&
           (outbox->released == outbox->next ||
            is_before(far->at, far->ref, &outbox->slot[outbox->released & outbox->mask]))) {
        struct heap_entry entry = heap_take(&outbox->far);
        put_in_ring(outbox, entry.at, entry.ref, UINT32_MAX);
    }
}

/* Releases what is due. The run stops for what a program can see; unsignalled requests only count. */
static int64_t release(void *self, int64_t now)
{
    struct outbox *outbox = self;
    for (;;) {
        if (__builtin_expect(outbox->far.count > 0, 0))
            take_near(outbox);
        if (outbox->released == outbox->next)
            return SIM_NEVER;
        const struct outbox_slot *slot = &outbox->slot[outbox->released & outbox->mask];
        if (slot->at_ps > now)
            return slot->at_ps;
        outbox->released++;
        outbox->released_ps = now;
        if ((enum outbox_kind)(slot->what >> 40) != OUTBOX_UNSIGNALLED)
            outbox->sim->stop = 1;
    }
}

int outbox_init(struct outbox *outbox, struct sim *sim)
{
    *outbox = (struct outbox){.sim = sim, .mask = OUTBOX_FIRST_ROOM - 1};
    outbox->decider = sim_add_outside(sim, release, outbox, "outbox");
    outbox->slot = malloc(OUTBOX_FIRST_ROOM * sizeof *outbox->slot);
    return outbox->decider < 0 || !outbox->slot || heap_init(&outbox->far, 16) ? -1 : 0;
}

void outbox_free(struct outbox *outbox)
{
    free(outbox->slot);
    heap_free(&outbox->far);
}

void outbox_put(struct outbox *outbox, int64_t at_ps, enum outbox_kind kind, uint32_t host, uint32_t message)
{
    uint64_t what = (uint64_t)kind << 40 | (uint64_t)host << 32 | message;
    if (put_in_ring(outbox, at_ps, what, PASSES_MOST)) {
        uint64_t order = (uint64_t)kind << 60 | (uint64_t)host << 56 | outbox->far_put++;
        model_assert(outbox->sim, heap_put(&outbox->far, at_ps, order, what) == 0, "out of memory");
    }
    sim_wake_outside(outbox->sim, at_ps);
}
