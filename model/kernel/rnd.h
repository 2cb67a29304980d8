/* Random numbers as a function of (seed, entity, ordinal, attempt), never of call order (R5); and draws from a
 * distribution given as an inverse CDF, in integers, so that every machine draws the same. */
#ifndef KERNEL_RND_H
#define KERNEL_RND_H

#include <stdint.h>

static inline uint64_t rnd_mix(uint64_t x)
{
    /* The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* What rnd_u64() makes of (seed, entity): a stream, of which rnd_draw() gives any element. */
static inline uint64_t rnd_stream(uint64_t seed, uint64_t entity)
{
    return rnd_mix(seed + UINT64_C(0x9e3779b97f4a7c15) * (entity + 1));
}

static inline uint64_t rnd_draw(uint64_t stream, uint64_t ordinal, uint64_t attempt)
{
    return rnd_mix(stream + UINT64_C(0x9e3779b97f4a7c15) * (ordinal + 1) + UINT64_C(0xd1342543de82ef95) * attempt);
}

static inline uint64_t rnd_u64(uint64_t seed, uint64_t entity, uint64_t ordinal, uint64_t attempt)
{
    return rnd_draw(rnd_stream(seed, entity), ordinal, attempt);
}

#define RND_POINTS_MAX 16
#define RND_CELLS 64
#define RND_CELL_SHIFT 24 /* of a probability */

struct rnd_segment {         /* between two points */
    uint32_t from, to, step; /* probabilities in 2^-30: from 0 to 2^30; to - from */
    int64_t before_ps, rise_ps;
};

struct rnd_table {
    struct rnd_segment segment[RND_POINTS_MAX];
    int fits;                /* rise times probability fits 64 bits everywhere: a cheap division */
    uint8_t cell[RND_CELLS]; /* the segment that holds the cell's lowest probability */
};

/* Builds a table from `count` points (1 .. 16) of (probability in 1e-9, value); one point: a constant. The points must
 * rise from 0 to 1e9. Returns -1 otherwise. */
int rnd_table_init(struct rnd_table *table, int count, const int64_t *probability_ppb, const int64_t *value_ps);
/* The value at a uniform 64-bit draw, linear between points, rounded down to a picosecond. */
static inline int64_t rnd_table_draw(const struct rnd_table *table, uint64_t draw)
{
    uint32_t p = (uint32_t)(draw >> 34);
    const struct rnd_segment *segment = &table->segment[table->cell[p >> RND_CELL_SHIFT]];
    while (p >= segment->to)
        segment++;
    uint32_t along = p - segment->from;
    if (table->fits)
        return segment->before_ps + (int64_t)((uint64_t)segment->rise_ps * along / segment->step);
    return segment->before_ps + (int64_t)((unsigned __int128)segment->rise_ps * along / segment->step);
}

#endif
