/* The context cache against stack distances, and its other replacements against plain models of their own. */
#include "nic/context_cache.h"

#include "kernel/rnd.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ACCESSES 40000u
#define KEYS 600u

/* ---- streams of keys ---- */

static uint64_t random_key(uint64_t seed, uint64_t i)
{
    return rnd_u64(seed, 1, i, 0) % KEYS;
}

/* Zipf: the key of rank r has the weight r^-s. */
static void zipf_weights(double s, double *sum)
{
    double total = 0;
    for (uint32_t rank = 0; rank < KEYS; rank++)
        sum[rank] = total += pow(rank + 1, -s);
}

static uint64_t zipf_key(const double *sum, uint64_t seed, uint64_t i)
{
    double at = (double)(rnd_u64(seed, 2, i, 0) >> 11) * 0x1p-53 * sum[KEYS - 1];
    uint32_t rank = 0;
    while (rank < KEYS - 1 && sum[rank] <= at)
        rank++;
    return (rank * UINT64_C(7919)) % KEYS + (UINT64_C(1) << 40); /* ranks far apart, so in all sets */
}

/* ---- stack distances: the distinct keys of a set since the last access to this one, counted on the stream itself ---- */

/* By a sum tree over the instants of the stream: 1 at each key's newest access. */
struct distances {
    uint32_t tree[ACCESSES + 1];
    uint32_t last[KEYS]; /* instant of the newest access, 0: none */
};

static void put(struct distances *d, uint32_t at, int change)
{
    for (; at <= ACCESSES; at += at & (0u - at))
        d->tree[at] += (uint32_t)change;
}

static uint32_t sum_to(const struct distances *d, uint32_t at)
{
    uint32_t sum = 0;
    for (; at > 0; at -= at & (0u - at))
        sum += d->tree[at];
    return sum;
}

/* UINT32_MAX: it was never there. */
static uint32_t distance(struct distances *d, uint64_t key, uint32_t at)
{
    uint32_t *last = &d->last[key % KEYS], found = UINT32_MAX;
    if (*last != 0) {
        found = sum_to(d, at - 1) - sum_to(d, *last);
        put(d, *last, -1);
    }
    put(d, at, 1);
    *last = at;
    return found;
}

static void check_lru(const uint64_t *stream, uint32_t entries, uint32_t ways)
{
    struct context_cache cache;
    uint32_t sets = entries / ways, wrong = 0;
    uint64_t hits = 0;
    struct distances *d = calloc(sets, sizeof *d);
    CU_ASSERT_FATAL(d != NULL && context_cache_init(&cache, entries, ways, CONTEXT_LRU, 0) == 0);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        int is_hit;
        struct context_evicted evicted, told = context_cache_victim(&cache, stream[i]);
        uint32_t entry = context_cache_access(&cache, stream[i], &is_hit, &evicted);
        uint32_t behind = distance(&d[stream[i] % sets], stream[i], i + 1);
        wrong += is_hit != (behind < ways) || cache.entry[entry].key != stream[i] ||
                 context_cache_find(&cache, stream[i]) != entry || told.is_one != evicted.is_one ||
                 told.key != evicted.key || (evicted.is_one && context_cache_find(&cache, evicted.key) != UINT32_MAX);
        hits += behind < ways;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(cache.hits, hits);
    CU_ASSERT_EQUAL(cache.misses, ACCESSES - hits);
    context_cache_free(&cache);
    free(d);
}

static void lru_equals_stack_distances(void)
{
    static const uint32_t shape[][2] = {{1, 1},     {16, 1},  {16, 2},    {16, 16},  {48, 3},    {64, 4},    {100, 25},
                                        {128, 128}, {256, 2}, {512, 512}, {1024, 4}, {599, 599}, {600, 600}, {7, 7}};
    double *sum = malloc(KEYS * sizeof *sum);
    uint64_t *stream = malloc(ACCESSES * sizeof *stream);
    CU_ASSERT_FATAL(sum != NULL && stream != NULL);
    for (int kind = 0; kind < 4; kind++) {
        if (kind > 0)
            zipf_weights(kind == 1 ? 0.6 : kind == 2 ? 0.99 : 1.4, sum);
        for (uint32_t i = 0; i < ACCESSES; i++)
            stream[i] = kind == 0 ? random_key(3, i) : zipf_key(sum, 4, i);
        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
            check_lru(stream, shape[s][0], shape[s][1]);
    }
    free(sum);
    free(stream);
}

