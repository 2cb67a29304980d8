#include "tests/kernel/net_built.h"

#include "kernel/rnd.h"

static int32_t words_max(const struct ref_net *net)
{
    int32_t most = 1;
    for (int i = 0; i < net->items; i++)
        most = net->item[i].words > most ? net->item[i].words : most;
    return most;
}

static void set_out(struct built *built, int writer, struct fifo *out)
{
    if (built->log->count[writer] < 0)
        return;
    built->watched[writer] = (struct watched){built, writer};
    fifo_watch(out, net_on_push, &built->watched[writer]);
}

/* The path that ends in FIFO f, which a decider reads: walks up to the decider that writes it. */
static int build_path(struct built *built, int f)
{
    const struct ref_net *net = built->net;
    struct path_stage stages[REF_NODES_MAX];
    int fifo_index[REF_NODES_MAX], node_index[REF_NODES_MAX], count = 0, which;
    for (int n = net->fifo[f].writer; net->node[n].kind == REF_STAGE; n = net->fifo[net->node[n].in[0]].writer)
        node_index[count++] = n;
    int writer = count ? net->fifo[net->node[node_index[count - 1]].in[0]].writer : net->fifo[f].writer;
    for (int i = 0; i < count; i++) {
        int n = node_index[count - 1 - i];
        const struct ref_fifo *in = &net->fifo[net->node[n].in[0]];
        fifo_index[i] = net->node[n].in[0];
        stages[i] = (struct path_stage){.name = "stage",
                                        .clk = clk_of(net, n),
                                        .interval_cyc = net->node[n].interval_cyc,
                                        .latency_cyc = net->node[n].latency_cyc,
                                        .width_bytes = width_bytes_of(&net->node[n]),
                                        .store = net->node[n].store,
                                        .threshold_beats = net->node[n].threshold_beats,
                                        .gap_cyc = net->node[n].gap_cyc,
                                        .pause_cyc = net->node[n].pause_cyc,
                                        .pause_beats = net->node[n].pause_beats,
                                        .flops = in->flops,
                                        .depth = (uint32_t)in->depth,
                                        .in_beats = in->in_beats};
    }
    const struct ref_fifo *last = &net->fifo[f];
    struct fifo_shape end = {.name = "end",
                             .read_clk = clk_of(net, last->reader),
                             .flops = last->flops,
                             .return_cyc = last->return_cyc,
                             .depth = (uint32_t)last->depth,
                             .in_beats = last->in_beats,
                             .read_bytes = width_bytes_of(&net->node[last->reader])};
    struct path *path = &built->path[built->paths];
    built->path_writer[built->paths++] = writer;
    if (path_init(path, built->sim, "path", clk_of(net, writer), width_bytes_of(&net->node[writer]), stages, count,
                  &end, (uint32_t)words_max(net) * WORD_BYTES, &which))
        return -1;
    for (int i = 0; i < count; i++) {
        built->fifo[fifo_index[i]] = &path->stage[i].in;
        built->server[node_index[count - 1 - i]] = &path->stage[i].server;
        set_out(built, node_index[count - 1 - i], path->stage[i].out);
    }
    built->fifo[f] = &path->end;
    set_out(built, writer, path_entry(path));
    return 0;
}

static int same_pace(const struct ref_net *net, const struct ref_node *a, const struct ref_node *b)
{
    const struct clk *x = &net->clk[a->clk], *y = &net->clk[b->clk];
    __int128 apart = (__int128)a->interval_cyc * x->num * y->den - (__int128)b->interval_cyc * y->num * x->den;
    __int128 ps = (__int128)x->den * y->den;
    return a->clk != b->clk && apart < 2 * ps && apart > -2 * ps;
}

/* Whether some decider with an interval other than 1, which path_init() cannot know of, has the pace of another clock's node. */
static int odd_decider(const struct ref_net *net)
{
    for (int a = 0; a < net->nodes; a++)
        for (int b = 0; b < net->nodes && net->node[a].kind != REF_STAGE; b++)
            if (same_pace(net, &net->node[a], &net->node[b]) &&
                (net->node[a].interval_cyc > 1 || net->node[a].kind == REF_ARBITER))
                return 1;
    for (int a = 0; a < net->nodes; a++) /* nor can it know of one that reads or writes another width slowly */
        for (int b = 0; b < net->nodes && net->node[a].kind != REF_STAGE && net->node[a].interval_cyc > 1; b++)
            if (net->node[b].width_words != net->node[a].width_words)
                return 1;
    return 0;
}

/* Next to cut-through arbiters beats are kept where more than one thing in the netlist may need them; before deciders that
 * start at a threshold always; and everywhere in the odd case. */
static int keep_beats_at_arbiters(struct built *built)
{
    const struct ref_net *net = built->net;
    int needs = 0, odd = odd_decider(net), which;
    for (int f = 0; f < net->fifos; f++)
        needs += net->fifo[f].flops > 0;
    for (int n = 0; n < net->nodes; n++)
        needs += net->node[n].threshold_beats > 1 || net->node[n].width_words > 1 ? 2 : 0;
    for (int p = 0, f = 0; p < built->paths; p++) {
        for (f = 0; built->fifo[f] != &built->path[p].end; f++)
            continue;
        const struct ref_node *reader = &net->node[net->fifo[f].reader], *writer = &net->node[built->path_writer[p]];
        int cuts = (reader->kind == REF_ARBITER && !reader->store) || (writer->kind == REF_ARBITER && !writer->store);
        if ((cuts && needs > 1) || reader->threshold_beats > 1 || odd)
            if (path_keep_beats(&built->path[p], (uint32_t)words_max(net) * WORD_BYTES, &which))
                return -1;
    }
    return 0;
}

