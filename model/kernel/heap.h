/* A binary heap of (instant, order) -> reference: what waits for its time. Ties go by the order given. */
#ifndef KERNEL_HEAP_H
#define KERNEL_HEAP_H

#include <stdint.h>

struct heap_entry {
    int64_t at;
    uint64_t order;
    uint64_t ref;
};

struct heap {
    struct heap_entry *entry;
    uint32_t count, room;
};

int heap_init(struct heap *heap, uint32_t room);
void heap_free(struct heap *heap);
/* Room for so many entries, so that heap_put() of them finds memory. -1: no memory. */
int heap_reserve(struct heap *heap, uint32_t room);
/* Grows by doubling: the bound is the caller's (each entry stands for something that the caller counts). -1: no memory. */
int heap_put(struct heap *heap, int64_t at, uint64_t order, uint64_t ref);
static inline const struct heap_entry *heap_first(const struct heap *heap)
{
    return heap->count ? heap->entry : 0;
}
struct heap_entry heap_take(struct heap *heap);
/* The first one's instant is now `at`, not before the old one. */
void heap_delay_first(struct heap *heap, int64_t at);

#endif