/* Keys in turn, one more than there are entries: LRU always throws out the next one. */
static void a_loop_that_does_not_fit(void)
{
    for (uint32_t keys = 64; keys <= 65; keys++) {
        struct context_cache cache;
        CU_ASSERT_EQUAL_FATAL(context_cache_init(&cache, 64, 64, CONTEXT_LRU, 0), 0);
        for (uint64_t i = 0; i < 10 * keys; i++) {
            int is_hit;
            struct context_evicted evicted;
            context_cache_access(&cache, i % keys, &is_hit, &evicted);
        }
        CU_ASSERT_EQUAL(cache.hits, keys == 64 ? 9 * 64 : 0);
        context_cache_free(&cache);
    }
}

/* ---- pseudo-LRU, by a recursive model: the tree of a range of ways points to one of its halves ---- */

struct plain_tree {
    uint64_t key[64];
    int used, right[64][64]; /* by first way and number of ways */
};

static int plain_pointed_at(const struct plain_tree *t, int first, int ways)
{
    if (ways == 1)
        return first;
    return plain_pointed_at(t, first + (t->right[first][ways - 1] ? ways / 2 : 0), ways / 2);
}

static void plain_use(struct plain_tree *t, int first, int ways, int way)
{
    if (ways == 1)
        return;
    int is_right = way >= first + ways / 2;
    t->right[first][ways - 1] = !is_right;
    plain_use(t, first + (is_right ? ways / 2 : 0), ways / 2, way);
}

static int plain_access(struct plain_tree *t, int ways, uint64_t key)
{
    for (int way = 0; way < t->used; way++)
        if (t->key[way] == key) {
            plain_use(t, 0, ways, way);
            return 1;
        }
    int way = t->used < ways ? t->used++ : plain_pointed_at(t, 0, ways);
    t->key[way] = key;
    plain_use(t, 0, ways, way);
    return 0;
}

static void pseudo_lru_equals_a_plain_tree(void)
{
    for (uint32_t ways = 1; ways <= 64; ways *= 2)
        for (uint32_t sets = 1; sets <= 5; sets += 2) {
            struct context_cache cache;
            struct plain_tree *plain = calloc(sets, sizeof *plain);
            uint32_t wrong = 0;
            CU_ASSERT_FATAL(plain && context_cache_init(&cache, sets * ways, ways, CONTEXT_PLRU, 0) == 0);
            for (uint32_t i = 0; i < ACCESSES / 4; i++) {
                int is_hit;
                struct context_evicted evicted;
                uint64_t key = random_key(5, i) % (3 * ways * sets / 2 + 1);
                context_cache_access(&cache, key, &is_hit, &evicted);
                wrong += is_hit != plain_access(&plain[key % sets], (int)ways, key);
            }
            CU_ASSERT_EQUAL(wrong, 0);
            if (ways == 2) { /* two ways: a bit that points away from the newer is LRU itself */
                struct context_cache lru;
                CU_ASSERT_EQUAL_FATAL(context_cache_init(&lru, sets * ways, ways, CONTEXT_LRU, 0), 0);
                for (uint32_t i = 0; i < ACCESSES / 4; i++) {
                    int is_hit;
                    struct context_evicted evicted;
                    context_cache_access(&lru, random_key(5, i) % (3 * ways * sets / 2 + 1), &is_hit, &evicted);
                }
                CU_ASSERT_EQUAL(lru.hits, cache.hits);
                context_cache_free(&lru);
            }
            context_cache_free(&cache);
            free(plain);
        }
}

