#include "bench/report.h"

#include <stdlib.h>
#include <string.h>

#include "bench/text.h"

#define PS_PER_US 1e6
#define PS_PER_NS 1e3
#define STAGES_SHOWN 16u
#define FIFOS_SHOWN 20u
#define ROWS_SHOWN 24u

static void put_what(struct page *page, const struct result *result)
{
    char workload[512];
    page_heading(page, PAGE_WHAT);
    page_table(page, "|");
    const char *const rows[][2] = {{"board", rnicsim_board_name(result->sim)},
                                   {"host", rnicsim_host_name(result->sim)},
                                   {"workload", text_workload(result, workload, sizeof workload)},
                                   {"trace digest", result->digest},
                                   {"parameters changed", result->changed[0] != 0 ? result->changed : "none"},
                                   {"faults", result->faults != NULL ? result->faults : "none"},
                                   {"status", result->status}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        page_row(page);
        page_cell(page, "%s", rows[i][0]);
        page_cell(page, "%s", rows[i][1]);
    }
    page_row(page);
    page_cell(page, "seed");
    page_cell(page, "%llu", (unsigned long long)result->seed);
    page_row(page);
    page_cell(page, "simulated");
    page_cell(page, "%.3f us", (double)result->duration_ps / PS_PER_US);
    page_table_end(page);
}

/* ---- the verdict: what came of it, what binds, what the buffers say ---- */

static void say_outcome(struct page *page, const struct result *result)
{
    const struct latency *latency = &result->completion;
    char tail[64] = "";
    if (latency->p999.known)
        snprintf(tail, sizeof tail, ", %.3f us at p99.9", (double)latency->p999.ps / PS_PER_US);
    else if (latency->p99.known)
        snprintf(tail, sizeof tail, ", %.3f us at p99", (double)latency->p99.ps / PS_PER_US);
    page_say(page,
             "%llu of %llu requests completed%s: %.3f us in the mean%s, %.3f us at the most, with %.3f Gb/s of goodput "
             "and %.3f "
             "M messages/s.",
             (unsigned long long)result->requests_done, (unsigned long long)result->counts.requests,
             result->totals.errors > 0 ? ", some with errors" : "", latency->mean_ps / PS_PER_US, tail,
             (double)latency->max_ps / PS_PER_US, result->goodput_gbps, result->message_rate_mps);
}

static void say_bottleneck(struct page *page, const struct result *result)
{
    const struct bottleneck *first = &result->bottlenecks.first;
    if (first->stage[0] == 0)
        page_say(page, "No bottleneck can be named, as nothing completed.");
    else if (strcmp(first->cause, "latency") == 0)
        page_say(page, "No stage is saturated: latency counts, and %.1f %% of it is \"%s\".", first->share * 100,
                 first->stage);
    else
        page_say(page, "The bottleneck is %s (%s, %.1f %% of the time); next would be %s (%s, %.1f %%).", first->stage,
                 first->cause, first->share * 100,
                 result->bottlenecks.next.stage[0] != 0 ? result->bottlenecks.next.stage : "none",
                 result->bottlenecks.next.cause != NULL ? result->bottlenecks.next.cause : "",
                 result->bottlenecks.next.share * 100);
}

static void say_buffers(struct page *page, const struct result *result)
{
    const struct result_fifo *fullest = result->fifo_count > 0 ? &result->fifos[0] : NULL;
    char drops[96] = "nothing was dropped", again[96] = "nothing sent again";
    if (result->totals.drops > 0)
        snprintf(drops, sizeof drops, "%llu frames were dropped", (unsigned long long)result->totals.drops);
    if (result->totals.repeated > 0)
        snprintf(again, sizeof again, "%llu packets sent again", (unsigned long long)result->totals.repeated);
    if (fullest == NULL || fullest->info.high_water == 0)
        page_say(page, "All buffers stayed empty, %s, and %s.", drops, again);
    else
        page_say(page, "The fullest FIFO is %s with %llu of %llu %s at the most, %s, and %s.", fullest->name,
                 (unsigned long long)fullest->info.high_water, (unsigned long long)fullest->info.depth,
                 fullest->info.unit, drops, again);
}

/* ---- tables ---- */

static void cell_us(struct page *page, struct quantile quantile)
{
    if (quantile.known)
        page_cell(page, "%.3f", (double)quantile.ps / PS_PER_US);
    else
        page_cell(page, "n/a");
}

