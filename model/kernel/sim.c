#include "kernel/sim.h"

#include "kernel/reach.h"
#include "kernel/rnd.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sim_init(struct sim *sim, uint64_t seed)
{
    *sim = (struct sim){
        .seed = seed, .until = SIM_NEVER, .outside_lookahead_ps = 1, .outside = SIM_DECIDERS_MAX, .leaves = 1};
    sim->decider = calloc(SIM_DECIDERS_MAX, sizeof *sim->decider);
    sim->wake = malloc((SIM_DECIDERS_MAX + 1) * sizeof *sim->wake);
    sim->match_wake = calloc(2 * SIM_DECIDERS_MAX, sizeof *sim->match_wake);
    sim->match_decider = calloc(2 * SIM_DECIDERS_MAX, sizeof *sim->match_decider);
    if (!sim->decider || !sim->wake || !sim->match_wake || !sim->match_decider)
        return -1;
    for (int i = 0; i <= SIM_DECIDERS_MAX; i++)
        sim->wake[i] = SIM_NEVER;
    sim->match_wake[1] = SIM_NEVER;
    return 0;
}

void sim_free(struct sim *sim)
{
    for (int i = 0; i < sim->count; i++)
        free(sim->decider[i].source);
    free(sim->decider);
    free(sim->edge);
    free(sim->wake);
    free(sim->match_wake);
    free(sim->match_decider);
}

static void tree_rebuild(struct sim *sim)
{
    for (int i = 0; i < sim->leaves; i++) {
        sim->match_wake[sim->leaves + i] = sim->wake[i];
        sim->match_decider[sim->leaves + i] = i;
    }
    for (int node = sim->leaves - 1; node >= 1; node--) {
        int winner =
            2 * node + (sim->match_wake[2 * node + 1] < sim->match_wake[2 * node]); /* the left one wins a tie (R4) */
        sim->match_wake[node] = sim->match_wake[winner];
        sim->match_decider[node] = sim->match_decider[winner];
    }
}

/* The decider's wake is now `wake`, earlier or later: plays its matches again, up to the root. The left one of a pair has the lower
 * index and wins a tie (R4). */
static inline void tree_update(struct sim *sim, int32_t decider, int64_t wake)
{
    int64_t *match_wake = sim->match_wake;
    int32_t *match_decider = sim->match_decider;
    size_t node = (size_t)(sim->leaves + decider);
    match_wake[node] = wake;
    while (node > 1) {
        size_t other = node ^ 1;
        if (match_wake[other] <= wake && (match_wake[other] < wake || other < node)) {
            wake = match_wake[other];
            decider = match_decider[other];
        }
        node >>= 1;
        match_wake[node] = wake;
        match_decider[node] = decider;
    }
}

int sim_add(struct sim *sim, sim_decide_fn *decide, void *self, const char *name, int64_t lookahead_ps)
{
    if (sim->count == SIM_DECIDERS_MAX || lookahead_ps < 1)
        return -1;
    sim->decider[sim->count] =
        (struct sim_decider){.decide = decide, .self = self, .name = name, .lookahead_ps = lookahead_ps};
    sim->count++;
    while (sim->leaves < sim->count)
        sim->leaves *= 2;
    tree_rebuild(sim);
    return sim->count - 1;
}

int sim_add_outside(struct sim *sim, sim_decide_fn *decide, void *self, const char *name)
{
    return sim->outside = sim_add(sim, decide, self, name, 1);
}

void sim_replace(struct sim *sim, int decider, sim_decide_fn *decide)
{
    sim->decider[decider].decide = decide;
}

void sim_wake(struct sim *sim, int decider, int64_t at)
{
    if (at >= sim->wake[decider])
        return;
    model_assert(sim, at > sim->now, "%s is woken at %lld ps, not after now", sim->decider[decider].name,
                 (long long)at);
    sim->wake[decider] = at;
    /* an earlier wake: up the tree as far as it wins */
    int64_t *match_wake = sim->match_wake;
    int32_t *match_decider = sim->match_decider;
    size_t node = (size_t)(sim->leaves + decider);
    match_wake[node] = at;
    for (node >>= 1; node >= 1; node >>= 1) {
        if (match_wake[node] < at || (match_wake[node] == at && match_decider[node] < decider))
            return; /* an earlier one, or a lower index (R4) */
        match_wake[node] = at;
        match_decider[node] = decider;
    }
}

static int64_t outside_wake(const struct sim *sim)
{
    return sim->wake[sim->outside]; /* there is a place for it when it is nobody */
}

