/* An untuned host widens the tail of perftest's latency and leaves its minimum; what pauses the thread is the same in every run. */
#include <CUnit/Basic.h>

#include "tests/bench/command.h"

static double number_in(const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    return strtod(at + strlen(quoted), NULL);
}

struct latencies {
    double least, most, stdev;
};

static struct latencies latencies_of(struct command *command, const char *host)
{
    command_run(command, "$R run -b u280_100g --host %s --perftest 'write_lat -s 64 -n 20000' --json --quiet -o %s",
                host, host);
    CU_ASSERT_EQUAL_FATAL(command->status, 0);
    const char *latency = strstr(command->out, "\"latency_ns\"");
    CU_ASSERT_PTR_NOT_NULL_FATAL(latency);
    return (struct latencies){number_in(latency, "min"), number_in(latency, "max"), number_in(latency, "stdev")};
}

static void the_tail_is_wider(void)
{
    struct command command;
    command_open(&command);
    struct latencies tuned = latencies_of(&command, "hsw_e5_2620v3");
    struct latencies untuned = latencies_of(&command, "hsw_e5_2620v3_untuned");
    CU_ASSERT_DOUBLE_EQUAL(untuned.least, tuned.least, 1e-9);
    CU_ASSERT(tuned.most < tuned.least + 1000);
    CU_ASSERT(untuned.most > untuned.least + 2000); /* a timer interrupt takes 1 to 20 us */
    CU_ASSERT(untuned.stdev > 10 * tuned.stdev);
    command_close(&command);
}

void suite_bench_untuned(void);
void suite_bench_untuned(void)
{
    CU_pSuite suite = CU_add_suite("bench/untuned", NULL, NULL);
    CU_add_test(suite, "the tail is wider, the minimum is not", the_tail_is_wider);
}
