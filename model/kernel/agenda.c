#include "kernel/agenda.h"

#include <stdlib.h>

int agenda_init(struct agenda *agenda, uint32_t room)
{
    *agenda = (struct agenda){.mask = room - 1};
    agenda->entry = malloc(room * sizeof *agenda->entry);
    return agenda->entry ? 0 : -1;
}

void agenda_free(struct agenda *agenda)
{
    free(agenda->entry);
}

int agenda_grow(struct agenda *agenda)
{
    uint32_t room = agenda->mask + 1;
    struct agenda_entry *more = malloc(2 * (size_t)room * sizeof *more);
    if (!more)
        return -1;
    for (uint32_t i = 0; i < room; i++)
        more[i] = agenda->entry[(agenda->first + i) & agenda->mask];
    free(agenda->entry);
    *agenda = (struct agenda){more, 2 * room - 1, 0, room};
    return 0;
}
