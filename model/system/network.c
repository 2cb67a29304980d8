#include "system/network.h"

#include "kernel/rnd.h"

#include <stdlib.h>

#define FS_PER_PS 1000
#define HEAD_BYTES 64u /* a switch looks at so much of a frame before it sends it on (as PG203's one beat) */
#define CONTROL_BYTES 60u

struct network_packet *network_packet(struct network *net, uint32_t packet)
{
    return (struct network_packet *)net->packets.slot + packet;
}

uint32_t network_new_packet(struct network *net, enum network_packet_kind kind, uint32_t flow, uint32_t bytes,
                            uint8_t class)
{
    uint32_t index = pool_take(&net->packets);
    model_assert(&net->sim, index != POOL_NONE, "out of memory");
    *network_packet(net, index) =
        (struct network_packet){.next = POOL_NONE, .flow = flow, .bytes = bytes, .kind = (uint8_t)kind, .class = class};
    return index;
}

/* What a frame takes of the line. */
int64_t network_slot_ps(const struct network *net, const struct network_link *link, uint32_t bytes, int with_gap)
{
    const struct mac_params *p = net->mac;
    int64_t body = bytes > p->frame_least ? bytes : p->frame_least;
    return (p->preamble + body + p->fcs + (with_gap ? p->gap : 0)) * link->octet_fs / FS_PER_PS;
}

/* ---- queues ---- */

static void append(struct network *net, uint32_t *first, uint32_t *last, uint32_t packet)
{
    network_packet(net, packet)->next = POOL_NONE;
    if (*first == POOL_NONE)
        *first = packet;
    else
        network_packet(net, *last)->next = packet;
    *last = packet;
}

static uint32_t take_first(struct network *net, uint32_t *first)
{
    uint32_t packet = *first;
    *first = network_packet(net, packet)->next;
    return packet;
}

void network_enqueue(struct network *net, uint32_t number, uint32_t packet, int64_t ready_ps)
{
    struct network_link *link = &net->link[number];
    struct network_packet *p = network_packet(net, packet);
    struct network_queue *queue = &link->queue[p->class];
    p->ready_ps = ready_ps;
    append(net, &queue->first, &queue->last, packet);
    queue->bytes += p->bytes;
    if (queue->bytes > queue->most_bytes)
        queue->most_bytes = queue->bytes;
    if (net->sim.now > net->params->duration / 2 && queue->bytes > queue->late_most_bytes)
        queue->late_most_bytes = queue->bytes;
    int64_t at = ready_ps > link->free_ps ? ready_ps : link->free_ps;
    sim_wake(&net->sim, link->decider, at > net->sim.now ? at : net->sim.now + 1);
}

/* Pause frames go the other way of the link that they are about. */
static void send_pause(struct network *net, struct network_link *about, int on)
{
    struct network_link *back = &net->link[about->back];
    uint32_t packet = network_new_packet(net, on ? NET_PAUSE : NET_RESUME, 0, CONTROL_BYTES, NET_CONTROL);
    back->pauses_sent += (uint64_t)on;
    network_enqueue(net, about->back, packet, net->sim.now + 1);
}

/* ---- a frame at a node ---- */

/* One of the equal ways to the host: the same for all of a flow. */
static uint32_t next_link(const struct network *net, const struct network_node *node, const struct network_flow *flow,
                          uint32_t number, uint32_t to)
{
    const uint32_t *choice = &net->choice[node->route[to]];
    uint64_t draw = rnd_u64(net->sim.seed, (uint64_t)(flow - net->flow), number, 0);
    return choice[1 + (choice[0] > 1 ? (uint32_t)(draw % choice[0]) : 0)];
}

static void mark(struct network *net, struct network_link *out, struct network_packet *p)
{
    const struct net_params *params = net->params;
    uint64_t draw = rnd_u64(net->sim.seed, UINT64_C(0xec0) << 32 | out->back, out->marks_drawn++, 0);
    if (!params->ecn || p->ce ||
        !buffer_marks(out->queue[p->class].bytes, params->kmin, params->kmax, params->pmax, draw))
        return;
    p->ce = 1;
    out->marked++;
}

/* Whether the switch has room; a port that takes too much is paused. */
static int admit(struct network *net, struct network_link *in, struct network_link *out, struct network_packet *p)
{
    struct buffer *buffer = &net->node[in->to].buffer;
    int pause = 0;
    enum buffer_place place = p->kind == NET_DATA && net->params->lossless
                                  ? buffer_admit_lossless(buffer, &in->port, p->bytes, &pause)
                                  : buffer_admit_lossy(buffer, out->queue[p->class].bytes, p->bytes);
    p->place = (uint8_t)place;
    if (pause)
        send_pause(net, in, 1); /* the pool may move */
    return place != BUFFER_NOWHERE;
}

