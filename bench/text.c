#include "bench/text.h"

#include <string.h>

#include "bench/fairness.h"
#include "bench/cli.h"
#include "bench/loads.h"

#define PS_PER_US 1e6
#define PS_PER_NS 1e3
#define BAR_COLUMNS 32
#define STUCK_SHOWN 300
#define FROM "from the post or due time"

const char *text_opcode(enum rnicsim_opcode opcode)
{
    static const char *const name[] = {"SEND", "SEND_IMM", "WRITE",    "WRITE_IMM",
                                       "RECV", "READ",     "CMP_SWAP", "FETCH_ADD"};
    return (unsigned)opcode < sizeof name / sizeof *name ? name[opcode] : "?";
}

const char *text_workload(const struct result *result, char *text, size_t text_bytes)
{
    int is_trace = strncmp(result->trace, "perftest: ", 10) != 0 && strncmp(result->trace, "gen: ", 5) != 0;
    const char *slash = strrchr(result->trace, '/');
    snprintf(text, text_bytes, "%s%s", is_trace ? "trace " : "",
             is_trace && slash != NULL && slash[1] != 0 ? slash + 1 : result->trace);
    return text;
}

static void print_head(const struct result *result, FILE *out)
{
    char count[32], workload[600];
    fprintf(out, "rnicsim %s   board %s   host %s   seed %llu   status %s\n%s, %s request%s\n", RNICSIM_VERSION,
            rnicsim_board_name(result->sim), rnicsim_host_name(result->sim), (unsigned long long)result->seed,
            result->status, text_workload(result, workload, sizeof workload), cli_count(result->counts.requests, count),
            result->counts.requests == 1 ? "" : "s");
    if (rnicsim_mac_name(result->sim)[0] != 0)
        fprintf(out, "mac: %s\n", rnicsim_mac_name(result->sim));
    if (result->changed[0] != 0)
        fprintf(out, "changed: %s\n", result->changed);
    if (result->faults != NULL)
        fprintf(out, "faults: %s\n", result->faults);
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
    for (size_t i = 0; i < result->drop_count; i++)
        fprintf(out, "%llu frames were dropped: %s.\n", (unsigned long long)result->drops[i].frames,
                result->drops[i].place);
    const struct rnicsim_totals *totals = &result->totals;
    if (totals->repeated != 0)
        fprintf(out,
                "%llu packets were sent again. QPs went back: %llu times after a NAK, %llu after an RNR NAK,\n"
                "%llu when an answer was missing, %llu when their timer ended.\n",
                (unsigned long long)totals->repeated, (unsigned long long)totals->retransmits_nak,
                (unsigned long long)totals->retransmits_rnr, (unsigned long long)totals->retransmits_implied,
                (unsigned long long)totals->retransmits_timeout);
    if (result->collect->error_count != 0)
        fprintf(out, "%llu requests ended in error.\n", (unsigned long long)result->collect->error_count);
    if (result->totals.reads_refused + result->totals.reads_timed_out != 0)
        fprintf(out, "PCIe: %llu reads were refused, %llu timed out; the tags of %llu are lost (quarantine).\n",
                (unsigned long long)result->totals.reads_refused, (unsigned long long)result->totals.reads_timed_out,
                (unsigned long long)result->totals.tags_quarantined);
    if (result->totals.seen_early != 0)
        fprintf(out, "%llu messages were seen before all of their payload (pcie.relaxed_ordering).\n",
                (unsigned long long)result->totals.seen_early);
}

/* In perftest's words; the report behind it is ours, of the last size. */
static void print_perftest(const struct result *result, FILE *out)
{
    const struct perftest_table *table = result->perftest;
    if (table == NULL)
        return;
    fprintf(out, "\nperftest 4.5 would print, as %s:\n", table->options.is_lat ? "the client" : "its report");
    perftest_table_print(table, out);
    if (table->count > 1)
        fprintf(out, "\nWhat follows is of the last size, %llu bytes.\n",
                (unsigned long long)perftest_size_bytes(&table->options, table->count - 1));
}

static void print_loads(const struct result *result, FILE *out)
{
    if (result->loads == NULL)
        return;
    fprintf(out, "\nLatency against load, usec: completion, from when a request was due\n");
    loads_print(result->loads, out);
    fprintf(out, "\nWhat follows is of the last load.\n");
}

/* Seven columns, whatever the size. */
static void print_us(double ps, FILE *out)
{
    double us = ps / PS_PER_US;
    fprintf(out, " %7.*f", us < 1e3 ? 3 : us < 1e4 ? 2 : us < 1e5 ? 1 : 0, us);
}

static void print_quantile_us(struct quantile quantile, FILE *out)
{
    if (quantile.known)
        print_us((double)quantile.ps, out);
    else
        fprintf(out, " %7s", "n/a");
}

