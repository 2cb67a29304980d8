/* The horizon, without and with declared edges: by hand, and against all walks through the graph of who reaches whom. */
#include "kernel/rnd.h"
#include "kernel/sim.h"

#include <CUnit/CUnit.h>

void suite_kernel_reach(void);

#define NODES 6

struct asker {
    struct sim *sim;
    int index;
    int64_t horizon;
};

static int64_t ask(void *self, int64_t now)
{
    struct asker *asker = self;
    (void)now;
    asker->horizon = sim_horizon(asker->sim, asker->index);
    return SIM_NEVER;
}

static int64_t idle(void *self, int64_t now)
{
    (void)self;
    (void)now;
    return SIM_NEVER;
}

static int64_t horizon_of(int64_t other_at, int64_t until, int64_t outside_lookahead_ps, int off)
{
    struct sim sim;
    struct asker asker = {.sim = &sim};
    sim_init(&sim, 1);
    sim.horizon_off = off;
    sim.outside_lookahead_ps = outside_lookahead_ps;
    asker.index = sim_add(&sim, ask, &asker, "asker", 100);
    int other = sim_add(&sim, idle, NULL, "other", 1);
    sim_wake(&sim, asker.index, 1000);
    if (other_at != SIM_NEVER)
        sim_wake(&sim, other, other_at);
    sim_run(&sim, until);
    sim_free(&sim);
    return asker.horizon;
}

static void undeclared(void)
{
    CU_ASSERT_EQUAL(horizon_of(1000, SIM_NEVER, 1, 0), 1099); /* the other decides at 1000, is seen at 1100 */
    CU_ASSERT_EQUAL(horizon_of(5000, SIM_NEVER, 1, 0), 1099); /* nobody is declared: anybody may decide at 1000 still */
    CU_ASSERT_EQUAL(horizon_of(5000, SIM_NEVER, 1, 1), 1000);
    CU_ASSERT_EQUAL(horizon_of(5000, 1040, 1, 0), 1040); /* outside may act at 1040, is seen at 1041 */
    CU_ASSERT_EQUAL(horizon_of(5000, 1040, 30, 0), 1069);
    CU_ASSERT_EQUAL(horizon_of(5000, 1000, 1, 0), 1000);
}

/* Asker 0 decides at 1,000; edges and the others' wakes as given. */
static int64_t horizon_with(int edges, const int64_t (*edge)[4], int64_t wake1, int64_t wake2)
{
    struct sim sim;
    struct asker asker = {.sim = &sim};
    sim_init(&sim, 1);
    asker.index = sim_add(&sim, ask, &asker, "asker", 1);
    for (int i = 1; i <= 2; i++)
        sim_add(&sim, idle, NULL, "other", 1);
    for (int e = 0; e < edges; e++)
        CU_ASSERT_EQUAL(sim_reach(&sim, (int)edge[e][0], (int)edge[e][1], edge[e][2], (int)edge[e][3]), 0);
    sim_wake(&sim, 0, 1000);
    if (wake1 != SIM_NEVER)
        sim_wake(&sim, 1, wake1);
    if (wake2 != SIM_NEVER)
        sim_wake(&sim, 2, wake2);
    sim_run(&sim, SIM_NEVER);
    sim_free(&sim);
    return asker.horizon;
}

