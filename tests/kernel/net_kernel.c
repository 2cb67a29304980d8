#include "tests/kernel/net_kernel.h"

#include "kernel/arb.h"
#include "kernel/path.h"
#include "kernel/rnd.h"

#include <stdio.h>
#include <stdlib.h>

#define BEAT_BYTES 64
#define PATHS_MAX REF_FIFOS_MAX

struct built;

struct source {
    struct built *built;
    int node, decider, ahead;
    struct fifo *out;
    int item[REF_ITEMS_MAX], items, next;
    int64_t free_cyc, credit_cyc[REF_ITEMS_MAX];
    int returned;
};

struct sink {
    struct built *built;
    int node, decider, ahead;
    struct fifo *in;
    struct server server;
};

struct watched {
    struct built *built;
    int node;
};

struct built {
    const struct ref_net *net;
    struct sim *sim;
    struct ref_log *log;
    int paths;
    struct path path[PATHS_MAX];
    int path_writer[PATHS_MAX];
    struct fifo *fifo[REF_FIFOS_MAX];
    struct arb arb[REF_NODES_MAX];
    struct source source[REF_NODES_MAX];
    struct sink sink[REF_NODES_MAX];
    struct watched watched[REF_NODES_MAX];
    const struct server *server[REF_NODES_MAX];
    char *error;
    size_t error_size;
};

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static const struct clk *clk_of(const struct ref_net *net, int node)
{
    return &net->clk[net->node[node].clk];
}

static uint32_t bytes_of(const struct ref_net *net, int item)
{
    return (uint32_t)net->item[item].beats * BEAT_BYTES - (uint32_t)(item % BEAT_BYTES);
}

static void log_serve(struct built *built, int node, int item, int64_t start_cyc, int64_t end_cyc)
{
    int i = built->log->count[node]++;
    if (i < REF_ITEMS_MAX)
        built->log->serve[node][i] = (struct ref_serve){item, start_cyc, end_cyc};
}

static void on_push(void *context, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t ref)
{
    struct watched *watched = context;
    int64_t latency = watched->built->net->node[watched->node].latency_cyc;
    if (head_cyc != start_cyc + latency)
        start_cyc = -1;
    log_serve(watched->built, watched->node, (int)ref, start_cyc, tail_cyc - latency);
}

/* ---- the test's deciders ---- */

static int64_t source_decide(void *self, int64_t now)
{
    struct source *source = self;
    const struct ref_net *net = source->built->net;
    const struct ref_node *node = &net->node[source->node];
    for (; source->next < source->items; source->next++) {
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
        int64_t head = start + node->latency_cyc, work = (net->item[item].beats - 1) * (int64_t)node->interval_cyc;
        source->free_cyc = start + work + node->interval_cyc;
        fifo_push(source->out, start, head, head + work, NULL, bytes_of(net, item), (uint32_t)item);
    }
    return SIM_NEVER;
}

static void return_credit(struct sink *sink, int item, int64_t start_cyc)
{
    struct source *source = &sink->built->source[sink->built->net->item[item].source];
    const struct ref_net *net = sink->built->net;
    int one_clock = net->node[source->node].clk == net->node[sink->node].clk;
    int64_t seen = clk_cross(clk_of(net, sink->node), start_cyc + net->node[source->node].credit_cyc,
                             clk_of(net, source->node), one_clock ? 0 : 2);
    source->credit_cyc[source->returned++] = seen;
    sim_wake(sink->built->sim, source->decider, clk_edge(clk_of(net, source->node), seen));
}

/* The cycle in which the sink, having started at start, reads the front item's last beat. */
static int64_t sink_end(const struct sink *sink, int64_t start_cyc, int32_t beats)
{
    int64_t interval = sink->server.interval_cyc, at = start_cyc;
    const int64_t *visible = fifo_front_beats(sink->in);
    if (sink->server.store)
        return start_cyc + (beats - 1) * interval;
    if (!visible)
        return max2(start_cyc + (beats - 1) * interval, fifo_front(sink->in)->tail_cyc);
    for (int32_t i = 0; i < beats; i++)
        at = max2(i ? at + interval : at, visible[i]);
    return at;
}

static int64_t sink_decide(void *self, int64_t now)
{
    struct sink *sink = self;
    const struct ref_net *net = sink->built->net;
    while (!fifo_empty(sink->in)) {
        int item = (int)fifo_front(sink->in)->ref;
        int64_t start = max2(server_ready(&sink->server, sink->in), sink->server.free_cyc);
        int64_t at = clk_edge(sink->server.clk, start);
        if (at > now && !sink->ahead)
            return at;
        int64_t end = sink_end(sink, start, net->item[item].beats);
        sink->server.free_cyc = end + sink->server.interval_cyc + net->item[item].rest_cyc;
        log_serve(sink->built, sink->node, item, start, end);
        struct fifo_slot slot = fifo_take(sink->in);
        return_credit(sink, item, start);
        fifo_release(sink->in, slot.bytes, start, end);
    }
    return SIM_NEVER;
}

