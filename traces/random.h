/* Random numbers of generated traces: 64 bits as a function of (seed, what for, which), never of call order, so that the
 * sizes of a workload stay as they are when only its arrivals change.
 *
 * The model has such a function too (kernel/rnd.h). This room sees only the API, and drawing numbers is no business of
 * the API's; nothing needs the two to agree. */
#ifndef TRACES_RANDOM_H
#define TRACES_RANDOM_H

#include <stdint.h>

enum trace_random_use {
    TRACE_RANDOM_QP,
    TRACE_RANDOM_OPCODE,
    TRACE_RANDOM_SIZE,        /* which range of sizes */
    TRACE_RANDOM_SIZE_WITHIN, /* and where in it */
    TRACE_RANDOM_GAP
};

/* The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t trace_random_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t trace_random(uint64_t seed, enum trace_random_use use, uint64_t ordinal)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    return trace_random_mix(trace_random_mix(seed + step * (use + 1)) + step * (ordinal + 1));
}

/* 0 .. count - 1, evenly to within count / 2^64. */
static inline uint64_t trace_random_below(uint64_t draw, uint64_t count)
{
    return (uint64_t)((unsigned __int128)draw * count >> 64);
}

#endif
