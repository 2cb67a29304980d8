#include <inttypes.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/size_report.h"
#include "bench/text.h"

#define PS_PER_US 1e6
#define PS_PER_NS 1e3
#define SIZE_LARGEST 5u

const char *size_less_name(enum size_less less)
{
    static const char *const name[] = {"fixed", "least allowed", "no change", "changed", "stuck", "drops"};
    return name[less];
}

double size_less_mean_ps(const struct size_search *search, const struct size_fifo *fifo)
{
    const struct latency *less = &fifo->less_outcome.completion;
    return less->count == 0 ? 0 : less->mean_ps - search->proposed.completion.mean_ps;
}

static void print_head(const struct size_report *report, FILE *out)
{
    const struct result *result = &report->search->configured.result;
    char count[32], workload[600];
    fprintf(out, "rnicsim %s   board %s   host %s   seed %llu   status %s\n%s, %s requests\n", RNICSIM_VERSION,
            rnicsim_board_name(result->sim), rnicsim_host_name(result->sim), (unsigned long long)result->seed,
            report->status, text_workload(result, workload, sizeof workload),
            cli_count(result->counts.requests, count));
    if (report->search->workload->other_count > 0)
        fprintf(out,
                "and %zu more runs, of other traces or seeds, with the same depths; rates below are of the first\n",
                report->search->workload->other_count);
    if (result->changed[0] != 0)
        fprintf(out, "changed: %s\n", result->changed);
}

static void print_run(const struct size_outcome *run, const char *name, const char *note, FILE *out)
{
    fprintf(out, "  %-14s %8" PRIu64 " %9" PRIu64 " %12.3f", name, run->drops, run->requests_done, run->goodput_gbps);
    if (run->completion.count > 0)
        fprintf(out, " %9.3f", run->completion.mean_ps / PS_PER_US);
    else
        fprintf(out, " %9s", "n/a");
    quantile_print_us(out, run->completion.p999, " %9.3f", "       n/a");
    fprintf(out, "%s%s\n", note[0] != 0 ? "  " : "", note);
}

static void print_runs(const struct size_search *search, FILE *out)
{
    const struct size_outcome *configured = &search->configured.outcome;
    fprintf(out, "\nRuns             dropped      done goodput Gb/s   mean us  99.9%% us\n");
    print_run(configured, "as configured",
              size_search_is_like_deep(search, configured) ? "to hosts as without limits" : "", out);
    print_run(&search->deep, "without limits", "", out);
    print_run(&search->proposed, "as proposed",
              search->is_verified ? "to hosts as without limits" : "NOT as without limits", out);
    for (size_t i = 0; i < search->count; i++)
        if (search->fifos[i].may_have_waited)
            fprintf(out,
                    "  %s: full to %" PRIu64 " of the %" PRIu64 " that were tried, so its least depth is not known\n",
                    search->fifos[i].name, search->fifos[i].high_water, search->fifos[i].deep);
}

static void print_fifo(const struct size_fifo *fifo, const struct size_memory *memory, FILE *out)
{
    char words[32] = "none", takes[32] = "";
    if (memory->words > 0) {
        snprintf(words, sizeof words, "%" PRIu64 " x %" PRIu64, memory->words, memory->bits);
        snprintf(takes, sizeof takes, "%" PRIu64 " %s", memory->count[memory->kind], memory_map_name(memory->kind));
    }
    fprintf(out, "  %-23.23s %-7s %7" PRIu64 " %6" PRIu64 " %6" PRIu64, fifo->name, fifo->info.unit, fifo->info.depth,
            fifo->high_water, fifo->depth);
    if (memory->words > 0)
        fprintf(out, " %6" PRIu64, memory->free_depth);
    else
        fprintf(out, " %6s", "-");
    fprintf(out, " %13s %12s%s\n", words, takes, fifo->info.fixed != NULL ? "  fixed" : "");
}

static void print_fifos(const struct size_report *report, FILE *out)
{
    const struct size_search *search = report->search;
    fprintf(out,
            "\nBuffers of one NIC. free: the depth that the same memory gives\n"
            "  %-23s %-7s %7s %6s %6s %6s %13s %12s\n",
            "path FIFO", "unit", "was", "high", "depth", "free", "memory words", "takes");
    for (size_t i = 0; i < search->count; i++)
        print_fifo(&search->fifos[i], &report->fit->memory[i], out);
}

static void print_less_outcome(const struct size_search *search, const struct size_fifo *fifo, FILE *out)
{
    const struct size_outcome *less = &fifo->less_outcome;
    switch (fifo->less) {
    case SIZE_LESS_DROPS:
        fprintf(out, "%" PRIu64 " frame%s dropped, %" PRIu64 " of %" PRIu64 " requests done\n", less->drops,
                less->drops == 1 ? "" : "s", less->requests_done, less->requests);
        break;
    case SIZE_LESS_STUCK:
        fprintf(out, "stuck: %" PRIu64 " of %" PRIu64 " requests done\n", less->requests_done, less->requests);
        break;
    case SIZE_LESS_CHANGED:
        fprintf(out, "other instants: mean completion %+.3f ns, goodput %+.3f Gb/s\n",
                size_less_mean_ps(search, fifo) / PS_PER_NS, less->goodput_gbps - search->proposed.goodput_gbps);
        break;
    default:
        fprintf(out, "no change\n");
        break;
    }
}