/* ---- building ---- */

static int32_t beats_max(const struct ref_net *net)
{
    int32_t most = 1;
    for (int i = 0; i < net->items; i++)
        most = net->item[i].beats > most ? net->item[i].beats : most;
    return most;
}

static void set_out(struct built *built, int writer, struct fifo *out)
{
    if (built->log->count[writer] < 0)
        return;
    built->watched[writer] = (struct watched){built, writer};
    out->watch = on_push;
    out->watch_context = &built->watched[writer];
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
        stages[i] = (struct path_stage){.name = "stage", .clk = clk_of(net, n), .interval_cyc = net->node[n].interval_cyc,
                                        .latency_cyc = net->node[n].latency_cyc, .width_bytes = BEAT_BYTES,
                                        .store = net->node[n].store, .threshold_beats = net->node[n].threshold_beats,
                                        .flops = in->flops, .depth = (uint32_t)in->depth, .in_beats = in->in_beats};
    }
    const struct ref_fifo *last = &net->fifo[f];
    struct fifo_shape end = {.name = "end", .read_clk = clk_of(net, last->reader), .flops = last->flops,
                             .return_cyc = last->return_cyc, .depth = (uint32_t)last->depth, .in_beats = last->in_beats,
                             .read_bytes = BEAT_BYTES};
    struct path *path = &built->path[built->paths];
    built->path_writer[built->paths++] = writer;
    if (path_init(path, built->sim, "path", clk_of(net, writer), BEAT_BYTES, stages, count, &end,
                  (uint32_t)beats_max(net) * BEAT_BYTES, &which))
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

/* Next to cut-through arbiters beats are kept where more than one thing in the netlist may need them; before deciders that
 * start at a threshold always. */
static int keep_beats_at_arbiters(struct built *built)
{
    const struct ref_net *net = built->net;
    int needs = 0, which;
    for (int f = 0; f < net->fifos; f++)
        needs += net->fifo[f].flops > 0;
    for (int n = 0; n < net->nodes; n++)
        needs += net->node[n].threshold_beats > 1 ? 2 : 0;
    for (int p = 0, f = 0; p < built->paths; p++) {
        for (f = 0; built->fifo[f] != &built->path[p].end; f++)
            continue;
        const struct ref_node *reader = &net->node[net->fifo[f].reader], *writer = &net->node[built->path_writer[p]];
        int cuts = (reader->kind == REF_ARBITER && !reader->store) || (writer->kind == REF_ARBITER && !writer->store);
        if ((cuts && needs > 1) || reader->threshold_beats > 1)
            if (path_keep_beats(&built->path[p], (uint32_t)beats_max(net) * BEAT_BYTES, &which))
                return -1;
    }
    return 0;
}

static int build_server(struct built *built, int n, struct server *server)
{
    const struct ref_node *node = &built->net->node[n];
    int error = server_init(server, clk_of(built->net, n), node->interval_cyc, node->latency_cyc, BEAT_BYTES, node->store);
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
    source->decider = sim_add(built->sim, source_decide, source, "source", 1);
    if (source->decider < 0 || !source->out)
        return -1;
    source->out->write_decider = source->decider;
    if (source->items > 0) {
        int64_t at = clk_edge(clk_of(built->net, n), built->net->item[source->item[0]].arrive_cyc);
        sim_wake(built->sim, source->decider, source->ahead ? 1 : max2(at, 1));
    }
    return 0;
}

static int build_sink(struct built *built, int n, uint64_t ahead_seed)
{
    struct sink *sink = &built->sink[n];
    *sink = (struct sink){.built = built, .node = n, .in = built->fifo[built->net->node[n].in[0]]};
    sink->ahead = ahead_seed != 0 && rnd_u64(ahead_seed, (uint64_t)n, 1, 0) % 2;
    sink->decider = sim_add(built->sim, sink_decide, sink, "sink", 1);
    sink->in->read_decider = sink->decider;
    sink->in->reader_wants_tail = built->net->node[n].store;
    return sink->decider < 0 ? -1 : build_server(built, n, &sink->server);
}

