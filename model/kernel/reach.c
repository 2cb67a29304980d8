#include "kernel/reach.h"

#include <stdlib.h>

/* Beyond this nothing is committed ahead, so farther sources need not be looked at. */
#define REACH_FAR_PS INT64_C(4000000)

int sim_reach(struct sim *sim, int from, int to, int64_t least_ps, enum sim_way way)
{
    if (sim->edges == sim->edge_room) {
        int room = sim->edge_room ? 2 * sim->edge_room : 64;
        struct sim_edge *more = realloc(sim->edge, (size_t)room * sizeof *more);
        if (!more)
            return -1;
        sim->edge = more;
        sim->edge_room = room;
    }
    sim->edge[sim->edges++] = (struct sim_edge){from, to, least_ps < 1 ? 1 : least_ps, way};
    sim->decider[to].declared = 1;
    sim->prepared = 0;
    return 0;
}

/* Shortest distances to `to` from everybody, around loops too: distance[to] is its echo (Bellman and Ford). A decider without
 * declarations is reached by anybody at its own lookahead. */
static void distances(const struct sim *sim, int to, int64_t *distance)
{
    for (int i = 0; i < sim->count; i++)
        distance[i] = REACH_FAR_PS;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int e = 0; e < sim->edges; e++) {
            const struct sim_edge *edge = &sim->edge[e];
            if ((edge->way == SIM_BY_RELEASE && edge->from == to) || (edge->way == SIM_UNBLOCKS && edge->to == to))
                continue;
            int64_t through = edge->least_ps + (edge->to == to ? 0 : distance[edge->to]);
            if (through < distance[edge->from]) {
                distance[edge->from] = through;
                changed = 1;
            }
        }
        for (int i = 0; i < sim->count; i++)
            for (int k = 0; !sim->decider[i].declared && k < sim->count; k++)
                if (distance[i] < REACH_FAR_PS && distance[i] + sim->decider[i].lookahead_ps < distance[k]) {
                    distance[k] = distance[i] + sim->decider[i].lookahead_ps;
                    changed = 1;
                }
    }
}

static int nearer(const void *a, const void *b)
{
    const struct sim_source *x = a, *y = b;
    if (x->distance_ps != y->distance_ps)
        return x->distance_ps < y->distance_ps ? -1 : 1;
    return x->wake < y->wake ? -1 : 1;
}

int reach_prepare(struct sim *sim)
{
    int64_t *distance = malloc((size_t)sim->count * sizeof *distance);
    if (!distance)
        return -1;
    for (int to = 0; to < sim->count; to++) {
        struct sim_decider *decider = &sim->decider[to];
        if (!decider->declared)
            continue;
        distances(sim, to, distance);
        decider->echo_ps = distance[to];
        free(decider->source); /* of an earlier run */
        decider->sources = 0;
        decider->source = malloc(((size_t)sim->count + 1) * sizeof *decider->source);
        if (!decider->source) {
            free(distance);
            return -1;
        }
        for (int i = 0; i < sim->count; i++)
            if (i != to && distance[i] < REACH_FAR_PS &&
                distance[i] < decider->echo_ps) /* farther ones cannot come first */
                decider->source[decider->sources++] = (struct sim_source){(uint64_t)distance[i], &sim->wake[i]};
        qsort(decider->source, (size_t)decider->sources, sizeof *decider->source, nearer);
        decider->source[decider->sources] = (struct sim_source){(uint64_t)decider->echo_ps, &sim->wake[to]};
    }
    free(distance);
    sim->prepared = 1;
    return 0;
}
