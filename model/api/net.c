/* A network of ideal hosts and switches. */
#include "api/api_internal.h"

#include "system/blame.h"
#include "system/network.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define RECOVERED 0.9 /* of the goodput of the second half */
#define STRETCH (NET_BINS / 40)

struct rnicsim_net {
    struct network net;
    struct config *config;
    jmp_buf on_failure;
};

static int build(struct rnicsim_net *net, uint64_t seed, struct rnicsim_error *error)
{
    struct config_error wrong;
    if (setjmp(net->on_failure) != 0)
        return api_fail(error, RNICSIM_EMODEL, "%s", net->net.sim.failure);
    if (network_init(&net->net, net->config, seed, &net->on_failure, &wrong)) {
        system_blame(net->config, &wrong);
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    }
    return RNICSIM_OK;
}

int rnicsim_net_create(const struct rnicsim_net_options *options, struct rnicsim_net **out, struct rnicsim_error *error)
{
    struct config_error wrong;
    if (!options || !out || !options->board)
        return api_fail(error, RNICSIM_EINPUT, "no options, no board, or no place for the network");
    *out = 0;
    struct system_names names = {options->board, options->mac, 0};
    struct config *config = system_configure(options->data_dir, &names, options->set, options->set_count, &wrong);
    if (!config)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    struct rnicsim_net *net = calloc(1, sizeof *net);
    if (!net) {
        config_destroy(config);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    net->config = config;
    int result = build(net, options->seed, error);
    if (result != RNICSIM_OK)
        rnicsim_net_destroy(net);
    else
        *out = net;
    return result;
}

int rnicsim_net_run(struct rnicsim_net *net, struct rnicsim_error *error)
{
    if (!net)
        return api_fail(error, RNICSIM_EINPUT, "no network");
    if (setjmp(net->on_failure) != 0)
        return api_fail(error, RNICSIM_EMODEL, "%s", net->net.sim.failure);
    network_run(&net->net);
    return RNICSIM_OK;
}

void rnicsim_net_destroy(struct rnicsim_net *net)
{
    if (!net)
        return;
    network_free(&net->net);
    config_destroy(net->config);
    free(net);
}

/* ---- what came of it ---- */

static double gbps(double bytes, double ps)
{
    return ps > 0 ? bytes * 8e3 / ps : 0;
}

/* From the first of the stretches to the end in all of which the hosts get what they get later. */
static int64_t recovered_at(const struct network *net, double goodput_gbps)
{
    double stretch_ps = (double)net->params->duration / NET_BINS * STRETCH;
    int from = NET_BINS - STRETCH + 1;
    while (from > 0) {
        uint64_t bytes = 0;
        for (int i = 0; i < STRETCH; i++)
            bytes += net->bin_bytes[from - 1 + i];
        if (gbps((double)bytes, stretch_ps) < RECOVERED * goodput_gbps)
            break;
        from--;
    }
    return from > NET_BINS - STRETCH ? -1 : (int64_t)(from * stretch_ps / STRETCH);
}

static uint64_t memory_of(const struct network *net)
{
    uint64_t bytes = net->nodes * sizeof *net->node + net->links * (sizeof *net->link + sizeof *net->out) +
                     net->hosts * sizeof *net->host + net->flows * (sizeof *net->flow + 2 * sizeof(struct heap_entry)) +
                     net->choice_room * sizeof *net->choice;
    bytes += (uint64_t)(net->nodes - net->hosts) * net->hosts * sizeof *net->node->route;
    return bytes + (uint64_t)net->packets.room * (net->packets.slot_bytes + sizeof *net->packets.next_free);
}

void rnicsim_net_totals(const struct rnicsim_net *of, struct rnicsim_net_totals *out)
{
    const struct network *net = &of->net;
    double half_ps = (double)net->params->duration / 2, sum = 0, squares = 0;
    *out = (struct rnicsim_net_totals){.hosts = net->hosts,
                                       .switches = net->nodes - net->hosts,
                                       .links = net->links,
                                       .flows = net->flows,
                                       .decisions = net->sim.decisions,
                                       .hops = net->hops,
                                       .delivered_frames = net->delivered_frames,
                                       .duration_ps = net->params->duration,
                                       .least_gbps = -1,
                                       .bytes_of_memory = memory_of(net)};
    for (uint32_t i = 0; i < net->links; i++) {
        out->pauses += net->link[i].pauses_sent;
        out->drops += net->link[i].drops;
        out->marked += net->link[i].marked;
    }
    for (uint32_t i = 0; i < net->flows; i++) {
        out->delivered_bytes += net->flow[i].got_bytes;
        out->cnps += net->flow[i].cnps;
        double rate = gbps((double)net->flow[i].late_bytes, half_ps);
        out->flows_done += net->flow[i].done_ps != SIM_NEVER;
        sum += rate;
        squares += rate * rate;
        out->least_gbps = out->least_gbps < 0 || rate < out->least_gbps ? rate : out->least_gbps;
        out->most_gbps = rate > out->most_gbps ? rate : out->most_gbps;
    }
    out->goodput_gbps = sum;
    out->jain = squares > 0 ? sum * sum / ((double)net->flows * squares) : 1;
    out->recovered_ps = recovered_at(net, sum);
}

static void name_node(const struct network *net, uint32_t node, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s%u", node < net->hosts ? "host" : "switch", node < net->hosts ? node : node - net->hosts);
}

int rnicsim_net_port(const struct rnicsim_net *of, uint32_t index, struct rnicsim_net_port *out)
{
    if (!of || !out || index >= of->net.links)
        return RNICSIM_EINPUT;
    const struct network *net = &of->net;
    const struct network_link *link = &net->link[index];
    *out = (struct rnicsim_net_port){.frames = link->frames,
                                     .wire_bytes = link->wire_bytes,
                                     .marked = link->marked,
                                     .drops = link->drops,
                                     .pauses_sent = link->pauses_sent,
                                     .busy_share = (double)link->wire_bytes * (double)link->octet_fs / 1e3 /
                                                   (double)net->params->duration,
                                     .paused_share = (double)link->paused_ps / (double)net->params->duration,
                                     .headroom_most_bytes = (uint64_t)link->port.headroom_most_bytes};
    name_node(net, link->from, out->from, sizeof out->from);
    name_node(net, link->to, out->to, sizeof out->to);
    for (int class = 1; class < NET_CLASSES; class ++) {
        out->queue_most_bytes += (uint64_t)link->queue[class].most_bytes;
        out->queue_late_most_bytes += (uint64_t)link->queue[class].late_most_bytes;
    }
    return RNICSIM_OK;
}

int rnicsim_net_flow(const struct rnicsim_net *of, uint32_t index, struct rnicsim_net_flow *out)
{
    if (!of || !out || index >= of->net.flows)
        return RNICSIM_EINPUT;
    const struct network *net = &of->net;
    const struct network_flow *flow = &net->flow[index];
    int64_t rate = flow->dcqcn.rate_bps ? flow->dcqcn.rate_bps : net->mac->rate;
    *out = (struct rnicsim_net_flow){.from = flow->from,
                                     .to = flow->to,
                                     .sent_bytes = flow->sent_bytes,
                                     .delivered_bytes = flow->got_bytes,
                                     .cnps = flow->cnps,
                                     .late_gbps = gbps((double)flow->late_bytes, (double)net->params->duration / 2),
                                     .rate_gbps = (double)rate / 1e9,
                                     .done_ps = flow->done_ps == SIM_NEVER ? -1 : flow->done_ps};
    return RNICSIM_OK;
}
