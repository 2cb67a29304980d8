/* The heap and the agenda of instants against a plain array, ties by order. */
#include "kernel/agenda.h"
#include "kernel/heap.h"
#include "kernel/rnd.h"

#include <CUnit/CUnit.h>

void suite_kernel_heap(void);

#define ENTRIES 512

static uint32_t earliest(const struct heap_entry *model, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < count; k++)
        if (model[k].at < model[best].at || (model[k].at == model[best].at && model[k].order < model[best].order))
            best = k;
    return best;
}

static void expect_same(struct heap *heap, struct agenda *agenda, const struct heap_entry *want)
{
    const struct agenda_entry *first = agenda_first(agenda);
    CU_ASSERT(agenda_at(first) == want->at && (uint64_t)(first->key & 1) == want->order >> 63 &&
              first->ref == want->ref);
    agenda_drop_first(agenda);
    CU_ASSERT_EQUAL_FATAL(heap_first(heap)->order, want->order);
    struct heap_entry got = heap_take(heap);
    CU_ASSERT(got.at == want->at && got.order == want->order && got.ref == want->ref);
}

/* Puts and takes at random; a plain array searched from end to end says what must come out. */
static void run_trial(uint64_t trial)
{
    struct heap heap;
    struct agenda agenda;
    struct heap_entry model[ENTRIES];
    uint32_t count = 0;
    CU_ASSERT_EQUAL_FATAL(heap_init(&heap, 1 + (uint32_t)(trial % 8)), 0);
    CU_ASSERT_EQUAL_FATAL(agenda_init(&agenda, 1u << trial % 4), 0);
    CU_ASSERT(heap_first(&heap) == NULL && agenda_first(&agenda) == NULL);
    for (uint64_t i = 0; i < 4 * ENTRIES; i++) {
        uint64_t draw = rnd_u64(11, trial, i, 0);
        if (count < ENTRIES && (count == 0 || draw % 5 < 3)) {
            uint64_t rank = draw >> 63; /* the agenda's order: by rank, then as put */
            struct heap_entry entry = {(int64_t)((draw >> 8) % (1 + trial % 40)) - 10, rank << 63 | i, draw};
            model[count++] = entry;
            CU_ASSERT_EQUAL(heap_put(&heap, entry.at, entry.order, entry.ref), 0);
            CU_ASSERT_EQUAL(agenda_put(&agenda, entry.at, (int)rank, entry.ref), 0);
        } else {
            uint32_t best = earliest(model, count);
            expect_same(&heap, &agenda, &model[best]);
            model[best] = model[--count];
        }
        CU_ASSERT_EQUAL_FATAL(heap.count, count);
        CU_ASSERT_EQUAL_FATAL(agenda.next - agenda.first, count);
    }
    heap_free(&heap);
    agenda_free(&agenda);
}

static void random_against_array(void)
{
    for (uint64_t trial = 0; trial < 100; trial++)
        run_trial(trial);
}

/* The first one is delayed, again and again: a round robin whose visits take different times. */
static void first_delayed(void)
{
    struct heap heap;
    struct heap_entry model[37];
    CU_ASSERT_EQUAL_FATAL(heap_init(&heap, 4), 0);
    for (uint32_t k = 0; k < 37; k++) {
        model[k] = (struct heap_entry){k % 5, k, 100 + k};
        CU_ASSERT_EQUAL(heap_put(&heap, model[k].at, k, model[k].ref), 0);
    }
    for (uint64_t i = 0; i < 5000; i++) {
        struct heap_entry *want = &model[earliest(model, 37)];
        const struct heap_entry *got = heap_first(&heap);
        CU_ASSERT_FATAL(got->at == want->at && got->order == want->order && got->ref == want->ref);
        want->at += (int64_t)(rnd_u64(12, 0, i, 0) % 9);
        heap_delay_first(&heap, want->at);
    }
    heap_free(&heap);
}

void suite_kernel_heap(void)
{
    CU_pSuite suite = CU_add_suite("kernel heap", NULL, NULL);
    CU_add_test(suite, "random against an array, ties by order", random_against_array);
    CU_add_test(suite, "the first one delayed", first_delayed);
}
