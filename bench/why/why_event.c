/* What happened while a request was late: the same run again, which keeps incidents of the hosts in those stretches of time, and sees who was
 * before it. */
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/why/why.h"

#define INCIDENTS_MAX 200000u
#define EXPLAINS 0.2 /* an incident as long as so much of the delay is its cause */
#define PS_PER_NS 1e3
#define PS_PER_US 1e6

/* When its late row began and ended. */
static struct rnicsim_stretch late_stretch(const struct why_request *request)
{
    int64_t from_ps = request->event.stamp_ps[RNICSIM_AT_ARRIVAL];
    for (int i = 0; i < request->late_row; i++)
        from_ps += request->rows[i].took_ps;
    return (struct rnicsim_stretch){from_ps, from_ps + request->rows[request->late_row].took_ps};
}

/* The one that an event left before the request did, and had not left when the request came: it was ahead there. */
static void count_ahead(struct why_request *request, const struct rnicsim_event *event)
{
    struct rnicsim_stretch late = late_stretch(request);
    int64_t left_ps = event->stamp_ps[request->late_row + 1];
    if (event->host != request->event.host || event->request == request->event.request || left_ps == RNICSIM_NEVER ||
        left_ps <= late.from_ps || left_ps > late.to_ps)
        return;
    request->ahead_requests++;
    request->ahead_bytes += event->length_bytes;
    if (event->length_bytes >= request->ahead_most_bytes) {
        request->ahead_most_bytes = event->length_bytes;
        request->ahead_qpn = event->qpn;
    }
}

static void take_event(void *context, const struct rnicsim_event *event)
{
    struct why_worst *worst = context;
    if (event->kind != RNICSIM_SEND_DONE && event->kind != RNICSIM_UNSIGNALLED)
        return;
    for (size_t i = 0; i < worst->count; i++)
        count_ahead(&worst->requests[i], event);
}

/* ---- what is told of it, the surest first ---- */

static int tell_retransmit(struct why_request *request, const struct rnicsim *sim)
{
    const struct rnicsim_event *event = &request->event;
    struct rnicsim_retransmit_info info;
    for (size_t i = 0; i < rnicsim_retransmit_count(sim); i++)
        if (rnicsim_retransmit(sim, i, &info) == RNICSIM_OK && info.qpn == event->qpn && info.host == event->host &&
            info.at_ps >= event->stamp_ps[RNICSIM_AT_POST] && info.at_ps <= event->stamp_ps[RNICSIM_AT_SEEN]) {
            snprintf(request->event_text, sizeof request->event_text,
                     "retransmission (%s) at %.3f us: QP %u goes back to PSN %u", info.cause,
                     (double)info.at_ps / PS_PER_US, info.qpn, info.psn);
            return 1;
        }
    return 0;
}

/* Whose PCIe a row waits for. */
static uint32_t host_of_row(const struct why_request *request)
{
    int is_peer = request->late_row >= RNICSIM_AT_RECEIVED && request->late_row < RNICSIM_AT_ACK_RECEIVED;
    return is_peer ? request->event.host ^ 1u : request->event.host;
}

static int tell_incident(struct why_request *request, const struct rnicsim_incident *incidents, size_t count)
{
    const struct why_row *row = &request->rows[request->late_row];
    struct rnicsim_stretch late = late_stretch(request);
    const struct rnicsim_incident *most = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct rnicsim_incident *incident = &incidents[i];
        int is_there = incident->host == host_of_row(request) && incident->at_ps < late.to_ps &&
                       incident->at_ps + incident->took_ps > late.from_ps;
        if (is_there && (most == NULL || incident->took_ps > most->took_ps))
            most = incident;
    }
    if (most == NULL || (double)most->took_ps < EXPLAINS * (double)(row->took_ps - row->usual_ps))
        return 0;
    snprintf(request->event_text, sizeof request->event_text, "%s at host %c, %.3f us: +%.1f ns", most->what,
             most->host ? 'b' : 'a', (double)most->at_ps / PS_PER_US, (double)most->took_ps / PS_PER_NS);
    return 1;
}

static int tell_ahead(struct why_request *request)
{
    int is_in_turn = request->late_row >= RNICSIM_AT_DOORBELL && request->late_row < RNICSIM_AT_RESPONDED;
    if (request->ahead_requests == 0 || !(is_in_turn || request->late_row == RNICSIM_AT_ARRIVAL))
        return 0;
    snprintf(request->event_text, sizeof request->event_text,
             "%s: behind %llu requests, %llu bytes (the largest: QP %u, %llu bytes)",
             request->late_row == RNICSIM_AT_ARRIVAL ? "the CPU or the queue was busy" : "arbitration lost",
             (unsigned long long)request->ahead_requests, (unsigned long long)request->ahead_bytes, request->ahead_qpn,
             (unsigned long long)request->ahead_most_bytes);
    return 1;
}

static void tell(struct why_request *request, const struct rnicsim *sim, const struct rnicsim_incident *incidents,
                 size_t count)
{
    const struct why_row *row = &request->rows[request->late_row];
    if (tell_retransmit(request, sim) || tell_incident(request, incidents, count) || tell_ahead(request))
        return;
    const char *what = row->took_ps <= row->usual_ps             ? "nothing: it took what is usual"
                       : request->late_row == RNICSIM_AT_CQE     ? "the program polled later, or its CPU was away"
                       : request->late_row == RNICSIM_AT_ARRIVAL ? "the program's CPU, or its queue, was busy"
                                                                 : "no single event: the stage itself took longer";
    snprintf(request->event_text, sizeof request->event_text, "%s", what);
}

static int watch(struct simulate *simulate, void *context, struct rnicsim_error *error)
{
    const struct why_worst *worst = context;
    struct rnicsim_stretch *stretches = calloc(worst->count, sizeof *stretches);
    if (stretches == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory for what is watched");
        return RNICSIM_EINPUT;
    }
    for (size_t i = 0; i < worst->count; i++)
        stretches[i] = late_stretch(&worst->requests[i]);
    int result = rnicsim_incidents_watch(simulate->sim, stretches, worst->count, INCIDENTS_MAX, error);
    free(stretches);
    return result;
}

int why_event_find(struct why_worst *worst, const struct why_options *options)
{
    struct model_options model = options->model;
    struct simulate again = {0};
    if (worst->count == 0)
        return CLI_DONE;
    int result = why_prepare(options, &model, &again);
    again.event = take_event;
    again.event_context = worst;
    again.watch = watch;
    again.watch_context = worst;
    if (result == CLI_DONE)
        result = simulate_run(&again);
    if (result == CLI_DONE) {
        size_t count = rnicsim_incidents(again.sim, NULL, 0);
        struct rnicsim_incident *incidents = calloc(count + 1, sizeof *incidents);
        if (incidents == NULL)
            result = cli_fail("out of memory for what happened");
        else
            rnicsim_incidents(again.sim, incidents, count);
        for (size_t i = 0; incidents != NULL && i < worst->count; i++)
            tell(&worst->requests[i], again.sim, incidents, count);
        free(incidents);
    }
    simulate_free(&again);
    return result;
}
