/* The loop: order of decisions, ties, wakes, slices, stop, horizon, failure. */
#include "kernel/rnd.h"
#include "kernel/sim.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_kernel_sim(void);

#define AGENTS_MAX 600
#define LOG_MAX 20000

struct agent {
    struct world *world;
    int index;
    uint64_t decisions;
    int64_t last_at;
};

struct world {
    struct sim sim;
    struct agent agent[AGENTS_MAX];
    int agents;
    int64_t due[AGENTS_MAX]; /* the same wakes in a plain array */
    int wrong;
    uint64_t decided;
    int stop_at_decision;
};

/* Checks that it is the lowest index among the earliest; wakes a few others and itself at random. */
static int64_t agent_decide(void *self, int64_t now)
{
    struct agent *agent = self;
    struct world *world = agent->world;
    for (int i = 0; i < world->agents; i++)
        if (world->due[i] < now || (world->due[i] == now && i < agent->index))
            world->wrong++;
    world->wrong += world->due[agent->index] != now || world->sim.now != now;
    world->due[agent->index] = SIM_NEVER;
    world->decided++;
    if (world->stop_at_decision && world->decided == (uint64_t)world->stop_at_decision)
        world->sim.stop = 1;
    uint64_t draw = rnd_u64(9, (uint64_t)agent->index, agent->decisions++, 0);
    for (uint64_t k = 0; k < draw % 3; k++) {
        int other = (int)((draw >> (8 + 16 * k)) % (uint64_t)world->agents);
        int64_t at = now + 1 + (int64_t)(draw >> (20 + 10 * k)) % 50;
        sim_wake(&world->sim, other, at);
        if (at < world->due[other])
            world->due[other] = at; /* only lowers */
        world->wrong += world->sim.wake[other] != world->due[other];
    }
    int64_t next = (draw >> 50) % 4 == 0 ? SIM_NEVER : now + 1 + (int64_t)(draw >> 55) % 60;
    if (next < world->due[agent->index])
        world->due[agent->index] = next;
    return next;
}

static struct world *world_new(int agents)
{
    static struct world world;
    memset(&world, 0, sizeof world);
    sim_init(&world.sim, 1);
    world.agents = agents;
    for (int i = 0; i < agents; i++) {
        world.agent[i] = (struct agent){.world = &world, .index = i};
        world.due[i] = SIM_NEVER;
        CU_ASSERT_EQUAL_FATAL(sim_add(&world.sim, agent_decide, &world.agent[i], "agent", 1), i);
    }
    world.due[agents - 1] = 5;
    sim_wake(&world.sim, agents - 1, 5);
    return &world;
}

static void order_and_ties(void)
{
    static const int sizes[] = {1, 2, 3, 5, 31, 64, 65, 600};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct world *world = world_new(sizes[i]);
        for (int64_t until = 0; until < 3000; until += 1 + until % 97)
            sim_run(&world->sim, until);
        CU_ASSERT_EQUAL(world->wrong, 0);
        CU_ASSERT_EQUAL(world->decided, world->sim.decisions);
        sim_free(&world->sim);
    }
}

static void slices_and_stop(void)
{
    struct world *world = world_new(20);
    sim_run(&world->sim, 4);
    CU_ASSERT(world->decided == 0 && world->sim.now == 4);
    sim_run(&world->sim, 5);
    CU_ASSERT(world->decided == 1 && world->sim.now == 5);
    world->stop_at_decision = 50;
    sim_run(&world->sim, 1000000);
    CU_ASSERT(world->decided == 50 && world->sim.now < 1000000);
    int64_t now = world->sim.now;
    sim_run(&world->sim, now - 1 > 5 ? now - 1 : 5); /* the past: nothing happens and now stays */
    CU_ASSERT(world->decided == 50 && world->sim.now == now);
    sim_free(&world->sim);
}

static int64_t idle(void *self, int64_t now)
{
    (void)self;
    (void)now;
    return SIM_NEVER;
}

static int64_t note(void *self, int64_t now)
{
    int **next = self;
    **next = (int)now;
    ++*next;
    return SIM_NEVER;
}

