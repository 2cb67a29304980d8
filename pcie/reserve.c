#include "pcie/reserve.h"

#include <stdlib.h>

int reserve_init(struct reserve *reserve, struct sim *sim, uint32_t tags, const uint32_t depth[RESERVE_KINDS],
                 const uint32_t most[RESERVE_KINDS], int counts_data)
{
    *reserve = (struct reserve){.sim = sim, .tags = tags, .counts_data = counts_data};
    /* at most so many returns are of interest: one a tag, one a unit */
    uint64_t ring = 1;
    while (ring < tags + depth[RESERVE_HEADERS] + (counts_data ? depth[RESERVE_DATA] : 0) + 2)
        ring *= 2;
    reserve->mask = ring - 1;
    for (int kind = 0; kind <= counts_data; kind++) {
        struct reserve_room *room = &reserve->room[kind];
        room->depth = depth[kind];
        while ((1u << room->most_shift) < most[kind])
            room->most_shift++;
        room->back = malloc(ring * sizeof *room->back);
        if (!room->back)
            return -1;
    }
    return 0;
}

void reserve_free(struct reserve *reserve)
{
    free(reserve->room[RESERVE_HEADERS].back);
    free(reserve->room[RESERVE_DATA].back);
}
