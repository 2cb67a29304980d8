/* Conservative clocks: the simulation and a program go on only to where no other can still act before. So a run is the same
 * however fast the machine, or what else it does. */
#include "traces/verbs/hosts.h"

#include <stdlib.h>

#define EVENTS_AT_ONCE 64u
#define NUDGE_FIRST_PS INT64_C(1000000)         /* 1 us */
#define NUDGE_LAST_PS INT64_C(100000000000)     /* 0.1 s */
#define IDLE_MOST_PS INT64_C(100000000000000)   /* 100 s */

/* When a host is to be served; RNICSIM_NEVER: not before something happens. */
static int64_t due_at(const struct verbs_server *server, const struct verbs_host *host)
{
    int64_t at_ps = host->at_ps;
    switch (host->state) {
    case VERBS_ASKS:
    case VERBS_RETURNS:
        return at_ps;
    case VERBS_PARKS:
        return host->until_ps;
    case VERBS_READS:
        return verbs_stream_ready(server, host->stream, &at_ps) == 0 ? at_ps : RNICSIM_NEVER;
    default:
        return RNICSIM_NEVER;
    }
}

static int keep(struct verbs_host *host, const struct rnicsim_event *event)
{
    if (host->first + host->count == host->room) {
        size_t room = host->room == 0 ? 64 : 2 * host->room;
        struct verbs_completion *larger = realloc(host->completion, room * sizeof *larger);
        if (larger == NULL)
            return -1;
        host->completion = larger;
        host->room = room;
    }
    uint32_t grh_bytes = event->src_qpn != 0 ? 40 : 0;
    host->completion[host->first + host->count++] =
        (struct verbs_completion){.wr_id = event->wr_id,
                                  .qpn = event->qpn,
                                  .is_receive = event->kind == RNICSIM_RECV_DONE,
                                  .opcode = event->sent_opcode,
                                  .status = event->status,
                                  .length_bytes = event->length_bytes + grh_bytes,
                                  .immediate = event->immediate,
                                  .src_qpn = event->src_qpn};
    return 0;
}

static int is_atomic(const struct rnicsim_event *event)
{
    return event->sent_opcode == RNICSIM_CMP_SWAP || event->sent_opcode == RNICSIM_FETCH_ADD;
}

/* A host that waits for this sees it. */
static void wake(struct verbs_host *host, const struct rnicsim_event *event)
{
    uint32_t kind = ((const struct verbs_request *)host->message)->kind;
    int is_awaited = kind == VERBS_WAIT_MEMORY ? host->writes != host->seen : host->count > 0;
    if (host->state != VERBS_PARKS || !is_awaited)
        return;
    host->idle_ps = 0;
    host->state = VERBS_RETURNS;
    if (event->at_ps > host->at_ps)
        host->at_ps = event->at_ps;
}

static void deliver(struct verbs_server *server, const struct rnicsim_event *event)
{
    struct verbs_host *host = &server->host[event->host], *peer = &server->host[event->host ^ 1];
    int is_completion = event->kind == RNICSIM_SEND_DONE || event->kind == RNICSIM_RECV_DONE;
    if (is_completion && host->state != VERBS_ABSENT && keep(host, event) != 0)
        server->result = RNICSIM_EMODEL;
    host->writes += event->kind == RNICSIM_WRITE_VISIBLE || event->kind == RNICSIM_RECV_DONE ||
                    (event->kind == RNICSIM_SEND_DONE && event->sent_opcode == RNICSIM_READ);
    wake(host, event);
    if (event->kind != RNICSIM_SEND_DONE || !is_atomic(event))
        return;
    peer->writes++; /* the model tells the peer of no atomic: it sees one when its requester does */
    wake(peer, event);
}

static void collect(struct verbs_server *server)
{
    struct rnicsim_event events[EVENTS_AT_ONCE];
    size_t count;
    while ((count = rnicsim_poll(server->sim, events, EVENTS_AT_ONCE)) > 0)
        for (size_t i = 0; i < count; i++)
            deliver(server, &events[i]);
}

/* The host that is due first; of several the first. -1: none. */
static int next_host(const struct verbs_server *server, int64_t *at_ps)
{
    int next = -1;
    *at_ps = RNICSIM_NEVER;
    for (int i = 0; i < VERBS_HOSTS; i++) {
        int64_t due_ps = due_at(server, &server->host[i]);
        if (due_ps < *at_ps) {
            *at_ps = due_ps;
            next = i;
        }
    }
    return next;
}

int verbs_step(struct verbs_server *server)
{
    int64_t at_ps;
    int next = next_host(server, &at_ps);
    if (next < 0 && (rnicsim_next_at(server->sim) == RNICSIM_NEVER || rnicsim_is_stuck(server->sim)))
        return -1;
    if (next >= 0 && at_ps <= rnicsim_now(server->sim)) {
        verbs_serve(server, (uint32_t)next);
        return 0;
    }
    int result = rnicsim_advance(server->sim, at_ps, NULL, &server->error);
    if (result != RNICSIM_OK)
        server->result = result;
    collect(server);
    return 0;
}

int verbs_nudge(struct verbs_server *server)
{
    for (uint32_t i = 0; i < VERBS_HOSTS; i++) {
        struct verbs_host *host = &server->host[i];
        if (host->state == VERBS_READS) {
            verbs_release(server, i);
            return 0;
        }
        if (host->state != VERBS_PARKS)
            continue;
        int64_t step_ps = host->idle_ps / 4 > NUDGE_FIRST_PS ? host->idle_ps / 4 : NUDGE_FIRST_PS;
        host->idle_ps += step_ps < NUDGE_LAST_PS ? step_ps : NUDGE_LAST_PS;
        if (host->idle_ps > IDLE_MOST_PS)
            return -1;
        host->state = VERBS_RETURNS;
        host->at_ps += step_ps < NUDGE_LAST_PS ? step_ps : NUDGE_LAST_PS;
        return 0;
    }
    return 0;
}