static void switch_takes(struct network *net, struct network_link *in, uint32_t packet, int64_t now)
{
    struct network_packet *p = network_packet(net, packet);
    const struct network_flow *flow = &net->flow[p->flow];
    uint32_t to = p->kind == NET_DATA ? flow->to : flow->from;
    uint32_t number = next_link(net, &net->node[in->to], flow, in->to, to);
    struct network_link *out = &net->link[number];
    p->in_link = (uint32_t)(in - net->link);
    if (!admit(net, in, out, p)) {
        out->drops++;
        pool_give(&net->packets, packet);
        return;
    }
    p = network_packet(net, packet);
    mark(net, out, p);
    int64_t ready = now + net->params->latency;
    int64_t last = p->tail_ps + net->params->latency - network_slot_ps(net, out, p->bytes, 0);
    network_enqueue(net, number, packet, net->params->forward == NET_CUT && last > ready ? last : ready);
}

/* From at_ps on the port of the link's other direction is silent, or may go on. */
static void take_pause(struct network *net, struct network_link *in, uint32_t packet, int64_t now)
{
    struct network_link *told = &net->link[in->back];
    model_assert(&net->sim, told->pauses < NET_PAUSES_MAX, "more than %d pause frames on their way", NET_PAUSES_MAX);
    int64_t at_ps = now + net->params->response + 1;
    told->pause[told->pauses++] = (struct network_pause){at_ps, network_packet(net, packet)->kind == NET_PAUSE};
    pool_give(&net->packets, packet);
    sim_wake(&net->sim, told->decider, at_ps);
}

static void arrive(struct network *net, struct network_link *link, uint32_t packet, int64_t now)
{
    struct network_packet *p = network_packet(net, packet);
    net->hops++;
    if (p->kind == NET_PAUSE || p->kind == NET_RESUME)
        take_pause(net, link, packet, now);
    else if (link->to < net->hosts)
        network_host_take(net, link->to, packet, now);
    else
        switch_takes(net, link, packet, now);
}

/* ---- a port ---- */

/* Pauses stop data, at the end of a frame. */
static void obey(struct network_link *link, int64_t now)
{
    uint32_t done = 0;
    while (done < link->pauses && link->pause[done].at_ps <= now) {
        const struct network_pause *pause = &link->pause[done++];
        if (pause->on && link->paused_from_ps == SIM_NEVER) {
            link->paused_from_ps = pause->at_ps;
        } else if (!pause->on && link->paused_from_ps != SIM_NEVER) {
            link->paused_ps += pause->at_ps - link->paused_from_ps;
            link->paused_from_ps = SIM_NEVER;
        }
    }
    for (uint32_t i = done; i < link->pauses; i++)
        link->pause[i - done] = link->pause[i];
    link->pauses -= done;
}

/* When the class's first packet can go: SIM_NEVER: there is none, or it is paused. */
static int64_t class_ready(struct network *net, const struct network_link *link, int class)
{
    uint32_t first = link->queue[class].first;
    if (first == POOL_NONE || (class != NET_CONTROL && link->paused_from_ps != SIM_NEVER))
        return SIM_NEVER;
    return network_packet(net, first)->ready_ps;
}

/* Deficit round robin (Shreedhar, Varghese 1995): a queue whose turn comes gets its quantum, sends what that allows, and keeps what is left
 * while it has something to send. Some queue is ready. */
static int choose_drr(struct network *net, struct network_link *link, int64_t now)
{
    uint32_t classes = (uint32_t)net->params->classes;
    for (;;) {
        int class = 1 + (int)(link->turn % classes);
        struct network_queue *queue = &link->queue[class];
        if (class_ready(net, link, class) > now)
            queue->deficit = 0;
        else if (queue->deficit >= network_packet(net, queue->first)->bytes)
            return class;
        link->turn++;
        link->queue[1 + link->turn % classes].deficit += net->params->quantum;
    }
}

/* The class that sends now; -1: none, and *wake_at is lowered to when one may. */
static int choose(struct network *net, struct network_link *link, int64_t now, int64_t *wake_at)
{
    int ready = 0;
    for (int class = 0; class <= (int)net->params->classes; class ++) {
        int64_t at = class_ready(net, link, class);
        if (at <= now && (class == NET_CONTROL || net->params->scheduler == NET_STRICT))
            return class;
        ready |= at <= now;
        *wake_at = at > now && at < *wake_at ? at : *wake_at;
    }
    return ready ? choose_drr(net, link, now) : -1;
}

