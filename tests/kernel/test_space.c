/* Counted space against a plain list of returns; and what it must refuse. */
#include "kernel/rnd.h"
#include "kernel/space.h"

#include <CUnit/CUnit.h>

void suite_kernel_space(void);

#define RETURNS 4096

struct plain_return {
    int64_t at;
    uint32_t units;
};

struct plain {
    uint32_t free, depth;
    int64_t taken_at; /* what the last take had to wait for: nothing is taken before it */
    struct plain_return back[RETURNS];
    int count;
};

/* The earliest instant at which `units` are there when nothing more is taken. */
static int64_t plain_when(const struct plain *plain, uint32_t units)
{
    uint32_t there = plain->free;
    int64_t at = 0;
    for (int i = 0; i < plain->count && there < units; i++) {
        there += plain->back[i].units;
        at = plain->back[i].at;
    }
    return there < units ? SIM_NEVER : at;
}

static void plain_take(struct plain *plain, uint32_t units)
{
    int used = 0;
    for (; plain->free < units; used++) {
        plain->free += plain->back[used].units;
        plain->taken_at = plain->back[used].at;
    }
    plain->free -= units;
    plain->count -= used;
    for (int i = 0; i < plain->count; i++)
        plain->back[i] = plain->back[i + used];
}

static void run_trial(struct sim *sim, uint64_t trial)
{
    struct space space;
    uint32_t held[RETURNS];
    uint32_t first = 0, next = 0;
    int64_t at = 0;
    struct plain plain = {.depth = 1 + (uint32_t)(rnd_u64(3, trial, 0, 1) % 37)};
    plain.free = plain.depth;
    CU_ASSERT_EQUAL_FATAL(space_init(&space, sim, "test", plain.depth), 0);
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t draw = rnd_u64(3, trial, i, 0);
        uint32_t units = 1 + (uint32_t)(draw >> 8) % plain.depth;
        int64_t want = plain_when(&plain, units), got = space_when(&space, units);
        CU_ASSERT_EQUAL_FATAL(got > plain.taken_at ? got : plain.taken_at,
                              want > plain.taken_at ? want : plain.taken_at);
        if (draw % 2 == 0 && space_when(&space, units) != SIM_NEVER) {
            space_take(&space, units);
            plain_take(&plain, units);
            held[next++] = units;
        } else if (first < next) {
            at += (int64_t)(draw >> 40) % 3;
            space_give(&space, held[first], at);
            plain.back[plain.count++] = (struct plain_return){at, held[first++]};
        }
        uint32_t away = 0;
        for (uint32_t k = first; k < next; k++)
            away += held[k];
        CU_ASSERT_EQUAL_FATAL(space_away(&space), away);
    }
    space_free(&space);
}

static void random_against_list(void)
{
    struct sim sim;
    sim_init(&sim, 1);
    for (uint64_t trial = 0; trial < 200; trial++)
        run_trial(&sim, trial);
    sim_free(&sim);
}

enum misuse { TAKE_TOO_MUCH, GIVE_BACKWARDS, GIVE_TOO_OFTEN };

/* Whether the misuse fails the simulation (R9). */
static int fails(enum misuse misuse)
{
    struct sim sim;
    struct space space;
    jmp_buf back;
    sim_init(&sim, 1);
    space_init(&space, &sim, "tags", 2);
    sim.on_failure = &back;
    if (setjmp(back) == 0) {
        space_take(&space, 1);
        space_take(&space, 1);
        if (misuse == TAKE_TOO_MUCH)
            space_take(&space, 1);
        space_give(&space, 1, 10);
        if (misuse == GIVE_BACKWARDS)
            space_give(&space, 1, 9);
        space_give(&space, 1, 10);
        if (misuse == GIVE_TOO_OFTEN)
            space_give(&space, 1, 10);
    }
    int failed = sim.failed;
    space_free(&space);
    sim_free(&sim);
    return failed;
}

static void misuse_fails(void)
{
    CU_ASSERT(fails(TAKE_TOO_MUCH));
    CU_ASSERT(fails(GIVE_BACKWARDS));
    CU_ASSERT(fails(GIVE_TOO_OFTEN));
}

/* A unit given back at cycle 10 is there at 10, not at 9, and SIM_NEVER before that is decided. */
static void gate(void)
{
    struct sim sim;
    struct space space;
    sim_init(&sim, 1);
    space_init(&space, &sim, "tags", 3);
    CU_ASSERT_EQUAL(space_when(&space, 3), 0);
    CU_ASSERT_EQUAL(space_when(&space, 4), SIM_NEVER);
    space_take(&space, 2);
    CU_ASSERT_EQUAL(space_when(&space, 1), 0);
    CU_ASSERT_EQUAL(space_when(&space, 2), SIM_NEVER);
    space_give(&space, 1, 10);
    space_give(&space, 1, 12);
    CU_ASSERT_EQUAL(space_when(&space, 2), 10);
    CU_ASSERT_EQUAL(space_when(&space, 3), 12);
    CU_ASSERT_EQUAL(space_away(&space), 0);
    space_free(&space);
    sim_free(&sim);
}

void suite_kernel_space(void)
{
    CU_pSuite suite = CU_add_suite("kernel space", NULL, NULL);
    CU_add_test(suite, "random against a list", random_against_list);
    CU_add_test(suite, "misuse fails the simulation", misuse_fails);
    CU_add_test(suite, "gate", gate);
}
