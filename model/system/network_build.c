/* From the topology section to nodes, links and routes. */
#include "mac/headroom.h"
#include "system/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GBPS INT64_C(1000000000)
#define OVERHEAD_BYTES 24
#define LINE_CHARS 128

/* ---- nodes and links ---- */

static int room_for(struct network *net, uint32_t nodes, uint32_t links)
{
    net->nodes = nodes;
    net->node = calloc(nodes, sizeof *net->node);
    net->link = calloc(links, sizeof *net->link);
    net->out = calloc(links, sizeof *net->out);
    return net->node && net->link && net->out ? 0 : -1;
}

static void add_direction(struct network *net, uint32_t from, uint32_t to, uint32_t back, int64_t rate_bps)
{
    struct network_link *link = &net->link[net->links++];
    *link = (struct network_link){.net = net,
                                  .from = from,
                                  .to = to,
                                  .back = back,
                                  .rate_bps = rate_bps,
                                  .octet_fs = 8000 * 1000 * GBPS / rate_bps,
                                  .delay_ps = net->mac->serdes + net->mac->module +
                                              (net->mac->cable * net->mac->cable_delay + 999) / 1000 + 1,
                                  .paused_from_ps = SIM_NEVER,
                                  .under_way_first = POOL_NONE};
    for (int class = 0; class < NET_CLASSES; class ++)
        link->queue[class].first = POOL_NONE;
}

static void add_link(struct network *net, uint32_t a, uint32_t b, int64_t rate_bps)
{
    uint32_t first = net->links;
    add_direction(net, a, b, first + 1, rate_bps);
    add_direction(net, b, a, first, rate_bps);
}

static int64_t uplink_bps(const struct network *net)
{
    return net->params->uplink > 0 ? net->params->uplink : net->mac->rate;
}

static int build_pair(struct network *net, struct config_error *error)
{
    if (net->hosts != 2)
        return config_error_set(error, "net.hosts: %u hosts are no pair, allowed is 2", net->hosts);
    if (room_for(net, 2, 2))
        return -1;
    add_link(net, 0, 1, net->mac->rate);
    return 0;
}

static int check_ports(const struct network *net, uint32_t needed, const char *who, struct config_error *error)
{
    if (net->params->ports == 0 || net->params->ports >= needed)
        return 0;
    return config_error_set(error,
                            "net.ports: %lld ports, but %s needs %u: some stay unplugged, allowed are so many and more",
                            (long long)net->params->ports, who, needed);
}

static int build_switch(struct network *net, struct config_error *error)
{
    if (check_ports(net, net->hosts, "the switch", error))
        return -1;
    if (room_for(net, net->hosts + 1, 2 * net->hosts))
        return -1;
    for (uint32_t i = 0; i < net->hosts; i++)
        add_link(net, i, net->hosts, net->mac->rate);
    return 0;
}

static int build_leaf_spine(struct network *net, struct config_error *error)
{
    uint32_t leaves = (uint32_t)net->params->leaves, spines = (uint32_t)net->params->spines;
    if (net->hosts % leaves != 0)
        return config_error_set(error,
                                "net.hosts: %u hosts at %u leaves leave ports unplugged, allowed are multiples of %u",
                                net->hosts, leaves, leaves);
    if (check_ports(net, net->hosts / leaves + spines, "a leaf", error) || check_ports(net, leaves, "a spine", error))
        return -1;
    if (room_for(net, net->hosts + leaves + spines, 2 * (net->hosts + leaves * spines)))
        return -1;
    for (uint32_t i = 0; i < net->hosts; i++)
        add_link(net, i, net->hosts + i / (net->hosts / leaves), net->mac->rate);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        for (uint32_t spine = 0; spine < spines; spine++)
            add_link(net, net->hosts + leaf, net->hosts + leaves + spine, uplink_bps(net));
    return 0;
}

/* ---- the links of a file ---- */

struct listed {
    uint32_t a, b;
    int line;
};

/* "host3" or "switch0": a node; -1: neither. */
static int64_t node_of(const struct network *net, const char *word)
{
    unsigned number;
    char more;
    if (sscanf(word, "host%u%c", &number, &more) == 1 && number < net->hosts)
        return number;
    if (sscanf(word, "switch%u%c", &number, &more) == 1 && number < NET_HOSTS_MAX)
        return net->hosts + number;
    return -1;
}

static uint32_t root_of(const uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node];
    return node;
}