static void begin(struct network *net, struct network_link *link, uint32_t packet, int64_t now)
{
    struct network_packet *p = network_packet(net, packet);
    int64_t frame_ps = network_slot_ps(net, link, p->bytes, 0);
    int cuts = link->to >= net->hosts && net->params->forward == NET_CUT && p->kind <= NET_CNP && p->bytes > HEAD_BYTES;
    link->free_ps = now + network_slot_ps(net, link, p->bytes, 1);
    p->tail_ps = now + frame_ps + link->delay_ps;
    p->arrive_ps =
        cuts ? now + (net->mac->preamble + HEAD_BYTES) * link->octet_fs / FS_PER_PS + link->delay_ps : p->tail_ps;
    link->sent = *p;
    link->is_sending = 1;
    link->frames++;
    link->wire_bytes += (uint64_t)(link->free_ps - now) * FS_PER_PS / (uint64_t)link->octet_fs;
}

/* The frame before has left: its room in the switch is free, and it is under way to the far end. */
static void leave(struct network *net, struct network_link *link)
{
    const struct network_packet *p = &link->sent;
    link->is_sending = 0;
    if (link->from >= net->hosts && p->kind <= NET_CNP) {
        int resume, is_lossless = p->kind == NET_DATA && net->params->lossless;
        struct network_link *in = &net->link[p->in_link];
        buffer_leave(&net->node[link->from].buffer, is_lossless ? &in->port : 0, (enum buffer_place)p->place, p->bytes,
                     &resume);
        if (resume)
            send_pause(net, in, 0);
    }
}

/* Sends what can be sent now; returns when something may come next. */
static int64_t send(struct network *net, struct network_link *link, int64_t now)
{
    int64_t wake_at = SIM_NEVER;
    int class = choose(net, link, now, &wake_at);
    uint32_t packet = POOL_NONE;
    if (class >= 0) {
        struct network_queue *queue = &link->queue[class];
        packet = take_first(net, &queue->first);
        queue->bytes -= network_packet(net, packet)->bytes;
        queue->deficit -= class == NET_CONTROL ? 0 : network_packet(net, packet)->bytes;
    } else if (link->from < net->hosts && link->paused_from_ps == SIM_NEVER) {
        int64_t at = network_host_next(net, link->from, now, &packet);
        wake_at = at < wake_at ? at : wake_at;
    }
    if (packet == POOL_NONE)
        return wake_at;
    begin(net, link, packet, now);
    append(net, &link->under_way_first, &link->under_way_last, packet);
    return link->free_ps;
}

static int64_t decide(void *self, int64_t now)
{
    struct network_link *link = self;
    struct network *net = link->net;
    while (link->under_way_first != POOL_NONE && network_packet(net, link->under_way_first)->arrive_ps <= now)
        arrive(net, link, take_first(net, &link->under_way_first), now);
    obey(link, now);
    int64_t wake_at = link->free_ps;
    if (link->free_ps <= now) {
        if (link->is_sending)
            leave(net, link);
        wake_at = send(net, link, now);
    }
    if (link->under_way_first != POOL_NONE && network_packet(net, link->under_way_first)->arrive_ps < wake_at)
        wake_at = network_packet(net, link->under_way_first)->arrive_ps;
    if (link->pauses > 0 && link->pause[0].at_ps < wake_at)
        wake_at = link->pause[0].at_ps;
    return wake_at;
}

/* ---- the whole ---- */

int network_init(struct network *net, const struct config *config, uint64_t seed, jmp_buf *on_failure,
                 struct config_error *error)
{
    *net = (struct network){.params = config_room(config, "net"),
                            .mac = config_room(config, "mac"),
                            .transport = config_room(config, "transport")};
    config_error_set(error, "out of memory");
    if (sim_init(&net->sim, seed) || pool_init(&net->packets, sizeof(struct network_packet), 1024))
        return -1;
    net->sim.on_failure = on_failure;
    if (network_build(net, error) || network_traffic(net, error))
        return -1;
    config_error_set(error, "more links than a simulation holds: allowed are fewer hosts, leaves or spines");
    for (uint32_t i = 0; i < net->links; i++) {
        struct network_link *link = &net->link[i];
        link->decider = sim_add(&net->sim, decide, link, "link", 1);
        if (link->decider < 0)
            return -1;
        sim_wake(&net->sim, link->decider, 1);
    }
    return 0;
}

void network_free(struct network *net)
{
    for (uint32_t i = 0; i < net->nodes && net->node; i++)
        free(net->node[i].route);
    for (uint32_t i = 0; i < net->hosts && net->host; i++)
        heap_free(&net->host[i].flows);
    free(net->node);
    free(net->link);
    free(net->out);
    free(net->choice);
    free(net->host);
    free(net->flow);
    pool_free(&net->packets);
    sim_free(&net->sim);
}

void network_run(struct network *net)
{
    sim_run(&net->sim, net->params->duration);
    for (uint32_t i = 0; i < net->links; i++) /* who is paused to the end */
        if (net->link[i].paused_from_ps != SIM_NEVER)
            net->link[i].paused_ps += net->sim.now - net->link[i].paused_from_ps;
}
