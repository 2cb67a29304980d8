#include "bench/size_fit.h"

#include <stdlib.h>

#include "bench/cli.h"

#define LUTRAM_WORDS_MOST 64u
#define MLAB_WORDS_MOST 32u

uint64_t size_fit_has(const struct size_fit *fit, enum memory_kind kind)
{
    switch (kind) {
    case MEMORY_BRAM36:
        return fit->part.bram36;
    case MEMORY_URAM:
        return fit->part.uram;
    case MEMORY_M20K:
        return fit->part.m20k;
    default:
        return 0;
    }
}

double size_fit_percent(const struct size_fit *fit, enum memory_kind kind)
{
    uint64_t has = size_fit_has(fit, kind);
    return has == 0 ? 0 : (double)fit->used[kind] / (double)has * 100;
}

static int is_possible(const struct rnicsim_fifo_info *fifo, enum memory_kind kind, uint64_t words)
{
    return kind == MEMORY_LUTRAM ? words <= LUTRAM_WORDS_MOST
           : kind == MEMORY_MLAB ? words <= MLAB_WORDS_MOST
           : kind == MEMORY_URAM ? !fifo->crosses_clocks
                                 : 1;
}

static uint64_t bits_in(const struct size_fit *fit, enum memory_kind kind, uint64_t bits)
{
    return fit->has_ecc ? memory_map_ecc_bits(kind, bits) : bits;
}

static void map(struct size_memory *memory, const struct size_fifo *fifo, const struct size_fit *fit)
{
    const struct part *part = &fit->part;
    const struct rnicsim_fifo_info *info = &fifo->info;
    if (info->words == 0) {
        memory->free_depth = fifo->depth;
        return;
    }
    memory->words = memory_map_depth(fifo->depth * info->words);
    memory->kind =
        memory_map_choose(memory->words, info->word_bits, info->crosses_clocks, part->uram > 0, part->m20k > 0);
    for (int kind = MEMORY_LUTRAM; kind < MEMORY_KINDS; kind++) {
        memory->count[kind] = memory_map_count((enum memory_kind)kind, memory->words,
                                               bits_in(fit, (enum memory_kind)kind, info->word_bits));
        memory->is_possible[kind] = is_possible(info, (enum memory_kind)kind, memory->words);
    }
    memory->bits = bits_in(fit, memory->kind, info->word_bits);
    memory->free_depth = memory_map_free(memory->kind, memory->words, memory->bits) / info->words;
}

static int fits(const struct size_fit *fit, enum memory_kind kind)
{
    return fit->used[kind] <= size_fit_has(fit, kind);
}

int size_fit(struct size_fit *fit, const struct size_search *search)
{
    fit->memory = calloc(search->count, sizeof *fit->memory);
    if (fit->memory == NULL)
        return cli_fail("out of memory for the result");
    for (size_t i = 0; i < search->count; i++) {
        struct size_memory *memory = &fit->memory[i];
        map(memory, &search->fifos[i], fit);
        fit->used[memory->kind] += memory->count[memory->kind];
    }
    fit->fits = fits(fit, MEMORY_BRAM36) && fits(fit, MEMORY_URAM) && fits(fit, MEMORY_M20K);
    return 0;
}

void size_fit_free(struct size_fit *fit)
{
    free(fit->memory);
}