/* A link between two that are joined already closes a loop: frames have one way, or go round. */
static int join_all(struct network *net, const struct listed *list, uint32_t count, uint32_t *parent, uint32_t *plugs,
                    struct config_error *error)
{
    for (uint32_t i = 0; i < net->nodes; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = root_of(parent, list[i].a), b = root_of(parent, list[i].b);
        if (a == b)
            return config_error_set(error, "%s:%d: the link closes a loop, allowed are links that join what was apart",
                                    net->params->links, list[i].line);
        parent[a] = b;
        plugs[list[i].a]++;
        plugs[list[i].b]++;
        add_link(net, list[i].a, list[i].b,
                 list[i].a < net->hosts || list[i].b < net->hosts ? net->mac->rate : uplink_bps(net));
    }
    for (uint32_t i = 0; i < net->nodes; i++) {
        const char *kind = i < net->hosts ? "host" : "switch";
        uint32_t number = i < net->hosts ? i : i - net->hosts;
        if (plugs[i] == 0 || root_of(parent, i) != root_of(parent, 0))
            return config_error_set(error, "%s: %s%u is unplugged, or apart from host0: allowed is one network",
                                    net->params->links, kind, number);
        if (i < net->hosts && plugs[i] > 1)
            return config_error_set(error, "%s: host%u has %u links, allowed is one", net->params->links, i, plugs[i]);
    }
    return 0;
}

/* Reads the file into `list`; returns how many, -1: one line in `error`. */
static int read_links(struct network *net, FILE *file, struct listed *list, uint32_t most, struct config_error *error)
{
    char text[LINE_CHARS], a[32], b[32], more;
    uint32_t count = 0, switches = 0;
    for (int line = 1; fgets(text, sizeof text, file); line++) {
        if (text[strspn(text, " \t\r\n")] == 0 || text[0] == '#')
            continue;
        int64_t from = -1, to = -1;
        if (sscanf(text, "%31s %31s %c", a, b, &more) == 2) {
            from = node_of(net, a);
            to = node_of(net, b);
        }
        if (from < 0 || to < 0)
            return config_error_set(
                error, "%s:%d: no link, allowed is \"host0 switch0\" or \"switch0 switch1\", hosts up to %u",
                net->params->links, line, net->hosts - 1);
        if (count == most)
            return config_error_set(error, "%s:%d: more than %u links, allowed are so many", net->params->links, line,
                                    most);
        list[count++] = (struct listed){(uint32_t)from, (uint32_t)to, line};
        for (int i = 0; i < 2; i++) {
            uint32_t node = (uint32_t)(i ? to : from);
            if (node >= net->hosts && node - net->hosts + 1 > switches)
                switches = node - net->hosts + 1;
        }
    }
    net->nodes = net->hosts + switches;
    return (int)count;
}

static int build_links(struct network *net, struct config_error *error)
{
    uint32_t most = 2 * NET_HOSTS_MAX;
    struct listed *list = calloc(most, sizeof *list);
    uint32_t *parent = calloc(2 * (2 * (size_t)NET_HOSTS_MAX), sizeof *parent);
    FILE *file = fopen(net->params->links, "r");
    int count = -1, failed = -1;
    if (!file)
        config_error_set(error, "net.links: %.60s cannot be read, allowed is a file of links", net->params->links);
    else if (list && parent)
        count = read_links(net, file, list, most, error);
    if (count >= 0 && room_for(net, net->nodes, 2 * (uint32_t)count + 1) == 0)
        failed = join_all(net, list, (uint32_t)count, parent, parent + 2 * NET_HOSTS_MAX, error);
    if (file)
        fclose(file);
    free(list);
    free(parent);
    return failed;
}

/* ---- routes ---- */

static void list_outs(struct network *net)
{
    uint32_t at = 0;
    for (uint32_t node = 0; node < net->nodes; node++) {
        net->node[node].first_out = at;
        for (uint32_t i = 0; i < net->links; i++)
            if (net->link[i].from == node)
                net->out[at++] = i;
        net->node[node].outs = at - net->node[node].first_out;
    }
}

