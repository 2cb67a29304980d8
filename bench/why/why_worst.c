/* The slowest requests of a run, and what their stages took beside all others'. */
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/why/why.h"

#define PPB_PER_PERCENT 1e7
#define NONE INT64_MIN

struct finding {
    struct simulate *simulate;
    struct why_worst *worst;
    int failed;
};

static int64_t latency_of_event(const struct rnicsim_event *event)
{
    return event->stamp_ps[RNICSIM_AT_SEEN] - event->stamp_ps[RNICSIM_AT_ARRIVAL];
}

/* A stamp that was not passed counts as passed together with the one before it, as in the waterfall. */
static void fill_rows(const struct rnicsim_event *event, int64_t *took_ps)
{
    int64_t before_ps = event->stamp_ps[RNICSIM_AT_ARRIVAL];
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        int64_t at_ps = event->stamp_ps[i + 1] == RNICSIM_NEVER ? before_ps : event->stamp_ps[i + 1];
        took_ps[i] = at_ps - before_ps;
        before_ps = at_ps;
    }
}

/* Sorted, the slowest first; of equals the first that came. */
static void keep(struct why_worst *worst, const struct rnicsim_event *event)
{
    int64_t latency_ps = latency_of_event(event);
    size_t at = worst->count;
    if (worst->count == worst->room && latency_ps <= worst->requests[worst->room - 1].latency_ps)
        return;
    while (at > 0 && worst->requests[at - 1].latency_ps < latency_ps)
        at--;
    size_t moved = worst->count - at - (worst->count == worst->room);
    memmove(&worst->requests[at + 1], &worst->requests[at], moved * sizeof *worst->requests);
    worst->requests[at] = (struct why_request){.event = *event, .latency_ps = latency_ps};
    worst->count += worst->count < worst->room;
}

static void take_event(void *context, const struct rnicsim_event *event)
{
    struct finding *finding = context;
    int64_t took_ps[WATERFALL_ROWS];
    if (event->kind != RNICSIM_SEND_DONE || event->status != 0)
        return;
    keep(finding->worst, event);
    fill_rows(event, took_ps);
    for (int i = 0; i < WATERFALL_ROWS; i++)
        finding->failed |= rnicsim_hist_add(finding->worst->rows[i], took_ps[i]) != 0;
    finding->worst->all++;
}

/* The rows beside all others', and the one that is the most late. */
static void compare(const struct why_worst *worst, struct why_request *request)
{
    int64_t took_ps[WATERFALL_ROWS], most_ps = NONE;
    fill_rows(&request->event, took_ps);
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        struct why_row *row = &request->rows[i];
        row->took_ps = took_ps[i];
        row->usual_ps = rnicsim_hist_percentile(worst->rows[i], QUANTILE_P50);
        row->least_ps = rnicsim_hist_min(worst->rows[i]);
        if (row->took_ps - row->usual_ps > most_ps) {
            most_ps = row->took_ps - row->usual_ps;
            request->late_row = i;
        }
    }
}

static int allocate(struct why_worst *worst, const struct why_options *options)
{
    *worst = (struct why_worst){.room = (size_t)options->worst};
    worst->requests = calloc(worst->room + 1, sizeof *worst->requests);
    int failed = worst->requests == NULL;
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        worst->rows[i] = rnicsim_hist_create();
        failed |= worst->rows[i] == NULL;
    }
    return failed ? cli_fail("out of memory for the slowest requests") : CLI_DONE;
}

int why_worst_find(struct why_worst *worst, const struct why_options *options, struct simulate *first)
{
    struct finding finding = {first, worst, 0};
    int result = allocate(worst, options);
    first->event = take_event;
    first->event_context = &finding;
    if (result == CLI_DONE)
        result = simulate_run(first);
    first->event = NULL;
    if (result == CLI_DONE && finding.failed)
        result = cli_fail("out of memory for the slowest requests");
    if (result != CLI_DONE)
        return result;
    worst->threshold = quantile_of(first->collect.completion, (int64_t)(options->percentile * PPB_PER_PERCENT));
    while (worst->count > 1 && worst->threshold.known &&
           worst->requests[worst->count - 1].latency_ps < worst->threshold.ps)
        worst->count--;
    for (size_t i = 0; i < worst->count; i++)
        compare(worst, &worst->requests[i]);
    return CLI_DONE;
}

void why_worst_free(struct why_worst *worst)
{
    for (int i = 0; i < WATERFALL_ROWS; i++)
        rnicsim_hist_destroy(worst->rows[i]);
    free(worst->requests);
    *worst = (struct why_worst){0};
}
