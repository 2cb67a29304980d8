#include "kernel/space.h"

#include <stdlib.h>

int space_init(struct space *space, struct sim *sim, const char *name, uint32_t depth)
{
    uint32_t ring = 1;
    while (ring < depth)
        ring *= 2;
    *space = (struct space){.sim = sim, .name = name, .depth = depth, .mask = ring - 1, .last_at = INT64_MIN};
    space->back = malloc(ring * sizeof *space->back);
    return space->back ? 0 : -1;
}

void space_free(struct space *space)
{
    free(space->back);
}

uint32_t space_away(const struct space *space)
{
    uint32_t away = space->used;
    for (uint32_t i = space->first; i != space->next; i++)
        away -= space->back[i & space->mask].units;
    return away;
}
