/* rnicsim validate: predicted beside measured, predictions counted apart; what is wrong with a target is one line. */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <math.h>

#include "tests/bench/command.h"

void suite_bench_validate_slow(void);

/* A target of which each test changes a line: 7 lines of head, the metrics from line 9 on. */
#define HEAD(kind, board, workload)                       \
    "about = \"a test\"\nkind = " kind "\nboard = " board \
    "\nhost = hsw_e5_2620v3\nset = \"pcie.lanes=8\"\nworkload = \"" workload "\"\nsource = \"nobody\"\n[measured]\n"
#define PCIEBENCH(workload) \
    "about = x\nkind = pciebench\nhost = hsw_e5_2620v3\nworkload = \"" workload "\"\nsource = y\n[measured]\n"
#define GOOD_HEAD HEAD("perftest", "cx5_100g", "write_lat -s 8 -n 100")
#define FITTED "[fitted]\nstage.payload.build.latency = calibrated \"t_typical\"\n"

static json_t *validate(struct command *command, const char *arguments)
{
    CU_ASSERT_EQUAL(command_run(command, "$R validate --json %s", arguments), 0);
    CU_ASSERT_STRING_EQUAL(command->err, "");
    json_t *object = json_loads(command->out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(object);
    return object;
}

static double number(json_t *object, const char *outer, const char *inner)
{
    return json_number_value(json_object_get(json_object_get(object, outer), inner));
}

static json_t *point_at(json_t *object, size_t index)
{
    return json_array_get(json_object_get(object, "points"), index);
}

/* Points whose errors are known once the prediction is: what is measured is made from it. */
static void counts(void)
{
    struct command command;
    char text[1200];
    command_open(&command);
    command_write(&command, "a.target", GOOD_HEAD "t_typical = 1 us @prediction\n");
    json_t *object = validate(&command, "./a.target");
    double predicted = json_number_value(json_object_get(point_at(object, 0), "predicted"));
    CU_ASSERT(predicted > 0.5 && predicted < 2);
    json_decref(object);
    snprintf(text, sizeof text, GOOD_HEAD "t_typical = %.9f us +- 0.01 @prediction\nt_avg = 1 us @calibrated\n" FITTED,
             predicted / 1.25);
    text[sizeof text - 1] = 0;
    char *fitted = strstr(text, "\"t_typical\"\n");
    memcpy(fitted, "\"t_avg\"    \n", 12);
    command_write(&command, "b.target", text);
    snprintf(text, sizeof text, GOOD_HEAD "t_typical = %.9f us @prediction\n", predicted / 0.9);
    command_write(&command, "c.target", text);
    object = validate(&command, "a.target b.target c.target");
    CU_ASSERT_EQUAL(number(object, "predictions", "n"), 3);
    CU_ASSERT_EQUAL(number(object, "calibrated", "n"), 1);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(object, "points")), 4);
    double first = fabs(predicted - 1) * 100, middle = first < 10 ? 10 : first < 25 ? first : 25;
    CU_ASSERT_DOUBLE_EQUAL(number(object, "predictions", "median_abs_error_pct"), middle, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(number(object, "predictions", "p90_abs_error_pct"), first > 25 ? first : 25, 0.01);
    json_t *b = point_at(object, 1), *c = point_at(object, 3);
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(b, "error_pct")), 25, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(b, "spread")), 0.01, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(c, "error_pct")), -10, 0.01);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(b, "target")), "b");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(b, "metric")), "t_typical");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(b, "class")), "prediction");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(point_at(object, 2), "class")), "calibrated");
    json_decref(object);
    command_close(&command);
}

/* MiB/s and Gb/s are one rate; perftest's own option changes neither. */
static void units(void)
{
    static const char *const workload[] = {HEAD("perftest", "cx5_100g", "write_bw -s 4096 -n 200"),
                                           HEAD("perftest", "cx5_100g", "write_bw -s 4096 -n 200 --report_gbits")};
    struct command command;
    double gbps[2], mib[2];
    char text[800];
    command_open(&command);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%saverage = 50 Gb/s @prediction\n", workload[i]);
        command_write(&command, "gbps.target", text);
        snprintf(text, sizeof text, "%saverage = 5000 MiB/s @prediction\nmessage_rate = 1 Mpps @prediction\n",
                 workload[i]);
        command_write(&command, "mib.target", text);
        json_t *object = validate(&command, "gbps.target mib.target");
        gbps[i] = json_number_value(json_object_get(point_at(object, 0), "predicted"));
        mib[i] = json_number_value(json_object_get(point_at(object, 1), "predicted"));
        CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(point_at(object, 2), "predicted")), gbps[i] / 32.768,
                               0.001);
        json_decref(object);
    }
    CU_ASSERT_DOUBLE_EQUAL(gbps[0], mib[0] * 0.008388608, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(gbps[0], gbps[1], 0.001);
    command_close(&command);
}

