#include "kernel/heap.h"

#include <stdlib.h>

int heap_init(struct heap *heap, uint32_t room)
{
    *heap = (struct heap){.room = room};
    heap->entry = malloc(room * sizeof *heap->entry);
    return heap->entry ? 0 : -1;
}

void heap_free(struct heap *heap)
{
    free(heap->entry);
}

static int before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->at < b->at || (a->at == b->at && a->order < b->order);
}

int heap_reserve(struct heap *heap, uint32_t room)
{
    if (room <= heap->room)
        return 0;
    if (room < 2 * heap->room)
        room = 2 * heap->room;
    struct heap_entry *more = realloc(heap->entry, (size_t)room * sizeof *more);
    if (!more)
        return -1;
    heap->entry = more;
    heap->room = room;
    return 0;
}

int heap_put(struct heap *heap, int64_t at, uint64_t order, uint64_t ref)
{
    if (heap->count == heap->room && heap_reserve(heap, heap->count + 1))
        return -1;
    struct heap_entry put = {at, order, ref};
    uint32_t i = heap->count++;
    while (i > 0 && before(&put, &heap->entry[(i - 1) / 2])) {
        heap->entry[i] = heap->entry[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->entry[i] = put;
    return 0;
}

/* Puts an entry in the place of the first. */
static void replace_first(struct heap *heap, struct heap_entry by)
{
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!before(&heap->entry[child], &by))
            break;
        heap->entry[i] = heap->entry[child];
        i = child;
    }
    heap->entry[i] = by;
}

struct heap_entry heap_take(struct heap *heap)
{
    struct heap_entry top = heap->entry[0];
    heap->count--;
    replace_first(heap, heap->entry[heap->count]);
    return top;
}

void heap_delay_first(struct heap *heap, int64_t at)
{
    struct heap_entry first = heap->entry[0];
    first.at = at;
    replace_first(heap, first);
}
