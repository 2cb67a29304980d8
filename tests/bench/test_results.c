/* What a run leaves: every file, the same bytes for the same seed, sums that are exact, charts that draw themselves. */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_results(void);

#define LATENCY COMMAND_SAMPLES "write_lat_2B.wqe"
#define BANDWIDTH COMMAND_SAMPLES "write_bw_4K_4qp.wqe"

static const char *const files[] = {
    "summary.json",    "latency.csv",       "stages.csv",          "stalls.csv",         "fifos.csv",
    "pcie.csv",        "events.csv",        "latency_cdf.dat",     "latency_cdf.gp",     "latency_cdf.svg",
    "latency_ccdf.dat", "latency_ccdf.gp",  "latency_ccdf.svg",    "waterfall.dat",      "waterfall.gp",
    "waterfall.svg",   "fifo_occupancy.dat", "fifo_occupancy.gp",  "fifo_occupancy.svg", "fifo_fullest.dat",
    "fifo_fullest.gp", "fifo_fullest.svg",
};

static void test_files(void)
{
    struct command command;
    char name[64];
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r " BANDWIDTH), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "r/%s", files[i]);
        CU_ASSERT(command_has(&command, name));
    }
    CU_ASSERT_EQUAL(command_run(&command, "ls -A r | wc -l"), 0);
    CU_ASSERT_EQUAL(atoi(command.out), (int)(sizeof files / sizeof *files));
    /* The report fits a terminal. */
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g " BANDWIDTH " | awk 'length > 100' | wc -l"), 0);
    CU_ASSERT_EQUAL(atoi(command.out), 0);
    command_close(&command);
}

static void test_same_bytes(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "for d in a b; do $R run -b u280_100g -o $d --quiet " BANDWIDTH "; done"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r -I wall_time_s -I packets_per_wall_s -I realtime_factor a b"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o c --quiet --horizon-off " BANDWIDTH), 0);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r -I wall_time_s -I packets_per_wall_s -I realtime_factor a c"), 0);
    command_close(&command);
}

static void test_charts(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet " LATENCY), 0);
    CU_ASSERT_EQUAL(command_run(&command, "cp -r r kept; cd r; rm *.svg; for f in *.gp; do gnuplot $f; done"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r kept r"), 0);
    /* Without gnuplot: one warning, and what it would draw from. */
    CU_ASSERT_EQUAL(command_run(&command, "PATH=/nowhere $R run -b u280_100g -o s --quiet " LATENCY), 0);
    CU_ASSERT_EQUAL(command_lines(command.err), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "warning: gnuplot"));
    CU_ASSERT(command_has(&command, "s/waterfall.gp"));
    CU_ASSERT(command_has(&command, "s/summary.json"));
    CU_ASSERT(!command_has(&command, "s/waterfall.svg"));
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o n --quiet --no-charts " LATENCY), 0);
    CU_ASSERT(command_has(&command, "n/stages.csv"));
    CU_ASSERT(!command_has(&command, "n/waterfall.gp"));
    command_close(&command);
}

static void test_summary(void)
{
    static const char *const keys[] = {
        "schema",     "version",    "status",       "board",      "host",           "params_changed",   "trace_digest",
        "seed",       "sim_time_ns", "wall_time_s", "requests",   "completions",    "errors",           "latency_ns",
        "delivery_ns", "jitter_ns", "goodput_gbps", "wire_gbps",  "message_rate_mps", "packets_per_wall_s",
        "realtime_factor", "drops", "retransmits",  "bottleneck", "next_bottleneck", "fifos"};
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command, "$R run -b u280_100g -s nic.context_loop='12 cycle' --seed 5 --json " LATENCY), 0);
    json_t *summary = json_loads(command.out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        CU_ASSERT_PTR_NOT_NULL(json_object_get(summary, keys[i]));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(summary, "status")), "complete");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(summary, "seed")), 5);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(summary, "completions")), 2000);
    json_t *changed = json_object_get(summary, "params_changed");
    CU_ASSERT_EQUAL(json_object_size(changed), 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(changed, "nic.context_loop")), "12 cycle");
    json_t *latency = json_object_get(summary, "latency_ns");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(latency, "n")), 2000);
    CU_ASSERT(json_is_real(json_object_get(latency, "p99")));
    CU_ASSERT(json_is_null(json_object_get(latency, "p99.9"))); /* 2,000 samples are too few */
    CU_ASSERT(json_is_null(json_object_get(json_object_get(summary, "jitter_ns"), "pdv")));
    json_decref(summary);
    command_close(&command);
}

/* The rows of stages.csv sum to its last row in whole ps; each stage of stalls.csv sums to the same time. */
static void test_sums(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet --no-charts " BANDWIDTH), 0);
    CU_ASSERT_EQUAL(command_run(&command, "awk -F, '/^\"/ {s += $NF} /^sum/ {exit !(s > 0 && s == $NF)}' r/stages.csv"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "awk -F, '!/^#/ && $6 != \"time_ps\" {t[$1 $2 $3] += $6} END {for (k in t) {n++; "
                                          "if (first == \"\") first = t[k]; if (t[k] != first) bad++}; exit !(n > 20 && "
                                          "first > 0 && bad == 0)}' r/stalls.csv"),
                    0);
    command_close(&command);
}

/* What was left over is told, not an error. */
static void test_partial(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "sed 's/,cqe:40&mem:40$/,cqe:4000/' " LATENCY
                                          " >t.wqe; $R run -b u280_100g -o r --no-charts t.wqe"),
                    0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "status partial"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "waits for cqe:4000 (there were 40)"));
    CU_ASSERT_EQUAL(command_run(&command, "grep -q '\"status\": \"partial\"' r/summary.json && grep -q stuck r/events.csv"), 0);
    command_close(&command);
}

void suite_bench_results(void)
{
    CU_pSuite suite = CU_add_suite("bench/results", NULL, NULL);
    CU_add_test(suite, "all files", test_files);
    CU_add_test(suite, "same seed, same bytes", test_same_bytes);
    CU_add_test(suite, "charts", test_charts);
    CU_add_test(suite, "summary.json", test_summary);
    CU_add_test(suite, "sums are exact", test_sums);
    CU_add_test(suite, "partial", test_partial);
}
