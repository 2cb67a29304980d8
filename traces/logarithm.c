#include "traces/logarithm.h"

#define FRACTION_BITS 32
#define LN_2 UINT64_C(0xb17217f7d1cf79ac) /* ln 2 in 2^-64 */

/* Each squaring of a number between 1 and 2 doubles its logarithm: what passes 2 is the next binary digit. */
uint64_t trace_log2(uint64_t x)
{
    unsigned whole = 63u - (unsigned)__builtin_clzll(x);
    uint64_t result = whole, mantissa = x << (63 - whole); /* 1 .. 2 in 2^-63 */
    for (int i = 0; i < FRACTION_BITS; i++) {
        unsigned __int128 square = (unsigned __int128)mantissa * mantissa; /* 1 .. 4 in 2^-126 */
        unsigned digit = (unsigned)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + digit));
        result = result << 1 | digit;
    }
    return result;
}

/* The root of a number in 2^-126 as one in 2^-63, rounded down. */
static uint64_t root(unsigned __int128 square)
{
    uint64_t result = 0;
    for (uint64_t digit = UINT64_C(1) << 63; digit != 0; digit >>= 1)
        if ((unsigned __int128)(result | digit) * (result | digit) <= square)
            result |= digit;
    return result;
}

/* 2^-1/2, 2^-1/4, 2^-1/8 ... are roots of each other: one for each binary digit of x. */
uint64_t trace_exp2_negative(uint64_t x)
{
    uint64_t result = UINT64_C(1) << 63, factor = UINT64_C(1) << 62, whole = x >> FRACTION_BITS;
    for (int i = FRACTION_BITS - 1; i >= 0; i--) {
        factor = root((unsigned __int128)factor << 63);
        if (x >> i & 1)
            result = (uint64_t)((unsigned __int128)result * factor >> 63);
    }
    return whole > 63 ? 0 : result >> whole;
}

uint64_t trace_exponential(uint64_t draw)
{
    const uint64_t whole = (uint64_t)64 << FRACTION_BITS;
    uint64_t bits = draw == UINT64_MAX ? 0 : whole - trace_log2(draw + 1); /* -log2(u) */
    return (uint64_t)((unsigned __int128)bits * LN_2 >> 64);
}
