/* Packet sequence numbers: 24 bits, compared in a window of 2^23 (IBTA vol. 1, 9.7.1). */
#ifndef TRANSPORT_PSN_H
#define TRANSPORT_PSN_H

#include <stdint.h>

#define PSN_MASK 0xffffffu

static inline uint32_t psn_add(uint32_t psn, uint32_t count)
{
    return (psn + count) & PSN_MASK;
}

/* a - b: negative when a is before b, -2^23 .. 2^23 - 1. */
static inline int32_t psn_difference(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) >> 8;
}

#endif
