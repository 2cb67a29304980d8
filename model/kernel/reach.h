/* Lookahead from the netlist: how soon any decision can reach a decider, over any number of others in between. */
#ifndef KERNEL_REACH_H
#define KERNEL_REACH_H

#include "kernel/sim.h"

/* Fills source, sources and echo_ps of every decider with declared inputs. Returns -1 without memory. */
int reach_prepare(struct sim *sim);

#endif