static void limits(void)
{
    struct sim sim;
    int noted[2] = {0}, *next = noted;
    sim_init(&sim, 1);
    CU_ASSERT_EQUAL(sim_next_at(&sim), SIM_NEVER);
    sim_run(&sim, SIM_NEVER);
    CU_ASSERT_EQUAL(sim.now, 0);
    CU_ASSERT_EQUAL(sim_add(&sim, idle, NULL, "zero", 0), -1); /* R4 */
    for (int i = 0; i < SIM_DECIDERS_MAX; i++)
        CU_ASSERT_EQUAL_FATAL(sim_add(&sim, i < SIM_DECIDERS_MAX - 1 ? idle : note, &next, "idle", 1), i);
    CU_ASSERT_EQUAL(sim_add(&sim, idle, NULL, "one too many", 1), -1);
    sim_wake(&sim, SIM_DECIDERS_MAX - 1, 77);
    sim_wake(&sim, SIM_DECIDERS_MAX - 2, 77);
    CU_ASSERT_EQUAL(sim_next_at(&sim), 77);
    sim_run(&sim, SIM_NEVER);
    CU_ASSERT(sim.decisions == 2 && sim.now == 77 && noted[0] == 77 && next == noted + 1);
    sim_free(&sim);
}

static int64_t stops(void *self, int64_t now)
{
    struct sim *sim = self;
    sim->stop = 1;
    return now + 5;
}

/* What is seen outside comes behind all others of its instant, wherever it was added. */
static void outside(void)
{
    struct sim sim;
    int noted[2] = {0}, *next = noted;
    sim_init(&sim, 1);
    CU_ASSERT_EQUAL(sim_add_outside(&sim, stops, &sim, "outside"), 0);
    CU_ASSERT_EQUAL(sim_add(&sim, note, &next, "note", 1), 1);
    sim_wake_outside(&sim, 50);
    sim_wake_outside(&sim, 40);
    sim_wake_outside(&sim, 60); /* only lowered */
    sim_wake(&sim, 1, 40);
    CU_ASSERT_EQUAL(sim_next_at(&sim), 40);
    sim_run(&sim, 39);
    CU_ASSERT(sim.now == 39 && next == noted);
    sim_run(&sim, SIM_NEVER);
    CU_ASSERT(sim.now == 40 && noted[0] == 40 && sim.decisions == 2);
    CU_ASSERT_EQUAL(sim_next_at(&sim), 45);
    sim_run(&sim, 44);
    CU_ASSERT(sim.now == 44 && sim.decisions == 2);
    sim_run(&sim, 45);
    CU_ASSERT(sim.now == 45 && sim.decisions == 3 && sim_next_at(&sim) == 50);
    sim_free(&sim);
}

static int64_t returns_now(void *self, int64_t now)
{
    (void)self;
    return now;
}

/* A wake that is not after now makes the simulation failed, through on_failure, with the decider's name in the text. */
static void failure(void)
{
    struct sim sim;
    jmp_buf back;
    volatile int jumps = 0;
    sim_init(&sim, 1);
    int d = sim_add(&sim, returns_now, NULL, "hasty", 1);
    sim.on_failure = &back;
    sim_wake(&sim, d, 12);
    if (setjmp(back) == 0)
        sim_run(&sim, 100);
    else
        jumps++;
    CU_ASSERT(jumps == 1 && sim.failed && sim.now == 12);
    CU_ASSERT_PTR_NOT_NULL(strstr(sim.failure, "hasty"));
    CU_ASSERT_PTR_NOT_NULL(strstr(sim.failure, "at 12 ps"));
    sim_free(&sim);
}

void suite_kernel_sim(void)
{
    CU_pSuite suite = CU_add_suite("kernel sim", NULL, NULL);
    CU_add_test(suite, "order of decisions, ties, only lowered", order_and_ties);
    CU_add_test(suite, "slices and stop", slices_and_stop);
    CU_add_test(suite, "what is seen outside", outside);
    CU_add_test(suite, "limits", limits);
    CU_add_test(suite, "failure", failure);
}
