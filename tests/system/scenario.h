/* A pair of NICs for tests: created, loaded with messages in a closed loop, and summed up. */
#ifndef TESTS_SYSTEM_SCENARIO_H
#define TESTS_SYSTEM_SCENARIO_H

#include "api/rnicsim.h"

#define SCENARIO_SETS_MAX 176

struct scenario {
    const char *board;
    const char *set[SCENARIO_SETS_MAX];
    size_t sets;
    uint64_t seed;
    int horizon_off, idle_pair;
    uint64_t spurious_seed;
    int64_t shift_ps;
    int64_t slice_ps; /* not 0: advance in slices of random length up to this */

    enum rnicsim_opcode opcode;
    const enum rnicsim_opcode *more; /* NULL, or the opcodes of the requests in turn, instead; up to `more_count` */
    uint32_t more_count;
    uint32_t max_rd_atomic; /* 16 by default where a READ or an atomic is posted */
    int both_ways;          /* host 1 posts the same, on its ends of the QPs; `messages` are of both */
    uint32_t length_bytes, mtu_bytes;
    uint32_t qps;         /* QPs on host 0, used in turn */
    uint32_t outstanding; /* messages of one QP */
    uint32_t batch;       /* requests a doorbell */
    uint32_t messages;
    struct rnicsim_fault fault[4];
    size_t faults;
    int has_srq;                      /* each host's QPs take receive buffers from one SRQ */
    uint32_t srq_limit;               /* of it, armed once */
    enum rnicsim_transport transport; /* of every QP but each third, which is RC */
    int has_unlike_qps;               /* of several service levels, weights and rate limits */
    int64_t *stamps;                  /* NULL, or room for one stamp of each SEND_DONE */
    int listens;                      /* at the line: its frames wait in the simulation */
    enum rnicsim_stamp stamp;
    unsigned flags; /* RNICSIM_SIGNALLED is added to the last of each batch */
};

struct scenario_result {
    int failed;            /* the error is printed */
    uint64_t digest;       /* of every event in order, all fields */
    uint32_t done, stamps; /* stamps: kept */
    int64_t first_done_ps, last_done_ps;
    double goodput_gbps;       /* between the first and the last completion */
    struct rnicsim_event last; /* the last SEND_DONE */
    struct rnicsim_totals totals;
};

/* The defaults: u280_100g, one QP, signalled WRITEs, MTU 4096, seed 1. */
struct scenario scenario_default(void);
/* Runs to the end; *sim stays for inspection when not NULL (the caller destroys it). */
struct scenario_result scenario_run(const struct scenario *scenario, struct rnicsim **sim);
/* The stage with the largest share of work; *share is 0 .. 1. */
void scenario_busiest(struct rnicsim *sim, char *name, size_t name_bytes, double *share);
/* The share of the time that a stage ("read_engine" of nic "a") spends on a cause; -1: there is none. */
double scenario_share(struct rnicsim *sim, const char *nic, const char *stage, enum rnicsim_cause cause);
/* An integer parameter's value as printed without its unit, times 1000 (so "3103.03" is exact enough); fails the test if absent. */
int64_t scenario_param(const struct rnicsim *sim, const char *key, char *unit, size_t unit_bytes);

#endif
