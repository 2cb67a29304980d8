#include "bench/text.h"

#include <stdlib.h>

#include "bench/caches.h"
#include "bench/ports.h"
#include "bench/cli.h"

#define STAGES_SHOWN 12u
#define FIFOS_SHOWN 12u
#define PS_PER_US 1e6

/* Not idle: its share of the time that is not no_input. */
static double activity(const struct rnicsim_stage_info *stage)
{
    int64_t time_ps = bottleneck_stage_time(stage);
    return time_ps == 0 ? 0 : 1.0 - (double)stage->time_ps[RNICSIM_NO_INPUT] / (double)time_ps;
}

static int by_activity(const void *a, const void *b)
{
    const struct rnicsim_stage_info *left = *(const struct rnicsim_stage_info *const *)a;
    const struct rnicsim_stage_info *right = *(const struct rnicsim_stage_info *const *)b;
    double left_activity = activity(left), right_activity = activity(right);
    if (left_activity != right_activity)
        return left_activity > right_activity ? -1 : 1;
    return left < right ? -1 : 1; /* as the simulation has them */
}

static void print_stall_row(const struct rnicsim_stage_info *stage, const int *is_shown, FILE *out)
{
    char name[96];
    int64_t time_ps = bottleneck_stage_time(stage);
    bottleneck_stage_name(stage, name, sizeof name);
    fprintf(out, "  %-28.28s", name);
    for (unsigned cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++) {
        if (!is_shown[cause])
            continue;
        if (stage->time_ps[cause] == 0)
            fprintf(out, " %6s", "-");
        else
            fprintf(out, " %6.1f", (double)stage->time_ps[cause] / (double)time_ps * 100);
    }
    fputc('\n', out);
}

/* Only the causes that occur have a column. */
static void print_stall_head(const int *is_shown, FILE *out)
{
    static const char *const head[RNICSIM_CAUSE_COUNT] = {
        [RNICSIM_WORK] = "work",
        [RNICSIM_NO_INPUT] = "idle",
        [RNICSIM_DOWNSTREAM_FULL] = "full",
        [RNICSIM_BUBBLE] = "bubble",
        [RNICSIM_NO_TAG] = "tag",
        [RNICSIM_NO_CREDIT_CPLH] = "CPLH",
        [RNICSIM_NO_CREDIT_CPLD] = "CPLD",
        [RNICSIM_NO_BUFFER] = "buffer",
        [RNICSIM_WINDOW_FULL] = "window",
        [RNICSIM_NO_CREDIT_PH] = "PH",
        [RNICSIM_NO_CREDIT_PD] = "PD",
        [RNICSIM_NO_CREDIT_NPH] = "NPH",
        [RNICSIM_NO_REPLAY_BUFFER] = "rplbuf",
        [RNICSIM_REPLAY] = "replay",
        [RNICSIM_CONTEXT_BUSY] = "contxt",
        [RNICSIM_NO_WQE] = "wqe",
        [RNICSIM_NO_RECEIVE_WQE] = "rcvwqe",
        [RNICSIM_RATE_LIMIT] = "rate",
        [RNICSIM_NO_REQUEST] = "reqs",
        [RNICSIM_CONTEXT_MISS] = "miss",
        [RNICSIM_SRQ_BUSY] = "srq",
        [RNICSIM_NO_RETRANSMIT] = "retx",
        [RNICSIM_RETRY] = "retry",
    };
    fprintf(out, "  %-28s", "NIC path stage");
    for (unsigned cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++)
        if (is_shown[cause])
            fprintf(out, " %6s", head[cause]);
    fputc('\n', out);
}

static void print_stalls(const struct result *result, FILE *out)
{
    const struct rnicsim_stage_info **order = malloc((result->stage_count + 1) * sizeof *order);
    int is_shown[RNICSIM_CAUSE_COUNT] = {0};
    if (order == NULL)
        return;
    for (size_t i = 0; i < result->stage_count; i++)
        order[i] = &result->stages[i];
    qsort(order, result->stage_count, sizeof *order, by_activity);
    size_t shown = result->stage_count < STAGES_SHOWN ? result->stage_count : STAGES_SHOWN;
    while (shown > 0 && activity(order[shown - 1]) <= 0)
        shown--;
    for (size_t i = 0; i < shown; i++)
        for (unsigned cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++)
            is_shown[cause] |= order[i]->time_ps[cause] != 0;
    fprintf(out, "\nStages, %% of the time (a row sums to 100; the %zu least idle of %zu)\n", shown,
            result->stage_count);
    print_stall_head(is_shown, out);
    for (size_t i = 0; i < shown; i++)
        print_stall_row(order[i], is_shown, out);
    free(order);
}

static void print_fifos(const struct result *result, FILE *out)
{
    size_t shown = result->fifo_count < FIFOS_SHOWN ? result->fifo_count : FIFOS_SHOWN;
    while (shown > 0 && result->fifos[shown - 1].info.high_water == 0)
        shown--;
    fprintf(out, "\nFIFOs, fullest first (%zu of %zu)\n  %-32s %7s %-8s %10s %7s %8s %12s %6s\n", shown,
            result->fifo_count, "NIC path FIFO", "depth", "unit", "high water", "p99.9", "full us", "back-pr. us",
            "drops");
    for (size_t i = 0; i < shown; i++) {
        const struct rnicsim_fifo_info *fifo = &result->fifos[i].info;
        fprintf(out, "  %-32.32s %7llu %-8s %10llu %7llu %8.2f %12.2f %6llu\n", result->fifos[i].name,
                (unsigned long long)fifo->depth, fifo->unit, (unsigned long long)fifo->high_water,
                (unsigned long long)fifo->p999, (double)fifo->full_ps / PS_PER_US,
                (double)fifo->back_pressure_ps / PS_PER_US, (unsigned long long)fifo->drops);
    }
}

void text_print_load(const struct result *result, FILE *out)
{
    print_stalls(result, out);
    print_fifos(result, out);
    caches_print(result, out);
    ports_print(result, out);
}
