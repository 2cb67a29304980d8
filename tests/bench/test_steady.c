/* Warm-up and confidence intervals. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>

#include "bench/steady.h"
#include "tests/bench/command.h"

void suite_bench_steady(void);

/* Of Student's t tables (97.5 %). */
static void test_student(void)
{
    static const struct {
        uint64_t degrees;
        double t;
    } row[] = {{1, 12.706}, {4, 2.776},  {10, 2.228}, {11, 2.201}, {15, 2.131},
               {20, 2.086}, {30, 2.042}, {60, 2.000}, {120, 1.980}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CU_ASSERT_DOUBLE_EQUAL(steady_student(row[i].degrees), row[i].t, 0.001);
}

/* A step at a known place is found, a constant has no warm-up, and noise alone hardly any. */
static void test_mser(void)
{
    double mean[200];
    unsigned state = 7;
    for (size_t step = 0; step <= 100; step += 10) {
        for (size_t i = 0; i < 200; i++)
            mean[i] = (i < step ? 5000 : 1000) + (double)(rand_r(&state) % 20);
        size_t found = steady_mser(mean, 200);
        CU_ASSERT(found >= step && found <= step + (step == 0 ? 100 : 12));
    }
    for (size_t i = 0; i < 200; i++)
        mean[i] = 1234.5;
    CU_ASSERT_EQUAL(steady_mser(mean, 200), 0);
    CU_ASSERT_EQUAL(steady_mser(mean, 1), 0);
}

static void feed(struct steady *steady, uint64_t total, uint64_t warm, unsigned *state)
{
    steady_begin(steady, total);
    for (uint64_t i = 1; i <= total; i++) {
        struct rnicsim_event event = {.kind = RNICSIM_SEND_DONE, .at_ps = (int64_t)i * 1000};
        double u = ((double)(rand_r(state) % 100000) + 0.5) / 100000;
        event.stamp_ps[RNICSIM_AT_SEEN] = (int64_t)(i <= warm ? 9000000 : 1000000 - 200000 * log(u));
        steady_add(steady, &event, i);
    }
}

/* Of an exponential distribution behind a warm-up: the 95 % intervals hold its mean, median and p99 about 95 times of 100. */
static void test_intervals(void)
{
    int mean = 0, p50 = 0, p99 = 0;
    unsigned state = 3;
    for (int run = 0; run < 100; run++) {
        struct steady steady;
        struct steady_state found;
        feed(&steady, 40000, 2000, &state);
        CU_ASSERT_EQUAL(steady_find(&steady, 0, &found), 0);
        CU_ASSERT(found.known && found.left_out >= 2000 && found.left_out <= 3750);
        CU_ASSERT_EQUAL(found.warmup_ps, (int64_t)found.left_out * 1000);
        CU_ASSERT_EQUAL(found.latency.count + found.left_out, 40000);
        CU_ASSERT(found.mean.known && found.p50.known && found.p99.known && !found.p999.known);
        mean += fabs(found.latency.mean_ps - 1200000) <= found.mean.half_ps;
        p50 += fabs((double)found.latency.p50.ps - (1000000 + 200000 * log(2))) <= found.p50.half_ps;
        p99 += fabs((double)found.latency.p99.ps - (1000000 + 200000 * log(100))) <= found.p99.half_ps * 1.1;
        steady_free(&steady);
    }
    printf("\n  of 100 intervals hold: mean %d, p50 %d, p99 %d", mean, p50, p99);
    CU_ASSERT(mean >= 88 && p50 >= 88 && p99 >= 80);
}

static void test_too_few(void)
{
    struct steady steady;
    struct steady_state found;
    unsigned state = 1;
    feed(&steady, 19, 0, &state);
    CU_ASSERT_EQUAL(steady_find(&steady, 0, &found), 0);
    CU_ASSERT(!found.known);
    steady_free(&steady);
    feed(&steady, 300, 0, &state);
    CU_ASSERT_EQUAL(steady_find(&steady, 0, &found), 0);
    CU_ASSERT(found.known && found.mean.known && !found.p50.known && !found.p99.known); /* ten samples a batch */
    steady_free(&steady);
    steady_begin(&steady, 0); /* by duration: how many will come is not known */
    CU_ASSERT_EQUAL(steady_find(&steady, 0, &found), 0);
    CU_ASSERT(!found.known);
    steady_free(&steady);
}

/* A link that is down at first makes a warm-up, without which no request was late. */
#define LOAD \
    "--gen '--qps 1 --size 1024 --opcode write --requests 60000 --depth 4096 --arrival periodic --rate \"40 Gbps\"' "

static void test_run(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g --quiet " LOAD "-s transport.timeout=3 --faults 'link down 5 "
                                "us for 200 us' --assert 'steady.warmup_requests > 1000' --assert "
                                "'steady.warmup_ns > 200 us' --assert 'latency_ns.max > 100 us' --assert "
                                "'steady.latency_ns.max < 10 us' --assert 'steady.ci95_ns.avg < 10 ns'"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g --json " LOAD ">a.json; python3 -c \"import json; s = "
                                "json.load(open('a.json'))['steady']; print(s['batches'], s['ci95_ns']['avg'] is "
                                "not None, s['latency_ns']['n'] + s['warmup_requests'])\""),
                    0);
    int batches = 0;
    char known[8] = "";
    unsigned all = 0;
    CU_ASSERT_EQUAL(sscanf(command.out, "%d %7s %u", &batches, known, &all), 3);
    CU_ASSERT(batches >= 10 && batches <= 32 && strcmp(known, "True") == 0 && all == 60000);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_lat -n 2000' | grep '^Steady'"), 0);
    CU_ASSERT(command_holds(command.out, "mean 1"));
    command_close(&command);
}

void suite_bench_steady(void)
{
    CU_pSuite suite = CU_add_suite("bench/steady", NULL, NULL);
    CU_add_test(suite, "Student's t", test_student);
    CU_add_test(suite, "where the warm-up ends", test_mser);
    CU_add_test(suite, "intervals hold what they should", test_intervals);
    CU_add_test(suite, "too few samples", test_too_few);
    CU_add_test(suite, "of a run", test_run);
}
