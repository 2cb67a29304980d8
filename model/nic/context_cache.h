/* A cache of keys: which contexts are on chip, and which one makes room for another. It holds no data and knows no time.
 *
 * The set of a key is its remainder by the number of sets, as tables indexed by low bits do. What is not there is put there by
 * the access that misses, in an unused entry of its set as long as there is one, so with LRU an access hits exactly when fewer
 * than `ways` other keys of its set were accessed since (stack distance: Mattson et al., IBM Systems Journal 9(2), 1970).
 * An access takes a constant time, with pseudo-LRU log2(ways) steps; nothing is allocated after the start. */
#ifndef NIC_CONTEXT_CACHE_H
#define NIC_CONTEXT_CACHE_H

#include <stddef.h>
#include <stdint.h>

enum context_replacement {
    CONTEXT_LRU,
    CONTEXT_RANDOM, /* each way alike, by the access's ordinal (R5) */
    CONTEXT_PLRU    /* a binary tree a set, whose bits point away from what was used; ways: a power of two */
};

#define CONTEXT_CACHE_NONE UINT32_MAX

struct context_entry {
    uint64_t key;
    uint32_t next;         /* of the same bucket */
    uint32_t newer, older; /* of the same set, in order of use: LRU */
    uint32_t fetch;        /* the caller's: what brings it; CONTEXT_CACHE_NONE: it is there */
    uint8_t dirty;
};

struct context_set {
    uint32_t used;           /* entries */
    uint32_t newest, oldest; /* entries; LRU */
};

struct context_cache {
    uint32_t entries, ways, sets;
    enum context_replacement replacement;
    uint64_t stream;
    struct context_entry *entry; /* set 0, set 1, ... */
    struct context_set *set;
    uint8_t *points_right; /* PLRU: ways - 1 nodes a set, the root first */
    uint32_t *bucket, bucket_mask;
    uint64_t hits, misses, evictions;
};

/* NULL, or what is wrong with the shape and what is allowed instead. */
const char *context_cache_wrong(int64_t entries, int64_t ways, enum context_replacement replacement);
/* A shape that is not wrong; stream: of random replacement. Returns -1 without memory. */
int context_cache_init(struct context_cache *cache, uint32_t entries, uint32_t ways,
                       enum context_replacement replacement, uint64_t stream);
void context_cache_free(struct context_cache *cache);

struct context_evicted {
    int is_one, dirty;
    uint64_t key;
};

/* The entry of a key, CONTEXT_CACHE_NONE when it is not there. It is not used by that. */
uint32_t context_cache_find(const struct context_cache *cache, uint64_t key);
/* What an access to this key would throw out now. With random replacement, too: the draw is the access's. */
struct context_evicted context_cache_victim(const struct context_cache *cache, uint64_t key);
/* Uses the key, which is put there if it is not: the entry; *is_hit and what it threw out. */
uint32_t context_cache_access(struct context_cache *cache, uint64_t key, int *is_hit, struct context_evicted *evicted);

#endif
