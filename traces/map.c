#include "traces/map.h"

#include <stdlib.h>

static struct trace_map_slot *find(const struct trace_map *map, uint64_t key)
{
    /* numbers that follow each other lie side by side (QPs), and so do those 256 apart (memory keys of some NICs) */
    uint64_t hash = key ^ key >> 8 ^ key >> 16 ^ (key >> 32) * 0x9e3779b1u;
    size_t index = (size_t)hash & (map->capacity - 1);
    while (map->slots[index].used && map->slots[index].key != key)
        index = (index + 1) & (map->capacity - 1);
    return &map->slots[index];
}

static int grow(struct trace_map *map)
{
    struct trace_map larger = {.capacity = map->capacity == 0 ? 16 : map->capacity * 2, .count = map->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -1;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].used)
            *find(&larger, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = larger;
    return 0;
}

int trace_map_put(struct trace_map *map, uint64_t key, uint32_t value)
{
    if (map->count * 2 >= map->capacity && grow(map) != 0)
        return -1;
    struct trace_map_slot *slot = find(map, key);
    if (!slot->used)
        map->count++;
    *slot = (struct trace_map_slot){.key = key, .value = value, .used = 1};
    return 0;
}

int trace_map_get(const struct trace_map *map, uint64_t key, uint32_t *value)
{
    if (map->capacity == 0)
        return 0;
    const struct trace_map_slot *slot = find(map, key);
    if (slot->used)
        *value = slot->value;
    return (int)slot->used;
}

void trace_map_free(struct trace_map *map)
{
    free(map->slots);
    *map = (struct trace_map){0};
}
