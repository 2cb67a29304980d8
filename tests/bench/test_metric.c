/* Values of a summary by name, and assertions on them. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "bench/metric.h"
#include "tests/bench/command.h"

void suite_bench_metric(void);

static const char summary_text[] =
    "{\"latency_ns\": {\"p50\": 1590.5, \"p99\": 1600, \"p99.9\": null, \"n\": 100}, \"jitter_ns\": {\"pdv\": 20},"
    "\"goodput_gbps\": 97.25, \"message_rate_mps\": 8.5, \"drops\": {\"rx.cdc full\": 3, \"tx underrun\": 4},"
    "\"status\": \"complete\", \"bottleneck\": {\"cause\": \"no_tag\", \"share\": 0.91}, \"none\": {},"
    "\"fifos\": [{\"name\": \"a tx mac\", \"hwm\": 7, \"backpressure\": 12.5}, {\"name\": \"b rx\", \"hwm\": 9}]}";

static const struct {
    const char *name, *unit;
    double value; /* NAN: known, but no number */
} names[] = {
    {"latency_ns.p50", "ns", 1590.5},
    {"p50", "ns", 1590.5},
    {"p99.9", "ns", NAN},
    {"latency_ns.n", "", 100},
    {"pdv", "ns", 20},
    {"goodput", "Gb/s", 97.25},
    {"goodput_gbps", "Gb/s", 97.25},
    {"message_rate", "M/s", 8.5},
    {"drops", "", 7},
    {"drops.rx.cdc full", "", 3},
    {"none", "", 0},
    {"status", "", NAN},
    {"bottleneck.share", "", 0.91},
    {"fifos.a tx mac.hwm", "", 7},
    {"fifos.1.hwm", "", 9},
    {"fifos.a tx mac.backpressure", "ns", 12.5},
};

static void test_names(void)
{
    json_t *summary = json_loads(summary_text, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value = NAN;
        const json_t *found = metric_find(summary, names[i].name);
        CU_ASSERT_PTR_NOT_NULL(found);
        CU_ASSERT_EQUAL(metric_number(found, &value), !isnan(names[i].value));
        CU_ASSERT(isnan(names[i].value) || value == names[i].value);
        CU_ASSERT_STRING_EQUAL(metric_unit(names[i].name), names[i].unit);
    }
    static const char *const none[] = {"p99.99", "p", "latency_ns.", "fifos.2.hwm", "fifos.a.hwm", "", "status.x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CU_ASSERT_PTR_NULL(metric_find(summary, none[i]));
    json_decref(summary);
}

/* With the exit status that the text gives, and what is told of it. */
static const struct {
    const char *text;
    int status;
    const char *told;
} asserted[] = {
    {"max < 3 us", 0, ""},
    {"latency_ns.max <= 0.003 ms", 0, ""},
    {"max < 1 us", 1, "assertion failed: max < 1 us: it is 1"},
    {"drops == 0", 0, ""},
    {"drops != 0", 1, "it is 0"},
    {"goodput > 1 Mbps", 0, ""},
    {"goodput >= 1 GB/s", 1, "Gb/s"},
    {"bottleneck.cause == latency", 0, ""},
    {"bottleneck.cause != \"latency\"", 1, "it is \"latency\""},
    {"bottleneck.share < 100 %", 0, ""},
    {"p99.9 < 1 s", 1, "it is not known (null"},
    {"latency_ns.n == 40", 0, ""},
    {"max < 3", 2, "max is in ns: \"3\" has none"},
    {"max < 3 Gbps", 2, "has another unit"},
    {"max < much", 2, "\"much\" is no number"},
    {"max", 2, "allowed is NAME < VALUE"},
    {"< 3 us", 2, "allowed is NAME < VALUE"},
    {"speed > 3", 2, "the results have no \"speed\""},
    {"status < 3", 2, "is a text; allowed are == and !="},
};

static void test_asserted(void)
{
    for (size_t i = 0; i < sizeof asserted / sizeof *asserted; i++) {
        struct command command;
        command_open(&command);
        CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_lat -n 20' --quiet --assert '%s'",
                                    asserted[i].text),
                        asserted[i].status);
        CU_ASSERT_EQUAL(command_lines(command.err), asserted[i].status != 0);
        CU_ASSERT(command_holds(command.err, asserted[i].told));
        command_close(&command);
    }
}

/* All are judged, and the results are there whatever holds. */
static void test_several(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_lat -n 20' --quiet -o r --no-charts "
                                          "--assert 'max < 1 ns' --assert 'drops == 0' --assert 'errors > 0'"),
                    1);
    CU_ASSERT_EQUAL(command_lines(command.err), 2);
    CU_ASSERT(command_has(&command, "r/summary.json"));
    command_close(&command);
}

void suite_bench_metric(void)
{
    CU_pSuite suite = CU_add_suite("bench/metric", NULL, NULL);
    CU_add_test(suite, "names and units", test_names);
    CU_add_test(suite, "assertions", test_asserted);
    CU_add_test(suite, "several assertions", test_several);
}
