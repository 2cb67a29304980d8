/* How much memory of an FPGA holds so many words of so many bits, and which kind of memory a buffer is put into.
 *
 * Counts are the least over single shapes: all blocks of a buffer are configured alike. Shapes: AMD UltraScale and UltraScale+
 * RAMB36E2 (UG573), URAM288 of 4096 x 72 (UG974), SLICEM RAM32M16 and RAM64M8 (UG574); Intel M20K and MLAB (handbooks 683461
 * and 683485). A Versal URAM has narrower shapes too, which are not used. */
#ifndef BENCH_MEMORY_MAP_H
#define BENCH_MEMORY_MAP_H

#include <stdint.h>

enum memory_kind { MEMORY_NONE, MEMORY_LUTRAM, MEMORY_BRAM36, MEMORY_URAM, MEMORY_MLAB, MEMORY_M20K, MEMORY_KINDS };

/* "RAMB36", and for a number of them "LUTs as RAM" */
const char *memory_map_name(enum memory_kind kind);

/* LUTs, RAMB36, URAM288, MLABs or M20Ks for `words` of `bits` each; words and bits >= 1, at most 2^32. */
uint64_t memory_map_count(enum memory_kind kind, uint64_t words, uint64_t bits);
/* The bits of a word with ECC, as RAMB36E2, URAM288 (64 and 8 bits, UG573) and M20K (32 and 8) have it; LUTs and MLABs have none: as given. */
uint64_t memory_map_ecc_bits(enum memory_kind kind, uint64_t bits);
/* The words of the FIFO to build: a power of two, 16 at least (PG085). words <= 2^32 */
uint64_t memory_map_depth(uint64_t words);
/* Up to 64 words: LUTs (Intel: up to 32, MLABs). Up to 2048: block RAM. More, of 72 bits or more: URAM, where there is any and
 * both sides have one clock, as a URAM FIFO has only one (PG085). */
enum memory_kind memory_map_choose(uint64_t words, uint64_t bits, int crosses_clocks, int has_uram, int has_m20k);
/* The most words, a power of two, that cost no more than `words` do. */
uint64_t memory_map_free(enum memory_kind kind, uint64_t words, uint64_t bits);

#endif