/* Steps from each node to a host, over switches. `todo` has room for all nodes. */
static void measure(const struct network *net, uint32_t host, uint32_t *steps, uint32_t *todo)
{
    uint32_t first = 0, next = 0;
    for (uint32_t i = 0; i < net->nodes; i++)
        steps[i] = UINT32_MAX;
    steps[host] = 0;
    todo[next++] = host;
    while (first < next) {
        const struct network_node *node = &net->node[todo[first]];
        uint32_t distance = steps[todo[first++]];
        for (uint32_t i = 0; i < node->outs; i++) {
            uint32_t to = net->link[net->out[node->first_out + i]].to;
            if (to >= net->hosts && steps[to] == UINT32_MAX) {
                steps[to] = distance + 1;
                todo[next++] = to;
            }
        }
    }
}

/* The links of a switch that lead nearer: of equal ways each. */
static int choose_links(struct network *net, uint32_t number, uint32_t host, const uint32_t *steps)
{
    struct network_node *node = &net->node[number];
    if (net->choices + node->outs + 1 > net->choice_room) {
        uint32_t room = 2 * net->choice_room + node->outs + 1024;
        uint32_t *more = realloc(net->choice, room * sizeof *more);
        if (!more)
            return -1;
        net->choice = more;
        net->choice_room = room;
    }
    uint32_t at = net->choices++;
    node->route[host] = at;
    net->choice[at] = 0;
    for (uint32_t i = 0; i < node->outs; i++) {
        uint32_t link = net->out[node->first_out + i];
        if (steps[net->link[link].to] + 1 == steps[number]) {
            net->choice[net->choices++] = link;
            net->choice[at]++;
        }
    }
    return 0;
}

static int find_routes(struct network *net)
{
    uint32_t *steps = calloc(2 * (size_t)net->nodes, sizeof *steps);
    int failed = steps ? 0 : -1;
    for (uint32_t node = net->hosts; node < net->nodes && !failed; node++)
        failed = (net->node[node].route = calloc(net->hosts, sizeof *net->node[node].route)) ? 0 : -1;
    for (uint32_t host = 0; host < net->hosts && !failed; host++) {
        measure(net, host, steps, steps + net->nodes);
        for (uint32_t node = net->hosts; node < net->nodes && !failed; node++)
            failed = choose_links(net, node, host, steps);
    }
    free(steps);
    return failed;
}

/* ---- buffers ---- */

static int64_t headroom_of(const struct network *net, const struct network_link *link)
{
    const struct headroom given = {.rate_bps = link->rate_bps,
                                   .cable_ps = link->delay_ps,
                                   .interface_ps = net->params->response,
                                   .own_bytes = (uint32_t)net->params->mtu,
                                   .frame_bytes = (uint32_t)net->params->mtu,
                                   .cell_bytes = 1,
                                   .frame_least = (uint32_t)net->mac->frame_least,
                                   .overhead = OVERHEAD_BYTES};
    return headroom_any_bytes(&given);
}

static int share_buffers(struct network *net, struct config_error *error)
{
    const struct net_params *p = net->params;
    for (uint32_t i = net->hosts; i < net->nodes; i++) {
        struct network_node *node = &net->node[i];
        int64_t each = p->headroom;
        for (uint32_t k = 0; k < node->outs && p->headroom == 0; k++) {
            int64_t needed = headroom_of(net, &net->link[net->out[node->first_out + k]]);
            each = needed > each ? needed : each;
        }
        int64_t all = p->lossless ? each * node->outs : 0;
        if (all >= p->buffer)
            return config_error_set(
                error,
                "net.buffer: %lld B are not more than the headroom of %u ports, %lld B each%s, allowed is "
                "more, or less headroom",
                (long long)p->buffer, node->outs, (long long)each, p->headroom > 0 ? " (net.headroom)" : "");
        node->buffer = (struct buffer){
            .shared_bytes = p->buffer - all, .alpha_ppb = p->alpha, .headroom_bytes = each, .xon_bytes = p->xon};
    }
    return 0;
}

int network_build(struct network *net, struct config_error *error)
{
    const struct net_params *p = net->params;
    net->hosts = (uint32_t)p->hosts;
    int failed = p->kind == NET_PAIR         ? build_pair(net, error)
                 : p->kind == NET_SWITCH     ? build_switch(net, error)
                 : p->kind == NET_LEAF_SPINE ? build_leaf_spine(net, error)
                                             : build_links(net, error);
    if (failed)
        return -1;
    if (p->kmax <= p->kmin)
        return config_error_set(error, "net.kmax: it is not above net.kmin, %lld B, allowed is more",
                                (long long)p->kmin);
    list_outs(net);
    return find_routes(net) || share_buffers(net, error) ? -1 : 0;
}