static int build_server(struct built *built, int n, struct server *server)
{
    const struct ref_node *node = &built->net->node[n];
    int error = server_init(server, clk_of(built->net, n), node->interval_cyc, node->latency_cyc, width_bytes_of(node),
                            node->store);
    server->threshold_beats = node->threshold_beats;
    built->server[n] = server;
    return error;
}

/* The least time from a decision to an input of arbiter n: the writer's latency and its path's. */
static int64_t lookahead_ps(const struct built *built, const struct ref_node *node)
{
    int64_t least = SIM_NEVER;
    for (int p = 0; p < built->paths; p++)
        for (int i = 0; i < node->inputs; i++)
            if (built->fifo[node->in[i]] == &built->path[p].end) {
                const struct ref_node *writer = &built->net->node[built->path_writer[p]];
                int64_t ps = writer->latency_cyc * built->net->clk[writer->clk].whole + path_least_ps(&built->path[p]);
                least = ps < least ? ps : least;
            }
    return least;
}

static int build_arbiter(struct built *built, int n)
{
    const struct ref_node *node = &built->net->node[n];
    struct fifo *in[REF_INPUTS_MAX], *out = NULL;
    struct server server;
    for (int i = 0; i < node->inputs; i++)
        in[i] = built->fifo[node->in[i]];
    for (int p = 0; p < built->paths; p++)
        if (built->path_writer[p] == n)
            out = path_entry(&built->path[p]);
    if (!out || build_server(built, n, &server) ||
        arb_init(&built->arb[n], built->sim, "arbiter", &server, in, node->inputs, node->strict, out,
                 lookahead_ps(built, node), NULL, NULL))
        return -1;
    built->server[n] = &built->arb[n].server;
    return 0;
}

static int build_source(struct built *built, int n, uint64_t ahead_seed)
{
    struct source *source = &built->source[n];
    *source = (struct source){.built = built, .node = n};
    for (int p = 0; p < built->paths; p++)
        if (built->path_writer[p] == n)
            source->out = path_entry(&built->path[p]);
    for (int i = 0; i < built->net->items; i++)
        if (built->net->item[i].source == n)
            source->item[source->items++] = i;
    source->ahead = ahead_seed != 0 && rnd_u64(ahead_seed, (uint64_t)n, 0, 0) % 2;
    source->decider = sim_add(built->sim, net_source_decide, source, "source", 1);
    if (source->decider < 0 || !source->out)
        return -1;
    source->out->write_decider = source->decider;
    source->posted = built->outside ? 0 : source->items;
    if (source->posted > 0) {
        int64_t at = clk_edge(clk_of(built->net, n), built->net->item[source->item[0]].arrive_cyc);
        sim_wake(built->sim, source->decider, source->ahead || at < 1 ? 1 : at);
    }
    return 0;
}

static int build_sink(struct built *built, int n, uint64_t ahead_seed)
{
    struct sink *sink = &built->sink[n];
    *sink = (struct sink){.built = built, .node = n, .in = built->fifo[built->net->node[n].in[0]]};
    sink->ahead = ahead_seed != 0 && rnd_u64(ahead_seed, (uint64_t)n, 1, 0) % 2;
    sink->decider = sim_add(built->sim, net_sink_decide, sink, "sink", 1);
    sink->in->read_decider = sink->decider;
    sink->in->reader_wants_tail = built->net->node[n].store;
    return sink->decider < 0 ? -1 : build_server(built, n, &sink->server);
}

static int decider_of(const struct built *built, int n)
{
    enum ref_kind kind = built->net->node[n].kind;
    return kind == REF_SOURCE ? built->source[n].decider
           : kind == REF_SINK ? built->sink[n].decider
                              : built->arb[n].decider;
}

/* Every path carries items forward and space back; every sink gives credits to the sources. */
static int declare_reach(struct built *built)
{
    const struct ref_net *net = built->net;
    for (int f = 0; f < net->fifos; f++)
        for (int p = 0; p < built->paths; p++) {
            if (built->fifo[f] != &built->path[p].end)
                continue;
            int writer = built->path_writer[p], reader = net->fifo[f].reader;
            int from = decider_of(built, writer), to = decider_of(built, reader);
            int64_t least_ps =
                net->node[writer].latency_cyc * clk_of(net, writer)->whole + path_least_ps(&built->path[p]);
            int64_t back_ps = net->fifo[f].return_cyc * clk_of(net, reader)->whole;
            if (sim_reach(built->sim, from, to, least_ps, 0) || sim_reach(built->sim, to, from, back_ps, 1))
                return -1;
        }
    for (int s = 0; s < net->nodes; s++)
        for (int n = 0; n < net->nodes && net->node[s].kind == REF_SINK; n++)
            if (net->node[n].kind == REF_SOURCE && sim_reach(built->sim, decider_of(built, s), decider_of(built, n),
                                                             net->node[n].credit_cyc * clk_of(net, s)->whole, 0))
                return -1;
    return 0;
}

int net_build(struct built *built, const struct net_options *options)
{
    const struct ref_net *net = built->net;
    for (int f = 0; f < net->fifos; f++)
        if (net->node[net->fifo[f].reader].kind != REF_STAGE && build_path(built, f))
            return -1;
    if (keep_beats_at_arbiters(built))
        return -1;
    for (int n = 0; n < net->nodes; n++) {
        enum ref_kind kind = net->node[n].kind;
        if ((kind == REF_ARBITER && build_arbiter(built, n)) ||
            (kind == REF_SOURCE && build_source(built, n, options->ahead_seed)) ||
            (kind == REF_SINK && build_sink(built, n, options->ahead_seed)))
            return -1;
    }
    return options->reach ? declare_reach(built) : 0;
}
