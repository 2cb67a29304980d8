/* The depths as the RTL includes them: SystemVerilog localparams and a C header. For each FIFO its depth, the words to build and their bits,
 * the greatest depth that takes no more memory, and the prog_full threshold. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "bench/size_report.h"

static void identifier(const struct size_fifo *fifo, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s", fifo->name);
    for (char *at = text; *at != 0; at++)
        *at = (char)(isalnum((unsigned char)*at) ? toupper((unsigned char)*at) : '_');
}

static void write_one(FILE *out, int is_c, const char *name, const char *what, uint64_t value)
{
    if (is_c)
        fprintf(out, "#define %s_%s %" PRIu64 "u\n", name, what, value);
    else
        fprintf(out, "localparam integer %s_%s = %" PRIu64 ";\n", name, what, value);
}

static void write_all(const struct size_report *report, FILE *out, int is_c)
{
    char name[128];
    for (size_t i = 0; i < report->search->count; i++) {
        const struct size_fifo *fifo = &report->search->fifos[i];
        const struct size_memory *memory = &report->fit->memory[i];
        identifier(fifo, name, sizeof name);
        fprintf(out, "// %s: %s, in %s; %s\n", fifo->name, fifo->info.holds, fifo->info.unit,
                memory->words > 0 ? memory_map_name(memory->kind) : "no memory of its own");
        write_one(out, is_c, name, "DEPTH", fifo->depth);
        write_one(out, is_c, name, "FREE_DEPTH", memory->free_depth);
        if (memory->words > 0) {
            write_one(out, is_c, name, "WORDS", memory->words);
            write_one(out, is_c, name, "BITS", fifo->info.word_bits);
        }
        if (size_prog_full(report, i) > 0)
            write_one(out, is_c, name, "PROG_FULL", size_prog_full(report, i));
    }
}

static void write_head(const struct size_report *report, FILE *out)
{
    const struct result *result = &report->search->configured.result;
    fprintf(out, "// rnicsim %s, schema %d, status %s, board %s, trace digest %s, seed %llu\n", RNICSIM_VERSION,
            RESULT_SCHEMA, report->status, rnicsim_board_name(result->sim), result->digest,
            (unsigned long long)result->seed);
    fprintf(out, "// changed: %s\n", result->changed[0] != 0 ? result->changed : "nothing");
}

void size_svh_write(const struct size_report *report, FILE *out)
{
    write_head(report, out);
    fputs("// to be included inside a module or a package\n", out);
    write_all(report, out, 0);
}

void size_h_write(const struct size_report *report, FILE *out)
{
    write_head(report, out);
    fputs("#ifndef RNICSIM_DEPTHS_H\n#define RNICSIM_DEPTHS_H\n", out);
    write_all(report, out, 1);
    fputs("#endif\n", out);
}