static int decider_of(const struct built *built, int n)
{
    enum ref_kind kind = built->net->node[n].kind;
    return kind == REF_SOURCE ? built->source[n].decider : kind == REF_SINK ? built->sink[n].decider : built->arb[n].decider;
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
            int64_t least_ps = net->node[writer].latency_cyc * clk_of(net, writer)->whole + path_least_ps(&built->path[p]);
            if (sim_reach(built->sim, from, to, least_ps, 0) || sim_reach(built->sim, to, from, 1, 1))
                return -1;
        }
    for (int s = 0; s < net->nodes; s++)
        for (int n = 0; n < net->nodes && net->node[s].kind == REF_SINK; n++)
            if (net->node[n].kind == REF_SOURCE &&
                sim_reach(built->sim, decider_of(built, s), decider_of(built, n),
                          net->node[n].credit_cyc * clk_of(net, s)->whole, 0))
                return -1;
    return 0;
}

static int build(struct built *built, const struct net_options *options)
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

/* ---- running ---- */

static int complain(struct built *built, const char *what, int index)
{
    snprintf(built->error, built->error_size, "%s %d", what, index);
    return -1;
}

/* Conservation: everything came out, all space is home, no FIFO was ever fuller than deep, no stage busier than always. */
static int check_home(struct built *built)
{
    const struct ref_net *net = built->net;
    int64_t end_ps = built->sim->now;
    for (int f = 0; f < net->fifos; f++) {
        struct fifo *fifo = built->fifo[f];
        level_settle(&fifo->level, end_ps);
        if (space_away(&fifo->space) != 0 || !fifo_empty(fifo) || fifo->level.level != 0)
            return complain(built, "not home: FIFO", f);
        if (fifo->level.high_water > fifo->shape.depth)
            return complain(built, "fuller than deep: FIFO", f);
        built->log->high_water[f] = (int32_t)fifo->level.high_water;
        int64_t total = 0;
        built->log->level_ps[f] = 0;
        for (uint32_t i = 0; i <= fifo->shape.depth; i++) {
            built->log->level_ps[f] += i * fifo->level.time_ps[i];
            total += fifo->level.time_ps[i];
        }
        if (total != end_ps)
            return complain(built, "times at levels are not the whole time: FIFO", f);
    }
    for (int n = 0; n < net->nodes; n++) {
        const struct server *server = built->server[n];
        if (net->node[n].kind != REF_STAGE && net->node[n].kind != REF_ARBITER)
            continue;
        if ((built->log->count[n] >= 0 && server->items != (uint64_t)built->log->count[n]) || server->blocked_cyc < 0 || server->bubble_cyc < 0 ||
            server->work_cyc + server->blocked_cyc + server->bubble_cyc > server->free_cyc)
            return complain(built, "work and stalls are more than the time: node", n);
    }
    return 0;
}

static void run_slices(struct sim *sim, uint64_t slice_seed)
{
    for (uint64_t i = 0; slice_seed != 0 && sim_next_at(sim) != SIM_NEVER; i++) {
        uint64_t draw = rnd_u64(slice_seed, 0, i, 0);
        sim_run(sim, sim->now + (int64_t)(draw % 4 ? (draw >> 8) % 20000 : (draw >> 8) % 3));
    }
    sim_run(sim, SIM_NEVER);
    sim_run(sim, sim->now + 1000000000); /* past everything computed ahead */
}

static void built_free(struct built *built)
{
    for (int p = 0; p < built->paths; p++)
        path_free(&built->path[p]);
    free(built);
}

static struct built *built_new(const struct ref_net *net, struct sim *sim, struct ref_log *log, int unwatched, char *error,
                               size_t size)
{
    struct built *built = calloc(1, sizeof *built);
    if (!built)
        abort();
    built->net = net;
    built->sim = sim;
    built->log = log;
    built->error = error;
    built->error_size = size;
    for (int n = 0; n < REF_NODES_MAX; n++)
        log->count[n] = unwatched && net->node[n].kind != REF_SINK ? -1 : 0;
    return built;
}

int net_kernel_run(const struct ref_net *net, struct ref_log *log, const struct net_options *options, char *error,
                   size_t error_size)
{
    static struct ref_log other_log;
    struct sim sim;
    jmp_buf back;
    sim_init(&sim, 1);
    sim.horizon_off = options->horizon_off;
    sim.spurious_seed = options->spurious_seed;
    struct built *volatile other = NULL;
    struct built *volatile built = built_new(net, &sim, log, options->unwatched, error, error_size);
    volatile int result = -1;
    snprintf(error, error_size, "a netlist that the kernel refuses");
    sim.on_failure = &back;
    if (setjmp(back) == 0) {
        if (options->other)
            other = built_new(options->other, &sim, &other_log, options->unwatched, error, error_size);
        if ((!other || !build(other, options)) && !build(built, options)) {
            run_slices(&sim, options->slice_seed);
            result = check_home(built);
        }
    } else {
        snprintf(error, error_size, "%s", sim.failure);
    }
    if (other)
        built_free(other);
    built_free(built);
    sim_free(&sim);
    return result;
}
