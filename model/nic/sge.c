#include "nic/sge.h"

#include <stdlib.h>
#include <string.h>

void sges_free(struct sges *sges)
{
    free(sges->list);
}

int sges_open(struct sges *sges, uint32_t message)
{
    if (message < sges->messages)
        return 0;
    uint32_t messages = sges->messages ? sges->messages : 64;
    while (messages <= message)
        messages *= 2;
    struct sge_list *more = realloc(sges->list, (size_t)messages * SGE_KINDS * sizeof *more);
    if (!more)
        return -1;
    memset(more + (size_t)sges->messages * SGE_KINDS, 0,
           (size_t)(messages - sges->messages) * SGE_KINDS * sizeof *more);
    sges->list = more;
    sges->messages = messages;
    return 0;
}

/* Walks over the segments of a range, up to the index'th; *passed: how many there were before it. */
static struct pcie_place walk(const struct sge_list *list, uint32_t offset, uint32_t bytes, uint32_t index,
                              uint32_t *passed)
{
    uint64_t begin = 0;
    *passed = 0;
    for (uint32_t i = 0; i < list->count && bytes > 0; i++) {
        const struct sge *sge = &list->sge[i];
        uint64_t end = begin + sge->bytes;
        if (offset < end && sge->bytes > 0) {
            uint32_t part = (uint32_t)(end - offset) < bytes ? (uint32_t)(end - offset) : bytes;
            if (*passed == index)
                return (struct pcie_place){sge->address + (offset - begin), part};
            (*passed)++;
            offset += part;
            bytes -= part;
        }
        begin = end;
    }
    return (struct pcie_place){0, 0};
}

uint32_t sge_segments(const struct sge_list *list, uint32_t offset, uint32_t bytes)
{
    uint32_t count;
    walk(list, offset, bytes, UINT32_MAX, &count);
    return count;
}

struct pcie_place sge_segment(const struct sge_list *list, uint32_t offset, uint32_t bytes, uint32_t index)
{
    uint32_t passed;
    return walk(list, offset, bytes, index, &passed);
}

uint64_t sge_bytes(const struct sge_list *list)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < list->count; i++)
        bytes += list->sge[i].bytes;
    return bytes;
}
