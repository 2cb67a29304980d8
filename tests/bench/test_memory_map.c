/* How buffers are put into an FPGA's memories: known counts, a minimum found by trying, which kind, what is free. */
#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "bench/memory_map.h"

void suite_bench_memory_map(void);

#define NOT_USED UINT64_MAX
#define BEAT 577u /* 512 bit of data, TKEEP, TLAST */
#define CONTEXT (128u * 8u)

static const struct {
    uint64_t words, bits, bram36, uram, m20k, luts;
} known[] = {
    {32, BEAT, 9, 9, 15, 336},
    {512, BEAT, 9, 9, 15, NOT_USED},
    {1024, BEAT, 17, 9, 29, NOT_USED},
    {2048, BEAT, 33, 9, 58, NOT_USED},
    {4096, BEAT, 65, 9, 116, NOT_USED},
    {32768, 512, 456, 64, 824, NOT_USED},  /* 2 MiB of payload kept for retransmission, */
    {32768, BEAT, 520, 72, 928, NOT_USED}, /* and the same as a stream with TKEEP and TLAST */
    {500, CONTEXT, 15, 15, 26, NOT_USED},
    {4096, CONTEXT, 114, 15, 205, NOT_USED},
    {64, 7, 1, 1, 1, 8},
    {33, 8, 1, 1, 1, 16},
    {1, 1, 1, 1, 1, 8},
};

static void test_known(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t words = known[i].words, bits = known[i].bits;
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_BRAM36, words, bits), known[i].bram36);
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_URAM, words, bits), known[i].uram);
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_M20K, words, bits), known[i].m20k);
        if (known[i].luts != NOT_USED)
            CU_ASSERT_EQUAL(memory_map_count(MEMORY_LUTRAM, words, bits), known[i].luts);
    }
}

/* Blocks of one shape are laid side by side until they cover the width, and stacked until they cover the depth. */
static uint64_t cover(uint64_t words, uint64_t bits, uint64_t block_words, uint64_t block_bits)
{
    uint64_t count = 0;
    for (uint64_t row = 0; row < words; row += block_words)
        for (uint64_t column = 0; column < bits; column += block_bits)
            count++;
    return count;
}

/* A block of `bits` at its widest, which each halving of the width makes twice as deep; `widths` ends with 0. */
static uint64_t cheapest(uint64_t words, uint64_t bits, const uint64_t *widths)
{
    uint64_t best = UINT64_MAX, block_words = 512;
    for (; *widths != 0; widths++, block_words *= 2) {
        uint64_t count = cover(words, bits, block_words, *widths);
        best = count < best ? count : best;
    }
    return best;
}

static void test_brute_force(void)
{
    static const uint64_t bram36[] = {72, 36, 18, 9, 4, 2, 1, 0}, m20k[] = {40, 20, 10, 5, 2, 1, 0};
    unsigned random = 1;
    for (int i = 0; i < 2000; i++) {
        uint64_t words = 1 + (uint64_t)rand_r(&random) % (1u << (1 + rand_r(&random) % 17));
        uint64_t bits = 1 + (uint64_t)rand_r(&random) % (1u << (1 + rand_r(&random) % 11));
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_BRAM36, words, bits), cheapest(words, bits, bram36));
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_M20K, words, bits), cheapest(words, bits, m20k));
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_URAM, words, bits), cover(words, bits, 4096, 72));
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_MLAB, words, bits), cover(words, bits, 32, 20));
        CU_ASSERT_EQUAL(memory_map_count(MEMORY_LUTRAM, words, bits),
                        8 * (words <= 32 ? cover(words, bits, 32, 14) : cover(words, bits, 64, 7)));
    }
}

static void test_choice(void)
{
    CU_ASSERT_EQUAL(memory_map_choose(64, BEAT, 0, 1, 0), MEMORY_LUTRAM);
    CU_ASSERT_EQUAL(memory_map_choose(128, BEAT, 0, 1, 0), MEMORY_BRAM36);
    CU_ASSERT_EQUAL(memory_map_choose(2048, BEAT, 0, 1, 0), MEMORY_BRAM36);
    CU_ASSERT_EQUAL(memory_map_choose(4096, BEAT, 0, 1, 0), MEMORY_URAM);
    CU_ASSERT_EQUAL(memory_map_choose(4096, 72, 0, 1, 0), MEMORY_URAM);
    CU_ASSERT_EQUAL(memory_map_choose(4096, 71, 0, 1, 0), MEMORY_BRAM36);
    CU_ASSERT_EQUAL(memory_map_choose(4096, BEAT, 1, 1, 0), MEMORY_BRAM36); /* a URAM has one clock */
    CU_ASSERT_EQUAL(memory_map_choose(4096, BEAT, 0, 0, 0), MEMORY_BRAM36);
    CU_ASSERT_EQUAL(memory_map_choose(32, BEAT, 0, 0, 1), MEMORY_MLAB);
    CU_ASSERT_EQUAL(memory_map_choose(64, BEAT, 0, 0, 1), MEMORY_M20K);
}

static void test_free(void)
{
    static const uint64_t depth[][2] = {{1, 16}, {16, 16}, {17, 32}, {300, 512}, {513, 1024}, {32768, 32768}};
    for (size_t i = 0; i < sizeof depth / sizeof *depth; i++)
        CU_ASSERT_EQUAL(memory_map_depth(depth[i][0]), depth[i][1]);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_BRAM36, 65, BEAT), 512);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_BRAM36, 512, BEAT), 512);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_BRAM36, 513, BEAT), 1024);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_BRAM36, 100, 9), 4096);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_URAM, 2049, BEAT), 4096);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_LUTRAM, 16, BEAT), 32);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_LUTRAM, 33, BEAT), 64);
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_LUTRAM, 1, 7), 64); /* eight LUTs are 64 x 7 as well */
    CU_ASSERT_EQUAL(memory_map_free(MEMORY_NONE, 100, BEAT), 128);
}

/* A 512 bit beat with TKEEP and TLAST is ten words of 64 bits; SECDED on 577 bits of URAM: ten URAMs instead of nine. */
static void test_ecc(void)
{
    CU_ASSERT_EQUAL(memory_map_ecc_bits(MEMORY_BRAM36, BEAT), 720);
    CU_ASSERT_EQUAL(memory_map_ecc_bits(MEMORY_URAM, 512), 576);
    CU_ASSERT_EQUAL(memory_map_ecc_bits(MEMORY_M20K, 33), 80);
    CU_ASSERT_EQUAL(memory_map_ecc_bits(MEMORY_LUTRAM, BEAT), BEAT);
    CU_ASSERT_EQUAL(memory_map_count(MEMORY_URAM, 4096, memory_map_ecc_bits(MEMORY_URAM, BEAT)), 10);
    CU_ASSERT_EQUAL(memory_map_count(MEMORY_BRAM36, 512, memory_map_ecc_bits(MEMORY_BRAM36, BEAT)), 10);
}

void suite_bench_memory_map(void)
{
    CU_pSuite suite = CU_add_suite("bench/memory_map", NULL, NULL);
    CU_add_test(suite, "known counts", test_known);
    CU_add_test(suite, "the least of all single shapes", test_brute_force);
    CU_add_test(suite, "which kind of memory", test_choice);
    CU_add_test(suite, "what is free", test_free);
    CU_add_test(suite, "with ECC", test_ecc);
}
