/* Golden timings for an RTL bench: passes.csv (a row a pass, cycles of the writer's clock and picoseconds), for each FIFO with passes a file for
 * $readmemh, and golden.svh with how many words each has. A word of 256 bits: request, start, head and tail cycle, 64 bits each. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/head.h"
#include "bench/waves/waves.h"

#define PATH_BYTES 4300

static void write_csv(const struct waves *waves, const struct result *result, FILE *out)
{
    head_print(result, out);
    fputs("nic,path,fifo,n,what,request,qpn,psn,bytes,start_cycle,head_cycle,tail_cycle,start_ps,head_ps,tail_ps\n",
          out);
    for (size_t i = 0; i < waves->fifo_count; i++) {
        const struct waves_fifo *fifo = &waves->fifos[i];
        size_t count;
        const struct rnicsim_pass *pass = waves_passes_of(waves, fifo, &count);
        for (size_t n = 0; n < count; n++)
            fprintf(out,
                    "%s,%s,%s,%zu,%s,%" PRIu64 ",%u,%u,%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                    ",%" PRId64 "\n",
                    fifo->info.nic, fifo->info.path, fifo->info.name, n, pass[n].what, pass[n].request, pass[n].qpn,
                    pass[n].psn, pass[n].bytes, pass[n].start_cycle, pass[n].head_cycle, pass[n].tail_cycle,
                    pass[n].start_ps, pass[n].head_ps, pass[n].tail_ps);
    }
}

/* "a_tx_mac" */
static void identifier(const struct waves_fifo *fifo, int is_upper, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s", fifo->name);
    for (char *at = text; *at != 0; at++)
        *at = (char)(!isalnum((unsigned char)*at) ? '_' : is_upper ? toupper((unsigned char)*at) : *at);
}

static void write_memory(const struct waves *waves, const struct waves_fifo *fifo, FILE *out)
{
    size_t count;
    const struct rnicsim_pass *pass = waves_passes_of(waves, fifo, &count);
    fprintf(out, "// into %s: request, start, head, tail; cycles of %.6f MHz\n", fifo->name,
            1e6 * (double)fifo->write.den / (double)fifo->write.num);
    for (size_t n = 0; n < count; n++)
        fprintf(out, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "\n", pass[n].request,
                (uint64_t)pass[n].start_cycle, (uint64_t)pass[n].head_cycle, (uint64_t)pass[n].tail_cycle);
}

static void write_header(const struct waves *waves, FILE *out)
{
    char upper[128], lower[128];
    fputs("// golden timings: reg [255:0] words [0:N-1]; $readmemh(NAME, words)\n", out);
    for (size_t i = 0; i < waves->fifo_count; i++) {
        size_t count;
        waves_passes_of(waves, &waves->fifos[i], &count);
        if (count == 0)
            continue;
        identifier(&waves->fifos[i], 1, upper, sizeof upper);
        identifier(&waves->fifos[i], 0, lower, sizeof lower);
        fprintf(out, "localparam integer GOLDEN_%s_N = %zu; // %s.memh\n", upper, count, lower);
    }
}

/* Opens FOLDER/NAME.tmp. */
static FILE *open_aside(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s.tmp", folder, name);
    return fopen(path, "we");
}

static int close_aside(const char *folder, const char *name, FILE *file)
{
    char path[PATH_BYTES], aside[PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(aside, sizeof aside, "%s.tmp", path);
    int failed = file == NULL || ferror(file);
    if (file != NULL && fclose(file) != 0)
        failed = 1;
    if (!failed && rename(aside, path) == 0)
        return CLI_DONE;
    int reason = errno;
    unlink(aside);
    return cli_fail("--golden %s/%s: cannot be written: %s", folder, name, strerror(reason));
}

int waves_golden(const struct waves *waves, const struct result *result, const char *folder)
{
    char name[160], lower[128];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail("--golden %s: %s", folder, strerror(errno));
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < waves->fifo_count; i++) {
        size_t count;
        waves_passes_of(waves, &waves->fifos[i], &count);
        if (count == 0)
            continue;
        identifier(&waves->fifos[i], 0, lower, sizeof lower);
        snprintf(name, sizeof name, "%s.memh", lower);
        FILE *out = open_aside(folder, name);
        if (out != NULL)
            write_memory(waves, &waves->fifos[i], out);
        status = close_aside(folder, name, out);
    }
    FILE *out = status == CLI_DONE ? open_aside(folder, "golden.svh") : NULL;
    if (out != NULL)
        write_header(waves, out);
    if (status == CLI_DONE)
        status = close_aside(folder, "golden.svh", out);
    out = status == CLI_DONE ? open_aside(folder, "passes.csv") : NULL;
    if (out != NULL)
        write_csv(waves, result, out);
    return status == CLI_DONE ? close_aside(folder, "passes.csv", out) : status;
}
