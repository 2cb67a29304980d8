/* Little-endian numbers in byte arrays. */
#ifndef TRACES_WIRE_H
#define TRACES_WIRE_H

#include <stdint.h>

static inline void trace_wire_put(unsigned char *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t trace_wire_get(const unsigned char *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static inline uint32_t trace_wire_get32(const unsigned char *from)
{
    return (uint32_t)trace_wire_get(from, 4);
}

#endif
