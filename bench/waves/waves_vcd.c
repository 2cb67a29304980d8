/* Waveforms, IEEE 1364-2005 clause 18, four-state VCD in picoseconds. For each FIFO, as on its writer's side: valid (a beat of an item comes
 * out of the stage in front, head to tail), last (with the item's last beat), ready (there is space), busy (an item is in that stage),
 * level, item (the request whose item comes out; x: none, or not known). Clocks: one wire each, but for serial lines, and as long as its edges are not too many. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/waves/waves.h"

#define CLOCKS_MAX 16u
#define EDGES_MAX 4000000
#define PERIOD_LEAST_PS 1000 /* faster ones are serial lines: no register sees them */
#define ITEM_BITS 32
#define KINDS 6u

enum kind { VALID, LAST, READY, BUSY, LEVEL, ITEM };

struct change {
    int64_t at_ps;
    uint32_t order; /* at one instant: what ends comes before what begins */
    uint32_t fifo;
    uint64_t value;
    enum kind kind;
};

struct changes {
    struct change *change;
    size_t count, room;
    int failed;
};

static void add(struct changes *changes, int64_t at_ps, uint32_t order, size_t fifo, enum kind kind, uint64_t value)
{
    if (changes->count == changes->room) {
        size_t room = changes->room == 0 ? 4096 : 2 * changes->room;
        struct change *larger = realloc(changes->change, room * sizeof *larger);
        changes->failed |= larger == NULL;
        if (larger == NULL)
            return;
        changes->change = larger;
        changes->room = room;
    }
    changes->change[changes->count++] = (struct change){at_ps, order, (uint32_t)fifo, value, kind};
}

static int64_t edge_ps(const struct rnicsim_clock *clock, int64_t cycle)
{
    return (int64_t)((__int128)cycle * clock->num / clock->den) + clock->phase_ps;
}

/* A beat is there for a cycle. last goes high in the tail's cycle. */
static void add_passes(struct changes *changes, const struct waves *waves, size_t number)
{
    const struct waves_fifo *fifo = &waves->fifos[number];
    size_t count;
    const struct rnicsim_pass *pass = waves_passes_of(waves, fifo, &count);
    int64_t shift_ps = count > 0 ? pass[0].head_ps - edge_ps(&fifo->write, pass[0].head_cycle) : 0;
    int64_t busy_to_ps = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t gone_ps = edge_ps(&fifo->write, pass[i].tail_cycle + 1) + shift_ps;
        add(changes, pass[i].head_ps, 1, number, VALID, 1);
        add(changes, pass[i].head_ps, 1, number, ITEM, pass[i].request);
        add(changes, pass[i].tail_ps, 1, number, LAST, 1);
        add(changes, gone_ps, 0, number, LAST, 0);
        add(changes, gone_ps, 0, number, VALID, 0);
        if (pass[i].start_ps > busy_to_ps && busy_to_ps != INT64_MIN)
            add(changes, busy_to_ps, 0, number, BUSY, 0);
        if (pass[i].start_ps > busy_to_ps)
            add(changes, pass[i].start_ps, 1, number, BUSY, 1);
        busy_to_ps = pass[i].tail_ps > busy_to_ps ? pass[i].tail_ps : busy_to_ps;
    }
    if (count > 0)
        add(changes, busy_to_ps, 0, number, BUSY, 0);
}