static void by_hand(void)
{
    static const int64_t line[][4] = {{1, 0, 100, 0}, {2, 1, 50, 0}, {1, 2, 9, 0}}; /* 2 -> 1 -> 0 */
    CU_ASSERT_EQUAL(horizon_with(3, line, 1000, SIM_NEVER), 1099);
    CU_ASSERT_EQUAL(horizon_with(3, line, 1300, SIM_NEVER), 1399);
    CU_ASSERT_EQUAL(horizon_with(3, line, 1300, 1100), 1249); /* 2 may wake 1 at 1,150 */
    CU_ASSERT_EQUAL(horizon_with(3, line, 1300, 5000), 1399);
    CU_ASSERT_EQUAL(horizon_with(2, line, 1300, 5000), 1150); /* 2 not declared: I may reach it in 1 ps */
    static const int64_t loop[][4] = {{1, 0, 100, 0}, {0, 1, 30, 0}};
    CU_ASSERT_EQUAL(horizon_with(2, loop, SIM_NEVER, SIM_NEVER), 1129); /* my own act comes back at 1,130 */
    CU_ASSERT_EQUAL(horizon_with(2, loop, 1010, SIM_NEVER), 1109);
    static const int64_t release[][4] = {{1, 0, 100, 0}, {0, 1, 30, 1}, {1, 2, 10, 0}};
    CU_ASSERT(horizon_with(3, release, SIM_NEVER, SIM_NEVER) > 1000000); /* the promise: nobody waits for my space */
    CU_ASSERT_EQUAL(horizon_with(3, release, 1500, SIM_NEVER), 1599);
}

struct graph {
    int64_t least_ps[NODES][NODES]; /* 0: no edge */
    int by_release[NODES][NODES];
};

/* The earliest instant at which anything unknown can reach 0: relaxes times, not distances, from every wake. A decider acts
 * at its wake and whenever it is reached; 0 itself acts now, though not by release. */
static int64_t first_by_relaxing(const struct graph *graph, const int64_t *wake, int64_t now)
{
    int64_t act[NODES], first = SIM_NEVER;
    for (int i = 0; i < NODES; i++)
        act[i] = i == 0 ? now : wake[i];
    for (int round = 0; round < NODES * 2; round++)
        for (int from = 0; from < NODES; from++)
            for (int to = 0; to < NODES; to++) {
                if (graph->least_ps[from][to] == 0 || act[from] == SIM_NEVER || (from == 0 && graph->by_release[0][to]))
                    continue;
                int64_t at = act[from] + graph->least_ps[from][to];
                if (to == 0 && at < first)
                    first = at;
                if (to != 0 && at < act[to])
                    act[to] = at;
            }
    return first;
}

static void random_graphs(void)
{
    int wrong = 0;
    for (uint64_t trial = 0; trial < 3000; trial++) {
        struct graph graph = {0};
        struct sim sim;
        struct asker asker = {.sim = &sim};
        int64_t wake[NODES];
        sim_init(&sim, 1);
        asker.index = sim_add(&sim, ask, &asker, "asker", 1);
        for (int i = 1; i < NODES; i++)
            sim_add(&sim, idle, NULL, "other", 1);
        for (int i = 0; i < NODES; i++) {
            uint64_t draw = rnd_u64(21, trial, (uint64_t)i, 0);
            wake[i] = i == 0 ? 1000 : draw % 3 == 0 ? SIM_NEVER : 1001 + (int64_t)(draw >> 8) % 300;
            if (wake[i] != SIM_NEVER)
                sim_wake(&sim, i, wake[i]);
            for (int k = 0; k < NODES; k++) {
                uint64_t edge = rnd_u64(21, trial, (uint64_t)(i * NODES + k), 1);
                if (k != i && (edge % 3 == 0 || (k == (i + 1) % NODES))) { /* a ring: everybody is declared */
                    graph.least_ps[i][k] = 1 + (int64_t)(edge >> 8) % 200;
                    graph.by_release[i][k] = (edge >> 40) % 4 == 0;
                    sim_reach(&sim, i, k, graph.least_ps[i][k], graph.by_release[i][k]);
                }
            }
        }
        sim_run(&sim, SIM_NEVER);
        int64_t first = first_by_relaxing(&graph, wake, 1000);
        if (first < 1000 + 1000000)
            wrong += asker.horizon != first - 1;
        sim_free(&sim);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

void suite_kernel_reach(void)
{
    CU_pSuite suite = CU_add_suite("kernel reach", NULL, NULL);
    CU_add_test(suite, "nobody declared", undeclared);
    CU_add_test(suite, "by hand", by_hand);
    CU_add_test(suite, "random graphs", random_graphs);
}
