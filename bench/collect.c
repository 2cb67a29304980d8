#include "bench/collect.h"

#include <stdlib.h>
#include <string.h>

int collect_init(struct collect *collect)
{
    memset(collect, 0, sizeof *collect);
    collect->completion = rnicsim_hist_create();
    collect->delivery = rnicsim_hist_create();
    collect->errors = calloc(COLLECT_ERRORS, sizeof *collect->errors);
    return collect->completion == NULL || collect->delivery == NULL || collect->errors == NULL ? -1 : 0;
}

/* Rows stand in the order of opcode and size, the rest last. */
static int is_before(const struct collect_row *row, const struct rnicsim_event *event)
{
    if (row->opcode != event->sent_opcode)
        return row->opcode < event->sent_opcode;
    return row->length_bytes < event->length_bytes;
}

static int has_kind(const struct collect_row *row, const struct rnicsim_event *event)
{
    return row->opcode == event->sent_opcode && row->length_bytes == event->length_bytes;
}

/* NULL without memory. */
static struct collect_row *add_row(struct collect *collect, const struct rnicsim_event *event, size_t at, int is_rest)
{
    struct collect_row *row = &collect->rows[at];
    memmove(row + 1, row, (collect->row_count - at) * sizeof *row);
    *row = (struct collect_row){event->sent_opcode, event->length_bytes, is_rest, rnicsim_hist_create(),
                                rnicsim_hist_create()};
    collect->row_count++;
    return row->completion == NULL || row->delivery == NULL ? NULL : row;
}

/* The row of the event's opcode and size; NULL without memory. */
static struct collect_row *find_row(struct collect *collect, const struct rnicsim_event *event)
{
    size_t kinds = collect->row_count < COLLECT_ROWS ? collect->row_count : COLLECT_ROWS, at = 0;
    while (at < kinds && is_before(&collect->rows[at], event))
        at++;
    if (at < kinds && has_kind(&collect->rows[at], event))
        return &collect->rows[at];
    if (kinds < COLLECT_ROWS)
        return add_row(collect, event, at, 0);
    if (collect->row_count == COLLECT_ROWS)
        return add_row(collect, event, COLLECT_ROWS, 1);
    return &collect->rows[COLLECT_ROWS];
}

/* A stamp that was not passed counts as passed together with the one before it, so that the stretches always sum to the
 * whole. */
static void add_stretches(struct collect *collect, const struct rnicsim_event *event)
{
    int64_t before_ps = event->stamp_ps[RNICSIM_AT_ARRIVAL];
    for (int i = 1; i < RNICSIM_STAMP_COUNT; i++) {
        int64_t at_ps = event->stamp_ps[i] == RNICSIM_NEVER ? before_ps : event->stamp_ps[i];
        collect->stretch_ps[i] += at_ps - before_ps;
        before_ps = at_ps;
    }
    collect->stretch_count++;
}

/* NULL without memory. */
static struct collect_qp *find_qp(struct collect *collect, const struct rnicsim_event *event)
{
    uint64_t key = trace_map_key(event->host, event->qpn);
    uint32_t index;
    if (trace_map_get(&collect->qp_index, key, &index))
        return &collect->qps[index];
    size_t count = collect->qp_index.count;
    if ((count & (count - 1)) == 0) { /* room doubles at powers of two */
        struct collect_qp *larger = realloc(collect->qps, (count == 0 ? 1 : 2 * count) * sizeof *larger);
        if (larger == NULL)
            return NULL;
        collect->qps = larger;
    }
    collect->qps[count] = (struct collect_qp){.host = event->host,
                                              .qpn = event->qpn,
                                              .first_arrival_ps = event->stamp_ps[RNICSIM_AT_ARRIVAL],
                                              .min_ps = INT64_MAX};
    return trace_map_put(&collect->qp_index, key, (uint32_t)count) == 0 ? &collect->qps[count] : NULL;
}

