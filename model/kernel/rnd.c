#include "kernel/rnd.h"

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
    return count == 1 || (probability_ppb[0] == 0 && probability_ppb[count - 1] == 1000000000) ? 0 : -1;
}

int64_t rnd_table_draw(const struct rnd_table *table, uint64_t draw)
{
    if (table->count == 1)
        return table->value_ps[0];
    uint32_t p = (uint32_t)(draw >> 34);
    int i = 1;
    while (i < table->count - 1 && p >= table->probability[i])
        i++;
    int64_t rise = table->value_ps[i] - table->value_ps[i - 1];
    uint32_t step = table->probability[i] - table->probability[i - 1];
    uint32_t along = p - table->probability[i - 1];
    if (rise < INT64_C(1) << 33) /* the product fits 64 bits: a cheaper division */
        return table->value_ps[i - 1] + (int64_t)((uint64_t)rise * along / step);
    return table->value_ps[i - 1] + (int64_t)((unsigned __int128)rise * along / step);
}