/* What is installed: every target runs; the one constant is marked; u280_100g by host, where the model and the formulas agree. */
static void installed(void)
{
    struct command command;
    command_open(&command);
    json_t *object = validate(&command, ""), *row, *reads = json_object_get(object, "reads");
    size_t i;
    CU_ASSERT(number(object, "predictions", "n") >= 15);
    CU_ASSERT(number(object, "calibrated", "n") >= 2);
    CU_ASSERT(number(object, "predictions", "median_abs_error_pct") < 10);
    CU_ASSERT(json_array_size(reads) >= 6);
    json_array_foreach(reads, i, row)
    {
        double goodput = json_number_value(json_object_get(row, "goodput_gbps"));
        double bound = json_number_value(json_object_get(row, "bound_gbps"));
        int is_at_100g = json_is_true(json_object_get(row, "reads_at_100g"));
        CU_ASSERT_EQUAL(is_at_100g, goodput > 97);
        const char *host = json_string_value(json_object_get(row, "host"));
        CU_ASSERT(!is_at_100g || bound > 97);
        if (strcmp(host, "hsw_e5_2620v3") == 0)
            CU_ASSERT(is_at_100g);
        if (strcmp(host, "bdw_e5_2630v4_remote") == 0 &&
            json_integer_value(json_object_get(row, "completion_headers")) == 128)
            CU_ASSERT(!is_at_100g);
    }
    json_decref(object);
    CU_ASSERT_EQUAL(command_run(&command, "$R validate cx5_send_bw_1M"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "predictions  1, absolute error: median "));
    CU_ASSERT_PTR_NOT_NULL(strstr(
        command.out, "Constants of class calibrated")); /* the constants of the board, whoever they were fitted to */
    command_close(&command);
}

struct bad_case {
    const char *text; /* of t.target */
    const char *expected;
};

