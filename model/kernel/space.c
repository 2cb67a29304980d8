#include "kernel/space.h"

#include <stdlib.h>

int space_init(struct space *space, struct sim *sim, const char *name, uint32_t depth)
{
    /* entries not needed yet stand for at least a unit each, and the last needed one is kept */
    uint32_t ring = 1;
    while (ring < depth + 2)
        ring *= 2;
    *space = (struct space){.sim = sim, .name = name, .depth = depth, .mask = ring - 1, .last_at = INT64_MIN};
    space->back = malloc(ring * sizeof *space->back);
    return space->back ? 0 : -1;
}

void space_free(struct space *space)
{
    free(space->back);
}
