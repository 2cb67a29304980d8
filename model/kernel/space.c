#include "kernel/space.h"

#include <stdlib.h>

int space_init_ones(struct space *space, struct sim *sim, const char *name, uint32_t depth)
{
    /* entries not needed yet stand for at least a unit each, and the last needed one is kept */
    uint32_t ring = 1;
    while (ring < depth + 2)
        ring *= 2;
    *space = (struct space){.sim = sim, .name = name, .depth = depth, .mask = ring - 1, .last_at = INT64_MIN};
    space->back_at = malloc(ring * sizeof *space->back_at);
    return space->back_at ? 0 : -1;
}

int space_init(struct space *space, struct sim *sim, const char *name, uint32_t depth)
{
    if (space_init_ones(space, sim, name, depth))
        return -1;
    space->back_given = malloc(((size_t)space->mask + 1) * sizeof *space->back_given);
    return space->back_given ? 0 : -1;
}

void space_free(struct space *space)
{
    free(space->back_at);
    free(space->back_given);
}
