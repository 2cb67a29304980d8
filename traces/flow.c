#include "traces/flow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/psn.h"

void flow_complain(const struct flows *flows, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (flows->fault == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    flows->fault(flows->context, flows->packet, text);
}

/* GIDs, or where there are none LIDs in their place. */
static void take_addresses(struct flow *flow, const struct wire_packet *wire)
{
    memcpy(flow->source, wire->source_gid, sizeof flow->source);
    memcpy(flow->destination, wire->destination_gid, sizeof flow->destination);
    if (wire->network != WIRE_INFINIBAND)
        return;
    wire_put(flow->source + 14, wire->source_lid, 2);
    wire_put(flow->destination + 14, wire->destination_lid, 2);
}

static uint64_t digest(const struct flow *flow)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ flow->qpn; /* FNV-1a */
    for (size_t i = 0; i < sizeof flow->source; i++)
        hash = (hash ^ flow->source[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < sizeof flow->destination; i++)
        hash = (hash ^ flow->destination[i]) * UINT64_C(1099511628211);
    return hash;
}

static int is_same(const struct flow *a, const struct flow *b)
{
    return a->qpn == b->qpn && memcmp(a->source, b->source, sizeof a->source) == 0 &&
           memcmp(a->destination, b->destination, sizeof a->destination) == 0;
}

static struct flow *add(struct flows *flows, const struct flow *key, uint64_t hash)
{
    if (flows->count == flows->room) {
        size_t room = flows->room == 0 ? 16 : 2 * flows->room;
        struct flow **larger = realloc(flows->flow, room * sizeof *larger);
        if (larger == NULL)
            return NULL;
        flows->flow = larger;
        flows->room = room;
    }
    struct flow *flow = malloc(sizeof *flow);
    if (flow == NULL)
        return NULL;
    *flow = *key;
    flow->index = (uint32_t)flows->count;
    flow->peer = FLOW_NONE;
    flow->rtt = rnicsim_hist_create();
    if (flow->rtt == NULL || trace_map_put(&flows->index, hash, flow->index) != 0) {
        rnicsim_hist_destroy(flow->rtt);
        free(flow);
        return NULL;
    }
    flows->flow[flows->count++] = flow;
    return flow;
}

/* The flow of a packet; a new one is made. NULL without memory. */
static struct flow *find(struct flows *flows, const struct wire_packet *wire)
{
    struct flow key = {.qpn = wire->destination_qpn,
                       .source_port = wire->source_port,
                       .transport = wire->opcode & (uint8_t)~WIRE_OPERATION_MASK};
    uint32_t index;
    take_addresses(&key, wire);
    uint64_t hash = digest(&key);
    for (; trace_map_get(&flows->index, hash, &index); hash++) /* two of one digest stand one after the other */
        if (is_same(flows->flow[index], &key))
            return flows->flow[index];
    return add(flows, &key, hash);
}

/* Whether the answer can be one to requests of this flow; the better it fits, the more. */
static int fit(struct flow *requests, const struct flow *answers, const struct wire_packet *wire)
{
    if (requests->peer != FLOW_NONE || requests->packets == 0 || requests->transport != answers->transport ||
        memcmp(requests->source, answers->destination, sizeof requests->source) != 0 ||
        memcmp(requests->destination, answers->source, sizeof requests->source) != 0)
        return 0;
    struct flow_slot *slot = flow_find(requests, wire->psn);
    if (slot == NULL && (!flow_is_ack(wire->opcode) || wire->psn != requests->psn_next)) /* a NAK's may be next */
        return 0;
    return 1 + 2 * (requests->source_port == answers->source_port) + (psn_add(wire->psn, 1) == requests->psn_next);
}

/* The requests that this flow answers. NULL: none that fit. */
static struct flow *requests_of(struct flows *flows, struct flow *answers, const struct wire_packet *wire)
{
    struct flow *best = NULL;
    int most = 0;
    if (answers->peer != FLOW_NONE)
        return flows->flow[answers->peer];
    for (size_t i = 0; i < flows->count; i++) {
        int fits = fit(flows->flow[i], answers, wire);
        if (fits > most) {
            most = fits;
            best = flows->flow[i];
        }
    }
    if (best == NULL)
        return NULL;
    answers->peer = best->index;
    best->peer = answers->index;
    return best;
}

int flows_take(struct flows *flows, const struct capture_packet *packet)
{
    struct flow *flow = find(flows, &packet->wire);
    if (flow == NULL)
        return -1;
    flows->packet = packet;
    if (!flow_is_answer(packet->wire.opcode)) {
        flow_take_request(flows, flow, packet);
    } else {
        struct flow *requests = requests_of(flows, flow, &packet->wire);
        flow_take_answer(flows, flow, requests, packet);
    }
    return flows->has_failed ? -1 : 0;
}

int flows_end(struct flows *flows)
{
    for (size_t i = 0; i < flows->count; i++) {
        struct flow *flow = flows->flow[i];
        flow_drain(flows, flow, 1, psn_add(flow->psn_next, UINT32_MAX));
        flow->incomplete += (uint64_t)(flow->is_open != 0);
        if (flow->is_open &&
            (flow->open.opcode & WIRE_OPERATION_MASK) == WIRE_WRITE_FIRST) { /* its RETH has told all */
            if (flows->done(flows->context, &flow->open) != 0)
                return -1;
        }
        flow->is_open = 0;
    }
    return flows->has_failed ? -1 : 0;
}

void flows_free(struct flows *flows)
{
    for (size_t i = 0; i < flows->count; i++) {
        rnicsim_hist_destroy(flows->flow[i]->rtt);
        free(flows->flow[i]->slot);
        free(flows->flow[i]);
    }
    free(flows->flow);
    trace_map_free(&flows->index);
    *flows = (struct flows){0};
}
