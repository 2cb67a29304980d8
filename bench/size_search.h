/* The smallest depths: run with FIFOs so deep that nothing waits, take how full each became, run again with depths of that, and
 * with each one less.
 *
 * A depth is good when every event that a host sees comes at the instant of the deep run, with no more frames dropped. A depth equal to
 * the high water mostly is, but space that was freed is seen a cycle or a synchroniser later: where it matters, the FIFO gets more, by
 * bisection, one after the other. */
#ifndef BENCH_SIZE_SEARCH_H
#define BENCH_SIZE_SEARCH_H

#include "bench/size_run.h"

enum size_less {                    /* what one less did */
                 SIZE_LESS_FIXED,   /* not tried: no matter of space */
                 SIZE_LESS_LEAST,   /* not tried: less is not allowed */
                 SIZE_LESS_NOTHING, /* every event at the same instant */
                 SIZE_LESS_CHANGED, /* events at other instants */
                 SIZE_LESS_STUCK,   /* requests unfinished, without a drop */
                 SIZE_LESS_DROPS
};

enum size_criterion {                 /* of size_relax_all(): what still is good */
                      SIZE_ZERO_DROP, /* no frame dropped that the deep run did not drop, all requests done */
                      SIZE_FULL_RATE, /* and at most 0.1 % of the goodput lost */
                      SIZE_TAIL,      /* or p99.9 (the mean where it is not known) at most 1 % longer */
                      SIZE_CRITERIA
};

struct size_fifo {
    struct rnicsim_fifo_info info; /* of NIC a, as configured */
    char name[96];                 /* "rx cdc" */
    uint64_t deep;                 /* depth in the deep run, */
    uint64_t high_water;           /* and how full it became there, in the fuller of both NICs */
    int may_have_waited;           /* even there, as far as is known: more was not tried */
    uint64_t depth;                /* proposed */
    enum size_less less;
    struct size_outcome less_outcome;
    int64_t zero_drop, full_rate;           /* least depths that the runs established; -1: none */
    uint64_t exact, relaxed[SIZE_CRITERIA]; /* with is_relaxed: proposed, and the least that is good enough */
};

struct size_search {
    struct size_workload *workload;
    struct size_run configured; /* kept: what it ran on is told in the results */
    struct size_fifo *fifos;    /* those of one NIC, in the order of the model */
    size_t count;
    struct size_outcome deep, proposed;
    int is_relaxed; /* these are there: */
    struct size_outcome relaxed[SIZE_CRITERIA];
    int is_verified; /* the proposed run went like the deep one */
    char (*text)[160];
    const char **set; /* `count` each: the depths of a run */
};

/* workload is set. Returns 0, or the exit status after one line. size_search_free() also after a failure. */
int size_search(struct size_search *search);
void size_search_free(struct size_search *search);

/* Runs with each FIFO's `depth`. back_pressure_ps: NULL, or takes what the FIFO of that number made, in both NICs. */
int size_search_run(struct size_search *search, struct size_outcome *outcome, int64_t *back_pressure_ps, size_t fifo);

/* Whether a run went like the deep one. */
int size_search_is_like_deep(const struct size_search *search, const struct size_outcome *outcome);

#endif
