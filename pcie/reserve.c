#include "pcie/reserve.h"

#include <stdlib.h>

int reserve_init(struct reserve *reserve, struct sim *sim, uint32_t tags, uint32_t depth_units, uint32_t most_units)
{
    /* at most so many returns are of interest: one a tag, one a unit */
    uint64_t ring = 1;
    while (ring < tags + depth_units + 2)
        ring *= 2;
    *reserve = (struct reserve){.sim = sim, .tags = tags, .depth_units = depth_units, .mask = ring - 1};
    while ((1u << reserve->most_shift) < most_units)
        reserve->most_shift++;
    reserve->back = malloc(ring * sizeof *reserve->back);
    return reserve->back ? 0 : -1;
}

void reserve_free(struct reserve *reserve)
{
    free(reserve->back);
}
