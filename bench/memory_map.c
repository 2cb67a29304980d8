#include "bench/memory_map.h"

#include <stddef.h>

#define FIFO_WORDS_LEAST 16u
#define LUTRAM_WORDS_MOST 64u
#define MLAB_WORDS_MOST 32u
#define BRAM_WORDS_MOST 2048u
#define URAM_WORDS 4096u
#define URAM_BITS 72u

struct shape {
    uint32_t words, bits;
};

static const struct shape bram36[] = {{512, 72}, {1024, 36}, {2048, 18}, {4096, 9}, {8192, 4}, {16384, 2}, {32768, 1}};
static const struct shape uram[] = {{URAM_WORDS, URAM_BITS}};
static const struct shape mlab[] = {{32, 20}};
static const struct shape m20k[] = {{512, 40}, {1024, 20}, {2048, 10}, {4096, 5}, {8192, 2}, {16384, 1}};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t least(const struct shape *shape, size_t shapes, uint64_t words, uint64_t bits)
{
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < shapes; i++) {
        uint64_t count = divide_up(words, shape[i].words) * divide_up(bits, shape[i].bits);
        best = count < best ? count : best;
    }
    return best;
}

/* A SLICEM's eight LUTs are 32 x 14 or 64 x 7. */
static uint64_t luts(uint64_t words, uint64_t bits)
{
    return words <= 32 ? 8 * divide_up(bits, 14) : 8 * divide_up(words, 64) * divide_up(bits, 7);
}

const char *memory_map_name(enum memory_kind kind)
{
    static const char *const name[MEMORY_KINDS] = {"none", "LUT", "RAMB36", "URAM", "MLAB", "M20K"};
    return name[kind];
}

#define LEAST(shapes) least(shapes, sizeof(shapes) / sizeof *(shapes), words, bits)

uint64_t memory_map_count(enum memory_kind kind, uint64_t words, uint64_t bits)
{
    switch (kind) {
    case MEMORY_LUTRAM:
        return luts(words, bits);
    case MEMORY_BRAM36:
        return LEAST(bram36);
    case MEMORY_URAM:
        return LEAST(uram);
    case MEMORY_MLAB:
        return LEAST(mlab);
    case MEMORY_M20K:
        return LEAST(m20k);
    default:
        return 0;
    }
}

uint64_t memory_map_ecc_bits(enum memory_kind kind, uint64_t bits)
{
    if (kind == MEMORY_BRAM36 || kind == MEMORY_URAM)
        return divide_up(bits, 64) * 72;
    return kind == MEMORY_M20K ? divide_up(bits, 32) * 40 : bits;
}

uint64_t memory_map_depth(uint64_t words)
{
    uint64_t depth = FIFO_WORDS_LEAST;
    while (depth < words)
        depth *= 2;
    return depth;
}

enum memory_kind memory_map_choose(uint64_t words, uint64_t bits, int crosses_clocks, int has_uram, int has_m20k)
{
    if (has_m20k)
        return words <= MLAB_WORDS_MOST ? MEMORY_MLAB : MEMORY_M20K;
    if (words <= LUTRAM_WORDS_MOST)
        return MEMORY_LUTRAM;
    if (words > BRAM_WORDS_MOST && bits >= URAM_BITS && has_uram && !crosses_clocks)
        return MEMORY_URAM;
    return MEMORY_BRAM36;
}

uint64_t memory_map_free(enum memory_kind kind, uint64_t words, uint64_t bits)
{
    uint64_t depth = memory_map_depth(words), count = memory_map_count(kind, depth, bits);
    if (kind == MEMORY_NONE)
        return depth;
    while (memory_map_count(kind, 2 * depth, bits) == count)
        depth *= 2;
    return depth;
}
