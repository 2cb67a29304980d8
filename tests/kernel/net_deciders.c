#include "tests/kernel/net_built.h"

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static uint32_t bytes_of(const struct ref_net *net, int item)
{
    return (uint32_t)net->item[item].words * WORD_BYTES - (uint32_t)(item % WORD_BYTES);
}

static void log_serve(struct built *built, int node, int item, int64_t start_cyc, int64_t end_cyc)
{
    int i = built->log->count[node]++;
    if (i < REF_ITEMS_MAX)
        built->log->serve[node][i] = (struct ref_serve){item, start_cyc, end_cyc};
}

void net_on_push(void *context, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes, uint32_t ref)
{
    (void)bytes;
    struct watched *watched = context;
    int64_t latency = watched->built->net->node[watched->node].latency_cyc;
    if (head_cyc != start_cyc + latency)
        start_cyc = -1;
    log_serve(watched->built, watched->node, (int)ref, start_cyc, tail_cyc - latency);
}

int64_t net_source_decide(void *self, int64_t now)
{
    struct source *source = self;
    const struct ref_net *net = source->built->net;
    const struct ref_node *node = &net->node[source->node];
    for (; source->next < source->posted; source->next++) {
        int item = source->item[source->next];
        int64_t start = max2(net->item[item].arrive_cyc, source->free_cyc);
        if (node->window > 0 && source->next >= node->window) {
            if (source->next - node->window >= source->returned)
                return SIM_NEVER; /* the sink wakes me */
            start = max2(start, source->credit_cyc[source->next - node->window]);
        }
        int64_t space_at = fifo_space_at(source->out, bytes_of(net, item));
        if (space_at == SIM_NEVER) {
            source->out->writer_waits = 1;
            return SIM_NEVER;
        }
        start = max2(start, space_at);
        int64_t at = clk_edge(clk_of(net, source->node), start);
        if (at > now && !source->ahead)
            return at;
        int64_t head = start + node->latency_cyc;
        int64_t work = (ref_beats(node, net->item[item].words) - 1) * (int64_t)node->interval_cyc;
        source->free_cyc = start + work + node->interval_cyc;
        fifo_push(source->out, start, head, head + work, bytes_of(net, item), (uint32_t)item);
    }
    return SIM_NEVER;
}

void net_give_credit(struct built *built, struct source *source, int64_t seen_cyc)
{
    source->credit_cyc[source->returned++] = seen_cyc;
    sim_wake(built->sim, source->decider, clk_edge(clk_of(built->net, source->node), seen_cyc));
}

static void return_credit(struct sink *sink, int item, int64_t start_cyc)
{
    struct source *source = &sink->built->source[sink->built->net->item[item].source];
    const struct ref_net *net = sink->built->net;
    int one_clock = net->node[source->node].clk == net->node[sink->node].clk;
    int64_t seen = clk_cross(clk_of(net, sink->node), start_cyc + net->node[source->node].credit_cyc,
                             clk_of(net, source->node), one_clock ? 0 : 2);
    if (!sink->built->outside) {
        net_give_credit(sink->built, source, seen);
        return;
    }
    sink->built->credit[sink->built->credits].source = source;
    sink->built->credit[sink->built->credits++].seen_cyc = seen;
    sink->built->sim->stop = 1;
}

/* The cycle in which the sink, having started at start, reads the front item's last beat. */
static int64_t sink_end(const struct sink *sink, int64_t start_cyc, int32_t words)
{
    const struct ref_net *net = sink->built->net;
    const struct ref_node *node = &net->node[sink->node], *writer = &net->node[net->fifo[node->in[0]].writer];
    int32_t beats = ref_beats(node, words), of_writer = ref_beats(writer, words);
    int32_t width = (int32_t)width_bytes_of(node), writer_width = (int32_t)width_bytes_of(writer);
    int64_t at = start_cyc;
    const int64_t *visible = fifo_front_beats(sink->in);
    if (node->store || !visible) {
        at = start_cyc + (beats - 1) * (int64_t)node->interval_cyc;
        /* my beats of the writer's last one come one interval after the other */
        int32_t after = width < writer_width ? beats - 1 - (of_writer - 1) * (writer_width / width) : 0;
        return node->store ? at : max2(at, fifo_front(sink->in)->tail_cyc + after * (int64_t)node->interval_cyc);
    }
    for (int32_t i = 0; i < beats; i++) {
        int32_t needs = ((i + 1) * width + writer_width - 1) / writer_width;
        at = max2(i ? at + node->interval_cyc : at, visible[(needs < of_writer ? needs : of_writer) - 1]);
    }
    return at;
}

int64_t net_sink_decide(void *self, int64_t now)
{
    struct sink *sink = self;
    const struct ref_net *net = sink->built->net;
    while (!fifo_empty(sink->in)) {
        int item = (int)fifo_front(sink->in)->ref;
        int64_t start = max2(server_ready(&sink->server, sink->in), sink->server.free_cyc);
        int64_t at = clk_edge(sink->server.clk, start);
        if (at > now && !sink->ahead)
            return at;
        int64_t end = sink_end(sink, start, net->item[item].words);
        sink->server.free_cyc = end + sink->server.interval_cyc + net->item[item].rest_cyc;
        log_serve(sink->built, sink->node, item, start, end);
        struct fifo_slot slot = fifo_take(sink->in);
        return_credit(sink, item, start);
        fifo_release(sink->in, slot.bytes, start, end);
    }
    return SIM_NEVER;
}
