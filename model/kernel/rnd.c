#include "kernel/rnd.h"

#define RND_ONE (UINT32_C(1) << 30)

static uint32_t probability(int64_t ppb)
{
    return (uint32_t)((ppb << 30) / 1000000000);
}

/* Where the search for a draw's segment begins; the last one ends above every draw. */
static void prepare_cells(struct rnd_table *table)
{
    uint8_t i = 0;
    for (uint32_t cell = 0; cell < RND_CELLS; cell++) {
        while (table->segment[i].to <= cell << RND_CELL_SHIFT)
            i++;
        table->cell[cell] = i;
    }
}

int rnd_table_init(struct rnd_table *table, int count, const int64_t *probability_ppb, const int64_t *value_ps)
{
    if (count < 1 || count > RND_POINTS_MAX)
        return -1;
    for (int i = 1; i < count; i++) {
        if (probability_ppb[i] <= probability_ppb[i - 1] || value_ps[i] < value_ps[i - 1])
            return -1;
        uint32_t from = probability(probability_ppb[i - 1]), to = probability(probability_ppb[i]);
        table->segment[i - 1] =
            (struct rnd_segment){from, to, to - from, value_ps[i - 1], value_ps[i] - value_ps[i - 1]};
    }
    if (count == 1) /* a constant: a segment that does not rise */
        table->segment[0] = (struct rnd_segment){0, RND_ONE, RND_ONE, value_ps[0], 0};
    else if (probability_ppb[0] != 0 || probability_ppb[count - 1] != 1000000000)
        return -1;
    table->fits = value_ps[count - 1] - value_ps[0] < INT64_C(1) << 33;
    prepare_cells(table);
    return 0;
}
