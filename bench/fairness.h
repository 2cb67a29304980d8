/* How alike the QPs of host 0 were served: Jain's index of their goodputs (Jain, Chiu and Hawe, 1984), 1 for all the same, 1/n when one
 * has it all. */
#ifndef BENCH_FAIRNESS_H
#define BENCH_FAIRNESS_H

#include "bench/collect.h"

struct fairness {
    uint64_t qps; /* below 2: there is nothing to compare */
    double jain;
    double least_gbps, most_gbps;
};

struct fairness fairness_of(const struct collect *collect);

#endif