static void mistakes(void)
{
    static const struct bad_case cases[] = {
        {"", "t.target:1: the target ends without 'about'"},
        {"about = x\nkind = perftest\n", "t.target:2: the target ends without 'host'"},
        {"about = x\nabout = y\n", "t.target:2: about given twice, first in line 1"},
        {"abuot = x\n", "t.target:1: unknown key 'abuot'"},
        {"about\n", "t.target:1: neither [section] nor key = value"},
        {GOOD_HEAD, "t.target:8: the target ends without a metric"},
        {GOOD_HEAD "[measures]\n", "t.target:9: unknown section [measures]"},
        {GOOD_HEAD "t_typical = 1\n", "t.target:9: t_typical = 1: allowed is, for example"},
        {GOOD_HEAD "t_typical = 1 us\n", "t.target:9: t_typical = 1 us: allowed is"},
        {GOOD_HEAD "t_typical = 1 us @measured\n", "t.target:9: t_typical = 1 us @measured: allowed is"},
        {GOOD_HEAD "t_typical = 1 us @prediction more\n", "t.target:9: "},
        {GOOD_HEAD "t_typical = 0 us @prediction\n", "t.target:9: t_typical = 0 us @prediction: allowed are"},
        {GOOD_HEAD "t_typical = nan us @prediction\n", "t.target:9: "},
        {GOOD_HEAD "t_typical = 1 us +- -1 @prediction\n", "t.target:9: "},
        {GOOD_HEAD "t_typical = 1 ms @prediction\n", "t.target:9: write_lat has no metric t_typical in ms"},
        {GOOD_HEAD "average = 1 Gb/s @prediction\n", "t.target:9: write_lat has no metric average in Gb/s"},
        {GOOD_HEAD "t_avg = 1 us @prediction\nt_avg = 2 us @prediction\n",
         "t.target:10: t_avg given twice, first in line 9"},
        {GOOD_HEAD "t_avg = 1 us @calibrated\n", "t.target:9: t_avg is @calibrated, but no constant"},
        {GOOD_HEAD "t_avg = 1 us @calibrated\n" FITTED,
         "t.target:11: stage.payload.build.latency was fitted to 't_typical'"},
        {GOOD_HEAD "t_avg = 1 us @calibrated\n[fitted]\npcie.tags = calibrated \"t_avg\"\n",
         "t.target:11: of the constants in [fitted], 0 of 1"},
        {GOOD_HEAD "t_avg = 1 us @calibrated\n[fitted]\npcie.tags = assumed\n",
         "t.target:11: pcie.tags = assumed: allowed is"},
        {HEAD("ibperf", "cx5_100g", "x") "t_avg = 1 us @prediction\n",
         "t.target:2: unknown kind 'ibperf', allowed are perftest and pciebench"},
        {HEAD("pciebench", "cx5_100g", "lat_rd --size 64") "median_ns = 547 ns @prediction\n",
         "t.target:2: a target of kind pciebench has a host and no 'board'"},
        {PCIEBENCH("lat_rd --size 64") "gbps = 5 Gb/s @prediction\n", "t.target:7: lat_rd has no metric gbps in Gb/s"},
        {PCIEBENCH("lat_rd") "median_ns = 5 ns @prediction\n", "t.target:4: --size is needed"},
        {PCIEBENCH("lat_rd --size 0") "median_ns = 5 ns @prediction\n", "t.target:4: --size 0: allowed are"},
        {PCIEBENCH("lat_rd --size 64 --cache lukewarm") "median_ns = 5 ns @prediction\n",
         "t.target:4: --cache lukewarm"},
        {PCIEBENCH("lat_rd --size") "median_ns = 5 ns @prediction\n", "t.target:4: --size needs a value"},
        {PCIEBENCH("lat_rr --size 64") "median_ns = 5 ns @prediction\n", "t.target:4: lat_rr is no test"},
        {PCIEBENCH("lat_rd --size 64 --samples 100") "p99_ns = 5 ns @prediction\n", "t.target:7: p99_ns needs more"},
        {PCIEBENCH("lat_rd --size 64 --window 32") "median_ns = 5 ns @prediction\n", "t.target:4: "},
        {HEAD("perftest", "cx6_100g", "write_lat -s 8") "t_avg = 1 us @prediction\n",
         "t.target:3: unknown board 'cx6_100g'"},
        {HEAD("perftest", "cx5_100g", "write_lat -s -8") "t_avg = 1 us @prediction\n", "t.target:6: --perftest: -s"},
        {HEAD("perftest", "cx5_100g", "atomic_lat -s 9") "t_avg = 1 us @prediction\n",
         "t.target:6: --perftest: atomics"},
        {HEAD("perftest", "cx5_100g", "write_bw -a") "average = 1 Gb/s @prediction\n",
         "t.target:6: a target has one size"},
        {"about = x\nkind = perftest\nboard = cx5_100g\nhost = no_host\nworkload = write_lat\nsource = y\n[measured]\n"
         "t_avg = 1 us @prediction\n",
         "t.target:3: unknown host 'no_host', known are"},
        {"about = x\nkind = perftest\nboard = cx5_100g\nhost = hsw_e5_2620v3\nworkload = write_lat\nsource = y\n"
         "set = \"mac.rat=1 Gbps\"\n[measured]\nt_avg = 1 us @prediction\n",
         "t.target:3: -s mac.rat=1 Gbps: unknown key"},
    };
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        command_write(&command, "t.target", cases[i].text);
        int status = command_run(&command, "$R validate t.target");
        int is_right = status == 2 && command_lines(command.err) == 1 && command.out[0] == 0 &&
                       strstr(command.err, cases[i].expected) != NULL;
        if (!is_right)
            printf("\n%zu: status %d\n  expected \"%s\"\n  got \"%s\"\n", i, status, cases[i].expected, command.err);
        CU_ASSERT(is_right);
    }
    CU_ASSERT_EQUAL(command_run(&command, "$R validate no_such_target"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "unknown target 'no_such_target'"));
    CU_ASSERT_EQUAL(command_run(&command, "$R validate --frobnicate"), 2);
    command_close(&command);
}

void suite_bench_validate_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/validate", NULL, NULL);
    CU_add_test(suite, "counts", counts);
    CU_add_test(suite, "units", units);
    CU_add_test(suite, "what is installed", installed);
    CU_add_test(suite, "mistakes", mistakes);
}
