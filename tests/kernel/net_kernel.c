#include "tests/kernel/net_built.h"

#include "kernel/rnd.h"

#include <stdio.h>
#include <stdlib.h>

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
        if (fifo_units_away(fifo) != 0 || !fifo_empty(fifo) || fifo->level.level != 0)
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
        if (built->log->count[n] >= 0 && server->items != (uint64_t)built->log->count[n])
            return complain(built, "items counted that were not served: node", n);
        if (server->blocked_cyc < 0 || server->bubble_cyc < 0 ||
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

/* The earliest arrival that the source has not been told of; SIM_NEVER when there is none. */
static int64_t unposted_ps(const struct built *built, const struct source *source)
{
    if (source->built == NULL || source->posted == source->items)
        return SIM_NEVER;
    return clk_edge(clk_of(built->net, source->node), built->net->item[source->item[source->posted]].arrive_cyc);
}

/* What the world outside does between runs: hands on credits, and posts items as late as it can. Returns the earliest arrival
 * still to be posted. */
static int64_t act_outside(struct built *built)
{
    int64_t earliest = SIM_NEVER;
    for (int i = 0; i < built->credits; i++)
        net_give_credit(built, built->credit[i].source, built->credit[i].seen_cyc);
    built->credits = 0;
    for (int n = 0; n < built->net->nodes; n++) {
        struct source *source = &built->source[n];
        int64_t at = unposted_ps(built, source);
        for (; at <= built->sim->now + 1; at = unposted_ps(built, source)) {
            source->posted++;
            sim_wake(built->sim, source->decider, at > built->sim->now ? at : built->sim->now + 1);
        }
        earliest = at < earliest ? at : earliest;
    }
    return earliest;
}

/* The world outside is called after every item that a sink takes, and a picosecond before each arrival. */
static void run_from_outside(struct sim *sim, struct built *other, struct built *built)
{
    for (;;) {
        int64_t earliest = act_outside(built), also = other ? act_outside(other) : SIM_NEVER;
        earliest = also < earliest ? also : earliest;
        if (earliest == SIM_NEVER && sim_next_at(sim) == SIM_NEVER)
            return;
        sim_run(sim, earliest == SIM_NEVER ? SIM_NEVER : earliest - 1);
    }
}

static void built_free(struct built *built)
{
    for (int p = 0; p < built->paths; p++)
        path_free(&built->path[p]);
    free(built);
}

static struct built *built_new(const struct ref_net *net, struct sim *sim, struct ref_log *log,
                               const struct net_options *options, char *error, size_t size)
{
    struct built *built = calloc(1, sizeof *built);
    if (!built)
        abort();
    built->net = net;
    built->sim = sim;
    built->log = log;
    built->error = error;
    built->error_size = size;
    built->outside = options->outside;
    for (int n = 0; n < net->nodes; n++)
        log->count[n] = options->unwatched && net->node[n].kind != REF_SINK ? -1 : 0;
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
    struct built *volatile built = built_new(net, &sim, log, options, error, error_size);
    volatile int result = -1;
    snprintf(error, error_size, "a netlist that the kernel refuses");
    sim.on_failure = &back;
    if (setjmp(back) == 0) {
        if (options->other)
            other = built_new(options->other, &sim, &other_log, options, error, error_size);
        if ((!other || !net_build(other, options)) && !net_build(built, options)) {
            if (options->outside)
                run_from_outside(&sim, other, built);
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
