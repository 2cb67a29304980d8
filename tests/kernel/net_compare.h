/* Two logs of one netlist: the same items at every node, in the same cycles, and FIFOs equally full? */
#ifndef TESTS_KERNEL_NET_COMPARE_H
#define TESTS_KERNEL_NET_COMPARE_H

#include "tests/ref_tick.h"

#include <stddef.h>

/* 0 when they agree (nodes that `got` has not watched, count -1, apart); else `what` says where they first differ. */
int net_compare(const struct ref_net *net, const struct ref_log *want, const struct ref_log *got, char *what,
                size_t what_size);

#endif
