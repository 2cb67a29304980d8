#include "bench/text.h"

#include <string.h>

#include "bench/cli.h"

#define PS_PER_US 1e6
#define PS_PER_NS 1e3
#define BAR_COLUMNS 32
#define STUCK_SHOWN 300

const char *text_opcode(enum rnicsim_opcode opcode)
{
    static const char *const name[] = {"SEND", "SEND_IMM", "WRITE", "WRITE_IMM", "RECV"};
    return (unsigned)opcode < sizeof name / sizeof *name ? name[opcode] : "?";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

static void print_head(const struct result *result, FILE *out)
{
    char count[32];
    fprintf(out, "rnicsim %s  board %s  host %s  trace %s  seed %llu  %s requests  %s\n", RNICSIM_VERSION,
            rnicsim_board_name(result->sim), rnicsim_host_name(result->sim), base_name(result->trace),
            (unsigned long long)result->seed, cli_count(result->counts.requests, count), result->status);
    if (result->changed[0] != 0)
        fprintf(out, "changed: %s\n", result->changed);
    if (strcmp(result->status, "partial") == 0)
        fprintf(out, "PARTIAL: nothing moves, but %llu requests are unfinished and %llu were not posted.\n",
                (unsigned long long)result->totals.in_flight,
                (unsigned long long)(result->counts.requests - result->counts.posted_requests));
    if (result->stuck[0] != 0)
        fprintf(out, "  %.*s%s\n", STUCK_SHOWN, result->stuck, strlen(result->stuck) > STUCK_SHOWN ? "..." : "");
    if (result->first_waiting[0] != 0)
        fprintf(out, "  %s\n", result->first_waiting);
    if (result->counts.queue_full != 0)
        fprintf(out, "%llu doorbells found their queue full and waited (a verbs program would get ENOMEM).\n",
                (unsigned long long)result->counts.queue_full);
    if (result->totals.drops != 0 || result->collect->error_count != 0)
        fprintf(out, "%llu frames were dropped, %llu requests ended in error.\n",
                (unsigned long long)result->totals.drops, (unsigned long long)result->collect->error_count);
}

static void print_quantile_us(struct quantile quantile, int width, FILE *out)
{
    if (quantile.known)
        fprintf(out, " %*.3f", width, (double)quantile.ps / PS_PER_US);
    else
        fprintf(out, " %*s", width, "n/a");
}

static void print_latency_row(const struct collect_row *row, const char *kind, const struct rnicsim_hist *hist,
                              FILE *out)
{
    struct latency latency = latency_of(hist);
    char size[24];
    if (latency.count == 0)
        return;
    snprintf(size, sizeof size, "%u", row->length_bytes);
    fprintf(out, "%-9s %-10s %8s %10llu %8.3f %8.3f", row->is_rest ? "other" : text_opcode(row->opcode), kind,
            row->is_rest ? "-" : size, (unsigned long long)latency.count, (double)latency.min_ps / PS_PER_US,
            (double)latency.max_ps / PS_PER_US);
    print_quantile_us(latency.p50, 9, out);
    fprintf(out, " %8.3f %7.3f", latency.mean_ps / PS_PER_US, latency.stdev_ps / PS_PER_US);
    print_quantile_us(latency.p99, 8, out);
    print_quantile_us(latency.p999, 8, out);
    print_quantile_us(latency.p9999, 8, out);
    fputc('\n', out);
}

static void print_latency(const struct result *result, FILE *out)
{
    fprintf(out, "\nLatency, usec (completion: post until a poll returns the CQE; delivery: post until the last byte\n"
                 "is visible in the peer's memory)\n");
    fprintf(out, "%-9s %-10s %8s %10s %8s %8s %9s %8s %7s %8s %8s %8s\n", "", "", "#bytes", "#iterations", "t_min", "t_max",
            "t_typical", "t_avg", "t_stdev", "99%", "99.9%", "99.99%");
    for (size_t i = 0; i < result->collect->row_count; i++) {
        const struct collect_row *row = &result->collect->rows[i];
        print_latency_row(row, "completion", row->completion, out);
        print_latency_row(row, "delivery", row->delivery, out);
    }
}

static void print_waterfall(const struct result *result, FILE *out)
{
    const struct waterfall *waterfall = &result->waterfall;
    if (waterfall->count == 0)
        return;
    int largest = waterfall_largest(waterfall, -1);
    fprintf(out, "\nWhere the mean completion latency goes  %12s  %7s\n", "mean ns", "share");
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        const struct waterfall_row *row = &waterfall->rows[i];
        if (row->sum_ps == 0) {
            fprintf(out, "  %-36s  %12s\n", row->name, "-");
            continue;
        }
        int bar = largest < 0 ? 0 : (int)(row->share / waterfall->rows[largest].share * BAR_COLUMNS + 0.5);
        fprintf(out, "  %-36s  %12.3f  %5.1f %%  %.*s\n", row->name, row->mean_ns, row->share * 100, bar,
                "################################");
    }
    fprintf(out, "  %-36s  %12.3f  100.0 %%\n", "sum", waterfall->mean_ns);
}

