/* What waits for its time, kept in order of (instant, rank, when it was put) -> reference. Cheap where what comes is nearly in order
 * already; for anything else there is the heap. */
#ifndef KERNEL_AGENDA_H
#define KERNEL_AGENDA_H

#include <stdint.h>

#define AGENDA_MIDDLE \
    (INT64_C(1) << 61) /* so that instants beyond 2^62, the last that can be asked for, can be doubled */

struct agenda_entry {
    int64_t key; /* twice the instant (from the middle on), plus the rank: one comparison */
    uint64_t ref;
};

static inline int64_t agenda_at(const struct agenda_entry *entry)
{
    return (entry->key >> 1) + AGENDA_MIDDLE;
}

struct agenda {
    struct agenda_entry *entry; /* a ring */
    uint32_t mask, first, next;
};

/* room: a power of two. Returns -1 without memory. */
int agenda_init(struct agenda *agenda, uint32_t room);
void agenda_free(struct agenda *agenda);
int agenda_grow(struct agenda *agenda);

/* rank, 0 or 1, decides at one instant. Grows by doubling: the bound is the caller's. -1: no memory. */
static inline int agenda_put(struct agenda *agenda, int64_t at, int rank, uint64_t ref)
{
    if (agenda->next - agenda->first > agenda->mask && agenda_grow(agenda))
        return -1;
    uint32_t i = agenda->next++, first = agenda->first, mask = agenda->mask;
    struct agenda_entry *entry = agenda->entry, *to = &entry[i & mask];
    int64_t key = 2 * (at - AGENDA_MIDDLE) + rank;
    while (i != first) {
        struct agenda_entry *before = &entry[--i & mask];
        if (before->key <= key)
            break;
        *to = *before;
        to = before;
    }
    to->key = key;
    to->ref = ref;
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
