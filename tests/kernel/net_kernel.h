/* Runs a reference netlist on the kernel: paths, arbiters, and deciders of the test's own as sources and sinks. */
#ifndef TESTS_KERNEL_NET_KERNEL_H
#define TESTS_KERNEL_NET_KERNEL_H

#include "tests/ref_tick.h"

#include <stddef.h>

struct net_options {
    int horizon_off;
    uint64_t spurious_seed; /* 0: none */
    uint64_t slice_seed;    /* 0: one sim_run() */
    uint64_t ahead_seed;    /* which sources and sinks run ahead of time as far as they know; 0: none */
    int reach;              /* declare who reaches whom, instead of one lookahead for each arbiter */
    int outside;            /* items are posted and credits handed on by the caller between runs, at the last moment */
    int unwatched;          /* log only the sinks: FIFOs without a watch take a faster way */
    const struct ref_net *other; /* NULL, or a second netlist in the same simulation, with a lower decider index */
};

/* Fills the log as ref_tick_run() does; count -1: not watched. Returns 0, or -1 with what is wrong in error: the model
 * failed, something is not home at the end, or a FIFO or a stage counted what cannot be. */
int net_kernel_run(const struct ref_net *net, struct ref_log *log, const struct net_options *options, char *error,
                   size_t error_size);

#endif