static void print_ns(const char *name, struct quantile quantile, FILE *out)
{
    if (quantile.known)
        fprintf(out, "%s %.1f", name, (double)quantile.ps / PS_PER_NS);
    else
        fprintf(out, "%s n/a", name);
}

static void print_jitter(const struct result *result, FILE *out)
{
    const struct jitter *jitter = &result->jitter;
    if (!jitter->known)
        return;
    fprintf(out, "\nJitter, ns   ");
    print_ns("PDV (p99.9 - min)", jitter->pdv, out);
    print_ns("   p99 - p50", jitter->p99_p50, out);
    fprintf(out, "   max - min %.1f   stdev %.1f", (double)jitter->max_min_ps / PS_PER_NS, jitter->stdev_ps / PS_PER_NS);
    if (jitter->ipdv_known)
        fprintf(out, "   mean |IPDV| %.1f", jitter->ipdv_ps / PS_PER_NS);
    fputc('\n', out);
}

static void print_rates(const struct result *result, FILE *out)
{
    fprintf(out, "%sRates        goodput %.3f Gb/s   wire %.3f Gb/s", result->jitter.known ? "" : "\n",
            result->goodput_gbps, result->wire_gbps);
    if (result->line_gbps > 0)
        fprintf(out, " (%.1f %% of the line)", result->wire_gbps / result->line_gbps * 100);
    fprintf(out, "   %.3f M messages/s\n", result->message_rate_mps);
}

static void print_bottleneck(const struct result *result, FILE *out)
{
    const struct bottlenecks *found = &result->bottlenecks;
    if (found->first.stage[0] == 0)
        return;
    if (strcmp(found->first.cause, "latency") != 0) {
        fprintf(out, "\nBottleneck: %s (%s, %.1f %% of the time)", found->first.stage, found->first.cause,
                found->first.share * 100);
        if (found->next.stage[0] != 0)
            fprintf(out, "; next: %s (%s, %.1f %%)", found->next.stage, found->next.cause, found->next.share * 100);
    } else {
        fprintf(out, "\nBottleneck: no stage is saturated (busiest: %s at %.1f %%): latency-bound.\n", found->busiest.stage,
                found->busiest.share * 100);
        fprintf(out, "  Largest: %s (%.1f %% of the mean completion latency)", found->first.stage, found->first.share * 100);
        if (found->next.stage[0] != 0)
            fprintf(out, "; next: %s (%.1f %%)", found->next.stage, found->next.share * 100);
    }
    fputc('\n', out);
}

static void print_speed(const struct result *result, FILE *out)
{
    double wall_s = result->wall_s > 0 ? result->wall_s : 1e-9;
    char packets[32];
    fprintf(out, "Simulated %.3f us in %.2f s of wall time: %s data packets, %.0f a second.\n",
            (double)result->duration_ps / PS_PER_US, result->wall_s, cli_count(result->totals.data_packets, packets),
            (double)result->totals.data_packets / wall_s);
}

void text_print(const struct result *result, FILE *out)
{
    print_head(result, out);
    print_latency(result, out);
    print_waterfall(result, out);
    print_jitter(result, out);
    print_rates(result, out);
    text_print_load(result, out);
    print_bottleneck(result, out);
    print_speed(result, out);
}