static void add_levels(struct changes *changes, const struct waves_fifo *fifo, size_t number)
{
    for (size_t i = 0; i < fifo->level_count; i++) {
        add(changes, fifo->levels[i].at_ps, 1, number, LEVEL, fifo->levels[i].level);
        add(changes, fifo->levels[i].at_ps, 1, number, READY, fifo->levels[i].level < fifo->info.depth);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct change *left = a, *right = b;
    if (left->at_ps != right->at_ps)
        return left->at_ps < right->at_ps ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* ---- names ---- */

/* Printable characters but blanks, base 94. */
static void code_of(size_t number, char *code)
{
    size_t used = 0;
    do {
        code[used++] = (char)('!' + number % 94);
        number /= 94;
    } while (number > 0);
    code[used] = 0;
}

static int bits_of(const struct waves_fifo *fifo, enum kind kind)
{
    int bits = 1;
    if (kind == ITEM)
        return ITEM_BITS;
    while (kind == LEVEL && bits < 32 && fifo->info.depth >> bits != 0)
        bits++;
    return bits;
}

static void declare_fifo(const struct waves_fifo *fifo, size_t number, FILE *out)
{
    static const char *const names[KINDS] = {"valid", "last", "ready", "busy", "level", "item"};
    char code[8];
    fprintf(out, "$scope module %s $end\n", fifo->info.name);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        int bits = bits_of(fifo, (enum kind)kind);
        if (!fifo->has_passes && kind != LEVEL && kind != READY)
            continue;
        code_of(number * KINDS + kind, code);
        fprintf(out, "$var wire %d %s %s%s", bits, code, names[kind], bits > 1 ? " [" : "");
        if (bits > 1)
            fprintf(out, "%d:0]", bits - 1);
        fputs(" $end\n", out);
    }
    fputs("$upscope $end\n", out);
}

/* FIFOs come NIC by NIC and path by path. */
static void declare_fifos(const struct waves *waves, FILE *out)
{
    const struct rnicsim_fifo_info *before = NULL;
    for (size_t i = 0; i < waves->fifo_count; i++) {
        const struct rnicsim_fifo_info *info = &waves->fifos[i].info;
        int same_nic = before != NULL && strcmp(before->nic, info->nic) == 0;
        int same_path = same_nic && strcmp(before->path, info->path) == 0;
        if (before != NULL && !same_path)
            fputs("$upscope $end\n", out);
        if (before != NULL && !same_nic)
            fputs("$upscope $end\n", out);
        if (!same_nic)
            fprintf(out, "$scope module %s $end\n", info->nic);
        if (!same_path)
            fprintf(out, "$scope module %s $end\n", info->path);
        declare_fifo(&waves->fifos[i], i, out);
        before = info;
    }
    fputs("$upscope $end\n$upscope $end\n", out);
}

/* ---- clocks ---- */

struct clocks {
    struct rnicsim_clock clock[CLOCKS_MAX];
    int64_t next_half[CLOCKS_MAX]; /* twice the cycle */
    char name[CLOCKS_MAX][32];
    size_t count;
    size_t code_base;
};

static void add_clock(struct clocks *clocks, const struct rnicsim_clock *clock, int64_t span_ps)
{
    for (size_t i = 0; i < clocks->count; i++)
        if (memcmp(&clocks->clock[i], clock, sizeof *clock) == 0)
            return;
    double edges = 2.0 * (double)span_ps * (double)clock->den / (double)clock->num;
    if (clocks->count == CLOCKS_MAX || edges > EDGES_MAX || clock->num / clock->den < PERIOD_LEAST_PS)
        return;
    snprintf(clocks->name[clocks->count], sizeof clocks->name[0], "clk_%.0f_kHz_%zu",
             1e9 * (double)clock->den / (double)clock->num, clocks->count);
    clocks->clock[clocks->count++] = *clock;
}

static int64_t half_ps(const struct rnicsim_clock *clock, int64_t half)
{
    return (int64_t)((__int128)half * clock->num / (2 * clock->den)) + clock->phase_ps;
}

/* All edges before at_ps, in order. */
static void put_clocks(struct clocks *clocks, int64_t at_ps, int64_t *now_ps, FILE *out)
{
    for (;;) {
        size_t first = clocks->count;
        for (size_t i = 0; i < clocks->count; i++)
            if (half_ps(&clocks->clock[i], clocks->next_half[i]) < at_ps &&
                (first == clocks->count || half_ps(&clocks->clock[i], clocks->next_half[i]) <
                                               half_ps(&clocks->clock[first], clocks->next_half[first])))
                first = i;
        if (first == clocks->count)
            return;
        char code[8];
        int64_t edge = half_ps(&clocks->clock[first], clocks->next_half[first]);
        code_of(clocks->code_base + first, code);
        if (edge > *now_ps)
            fprintf(out, "#%" PRId64 "\n", edge);
        *now_ps = edge > *now_ps ? edge : *now_ps;
        fprintf(out, "%d%s\n", (clocks->next_half[first]++ & 1) == 0, code);
    }
}

static struct clocks find_clocks(const struct waves *waves)
{
    struct clocks clocks = {.code_base = waves->fifo_count * KINDS};
    int64_t from_ps = waves->window.stretch.from_ps, span_ps = waves->window.stretch.to_ps - from_ps;
    for (size_t i = 0; i < waves->fifo_count; i++)
        if (waves->fifos[i].has_passes) {
            add_clock(&clocks, &waves->fifos[i].write, span_ps);
            add_clock(&clocks, &waves->fifos[i].read, span_ps);
        }
    for (size_t i = 0; i < clocks.count; i++) {
        const struct rnicsim_clock *clock = &clocks.clock[i];
        clocks.next_half[i] = (int64_t)((__int128)(from_ps - clock->phase_ps) * 2 * clock->den / clock->num) + 1;
        clocks.next_half[i] = clocks.next_half[i] < 0 ? 0 : clocks.next_half[i];
    }
    return clocks;
}

/* ---- values ---- */

static void put_value(const struct waves *waves, const struct change *change, FILE *out)
{
    char code[8];
    code_of((size_t)change->fifo * KINDS + change->kind, code);
    int bits = bits_of(&waves->fifos[change->fifo], change->kind);
    if (bits == 1) {
        fprintf(out, "%d%s\n", change->value != 0, code);
        return;
    }
    if (change->kind == ITEM && change->value == 0) {
        fprintf(out, "bx %s\n", code);
        return;
    }
    fputc('b', out);
    for (int bit = bits - 1; bit >= 0; bit--)
        fputc('0' + (int)(change->value >> bit & 1), out);
    fprintf(out, " %s\n", code);
}

static void put_initial(const struct waves *waves, const struct clocks *clocks, FILE *out)
{
    char code[8];
    fputs("$dumpvars\n", out);
    for (size_t i = 0; i < waves->fifo_count; i++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            if (waves->fifos[i].has_passes || kind == LEVEL || kind == READY)
                put_value(waves, &(struct change){.fifo = (uint32_t)i, .kind = (enum kind)kind, .value = kind == READY},
                          out);
    for (size_t i = 0; i < clocks->count; i++) {
        code_of(clocks->code_base + i, code);
        fprintf(out, "%d%s\n", (clocks->next_half[i] & 1) != 0, code);
    }
    fputs("$end\n", out);
}

static void put_header(const struct waves *waves, const struct result *result, const struct clocks *clocks, FILE *out)
{
    char code[8];
    fprintf(out, "$comment board %s, trace digest %s, seed %llu $end\n$version rnicsim %s $end\n$timescale 1ps $end\n",
            rnicsim_board_name(result->sim), result->digest, (unsigned long long)result->seed, RNICSIM_VERSION);
    fputs("$scope module rnicsim $end\n", out);
    for (size_t i = 0; i < clocks->count; i++) {
        code_of(clocks->code_base + i, code);
        fprintf(out, "$var wire 1 %s %s $end\n", code, clocks->name[i]);
    }
    declare_fifos(waves, out);
    fputs("$upscope $end\n$enddefinitions $end\n", out);
}

int waves_vcd(const struct waves *waves, const struct result *result, FILE *out)
{
    struct changes changes = {0};
    struct clocks clocks = find_clocks(waves);
    int64_t from_ps = waves->window.stretch.from_ps, to_ps = waves->window.stretch.to_ps, now_ps = from_ps;
    /* what begins in the window is shown to its end */
    for (size_t i = 0; i < waves->fifo_count; i++) {
        if (waves->fifos[i].has_passes)
            add_passes(&changes, waves, i);
        add_levels(&changes, &waves->fifos[i], i);
    }
    qsort(changes.change, changes.count, sizeof *changes.change, by_time);
    put_header(waves, result, &clocks, out);
    fprintf(out, "#%" PRId64 "\n", from_ps);
    put_initial(waves, &clocks, out);
    for (size_t i = 0; i < changes.count; i++) {
        const struct change *change = &changes.change[i];
        if (change->at_ps > now_ps) {
            put_clocks(&clocks, change->at_ps, &now_ps, out);
            if (change->at_ps > now_ps)
                fprintf(out, "#%" PRId64 "\n", change->at_ps);
            now_ps = change->at_ps;
        }
        put_value(waves, change, out);
    }
    put_clocks(&clocks, to_ps, &now_ps, out);
    fprintf(out, "#%" PRId64 "\n", to_ps > now_ps ? to_ps : now_ps + 1);
    int failed = changes.failed || ferror(out);
    free(changes.change);
    return failed ? -1 : 0;
}
