/* Ideal hosts: flows and their rates, what is made of marks. */
#include "system/network.h"
#include "transport/frame.h"

#include <stdlib.h>

#define BITS 8

static int adds_flow(struct network *net, uint32_t from, uint32_t to)
{
    struct network_flow *flow = &net->flow[net->flows];
    *flow = (struct network_flow){.from = from,
                                  .to = to,
                                  .class = (uint8_t)(1 + net->flows % (uint32_t)net->params->classes),
                                  .left_bytes = net->params->flow > 0 ? net->params->flow : INT64_MAX,
                                  .next_ps = 1 + net->params->start * net->flows,
                                  .cnp_at_ps = INT64_MIN / 2,
                                  .done_ps = SIM_NEVER};
    return heap_put(&net->host[from].flows, flow->next_ps, net->host[from].turns++, net->flows++);
}

static uint32_t flows_of(const struct network *net)
{
    return net->params->pattern == NET_ALL_TO_ALL    ? net->hosts * (net->hosts - 1)
           : net->params->pattern == NET_PERMUTATION ? net->hosts
                                                     : net->hosts - 1 + (net->params->victim != 0);
}

/* Of a permutation each sends half the hosts on: through the spines, where there are any. */
static int add_flows_of(struct network *net, uint32_t host)
{
    int failed = 0;
    switch (net->params->pattern) {
    case NET_INCAST:
        return host > 0 ? adds_flow(net, host, 0) : 0;
    case NET_PERMUTATION:
        return adds_flow(net, host, (host + net->hosts / 2) % net->hosts);
    default:
        for (uint32_t i = 1; i < net->hosts && !failed; i++)
            failed = adds_flow(net, host, (host + i) % net->hosts);
        return failed;
    }
}

int network_traffic(struct network *net, struct config_error *error)
{
    config_error_set(error, "out of memory");
    net->host = calloc(net->hosts, sizeof *net->host);
    net->flow = calloc(flows_of(net), sizeof *net->flow);
    if (!net->host || !net->flow)
        return -1;
    for (uint32_t i = 0; i < net->hosts; i++)
        if (heap_init(&net->host[i].flows, 4))
            return -1;
    for (uint32_t i = 0; i < net->hosts; i++)
        if (add_flows_of(net, i))
            return -1;
    return net->params->pattern == NET_INCAST && net->params->victim ? adds_flow(net, net->hosts - 1, 1) : 0;
}

/* ---- the sender ---- */

/* The time of so many bytes at the flow's rate: of the line, unless DCQCN has cut it. */
static int64_t spacing_ps(const struct network *net, const struct network_flow *flow, uint32_t bytes)
{
    int64_t slot = bytes + net->mac->fcs;
    return flow->dcqcn.rate_bps == 0 ? 0
                                     : (int64_t)((__int128)slot * BITS * INT64_C(1000000000000) / flow->dcqcn.rate_bps);
}

int64_t network_host_next(struct network *net, uint32_t number, int64_t now, uint32_t *packet)
{
    struct network_host *host = &net->host[number];
    const struct heap_entry *first = heap_first(&host->flows);
    *packet = POOL_NONE;
    if (!first)
        return SIM_NEVER;
    if (first->at > now)
        return first->at;
    uint32_t index = (uint32_t)heap_take(&host->flows).ref;
    struct network_flow *flow = &net->flow[index];
    if (flow->next_ps > now) { /* a CNP has put it off */
        heap_put(&host->flows, flow->next_ps, host->turns++, index);
        return network_host_next(net, number, now, packet);
    }
    uint32_t bytes = (uint32_t)(flow->left_bytes < net->params->mtu ? flow->left_bytes : net->params->mtu);
    *packet = network_new_packet(net, NET_DATA, index, bytes, flow->class);
    flow->sent_bytes += bytes;
    flow->left_bytes -= flow->left_bytes == INT64_MAX ? 0 : bytes;
    if (flow->dcqcn.rate_bps != 0) {
        dcqcn_pass(&flow->dcqcn, net->transport, net->mac->rate, now);
        dcqcn_sent(&flow->dcqcn, net->transport, net->mac->rate, bytes + 4);
    }
    flow->next_ps = now + spacing_ps(net, flow, bytes);
    if (flow->left_bytes > 0)
        heap_put(&host->flows, flow->next_ps, host->turns++, index);
    return now;
}

/* ---- the receiver ---- */

/* DCQCN's notification point: of marks one CNP in an interval. */
static void notify(struct network *net, uint32_t host, uint32_t index, int64_t now)
{
    struct network_flow *flow = &net->flow[index];
    if (net->transport->congestion == TRANSPORT_CONGESTION_NONE || now - flow->cnp_at_ps < net->transport->cnp_interval)
        return;
    flow->cnp_at_ps = now;
    flow->cnps++;
    uint32_t out = net->out[net->node[host].first_out];
    network_enqueue(net, out, network_new_packet(net, NET_CNP, index, FRAME_CNP_BYTES, NET_CONTROL), now + 1);
}

static void take_data(struct network *net, uint32_t host, const struct network_packet *packet, int64_t now)
{
    struct network_flow *flow = &net->flow[packet->flow];
    flow->got_bytes += packet->bytes;
    if (now > net->params->duration / 2)
        flow->late_bytes += packet->bytes;
    if (flow->left_bytes == 0 && flow->got_bytes == flow->sent_bytes)
        flow->done_ps = now;
    net->delivered_frames++;
    int64_t bin = (int64_t)((__int128)now * NET_BINS / net->params->duration);
    net->bin_bytes[bin < NET_BINS ? bin : NET_BINS - 1] += packet->bytes;
    if (packet->ce)
        notify(net, host, packet->flow, now);
}

void network_host_take(struct network *net, uint32_t host, uint32_t packet, int64_t now)
{
    struct network_packet p = *network_packet(net, packet);
    pool_give(&net->packets, packet);
    if (p.kind == NET_DATA) {
        take_data(net, host, &p, now);
        return;
    }
    struct network_flow *flow = &net->flow[p.flow];
    int64_t before_ps = flow->next_ps - spacing_ps(net, flow, (uint32_t)net->params->mtu);
    dcqcn_cnp(&flow->dcqcn, net->transport, net->mac->rate, now);
    int64_t next_ps = before_ps + spacing_ps(net, flow, (uint32_t)net->params->mtu);
    if (next_ps > flow->next_ps) /* an entry that comes too early is put off when it comes */
        flow->next_ps = next_ps;
}