static int add_to_qp(struct collect *collect, const struct rnicsim_event *event, int64_t latency_ps)
{
    struct collect_qp *qp = find_qp(collect, event);
    if (qp == NULL)
        return -1;
    if (qp->requests++ > 0) {
        int64_t step_ps = latency_ps - qp->last_ps;
        collect->ipdv_ps += (uint64_t)(step_ps < 0 ? -step_ps : step_ps);
        collect->ipdv_count++;
    }
    qp->payload_bytes += event->length_bytes;
    qp->last_seen_ps = event->stamp_ps[RNICSIM_AT_SEEN];
    qp->last_ps = latency_ps;
    qp->sum_ps += latency_ps;
    qp->min_ps = latency_ps < qp->min_ps ? latency_ps : qp->min_ps;
    qp->max_ps = latency_ps > qp->max_ps ? latency_ps : qp->max_ps;
    return 0;
}

double collect_qp_gbps(const struct collect_qp *qp)
{
    int64_t took_ps = qp->last_seen_ps - qp->first_arrival_ps;
    return took_ps > 0 ? (double)qp->payload_bytes * 8000.0 / (double)took_ps : 0;
}

static int add_completion(struct collect *collect, const struct rnicsim_event *event)
{
    const struct collect_row *row = find_row(collect, event);
    int64_t latency_ps = event->stamp_ps[RNICSIM_AT_SEEN] - event->stamp_ps[RNICSIM_AT_ARRIVAL];
    if (row == NULL)
        return -1;
    add_stretches(collect, event);
    return rnicsim_hist_add(row->completion, latency_ps) | rnicsim_hist_add(collect->completion, latency_ps) |
           add_to_qp(collect, event, latency_ps);
}

static int add_delivery(struct collect *collect, const struct rnicsim_event *event)
{
    const struct collect_row *row = find_row(collect, event);
    int64_t latency_ps = event->delivered_at_ps - event->stamp_ps[RNICSIM_AT_ARRIVAL];
    collect->delivered_bytes[event->host & 1u] += event->length_bytes;
    if (row == NULL)
        return -1;
    return rnicsim_hist_add(row->delivery, latency_ps) | rnicsim_hist_add(collect->delivery, latency_ps);
}

static void add_error(struct collect *collect, const struct rnicsim_event *event)
{
    if (collect->error_count < COLLECT_ERRORS)
        collect->errors[collect->error_count] =
            (struct collect_error){event->at_ps, event->wr_id, event->host, event->qpn, event->status, event->opcode};
    collect->error_count++;
}

void collect_event(void *context, const struct rnicsim_event *event)
{
    struct collect *collect = context;
    int is_request = event->kind == RNICSIM_SEND_DONE || event->kind == RNICSIM_UNSIGNALLED;
    int is_failed = 0;
    collect->done += (uint64_t)is_request;
    if (is_request && collect->first_count < COLLECT_FIRST)
        collect->first[collect->first_count++] = *event;
    if (is_request && event->status == 0 && event->opcode >= RNICSIM_READ &&
        event->opcode <= RNICSIM_FETCH_ADD) /* its data came back with it */
        collect->delivered_bytes[event->host & 1u] += event->length_bytes;
    if (event->status != 0)
        add_error(collect, event);
    else if (event->kind == RNICSIM_SEND_DONE)
        is_failed = add_completion(collect, event);
    else if (!is_request)
        is_failed = add_delivery(collect, event);
    collect->failed |= is_failed != 0;
}

void collect_free(struct collect *collect)
{
    for (size_t i = 0; i < collect->row_count; i++) {
        rnicsim_hist_destroy(collect->rows[i].completion);
        rnicsim_hist_destroy(collect->rows[i].delivery);
    }
    rnicsim_hist_destroy(collect->completion);
    rnicsim_hist_destroy(collect->delivery);
    trace_map_free(&collect->qp_index);
    free(collect->qps);
    free(collect->errors);
}
