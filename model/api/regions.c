#include "api/regions.h"

#include <stdlib.h>
#include <string.h>

void regions_free(struct regions *regions)
{
    free(regions->region);
}

/* The first region whose key is not below `key`. */
static size_t find(const struct regions *regions, uint32_t key)
{
    size_t low = 0, high = regions->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (regions->region[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int regions_add(struct regions *regions, const struct rnicsim_mr_attr *attr)
{
    size_t at = find(regions, attr->key);
    if (at < regions->count && regions->region[at].key == attr->key)
        return -1;
    if (regions->count == regions->room) {
        size_t room = regions->room ? 2 * regions->room : 16;
        struct rnicsim_mr_attr *more = realloc(regions->region, room * sizeof *more);
        if (!more)
            return -2;
        regions->region = more;
        regions->room = room;
    }
    memmove(&regions->region[at + 1], &regions->region[at], (regions->count - at) * sizeof *regions->region);
    regions->region[at] = *attr;
    regions->count++;
    return 0;
}

int regions_hold(const struct regions *regions, uint32_t key, uint64_t address, uint64_t length)
{
    if (regions->count == 0)
        return 1;
    size_t at = find(regions, key);
    if (at == regions->count || regions->region[at].key != key)
        return 0;
    const struct rnicsim_mr_attr *region = &regions->region[at];
    return address >= region->base && length <= region->length_bytes &&
           address - region->base <= region->length_bytes - length;
}