/* Keys that are all alike likely: any replacement that does not know the future hits in entries / keys of the accesses. */
static void random_replacement(void)
{
    for (int seed = 0; seed < 3; seed++) {
        struct context_cache cache, again;
        CU_ASSERT_FATAL(context_cache_init(&cache, 300, 300, CONTEXT_RANDOM, (uint64_t)seed) == 0 &&
                        context_cache_init(&again, 300, 300, CONTEXT_RANDOM, (uint64_t)seed) == 0);
        uint32_t thrown_out[300] = {0}, differs = 0;
        for (uint32_t i = 0; i < 10 * ACCESSES; i++) {
            int is_hit, is_hit_again;
            struct context_evicted evicted, evicted_again;
            uint64_t key = random_key(6, i);
            struct context_evicted told = context_cache_victim(&cache, key);
            uint32_t entry = context_cache_access(&cache, key, &is_hit, &evicted);
            context_cache_access(&again, key, &is_hit_again, &evicted_again);
            differs += is_hit != is_hit_again || told.is_one != evicted.is_one || told.key != evicted.key;
            thrown_out[entry] += (uint32_t)evicted.is_one;
        }
        double ratio = (double)cache.hits / (10.0 * ACCESSES), most = 0, least = 1e9;
        for (int way = 0; way < 300; way++) {
            most = thrown_out[way] > most ? thrown_out[way] : most;
            least = thrown_out[way] < least ? thrown_out[way] : least;
        }
        CU_ASSERT_EQUAL(differs, 0);
        CU_ASSERT(fabs(ratio - 0.5) < 0.005);
        CU_ASSERT(most < 1.3 * least); /* about 667 each: six standard deviations are 155 */
        context_cache_free(&cache);
        context_cache_free(&again);
    }
}

static void an_entry_keeps_its_marks(void)
{
    struct context_cache cache;
    int is_hit;
    struct context_evicted evicted;
    CU_ASSERT_EQUAL_FATAL(context_cache_init(&cache, 2, 2, CONTEXT_LRU, 0), 0);
    cache.entry[context_cache_access(&cache, 10, &is_hit, &evicted)].dirty = 1;
    CU_ASSERT(!is_hit && !evicted.is_one);
    context_cache_access(&cache, 20, &is_hit, &evicted);
    context_cache_access(&cache, 10, &is_hit, &evicted);
    CU_ASSERT(is_hit && !evicted.is_one);
    context_cache_access(&cache, 30, &is_hit, &evicted);
    CU_ASSERT(!is_hit && evicted.is_one && evicted.key == 20 && !evicted.dirty);
    context_cache_access(&cache, 40, &is_hit, &evicted);
    CU_ASSERT(!is_hit && evicted.is_one && evicted.key == 10 && evicted.dirty);
    uint32_t entry = context_cache_access(&cache, 10, &is_hit, &evicted);
    CU_ASSERT(!is_hit && cache.entry[entry].dirty == 0 && cache.entry[entry].fetch == CONTEXT_CACHE_NONE);
    CU_ASSERT_EQUAL(cache.evictions, 3);
    context_cache_free(&cache);
}

static void shapes_that_are_wrong(void)
{
    CU_ASSERT_PTR_NOT_NULL(context_cache_wrong(64, 0, CONTEXT_LRU));
    CU_ASSERT_PTR_NOT_NULL(context_cache_wrong(64, 3, CONTEXT_LRU));
    CU_ASSERT_PTR_NOT_NULL(context_cache_wrong(2, 4, CONTEXT_LRU));
    CU_ASSERT_PTR_NOT_NULL(context_cache_wrong(48, 3, CONTEXT_PLRU));
    CU_ASSERT_PTR_NULL(context_cache_wrong(48, 3, CONTEXT_RANDOM));
    CU_ASSERT_PTR_NULL(context_cache_wrong(48, 16, CONTEXT_PLRU));
    CU_ASSERT_PTR_NULL(context_cache_wrong(1, 1, CONTEXT_PLRU));
}

void suite_nic_context_cache(void);
void suite_nic_context_cache(void)
{
    CU_pSuite suite = CU_add_suite("context cache", NULL, NULL);
    CU_add_test(suite, "LRU equals stack distances", lru_equals_stack_distances);
    CU_add_test(suite, "a loop that does not fit", a_loop_that_does_not_fit);
    CU_add_test(suite, "pseudo-LRU equals a plain tree", pseudo_lru_equals_a_plain_tree);
    CU_add_test(suite, "random replacement", random_replacement);
    CU_add_test(suite, "an entry keeps its marks", an_entry_keeps_its_marks);
    CU_add_test(suite, "shapes that are wrong", shapes_that_are_wrong);
}
