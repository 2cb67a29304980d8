/* Pauses of a host's thread, against a walk through time picosecond by picosecond; and what a host makes of them. */
#include "host/host.h"

#include <CUnit/Basic.h>

static struct param_dist between(int64_t least_ps, int64_t most_ps)
{
    return (struct param_dist){.count = 2, .point = {{0, least_ps}, {1000000000, most_ps}}};
}

static struct host_params params(void)
{
    return (struct host_params){.post_cost = 50000,
                                .wqe_cost = 20000,
                                .poll_interval = 10000,
                                .wake = between(0, 0),
                                .interrupt = between(0, 0),
                                .timer = between(0, 0),
                                .preempt = between(0, 0)};
}

static int runs(const struct jitter *jitter, int64_t at_ps)
{
    return jitter_end(jitter, at_ps, 0) == at_ps;
}

static void as_step_by_step(void)
{
    struct host_params p = params();
    struct jitter jitter;
    char error[160];
    p.timer_interval = 400;
    p.timer = between(10, 100);
    p.preempt_interval = 1000;
    p.preempt = between(0, 250);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        CU_ASSERT_EQUAL_FATAL(jitter_init(&jitter, &p, rnd_stream(seed, 1), error, sizeof error), 0);
        for (int64_t from = 0; from < 20000; from += 97) {
            int64_t work = 1 + (int64_t)(rnd_u64(seed, 2, (uint64_t)from, 0) % 700), at = from;
            for (int64_t left = work; left > 0; at++)
                left -= runs(&jitter, at);
            CU_ASSERT_EQUAL(jitter_end(&jitter, from, work), at);
        }
    }
}

/* One pause an interval: so much of the time is gone. */
static void takes_its_share(void)
{
    struct host_params p = params();
    struct jitter jitter;
    char error[160];
    p.timer_interval = 4000000000;
    p.timer = between(2000000, 2000000);
    p.preempt_interval = 100000000000;
    p.preempt = between(20000000, 20000000);
    CU_ASSERT_EQUAL_FATAL(jitter_init(&jitter, &p, rnd_stream(7, 1), error, sizeof error), 0);
    int64_t work = INT64_C(1000000000000), took = jitter_end(&jitter, 1000000000, work);
    CU_ASSERT(took - 1000000000 - work >= (250 - 1) * INT64_C(2000000) + (10 - 1) * INT64_C(20000000));
    CU_ASSERT(took - 1000000000 - work <= (250 + 1) * INT64_C(2000000) + (10 + 1) * INT64_C(20000000));
}

static void too_long_is_refused(void)
{
    struct host_params p = params();
    struct jitter jitter;
    char error[160];
    p.timer_interval = 1000;
    p.timer = between(0, 250);
    CU_ASSERT_EQUAL(jitter_init(&jitter, &p, 1, error, sizeof error), 0);
    p.timer = between(0, 251);
    CU_ASSERT_EQUAL(jitter_init(&jitter, &p, 1, error, sizeof error), -1);
}

static void tuned_costs_are_constant(void)
{
    struct host_params p = params();
    struct host host;
    char error[160];
    int64_t begin;
    CU_ASSERT_EQUAL_FATAL(host_init(&host, &p, 0, 1, error, sizeof error), 0);
    for (int64_t at = 0; at < 1000; at++)
        CU_ASSERT_EQUAL(host_post(&host, at * 1000000, 2, &begin), at * 1000000 + 90000);
    CU_ASSERT_EQUAL(host_sees(&host, 10000), 10000);
    CU_ASSERT_EQUAL(host_sees(&host, 10001), 20000);
}

/* Asleep after 1 us: 3 us to wake, then 10 us at half the clock. */
static void wakes_and_is_slow(void)
{
    struct host_params p = params();
    struct host host;
    char error[160];
    int64_t begin;
    p.sleep_after = 1000000;
    p.wake = between(3000000, 3000000);
    p.slow_time = 10000000;
    p.slow_share = 1000000000; /* 1000000 ppm */
    CU_ASSERT_EQUAL_FATAL(host_init(&host, &p, 0, 1, error, sizeof error), 0);
    int64_t end = host_post(&host, 5000000, 1, &begin); /* it begins asleep */
    CU_ASSERT_EQUAL(begin, 5000000);
    CU_ASSERT_EQUAL(end, 5000000 + 3000000 + 140000);
    CU_ASSERT_EQUAL(host_post(&host, end + 1000000, 1, &begin), end + 1000000 + 140000); /* awake, but slow */
    for (int i = 0; i < 20; i++)                                                         /* until it is at full speed */
        end = host_post(&host, end + 1500000 - i % 2 * 600000, 1, &begin);
    p.sleep_after = 2000000;
    for (int i = 0; i < 20; i++)
        end = host_post(&host, end + 1000000, 1, &begin);
    CU_ASSERT_EQUAL(host_post(&host, end + 2000000, 1, &begin), end + 2000000 + 70000);
    end += 2000000 + 70000;
    CU_ASSERT_EQUAL(host_post(&host, end + 2000001, 1, &begin), end + 2000001 + 3000000 + 140000);
}

/* A program that is paused looks at its next poll after the pause; nothing is seen sooner than by one that is not. */
static void sees_after_the_pause(void)
{
    struct host_params p = params();
    struct host host, tuned;
    char error[160];
    CU_ASSERT_EQUAL_FATAL(host_init(&tuned, &p, 0, 5, error, sizeof error), 0);
    struct host_params busy = p;
    busy.timer_interval = 1000000;
    busy.timer = between(100000, 250000);
    CU_ASSERT_EQUAL_FATAL(host_init(&host, &busy, 0, 5, error, sizeof error), 0);
    int later = 0;
    for (int64_t at = 0; at < 10000000; at += 3331) {
        int64_t seen = host_sees(&host, at), at_once = host_sees(&tuned, at);
        CU_ASSERT(seen >= at_once && seen % 10000 == 0 && runs(&host.jitter, seen));
        later += seen > at_once;
        for (int64_t poll = at_once; poll < seen; poll += 10000)
            CU_ASSERT_FALSE(runs(&host.jitter, poll));
    }
    CU_ASSERT(later > 3000 / 8 && later < 3000 / 3);
}

void suite_host_jitter(void);
void suite_host_jitter(void)
{
    CU_pSuite suite = CU_add_suite("host: what takes the CPU from a thread", NULL, NULL);
    CU_add_test(suite, "pauses, as step by step", as_step_by_step);
    CU_add_test(suite, "pauses take their share", takes_its_share);
    CU_add_test(suite, "a pause that is too long is refused", too_long_is_refused);
    CU_add_test(suite, "a tuned host's costs are constant", tuned_costs_are_constant);
    CU_add_test(suite, "a core that slept wakes, and is slow", wakes_and_is_slow);
    CU_add_test(suite, "what becomes visible in a pause is seen after it", sees_after_the_pause);
}