/* The others run up to here: SIM_NEVER is no instant, so that they end without a second question. */
static void set_last_at(struct sim *sim)
{
    int64_t last = outside_wake(sim) < sim->until ? outside_wake(sim) : sim->until;
    sim->last_at = last == SIM_NEVER ? SIM_NEVER - 1 : last;
}

void sim_wake_outside(struct sim *sim, int64_t at)
{
    if (at >= sim->wake[sim->outside])
        return;
    model_assert(sim, at > sim->now, "%s is woken at %lld ps, not after now", sim->decider[sim->outside].name,
                 (long long)at);
    sim->wake[sim->outside] = at;
    set_last_at(sim);
}

int64_t sim_next_at(const struct sim *sim)
{
    return sim->match_wake[1] < outside_wake(sim) ? sim->match_wake[1] : outside_wake(sim);
}

int64_t sim_horizon(const struct sim *sim, int decider)
{
    const struct sim_decider *self = &sim->decider[decider];
    if (sim->horizon_off)
        return sim->now;
    /* the earliest instant at which an input not known yet can be there; unsigned, so that SIM_NEVER and a distance can be added */
    uint64_t now = (uint64_t)sim->now, earliest = now + (uint64_t)self->lookahead_ps;
    if (self->declared) {
        earliest = now + (uint64_t)self->echo_ps;
        for (const struct sim_source *source = self->source; now + source->distance_ps < earliest;
             source++) { /* nearest first */
            uint64_t at = (uint64_t)*source->wake + source->distance_ps;
            earliest = at < earliest ? at : earliest;
        }
    }
    int64_t first = (int64_t)earliest;
    if (sim->until != SIM_NEVER && sim->until + sim->outside_lookahead_ps < first)
        first = sim->until + sim->outside_lookahead_ps; /* the world outside acts after `until` */
    return first - 1 > sim->now ? first - 1 : sim->now;
}

static void wake_at_random(struct sim *sim)
{
    uint64_t draw = rnd_u64(sim->spurious_seed, 0, sim->spurious_count++, 0);
    int decider = (int)(draw % (uint64_t)sim->count);
    int64_t at = sim->now + 1 + (int64_t)((draw >> 32) % 20000);
    if (decider == sim->outside)
        sim_wake_outside(sim, at);
    else
        sim_wake(sim, decider, at);
}

/* Has the decider decide, and returns its next wake. */
static inline int64_t decide(struct sim *sim, int decider, int64_t at)
{
    sim->now = at;
    sim->wake[decider] = SIM_NEVER; /* set right when it has its next one */
    sim->decisions++;
    int64_t next = sim->decider[decider].decide(sim->decider[decider].self, at);
    model_assert(sim, next > at, "%s wants to be woken at %lld ps, not after now", sim->decider[decider].name,
                 (long long)next);
    if (next < sim->wake[decider])
        sim->wake[decider] = next;
    return sim->wake[decider];
}

/* Nobody else is due by sim->last_at. Returns whether what is outside was. */
static int run_outside(struct sim *sim)
{
    if (outside_wake(sim) != sim->last_at)
        return 0;
    decide(sim, sim->outside, sim->last_at);
    set_last_at(sim);
    return 1;
}

void sim_run(struct sim *sim, int64_t until)
{
    if (!sim->prepared)
        model_assert(sim, reach_prepare(sim) == 0, "out of memory");
    sim->until = until;
    sim->stop = 0;
    set_last_at(sim);
    const int is_spurious = sim->spurious_seed != 0;
    while (!sim->stop) {
        int32_t i = sim->match_decider[1];
        int64_t at = sim->match_wake[1];
        if (at <= sim->last_at)
            tree_update(sim, i, decide(sim, i, at));
        else if (!run_outside(sim))
            break;
        if (is_spurious && sim_next_at(sim) != SIM_NEVER)
            wake_at_random(sim);
    }
    if (!sim->stop && until != SIM_NEVER && until > sim->now)
        sim->now = until;
}

void sim_fail(struct sim *sim, const char *file, int line, const char *format, ...)
{
    const char *base = strrchr(file, '/');
    int used = snprintf(sim->failure, sizeof sim->failure,
                        "the model found itself wrong at %lld ps (%s:%d): ", (long long)sim->now,
                        base ? base + 1 : file, line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sim->failure + used, sizeof sim->failure - (size_t)used, format, arguments);
    va_end(arguments);
    sim->failed = 1;
    if (sim->on_failure)
        longjmp(*sim->on_failure, 1);
    fprintf(stderr, "%s\n", sim->failure); /* no caller has asked to be told: a test's mistake */
    abort();
}