static void print_less(const struct size_search *search, FILE *out)
{
    fprintf(out, "\nOne less, each alone (a FIFO that is not listed is at the least that is allowed)\n");
    for (size_t i = 0; i < search->count; i++) {
        const struct size_fifo *fifo = &search->fifos[i];
        if (fifo->less == SIZE_LESS_FIXED || fifo->less == SIZE_LESS_LEAST)
            continue;
        fprintf(out, "  %-23.23s %6" PRIu64 "  ", fifo->name, fifo->depth - 1);
        print_less_outcome(search, fifo, out);
    }
    for (size_t i = 0; i < search->count; i++)
        if (search->fifos[i].info.fixed != NULL)
            fprintf(out, "  %-23.23s  fixed  %s\n", search->fifos[i].name, search->fifos[i].info.fixed);
}

/* With --full: each column is a vector of its own. */
static void print_relaxed(const struct size_search *search, FILE *out)
{
    if (!search->is_relaxed)
        return;
    fprintf(out, "\nLeast depths: each column passes together, and one less of any fails\n  %-23s %7s %10s %10s %10s\n",
            "path FIFO", "exact", "p99.9+1 %", "rate-0.1 %", "zero drop");
    for (size_t i = 0; i < search->count; i++) {
        const struct size_fifo *fifo = &search->fifos[i];
        if (fifo->info.fixed == NULL)
            fprintf(out, "  %-23.23s %7" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", fifo->name, fifo->exact,
                    fifo->relaxed[SIZE_TAIL], fifo->relaxed[SIZE_FULL_RATE], fifo->relaxed[SIZE_ZERO_DROP]);
    }
    fprintf(out, "  %-23s %7.3f %10.3f %10.3f %10.3f\n", "goodput Gb/s", search->proposed.goodput_gbps,
            search->relaxed[SIZE_TAIL].goodput_gbps, search->relaxed[SIZE_FULL_RATE].goodput_gbps,
            search->relaxed[SIZE_ZERO_DROP].goodput_gbps);
}

static void print_formula(const struct size_formula *formula, FILE *out)
{
    fprintf(out, "\nBuffers that this trace does not fill, by formula, at %.6g Gb/s\n",
            (double)formula->rate_bps / 1e9);
    for (int i = 0; i < SIZE_KEPT_CASES; i++) {
        uint64_t words = (formula->kept_bytes[i] + 63) / 64;
        fprintf(out, "  kept to send again, %-25s %10.1f KiB  %7" PRIu64 " RAMB36 or %6" PRIu64 " URAM\n",
                size_formula_case(i), (double)formula->kept_bytes[i] / 1024,
                memory_map_count(MEMORY_BRAM36, memory_map_depth(words), 512),
                memory_map_count(MEMORY_URAM, memory_map_depth(words), 512));
    }
    fprintf(out, "  PFC headroom of a class, %g m of cable %12.1f KiB\n", formula->cable_m,
            (double)formula->headroom_bytes / 1024);
}

static void print_largest(const struct size_report *report, FILE *out)
{
    for (int kind = MEMORY_BRAM36; kind < MEMORY_KINDS; kind++) {
        size_t largest[SIZE_LARGEST], count = size_largest(report, (enum memory_kind)kind, largest, SIZE_LARGEST);
        if (count == 0 || kind == MEMORY_MLAB)
            continue;
        fprintf(out, "  largest of %s:", memory_map_name((enum memory_kind)kind));
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%s %s %" PRIu64, i > 0 ? "," : "", report->search->fifos[largest[i]].name,
                    report->fit->memory[largest[i]].count[kind]);
        fputc('\n', out);
    }
}

static void print_fit(const struct size_report *report, FILE *out)
{
    const struct size_fit *fit = report->fit;
    const struct part *part = &fit->part;
    fprintf(out, "\nMemory of %s, %s (%s: %s)\n", part->name, part->device, part->class_name, part->source);
    for (int kind = MEMORY_LUTRAM; kind < MEMORY_KINDS; kind++) {
        uint64_t has = size_fit_has(fit, (enum memory_kind)kind);
        double percent = size_fit_percent(fit, (enum memory_kind)kind);
        if (has > 0)
            fprintf(out, "  %-7s %7" PRIu64 " of %6" PRIu64 " %6.1f %%%s\n", memory_map_name((enum memory_kind)kind),
                    fit->used[kind], has, percent,
                    percent > 100                 ? "  too many"
                    : percent > SIZE_WARN_PERCENT ? "  over 70 %: timing and placement become hard"
                                                  : "");
        else if (fit->used[kind] > 0)
            fprintf(out, "  %-7s %7" PRIu64 "\n", memory_map_name((enum memory_kind)kind), fit->used[kind]);
    }
    print_largest(report, out);
    fprintf(out, "%s\n", fit->fits ? "It fits." : "It does not fit.");
}

void size_text_print(const struct size_report *report, FILE *out)
{
    print_head(report, out);
    print_runs(report->search, out);
    print_fifos(report, out);
    print_less(report->search, out);
    print_relaxed(report->search, out);
    print_formula(&report->formula, out);
    print_fit(report, out);
}
