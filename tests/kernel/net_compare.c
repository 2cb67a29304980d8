#include "tests/kernel/net_compare.h"

#include <inttypes.h>
#include <stdio.h>

int net_compare(const struct ref_net *net, const struct ref_log *want, const struct ref_log *got, char *what,
                size_t what_size)
{
    for (int n = 0; n < net->nodes; n++)
        for (int i = 0; got->count[n] >= 0 && (i < want->count[n] || i < got->count[n]); i++) {
            const struct ref_serve *a = &want->serve[n][i], *b = &got->serve[n][i];
            if (i < want->count[n] && i < got->count[n] && a->item == b->item && a->start_cyc == b->start_cyc &&
                a->end_cyc == b->end_cyc)
                continue;
            snprintf(what, what_size,
                     "node %d, its item %d: wanted item %d, %" PRId64 " to %" PRId64 "; got item %d, %" PRId64
                     " to %" PRId64 " (counts %d, %d)",
                     n, i, a->item, a->start_cyc, a->end_cyc, b->item, b->start_cyc, b->end_cyc, want->count[n],
                     got->count[n]);
            return 1;
        }
    for (int f = 0; f < net->fifos; f++)
        if (want->high_water[f] != got->high_water[f] || want->level_ps[f] != got->level_ps[f]) {
            snprintf(what, what_size, "FIFO %d: wanted high water %d, level x time %" PRId64 "; got %d, %" PRId64, f,
                     want->high_water[f], want->level_ps[f], got->high_water[f], got->level_ps[f]);
            return 1;
        }
    return 0;
}