static void put_latency_row(struct page *page, const struct collect_row *row, const char *kind,
                            const struct rnicsim_hist *hist)
{
    struct latency latency = latency_of(hist);
    if (latency.count == 0)
        return;
    page_row(page);
    page_cell(page, "%s", kind);
    page_cell(page, "%s", row->is_rest ? "others" : text_opcode(row->opcode));
    page_cell(page, "%u", row->length_bytes);
    page_cell(page, "%llu", (unsigned long long)latency.count);
    page_cell(page, "%.3f", (double)latency.min_ps / PS_PER_US);
    cell_us(page, latency.p50);
    page_cell(page, "%.3f", latency.mean_ps / PS_PER_US);
    cell_us(page, latency.p99);
    cell_us(page, latency.p999);
    cell_us(page, latency.p9999);
    page_cell(page, "%.3f", (double)latency.max_ps / PS_PER_US);
}

static void put_latency(struct page *page, const struct result *result)
{
    page_heading(page, PAGE_LATENCY);
    page_table(page, "us|operation|bytes|n|min|p50|mean|p99|p99.9|p99.99|max");
    for (size_t i = 0; i < result->collect->row_count && i < ROWS_SHOWN; i++) {
        put_latency_row(page, &result->collect->rows[i], "completion", result->collect->rows[i].completion);
        put_latency_row(page, &result->collect->rows[i], "delivery", result->collect->rows[i].delivery);
    }
    page_table_end(page);
}

static void put_jitter(struct page *page, const struct result *result)
{
    const struct jitter *jitter = &result->jitter;
    page_heading(page, PAGE_JITTER);
    page_table(page,
               "PDV (p99.9 - min), ns|p99 - p50, ns|max - min, ns|stdev, ns|mean IPDV, ns|goodput, Gb/s|wire, Gb/s|M "
               "messages/s");
    page_row(page);
    if (jitter->pdv.known)
        page_cell(page, "%.1f", (double)jitter->pdv.ps / PS_PER_NS);
    else
        page_cell(page, "n/a");
    if (jitter->p99_p50.known)
        page_cell(page, "%.1f", (double)jitter->p99_p50.ps / PS_PER_NS);
    else
        page_cell(page, "n/a");
    page_cell(page, "%.1f", (double)jitter->max_min_ps / PS_PER_NS);
    page_cell(page, "%.1f", jitter->stdev_ps / PS_PER_NS);
    page_cell(page, "%.1f", jitter->ipdv_ps / PS_PER_NS);
    page_cell(page, "%.3f", result->goodput_gbps);
    page_cell(page, "%.3f", result->wire_gbps);
    page_cell(page, "%.3f", result->message_rate_mps);
    page_table_end(page);
}

static void put_waterfall(struct page *page, const struct result *result)
{
    page_heading(page, PAGE_WATERFALL);
    page_table(page, "stage|mean ns|share %");
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        const struct waterfall_row *row = &result->waterfall.rows[i];
        if (row->sum_ps == 0)
            continue;
        page_row(page);
        page_cell(page, "%s", row->name);
        page_cell(page, "%.3f", row->mean_ns);
        page_cell(page, "%.1f", row->share * 100);
    }
    page_row(page);
    page_cell(page, "sum");
    page_cell(page, "%.3f", result->waterfall.mean_ns);
    page_cell(page, "100.0");
    page_table_end(page);
}

static double idle_share(const struct rnicsim_stage_info *stage)
{
    int64_t time_ps = bottleneck_stage_time(stage);
    return time_ps > 0 ? (double)stage->time_ps[RNICSIM_NO_INPUT] / (double)time_ps : 1;
}

static int by_activity(const void *a, const void *b)
{
    const struct rnicsim_stage_info *left = *(const struct rnicsim_stage_info *const *)a;
    const struct rnicsim_stage_info *right = *(const struct rnicsim_stage_info *const *)b;
    double left_idle = idle_share(left), right_idle = idle_share(right);
    if (left_idle != right_idle)
        return left_idle < right_idle ? -1 : 1;
    return left < right ? -1 : 1;
}

/* "no_tag 95.8 %, downstream_full 1.2 %" */
static void cell_waits(struct page *page, const struct rnicsim_stage_info *stage)
{
    char text[512] = "";
    size_t used = 0;
    int64_t time_ps = bottleneck_stage_time(stage);
    for (unsigned cause = 0; cause < RNICSIM_CAUSE_COUNT && used < sizeof text; cause++)
        if (cause != RNICSIM_WORK && cause != RNICSIM_NO_INPUT && stage->time_ps[cause] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.1f %%", used > 0 ? ", " : "",
                                     rnicsim_cause_name((enum rnicsim_cause)cause),
                                     (double)stage->time_ps[cause] / (double)time_ps * 100);
    page_cell(page, "%s", text);
}

