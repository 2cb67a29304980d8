/* A hash table from a 64-bit key to a 32-bit number, for the lookup of QPs, MRs and threads.
 *
 * All zero is an empty table. Entries are never removed. Open addressing with linear probing, at most half full. */
#ifndef TRACES_MAP_H
#define TRACES_MAP_H

#include <stddef.h>
#include <stdint.h>

struct trace_map {
    struct trace_map_slot {
        uint64_t key;
        uint32_t value;
        uint32_t used;
    } * slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* The key of a thing that is numbered within its host. */
static inline uint64_t trace_map_key(uint32_t host, uint32_t number)
{
    return (uint64_t)host << 32 | number;
}

/* Adds or replaces; 0, or -1 when memory is out. */
int trace_map_put(struct trace_map *map, uint64_t key, uint32_t value);
/* 1 and the value, or 0. */
int trace_map_get(const struct trace_map *map, uint64_t key, uint32_t *value);
void trace_map_free(struct trace_map *map);

#endif
