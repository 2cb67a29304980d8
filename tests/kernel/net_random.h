/* Random netlists and traffic, and the shrinking of one that fails. */
#ifndef TESTS_KERNEL_NET_RANDOM_H
#define TESTS_KERNEL_NET_RANDOM_H

#include "tests/ref_tick.h"

#include <stdio.h>

/* A netlist and its traffic as a function of the seed: 1 to 5 clocks, 0 to 12 stages. Never deadlocks. */
void net_random(uint64_t seed, struct ref_net *net);

/* Whether the netlist fails; a shrunk one must fail too. */
typedef int net_fails_fn(const struct ref_net *net, void *context);
/* Drops items and stages and simplifies numbers as long as it still fails, in at most tries_max attempts. */
void net_shrink(struct ref_net *net, net_fails_fn *fails, void *context, int tries_max);
void net_print(const struct ref_net *net, FILE *out);

#endif
