/* The least depths that are good enough, where "good" is less than "no event moves": all of a vector together, in re-runs.
 *
 * Order of search: the FIFOs in the order of the model, from the proposed depths on. Each in turn gets the least depth that is good with all others
 * as they are, by bisection between the least that is allowed and what it has; then all are looked at again with one less, until no FIFO
 * can lose one. So the vector passes together, and one less of any of them fails; a depth below may pass again, as a deeper FIFO can make a tail
 * longer: bisection finds one of such edges. */
#ifndef BENCH_SIZE_RELAX_H
#define BENCH_SIZE_RELAX_H

#include "bench/size_search.h"

/* The depths of all criteria, from size_search()'s. Returns 0, or the exit status after one line. */
int size_relax_all(struct size_search *search);
/* "zero_drop", "full_rate", "p99.9" */
const char *size_criterion_name(enum size_criterion criterion);

/* The curve of one FIFO, the others as proposed. */
struct size_curve_point {
    uint64_t depth;
    struct size_outcome outcome;
    int64_t back_pressure_ps; /* that it made, both NICs together */
};

#define SIZE_CURVE_MAX 32u

struct size_curve {
    const struct size_fifo *fifo; /* NULL: none is wanted */
    struct size_curve_point point[SIZE_CURVE_MAX];
    size_t count;
};

/* name: "rx cdc" or "rx.cdc". Returns 0, or the exit status after one line. */
int size_curve_run(struct size_curve *curve, struct size_search *search, const char *name);

#endif
