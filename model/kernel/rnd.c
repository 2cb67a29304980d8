#include "kernel/rnd.h"

/* Where the search for a draw's point begins; the last point is above every draw. */
static void prepare_cells(struct rnd_table *table)
{
    uint8_t i = 1;
    for (uint32_t cell = 0; cell < RND_CELLS; cell++) {
        while (table->probability[i] <= cell << RND_CELL_SHIFT)
            i++;
        table->cell[cell] = i;
    }
    table->fits = table->value_ps[table->count - 1] - table->value_ps[0] < INT64_C(1) << 33;
}

int rnd_table_init(struct rnd_table *table, int count, const int64_t *probability_ppb, const int64_t *value_ps)
{
    if (count < 1 || count > RND_POINTS_MAX)
        return -1;
    table->count = count;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (probability_ppb[i] <= probability_ppb[i - 1] || value_ps[i] < value_ps[i - 1]))
            return -1;
        table->probability[i] = (uint32_t)((probability_ppb[i] << 30) / 1000000000);
        table->value_ps[i] = value_ps[i];
    }
    if (count == 1)
        return 0;
    if (probability_ppb[0] != 0 || probability_ppb[count - 1] != 1000000000)
        return -1;
    prepare_cells(table);
    return 0;
}

int64_t rnd_table_draw(const struct rnd_table *table, uint64_t draw)
{
    if (table->count == 1)
        return table->value_ps[0];
    uint32_t p = (uint32_t)(draw >> 34);
    uint32_t i = table->cell[p >> RND_CELL_SHIFT];
    while (p >= table->probability[i])
        i++;
    int64_t before = table->value_ps[i - 1], rise = table->value_ps[i] - before;
    uint32_t along = p - table->probability[i - 1], step = table->probability[i] - table->probability[i - 1];
    if (table->fits)
        return before + (int64_t)((uint64_t)rise * along / step);
    return before + (int64_t)((unsigned __int128)rise * along / step);
}
