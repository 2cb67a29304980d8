#include "nic/context_cache.h"

#include "kernel/rnd.h"

#include <stdlib.h>
#include <string.h>

static int is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

const char *context_cache_wrong(int64_t entries, int64_t ways, enum context_replacement replacement)
{
    if (ways < 1)
        return "0 ways: allowed from 1 on";
    if (entries % ways != 0)
        return "its ways do not divide its entries: allowed are entries that are a multiple of the ways";
    if (replacement == CONTEXT_PLRU && !is_power_of_two(ways))
        return "pseudo-LRU is a binary tree: allowed are ways that are a power of two";
    return 0;
}

int context_cache_init(struct context_cache *cache, uint32_t entries, uint32_t ways,
                       enum context_replacement replacement, uint64_t stream)
{
    *cache = (struct context_cache){.entries = entries,
                                    .ways = ways,
                                    .sets = entries / ways,
                                    .replacement = replacement,
                                    .stream = stream,
                                    .bucket_mask = 1};
    while (cache->bucket_mask < entries)
        cache->bucket_mask = 2 * cache->bucket_mask + 1;
    cache->entry = calloc(entries, sizeof *cache->entry);
    cache->set = calloc(cache->sets, sizeof *cache->set);
    cache->points_right = calloc(entries, 1);
    cache->bucket = malloc(((size_t)cache->bucket_mask + 1) * sizeof *cache->bucket);
    if (!cache->entry || !cache->set || !cache->points_right || !cache->bucket)
        return -1;
    memset(cache->bucket, 0xff, ((size_t)cache->bucket_mask + 1) * sizeof *cache->bucket); /* CONTEXT_CACHE_NONE */
    for (uint32_t set = 0; set < cache->sets; set++)
        cache->set[set].newest = cache->set[set].oldest = CONTEXT_CACHE_NONE;
    return 0;
}

void context_cache_free(struct context_cache *cache)
{
    free(cache->entry);
    free(cache->set);
    free(cache->points_right);
    free(cache->bucket);
}

static uint32_t *bucket_of(const struct context_cache *cache, uint64_t key)
{
    return &cache->bucket[rnd_mix(key) & cache->bucket_mask];
}

static uint32_t set_of(const struct context_cache *cache, uint64_t key)
{
    return (uint32_t)(key % cache->sets);
}

uint32_t context_cache_find(const struct context_cache *cache, uint64_t key)
{
    uint32_t i = *bucket_of(cache, key);
    while (i != CONTEXT_CACHE_NONE && cache->entry[i].key != key)
        i = cache->entry[i].next;
    return i;
}

static void leave_bucket(struct context_cache *cache, uint32_t i)
{
    uint32_t *link = bucket_of(cache, cache->entry[i].key);
    while (*link != i)
        link = &cache->entry[*link].next;
    *link = cache->entry[i].next;
}

/* ---- order of use ---- */

static void leave_order(struct context_cache *cache, struct context_set *set, uint32_t i)
{
    struct context_entry *entry = &cache->entry[i];
    if (entry->newer == CONTEXT_CACHE_NONE)
        set->newest = entry->older;
    else
        cache->entry[entry->newer].older = entry->older;
    if (entry->older == CONTEXT_CACHE_NONE)
        set->oldest = entry->newer;
    else
        cache->entry[entry->older].newer = entry->newer;
}

static void make_newest(struct context_cache *cache, struct context_set *set, uint32_t i)
{
    cache->entry[i].newer = CONTEXT_CACHE_NONE;
    cache->entry[i].older = set->newest;
    if (set->newest == CONTEXT_CACHE_NONE)
        set->oldest = i;
    else
        cache->entry[set->newest].newer = i;
    set->newest = i;
}

/* Nodes of a set's tree: the children of node n are 2n + 1 and 2n + 2; the ways are its leaves. */
static uint8_t *tree_of(const struct context_cache *cache, uint32_t set)
{
    return cache->points_right + (size_t)set * cache->ways;
}

static void point_away(struct context_cache *cache, uint32_t set, uint32_t way)
{
    uint8_t *points_right = tree_of(cache, set);
    for (uint32_t node = way + cache->ways - 1; node > 0; node = (node - 1) / 2)
        points_right[(node - 1) / 2] = node % 2 == 1; /* odd: a left child */
}

static uint32_t pointed_at(const struct context_cache *cache, uint32_t set)
{
    const uint8_t *points_right = tree_of(cache, set);
    uint32_t node = 0;
    while (node < cache->ways - 1)
        node = 2 * node + 1 + points_right[node];
    return node - (cache->ways - 1);
}

/* ---- an access ---- */

/* The entry of a full set that goes. */
static uint32_t victim(const struct context_cache *cache, uint32_t set)
{
    uint32_t first = set * cache->ways;
    switch (cache->replacement) {
    case CONTEXT_LRU:
        return cache->set[set].oldest;
    case CONTEXT_RANDOM: /* an access that hits draws none, but has its ordinal */
        return first + (uint32_t)(rnd_draw(cache->stream, cache->hits + cache->misses, 0) % cache->ways);
    default:
        return first + pointed_at(cache, set);
    }
}

struct context_evicted context_cache_victim(const struct context_cache *cache, uint64_t key)
{
    uint32_t set = set_of(cache, key);
    if (context_cache_find(cache, key) != CONTEXT_CACHE_NONE || cache->set[set].used < cache->ways)
        return (struct context_evicted){0};
    const struct context_entry *entry = &cache->entry[victim(cache, set)];
    return (struct context_evicted){1, entry->dirty, entry->key};
}

/* An entry for a key that is not there. */
static uint32_t enter(struct context_cache *cache, uint32_t set, uint64_t key, int *is_new)
{
    struct context_set *at = &cache->set[set];
    uint32_t i;
    *is_new = at->used < cache->ways;
    if (*is_new) {
        i = set * cache->ways + at->used++;
    } else {
        i = victim(cache, set);
        leave_bucket(cache, i);
        cache->evictions++;
    }
    uint32_t *bucket = bucket_of(cache, key);
    cache->entry[i].key = key;
    cache->entry[i].next = *bucket;
    cache->entry[i].dirty = 0;
    cache->entry[i].fetch = CONTEXT_CACHE_NONE;
    *bucket = i;
    return i;
}

uint32_t context_cache_access(struct context_cache *cache, uint64_t key, int *is_hit, struct context_evicted *evicted)
{
    uint32_t set = set_of(cache, key), i = context_cache_find(cache, key);
    int is_new = 0;
    *evicted = (struct context_evicted){0};
    *is_hit = i != CONTEXT_CACHE_NONE;
    if (!*is_hit) {
        *evicted = context_cache_victim(cache, key);
        i = enter(cache, set, key, &is_new);
    }
    if (cache->replacement == CONTEXT_LRU) {
        if (!is_new)
            leave_order(cache, &cache->set[set], i);
        make_newest(cache, &cache->set[set], i);
    } else if (cache->replacement == CONTEXT_PLRU) {
        point_away(cache, set, i - set * cache->ways);
    }
    cache->hits += (uint64_t)*is_hit;
    cache->misses += (uint64_t) !*is_hit;
    return i;
}
