#include "kernel/arb.h"

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The first cycle at which input i could be granted: SIM_NEVER when it is empty or its space is not decided. */
static inline int64_t eligible_at(struct arb *arb, int i, int *undecided)
{
    if (fifo_empty(arb->in[i]))
        return SIM_NEVER;
    int64_t space_at = fifo_space_at(arb->out, fifo_front(arb->in[i])->bytes);
    if (space_at == SIM_NEVER) {
        arb->out->writer_waits = 1;
        *undecided = 1;
        return SIM_NEVER;
    }
    int64_t cyc = max2(max2(server_ready(&arb->server, arb->in[i]), arb->server.free_cyc), space_at);
    return __builtin_expect(arb->gate != 0, 0) ? arb->gate(arb->gate_self, i, cyc) : cyc;
}

/* The input to be granted next, and when; -1: none for now. *undecided: some input waits for space not decided yet. */
static inline int choose(struct arb *arb, int64_t *start_cyc, int *undecided)
{
    int best = -1, i = arb->strict || arb->last + 1 == arb->inputs ? 0 : arb->last + 1;
    *start_cyc = SIM_NEVER;
    *undecided = 0;
    for (int n = arb->inputs; n > 0; n--) { /* in the order of preference: the first of the earliest */
        int64_t at = eligible_at(arb, i, undecided);
        if (at < *start_cyc) {
            *start_cyc = at;
            best = i;
        }
        i = i + 1 == arb->inputs ? 0 : i + 1;
    }
    return best;
}

int arb_next(struct arb *arb, int64_t now, int64_t horizon_ps, struct arb_grant *grant, int64_t *wake_at)
{
    int undecided;
    int64_t start_cyc;
    int i = choose(arb, &start_cyc, &undecided);
    *wake_at = i < 0 ? SIM_NEVER : clk_edge(arb->server.clk, start_cyc);
    /* space that is not decided yet may come back at any later instant: only this one is certain */
    if (i < 0 || *wake_at > (undecided ? now : horizon_ps))
        return 0;
    model_assert(arb->sim, *wake_at >= now, "%s: a grant at %lld ps is late", arb->name, (long long)*wake_at);
    if (i == 0 && arb->divert && arb->divert(arb->divert_self, fifo_front(arb->in[0])->ref, start_cyc)) {
        struct fifo_slot slot = fifo_take(arb->in[0]);
        fifo_release(arb->in[0], slot.bytes, start_cyc, start_cyc);
        return arb_next(arb, now, horizon_ps, grant, wake_at);
    }
    arb->last = i;
    *grant = (struct arb_grant){i, fifo_front(arb->in[i])->ref, start_cyc, 0};
    grant->end_cyc = server_serve(&arb->server, arb->sim, arb->in[i], arb->out, start_cyc);
    return 1;
}

/* Whoever waits for space in an input's path may be woken by my next grant: nothing is committed ahead of that (the promise
 * of SIM_BY_RELEASE). A wait anywhere in a path means a wait at its end. */
static int somebody_waits(const struct arb *arb)
{
    int waits = 0;
    for (int i = 0; i < arb->inputs; i++)
        waits |= arb->in[i]->writer_waits;
    return waits;
}

static int64_t forward(void *self, int64_t now)
{
    struct arb *arb = self;
    int64_t horizon = somebody_waits(arb) ? now : sim_horizon(arb->sim, arb->decider);
    struct arb_grant grant;
    int64_t wake_at;
    while (arb_next(arb, now, horizon, &grant, &wake_at))
        continue;
    return wake_at;
}

int arb_init(struct arb *arb, struct sim *sim, const char *name, const struct server *server, struct fifo *const *in,
             int inputs, int strict, struct fifo *out, int64_t lookahead_ps, sim_decide_fn *decide, void *self)
{
    if (inputs < 1 || inputs > ARB_INPUTS_MAX)
        return -1;
    for (int i = 0; i < inputs && !server->store; i++)
        if ((server->threshold_beats > 1 && !in[i]->beat_cyc) ||
            (in[i]->stretch_crossings + out->stretch_crossings > 1 && !(in[i]->beat_cyc && out->beat_cyc)))
            return -1;
    *arb = (struct arb){.sim = sim,
                        .name = name,
                        .server = *server,
                        .inputs = inputs,
                        .strict = strict,
                        .last = inputs - 1,
                        .out = out};
    arb->decider = sim_add(sim, decide ? decide : forward, decide ? self : arb, name, lookahead_ps);
    if (arb->decider < 0)
        return -1;
    for (int i = 0; i < inputs; i++) {
        arb->in[i] = in[i];
        in[i]->read_decider = arb->decider;
        in[i]->reader_wants_tail = server->store;
    }
    out->write_decider = arb->decider;
    return 0;
}
