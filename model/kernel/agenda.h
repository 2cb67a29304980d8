/* What waits for its time, kept in order: (instant, order) -> reference. Cheap where what comes is nearly in order already; for
 * anything else there is the heap. */
#ifndef KERNEL_AGENDA_H
#define KERNEL_AGENDA_H

#include <stdint.h>

struct agenda_entry {
    int64_t at;
    uint64_t order; /* decides at one instant */
    uint64_t ref;
};

struct agenda {
    struct agenda_entry *entry; /* a ring */
    uint32_t mask, first, next;
};

/* room: a power of two. Returns -1 without memory. */
int agenda_init(struct agenda *agenda, uint32_t room);
void agenda_free(struct agenda *agenda);
int agenda_grow(struct agenda *agenda);

/* Grows by doubling: the bound is the caller's. -1: no memory. */
static inline int agenda_put(struct agenda *agenda, int64_t at, uint64_t order, uint64_t ref)
{
    if (agenda->next - agenda->first > agenda->mask && agenda_grow(agenda))
        return -1;
    struct agenda_entry *entry = agenda->entry;
    uint32_t i = agenda->next++, first = agenda->first, mask = agenda->mask;
    for (; i != first; i--) {
        const struct agenda_entry *before = &entry[(i - 1) & mask];
        if (before->at < at || (before->at == at && before->order < order))
            break;
        entry[i & mask] = *before;
    }
    entry[i & mask] = (struct agenda_entry){at, order, ref};
    return 0;
}

static inline const struct agenda_entry *agenda_first(const struct agenda *agenda)
{
    return agenda->first == agenda->next ? 0 : &agenda->entry[agenda->first & agenda->mask];
}

static inline void agenda_drop_first(struct agenda *agenda)
{
    agenda->first++;
}

#endif