static void print_latency_row(const struct collect_row *row, const struct rnicsim_hist *hist, FILE *out)
{
    struct latency latency = latency_of(hist);
    char size[24] = "-";
    if (latency.count == 0)
        return;
    if (!row->is_rest)
        snprintf(size, sizeof size, "%u", row->length_bytes);
    fprintf(out, "  %-9s %10s %11llu", row->is_rest ? "other" : text_opcode(row->opcode), size,
            (unsigned long long)latency.count);
    print_us((double)latency.min_ps, out);
    print_us((double)latency.max_ps, out);
    fputs("  ", out);
    print_quantile_us(latency.p50, out);
    print_us(latency.mean_ps, out);
    print_us(latency.stdev_ps, out);
    print_quantile_us(latency.p99, out);
    print_quantile_us(latency.p999, out);
    print_quantile_us(latency.p9999, out);
    fputc('\n', out);
}

static void print_latency_head(const char *sentence, FILE *out)
{
    fprintf(out, "\n%s\n  %-9s %10s %11s %7s %7s %9s %7s %7s %7s %7s %7s\n", sentence, "", "#bytes", "#iterations",
            "t_min", "t_max", "t_typical", "t_avg", "t_stdev", "99%", "99.9%", "99.99%");
}

static void print_latency(const struct result *result, FILE *out)
{
    const struct collect *collect = result->collect;
    if (result->completion.count > 0)
        print_latency_head("Completion, usec: " FROM " until a poll returns the CQE (signalled requests)", out);
    for (size_t i = 0; i < collect->row_count; i++)
        print_latency_row(&collect->rows[i], collect->rows[i].completion, out);
    if (result->delivery.count > 0)
        print_latency_head("Delivery, usec: " FROM " until the last byte is visible in the peer's memory", out);
    for (size_t i = 0; i < collect->row_count; i++)
        print_latency_row(&collect->rows[i], collect->rows[i].delivery, out);
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
    fprintf(out, "   max - min %.1f\n             stdev %.1f", (double)jitter->max_min_ps / PS_PER_NS,
            jitter->stdev_ps / PS_PER_NS);
    if (jitter->ipdv_known)
        fprintf(out, "   mean |IPDV| %.1f", jitter->ipdv_ps / PS_PER_NS);
    fputc('\n', out);
}

static void print_rates(const struct result *result, FILE *out)
{
    fprintf(out, "%sRates        goodput %.3f Gb/s", result->jitter.known ? "" : "\n", result->goodput_gbps);
    if (result->goodput_both_gbps > result->goodput_gbps)
        fprintf(out, " (both directions %.3f)", result->goodput_both_gbps);
    fprintf(out, "   wire %.3f Gb/s", result->wire_gbps);
    if (result->line_gbps > 0)
        fprintf(out, " (%.1f %% of the line)", result->wire_gbps / result->line_gbps * 100);
    fprintf(out, "\n             %.3f M messages/s\n", result->message_rate_mps);
    struct fairness fairness = fairness_of(result->collect);
    if (fairness.qps > 1)
        fprintf(out, "Fairness     Jain %.4f of %llu QPs, %.3f to %.3f Gb/s each\n", fairness.jain,
                (unsigned long long)fairness.qps, fairness.least_gbps, fairness.most_gbps);
}

static void print_one_bottleneck(const char *title, const struct bottleneck *bottleneck, FILE *out)
{
    int is_latency = strcmp(bottleneck->cause, "latency") == 0;
    if (bottleneck->stage[0] != 0)
        fprintf(out, "%-12s %s (%s, %.1f %% of the %s)\n", title, bottleneck->stage, bottleneck->cause,
                bottleneck->share * 100, is_latency ? "mean completion latency" : "time");
}

static void print_bottleneck(const struct result *result, FILE *out)
{
    const struct bottlenecks *found = &result->bottlenecks;
    fputc('\n', out);
    if (strcmp(found->first.cause, "latency") == 0)
        fprintf(out, "No stage is saturated (busiest: %s at %.1f %%): latency-bound.\n", found->busiest.stage,
                found->busiest.share * 100);
    print_one_bottleneck("Bottleneck", &found->first, out);
    print_one_bottleneck("  next", &found->next, out);
}

static void print_data(const struct result *result, FILE *out)
{
    char right[32], unknown[32];
    if (!result->checks_data)
        return;
    fprintf(out, "Payload      %s bytes are where and as they should be; of %s that is not known\n",
            cli_count(result->totals.data_right_bytes, right), cli_count(result->totals.data_unknown_bytes, unknown));
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
    print_perftest(result, out);
    print_loads(result, out);
    print_latency(result, out);
    print_waterfall(result, out);
    print_jitter(result, out);
    steady_print(&result->steady, out);
    print_rates(result, out);
    text_print_load(result, out);
    print_bottleneck(result, out);
    print_data(result, out);
    print_speed(result, out);
}
