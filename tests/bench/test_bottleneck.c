/* The bottleneck rule on inputs made for it. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "bench/bottleneck.h"

void suite_bench_bottleneck(void);

#define STAGES 3

/* Each stage: its work in permille and one more cause; the rest is without input. */
struct bottleneck_case {
    struct {
        int work;
        enum rnicsim_cause cause;
        int other;
    } stage[STAGES];
    const char *first, *first_cause;
    const char *next, *next_cause;
};

static const struct bottleneck_case cases[] = {
    /* a saturated server, whatever waits for it; the next is the next-busiest, however idle */
    {{{990, RNICSIM_BUBBLE, 10}, {500, RNICSIM_DOWNSTREAM_FULL, 500}, {300, RNICSIM_NO_TAG, 650}},
     "a p s0", "work", "a p s1", "work"},
    {{{500, RNICSIM_DOWNSTREAM_FULL, 500}, {900, RNICSIM_NO_INPUT, 0}, {950, RNICSIM_NO_INPUT, 0}},
     "a p s2", "work", "a p s1", "work"},
    /* none is saturated: the resource that is most waited for, then the next resource */
    {{{899, RNICSIM_BUBBLE, 101}, {100, RNICSIM_NO_TAG, 300}, {100, RNICSIM_WINDOW_FULL, 299}},
     "a p s1", "no_tag", "a p s2", "window_full"},
    {{{100, RNICSIM_CONTEXT_BUSY, 800}, {700, RNICSIM_NO_INPUT, 0}, {100, RNICSIM_NO_INPUT, 0}},
     "a p s0", "context_busy", "a p s1", "work"},
    /* shadows of other stages do not count; below the thresholds it is latency */
    {{{100, RNICSIM_DOWNSTREAM_FULL, 900}, {100, RNICSIM_BUBBLE, 900}, {899, RNICSIM_NO_BUFFER, 101}},
     "payload read", "latency", "poll sees CQE", "latency"},
    {{{100, RNICSIM_NO_BUFFER, 299}, {0, RNICSIM_NO_INPUT, 0}, {0, RNICSIM_NO_INPUT, 0}},
     "payload read", "latency", "poll sees CQE", "latency"},
    /* of equals, the first */
    {{{950, RNICSIM_NO_INPUT, 0}, {950, RNICSIM_NO_INPUT, 0}, {0, RNICSIM_NO_INPUT, 0}},
     "a p s0", "work", "a p s1", "work"},
};

static struct waterfall make_waterfall(void)
{
    struct collect collect = {.stretch_count = 2};
    collect.stretch_ps[RNICSIM_AT_PAYLOAD] = 600;
    collect.stretch_ps[RNICSIM_AT_SEEN] = 300;
    collect.stretch_ps[RNICSIM_AT_WIRE] = 100;
    return waterfall_of(&collect);
}

static void check_case(const struct bottleneck_case *given)
{
    static const char *const name[STAGES] = {"s0", "s1", "s2"};
    struct rnicsim_stage_info stages[STAGES];
    struct waterfall waterfall = make_waterfall();
    for (int i = 0; i < STAGES; i++) {
        stages[i] = (struct rnicsim_stage_info){.nic = "a", .path = "p", .name = name[i]};
        stages[i].time_ps[RNICSIM_WORK] = given->stage[i].work;
        stages[i].time_ps[given->stage[i].cause] += given->stage[i].other;
        stages[i].time_ps[RNICSIM_NO_INPUT] += 1000 - given->stage[i].work - given->stage[i].other;
    }
    struct bottlenecks found = bottleneck_find(stages, STAGES, &waterfall);
    CU_ASSERT_STRING_EQUAL(found.first.stage, given->first);
    CU_ASSERT_STRING_EQUAL(found.first.cause, given->first_cause);
    CU_ASSERT_STRING_EQUAL(found.next.stage, given->next);
    CU_ASSERT_STRING_EQUAL(found.next.cause, given->next_cause);
}

static void test_rule(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static void test_nothing(void)
{
    struct collect collect = {0};
    struct waterfall waterfall = waterfall_of(&collect);
    struct bottlenecks found = bottleneck_find(NULL, 0, &waterfall);
    CU_ASSERT_STRING_EQUAL(found.first.stage, "");
    CU_ASSERT_STRING_EQUAL(found.next.stage, "");
}

static void test_waterfall(void)
{
    struct waterfall waterfall = make_waterfall();
    __int128 sum_ps = 0;
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        sum_ps += waterfall.rows[i].sum_ps;
        CU_ASSERT_EQUAL(waterfall.rows[i].to, waterfall.rows[i].from + 1);
    }
    CU_ASSERT(sum_ps == waterfall.sum_ps && sum_ps == 1000);
    CU_ASSERT_DOUBLE_EQUAL(waterfall.mean_ns, 0.5, 1e-12);
    CU_ASSERT_EQUAL(waterfall.rows[waterfall_largest(&waterfall, -1)].to, RNICSIM_AT_PAYLOAD);
}

void suite_bench_bottleneck(void)
{
    CU_pSuite suite = CU_add_suite("bench/bottleneck", NULL, NULL);
    CU_add_test(suite, "rule", test_rule);
    CU_add_test(suite, "nothing happened", test_nothing);
    CU_add_test(suite, "waterfall sums", test_waterfall);
}
