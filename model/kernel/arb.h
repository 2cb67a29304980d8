/* An arbiter: a decider that serves several input FIFOs through one server into one output FIFO.
 *
 * At the first cycle in which the server is free and the front item of some input is ready and fits downstream, it grants
 * one of those inputs: round robin (the next after the last granted) or the lowest index (strict priority). Grants that no
 * other decision can change are committed in one decide (R6). */
#ifndef KERNEL_ARB_H
#define KERNEL_ARB_H

#include "kernel/stage.h"

#define ARB_INPUTS_MAX 64

struct arb {
    struct sim *sim;
    const char *name;
    struct server server;
    struct fifo *in[ARB_INPUTS_MAX];
    int inputs;
    int strict;
    int last; /* granted input */
    struct fifo *out;
    int decider;
    /* NULL, or from which cycle on an input may be granted that could be in `cyc` */
    int64_t (*gate)(void *self, int input, int64_t cyc);
    void *gate_self;
    /* NULL, or asked when the first input's turn has come, in the cycle of its grant: 1, the item was taken elsewhere and is not served */
    int (*divert)(void *self, uint32_t ref, int64_t start_cyc);
    void *divert_self;
};

struct arb_grant {
    int input;
    uint32_t ref;
    int64_t start_cyc, end_cyc; /* the server's cycles in which the first and the last beat are read */
};

/* The next grant, served, up to horizon_ps; 0: there is none, and *wake_at is when to come again. */
int arb_next(struct arb *arb, int64_t now, int64_t horizon_ps, struct arb_grant *grant, int64_t *wake_at);

/* Registers the decider (decide = NULL: one that only forwards; else the caller's, called with `self`) and becomes the
 * reader of all inputs and the writer of `out` (which must be set up, in the server's clock). lookahead_ps: see sim_add().
 * Returns -1 on impossible arguments; also when the server cuts through between paths that together need every beat
 * (path_keep_beats()). Call it after path_init() of all. */
int arb_init(struct arb *arb, struct sim *sim, const char *name, const struct server *server, struct fifo *const *in,
             int inputs, int strict, struct fifo *out, int64_t lookahead_ps, sim_decide_fn *decide, void *self);

#endif