static void put_stages(struct page *page, const struct result *result)
{
    const struct rnicsim_stage_info **order = malloc((result->stage_count + 1) * sizeof *order);
    if (order == NULL)
        return;
    for (size_t i = 0; i < result->stage_count; i++)
        order[i] = &result->stages[i];
    qsort(order, result->stage_count, sizeof *order, by_activity);
    page_heading(page, PAGE_STAGES);
    page_table(page, "NIC path stage|items|work %|no input %|waits");
    for (size_t i = 0; i < result->stage_count && i < STAGES_SHOWN && idle_share(order[i]) < 1; i++) {
        char name[96];
        bottleneck_stage_name(order[i], name, sizeof name);
        page_row(page);
        page_cell(page, "%s", name);
        page_cell(page, "%llu", (unsigned long long)order[i]->items);
        page_cell(page, "%.1f",
                  (double)order[i]->time_ps[RNICSIM_WORK] / (double)bottleneck_stage_time(order[i]) * 100);
        page_cell(page, "%.1f", idle_share(order[i]) * 100);
        cell_waits(page, order[i]);
    }
    page_table_end(page);
    free(order);
}

static void put_fifos(struct page *page, const struct result *result)
{
    page_heading(page, PAGE_FIFOS);
    page_table(page, "NIC path FIFO|depth|unit|high water|p99.9|full us|back-pressure us|drops|holds");
    for (size_t i = 0; i < result->fifo_count && i < FIFOS_SHOWN && result->fifos[i].info.high_water > 0; i++) {
        const struct rnicsim_fifo_info *fifo = &result->fifos[i].info;
        page_row(page);
        page_cell(page, "%s", result->fifos[i].name);
        page_cell(page, "%llu", (unsigned long long)fifo->depth);
        page_cell(page, "%s", fifo->unit);
        page_cell(page, "%llu", (unsigned long long)fifo->high_water);
        page_cell(page, "%llu", (unsigned long long)fifo->p999);
        page_cell(page, "%.2f", (double)fifo->full_ps / PS_PER_US);
        page_cell(page, "%.2f", (double)fifo->back_pressure_ps / PS_PER_US);
        page_cell(page, "%llu", (unsigned long long)fifo->drops);
        page_cell(page, "%s", fifo->holds);
    }
    page_table_end(page);
}

static void put_losses(struct page *page, const struct result *result)
{
    const struct rnicsim_totals *totals = &result->totals;
    if (totals->drops == 0 && totals->repeated == 0 && result->stuck[0] == 0 && totals->errors == 0)
        return;
    page_heading(page, PAGE_LOSSES);
    page_table(page, "what|count");
    for (size_t i = 0; i < result->drop_count; i++) {
        page_row(page);
        page_cell(page, "dropped: %s", result->drops[i].place);
        page_cell(page, "%llu", (unsigned long long)result->drops[i].frames);
    }
    const struct {
        const char *what;
        uint64_t count;
    } rows[] = {{"went back: NAK", totals->retransmits_nak},
                {"went back: RNR NAK", totals->retransmits_rnr},
                {"went back: answer missing", totals->retransmits_implied},
                {"went back: timeout", totals->retransmits_timeout},
                {"packets sent again", totals->repeated},
                {"requests that ended in an error", totals->errors}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].count == 0)
            continue;
        page_row(page);
        page_cell(page, "%s", rows[i].what);
        page_cell(page, "%llu", (unsigned long long)rows[i].count);
    }
    page_table_end(page);
    if (result->stuck[0] != 0)
        page_say(page, "%s", result->stuck);
}

void report_write(const struct result *result, struct results *results, enum page_lang lang)
{
    char subtitle[400], workload[256];
    FILE *out = results_open(results, PAGE_NAME);
    if (out == NULL)
        return;
    struct page page = {out, lang};
    snprintf(subtitle, sizeof subtitle, "rnicsim %s, %s, %s", RNICSIM_VERSION, rnicsim_board_name(result->sim),
             text_workload(result, workload, sizeof workload));
    page_begin(&page, PAGE_REPORT, subtitle);
    put_what(&page, result);
    page_heading(&page, PAGE_VERDICT);
    say_outcome(&page, result);
    say_bottleneck(&page, result);
    say_buffers(&page, result);
    put_latency(&page, result);
    put_jitter(&page, result);
    put_waterfall(&page, result);
    put_stages(&page, result);
    put_fifos(&page, result);
    put_losses(&page, result);
    page_charts(&page, results);
    page_end(&page);
    results_close(results, out);
}
