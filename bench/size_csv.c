#include <inttypes.h>

#include "bench/head.h"
#include "bench/size_report.h"

/* Empty when it is not known, or not possible. */
static void put(FILE *out, int is_known, uint64_t number)
{
    fputc(',', out);
    if (is_known)
        fprintf(out, "%" PRIu64, number);
}

static void write_row(const struct size_report *report, size_t index, FILE *out)
{
    const struct size_fifo *fifo = &report->search->fifos[index];
    const struct size_memory *memory = &report->fit->memory[index];
    fprintf(out, "%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64, fifo->info.path, fifo->info.name, fifo->info.unit,
            fifo->info.depth_key, fifo->info.depth, fifo->high_water, fifo->depth);
    put(out, fifo->zero_drop >= 0, (uint64_t)fifo->zero_drop);
    put(out, fifo->full_rate >= 0, (uint64_t)fifo->full_rate);
    fprintf(out, ",%s,%u,%" PRIu64, size_less_name(fifo->less), fifo->info.word_bits, memory->words);
    for (int kind = MEMORY_LUTRAM; kind < MEMORY_KINDS; kind++)
        put(out, memory->words == 0 || memory->is_possible[kind], memory->count[kind]);
    fprintf(out, ",%s,%" PRIu64 "\n", memory_map_name(memory->kind), memory->free_depth);
}

void size_csv_write(const struct size_report *report, FILE *out)
{
    head_print(&report->search->configured.result, out);
    fprintf(out, "# part %s, RAMB36 %" PRIu64 ", URAM %" PRIu64 ", M20K %" PRIu64 ", %s\n", report->fit->part.name,
            report->fit->part.bram36, report->fit->part.uram, report->fit->part.m20k,
            report->fit->fits ? "fits" : "does not fit");
    fputs("path,fifo,unit,depth_key,depth_configured,hwm,depth,min_depth_zero_drop,min_depth_full_rate,one_less,"
          "word_bits,words,lutram,bram36,uram,mlab,m20k,memory,free_depth\n",
          out);
    for (size_t i = 0; i < report->search->count; i++)
        write_row(report, i, out);
}
