/* rnicsim sweep: which points follow from a file, what is collected of them, and what is wrong with a file. */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <math.h>

#include "api/rnicsim.h"
#include "bench/sweep/sweep_table.h"
#include "tests/bench/command.h"

void suite_bench_sweep(void);
void suite_bench_sweep_results_slow(void);

#define BASE "[sweep]\nboard = u280_100g\nperftest = write_lat -s 64 -n 20\n"
#define GOOD BASE "axis.pcie.tags = 4, 16\nmetric = goodput_gbps, p99\n"

/* ---- values ---- */

static const struct {
    const char *text, *expected; /* the values, with | between them */
} ranges[] = {
    {"64, 128,256", "64|128|256"},
    {"1..5 step 2", "1|3|5"},
    {"1..6 step 2", "1|3|5"},
    {"500..700 step 100 ns", "500 ns|600 ns|700 ns"},
    {"500 ns..600 ns step 50 ns", "500 ns|550 ns|600 ns"},
    {"0.1..0.3 step 0.1", "0.1|0.2|0.3"},
    {"10..0 step -5", "10|5|0"},
    {"1..1024 log 11", "1|2|4|8|16|32|64|128|256|512|1024"},
    {"1..4 log 6", "1|2|3|4"}, /* whole numbers: what is rounded to the same is once there */
    {"0.5..2 log 3 us", "0.5 us|1 us|2 us"},
    {"7..7 step 1", "7"},
    {"7..9 log 1", "7"},
    {"\"64:0.9,128:0.1\", 64", "64:0.9,128:0.1|64"},
    {"rr, wfq", "rr|wfq"},
    {"../a.wqe, b.wqe", "../a.wqe|b.wqe"},
};

static void test_ranges(void)
{
    struct rnicsim_error error;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct sweep sweep = {.axis_count = 1};
        char text[512] = "";
        CU_ASSERT_EQUAL(sweep_axis_read(&sweep, &sweep.axes[0], ranges[i].text, &error), 0);
        for (size_t k = 0; k < sweep.axes[0].count; k++) {
            strcat(text, k > 0 ? "|" : "");
            strcat(text, sweep.axes[0].values[k]);
        }
        CU_ASSERT_STRING_EQUAL(text, ranges[i].expected);
        sweep_free(&sweep);
    }
}

/* Two crossed axes, one of them zipped with a third: the last crossed one is the fastest, and each point is there once. */
static void test_points(void)
{
    struct command command;
    struct sweep sweep;
    char path[128];
    command_open(&command);
    command_write(&command, "p.sweep",
                  BASE "axis.a = 1, 2, 3\naxis.b = x, y\naxis.c = i, j, k\nzip = c, a\nrepeats = 2\nmetric = p50\n");
    snprintf(path, sizeof path, "%s/p.sweep", command.folder);
    CU_ASSERT_EQUAL_FATAL(sweep_read(&sweep, path), 0);
    CU_ASSERT_EQUAL(sweep.points, 6);
    CU_ASSERT_EQUAL(sweep.runs, 12);
    static const char *const expected[] = {"1xi", "2xj", "3xk", "1yi", "2yj", "3yk"};
    for (uint64_t point = 0; point < 6; point++) {
        char text[16];
        snprintf(text, sizeof text, "%s%s%s", sweep_value(&sweep, 0, point), sweep_value(&sweep, 1, point),
                 sweep_value(&sweep, 2, point));
        CU_ASSERT_STRING_EQUAL(text, expected[point]);
    }
    sweep_free(&sweep);
    command_close(&command);
}

/* ---- results ---- */

static json_t *load(const struct command *command, const char *name)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    return json_load_file(path, 0, NULL);
}

/* A point says what rnicsim run says of it, but for the machine's clock. */
static void test_like_run(void)
{
    static const char *const wall[] = {"wall_time_s", "packets_per_wall_s", "realtime_factor"};
    struct command command;
    char name[64];
    command_open(&command);
    command_write(
        &command, "s.sweep",
        "[sweep]\nboard = u280_100g\nperftest = \"write_bw -n 50\"\naxis.size = 64, 4096\naxis.pcie.tags = 4, "
        "64\nset.mac.cable = 10 m\nmetric = goodput_gbps, latency_ns.avg, drops, fifos.a tx mac.hwm\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep --quiet"), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    for (int point = 0; point < 4; point++) {
        CU_ASSERT_EQUAL(
            command_run(&command,
                        "$R run -b u280_100g -s 'mac.cable=10 m' -s pcie.tags=%d --json --perftest 'write_bw "
                        "-n 50 -s %d' >run.json",
                        point % 2 ? 64 : 4, point / 2 ? 4096 : 64),
            0);
        snprintf(name, sizeof name, "s.results/points/%09d.json", point);
        json_t *run = load(&command, "run.json"), *whole = load(&command, name);
        json_t *summary = json_object_get(whole, "summary");
        for (size_t i = 0; i < 3; i++)
            CU_ASSERT_EQUAL(json_object_del(run, wall[i]), 0);
        json_object_set(run, "trace", json_object_get(summary, "trace")); /* the options' order */
        json_object_set(run, "trace_digest", json_object_get(summary, "trace_digest"));
        CU_ASSERT(json_object_size(run) > 30 && json_equal(run, summary));
        json_decref(run);
        json_decref(whole);
    }
    CU_ASSERT_EQUAL(command_run(&command, "sed 1,2d s.results/sweep.csv"), 0);
    CU_ASSERT(strncmp(command.out,
                      "point,size,pcie.tags,status,goodput_gbps[Gb/s],latency_ns.avg[ns],drops,fifos.a tx mac.hwm\n"
                      "0,64,4,complete,",
                      103) == 0);
    CU_ASSERT_EQUAL(command_lines(command.out), 5);
    command_close(&command);
}

/* Means and intervals over repeats, computed again from the runs. */
static void test_repeats(void)
{
    struct command command;
    command_open(&command);
    command_write(
        &command, "r.sweep",
        "[sweep]\nboard = u280_100g\ngen = --qps 4 --size 1024 --opcode write --arrival poisson --requests 500\n"
        "axis.load = 20, 60\nrepeats = 3\nseed = 5\nmetric = latency_ns.avg, p99.99\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep r.sweep --quiet"), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    /* 4.303: Student's t of two degrees of freedom. What too few samples tell is empty. */
    CU_ASSERT_EQUAL(
        command_run(
            &command,
            "awk -F, '!/^#|^point/ {n[$1]++; s[$1] += $6; q[$1] += $6 * $6; if ($4 != 4 + n[$1] || $7 != \"\") "
            "exit 1} END {for (p in n) {m = s[p] / n[p]; printf \"%%d %%.3f %%.3f\\n\", p, m, 4.303 * "
            "sqrt((q[p] - n[p] * m * m) / (n[p] - 1) / n[p])}}' r.results/runs.csv | sort >own && "
            "awk -F, '!/^#|^point/ {printf \"%%d %%.3f %%.3f\\n\", $1, $4, $5; if ($6 != \"\") exit 1}' "
            "r.results/sweep.csv >theirs; wc -l <own; cat own theirs >&2; awk 'NR == FNR {a[$1] = $2; b[$1] = $3; "
            "next} "
            "{d = a[$1] - $2; e = b[$1] - $3; if (d * d > 1e-5 || e * e > 1 || b[$1] == 0) exit 1}' own theirs"),
        0);
    CU_ASSERT_STRING_EQUAL(command.out, "2\n");
    command_close(&command);
}

/* Points that are there are not run again; metrics and charts may change without a run; another sweep is refused. */
static void test_resumed(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "s.sweep", GOOD "chart = lines metric=goodput_gbps\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep --quiet -j 1 && touch -d @0 s.results/points/00*.json"), 0);
    CU_ASSERT(command_has(&command, "s.results/sweep_lines_goodput_gbps.svg"));
    CU_ASSERT_EQUAL(command_run(&command,
                                "cp -a s.results before; rm s.results/points/000000001.json s.results/sweep.csv; "
                                "$R sweep s.sweep --quiet && diff -r before s.results && "
                                "find s.results/points -newermt @1 -name '0*.json'"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "s.results/points/000000001.json\n");
    command_write(&command, "s.sweep", BASE "axis.pcie.tags = 4, 16\nmetric = message_rate_mps\nchart = bars\n");
    CU_ASSERT_EQUAL(command_run(&command, "touch -d @0 s.results/points/00*.json; $R sweep s.sweep --quiet && "
                                          "find s.results/points -newermt @1 -name '0*.json'; ls s.results/*.svg"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "s.results/sweep_bars_message_rate_mps.svg\n");
    command_write(&command, "s.sweep", BASE "axis.pcie.tags = 4, 32\nmetric = message_rate_mps\n");
    CU_ASSERT_EQUAL(command_run(&command, "rm -r before; cp -a s.results before; $R sweep s.sweep"), 2);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "another sweep; --force replaces"));
    CU_ASSERT_EQUAL(command_run(&command, "diff -r before s.results && $R sweep s.sweep --quiet --force && "
                                          "ls s.results s.results/points"),
                    0);
    CU_ASSERT_STRING_EQUAL(
        command.out, "s.results:\npoints\nreport.html\nsweep.csv\nsweep.json\n\ns.results/points:\n000000000.json\n"
                     "000000001.json\nplan.json\n");
    /* A run's folder is no sweep's, and the other way round. */
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_lat -n 20' -o s.results"), 2);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g --perftest 'write_lat -n 20' -o s.results --force --quiet "
                                "--no-charts && ls s.results/points s.results/sweep.json"),
                    2);
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep -o s.results"), 2);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "another run"));
    command_close(&command);
}

/* A run that fails is a row without values, told with its reason; the others' results are there. */
static void test_failed(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "f.sweep",
                  "[sweep]\nboard = u280_100g\nperftest = write_bw -n 20\naxis.post_list = 1, 4\naxis.depth = 8, 2\n"
                  "metric = goodput_gbps\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep f.sweep --quiet"), 2);
    CU_ASSERT(command_holds(command.err, "warning: point 3 failed: --perftest"));
    CU_ASSERT(command_holds(command.err, "1 of 4 runs failed; the others' results are in f.results"));
    CU_ASSERT_EQUAL(command_run(&command, "grep -c complete f.results/sweep.csv; grep failed f.results/sweep.csv; "
                                          "python3 -c \"import json; print(json.load(open('f.results/sweep.json'))"
                                          "['failed'][0]['point'])\""),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "3\n3,4,2,failed,\n3\n");
    command_close(&command);
}

/* Without gnuplot: one warning, exit status 0, and the data with what draws it. */
static void test_no_gnuplot(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "s.sweep", GOOD "chart = lines\nchart = bars\n");
    CU_ASSERT_EQUAL(command_run(&command, "mkdir bin; PATH=$PWD/bin $R sweep s.sweep --quiet"), 0);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "warning: gnuplot cannot be started"));
    CU_ASSERT(command_has(&command, "s.results/sweep_lines_goodput_gbps.dat"));
    CU_ASSERT(command_has(&command, "s.results/sweep_bars_p99.gp"));
    CU_ASSERT(command_has(&command, "s.results/sweep.json"));
    command_close(&command);
}

/* ---- charts ---- */

/* Every kind, with names, numbers, logarithms, a knee, and a chart for each value of what is neither x nor by: gnuplot draws them all again. */
static void test_charts(void)
{
    struct command command;
    command_open(&command);
    command_write(
        &command, "c.sweep",
        "[sweep]\nboard = u280_100g\ngen = --qps 8 --size 4096 --opcode write --arrival poisson --requests 1500\n"
        "axis.load = 10, 50, 90, 97\naxis.nic.scheduler = rr, wfq\naxis.pcie.tags = 16..64 log 3\n"
        "metric = latency_ns.avg, goodput_gbps\nchart = lines metric=latency_ns.avg by=pcie.tags log=y\n"
        "chart = lines metric=latency_ns.avg x=pcie.tags by=load\nchart = heatmap metric=goodput_gbps\n"
        "chart = bars metric=goodput_gbps x=nic.scheduler by=pcie.tags\nchart = load_latency\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep c.sweep --quiet --charts svg,png,pdf"), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    CU_ASSERT_EQUAL(command_run(&command, "cd c.results; for e in dat gp svg png pdf; do ls *.$e | wc -l; done"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "17\n17\n17\n17\n17\n");
    CU_ASSERT_EQUAL(command_run(&command,
                                "cd c.results; mkdir again; cp *.dat *.gp again; cd again; for f in *.gp; do "
                                "gnuplot $f || exit 1; cmp ${f%%.gp}.svg ../${f%%.gp}.svg || exit 1; done; "
                                "head -c 4 ../*.pdf | grep -c PDF; grep -h ^knee sweep_load_latency_ns_part1.gp"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "17\nknee = 90\n");
    command_close(&command);
}

/* ---- what is wrong ---- */

static const struct {
    const char *file, *options, *expected;
} wrong[] = {
    {NULL, "", "which sweep file?"},
    {NULL, "none.sweep", "none.sweep"},
    {BASE "axis.pcie.tagz = 4, 16\nmetric = p50\n", "s.sweep", "s.sweep:4: pcie.tagz=4: unknown key 'pcie.tagz'"},
    {BASE "axis.pcie.tags = 4, 16, many\nmetric = p50\n", "s.sweep", "s.sweep:4: pcie.tags=many: "},
    {BASE "axis.pcie.tags = 4, 16, 9999999\nmetric = p50\n", "s.sweep", "s.sweep:4: pcie.tags=9999999: "},
    {BASE "set.pcie.tugs = 4\nmetric = p50\n", "s.sweep", "s.sweep:4: pcie.tugs=4: unknown key"},
    {BASE "axis.pcie.tags = 16..4 step 4\nmetric = p50\n", "s.sweep", "s.sweep:4: an empty range: \"16..4 step 4\""},
    {BASE "axis.pcie.tags = 4..16 step 0\nmetric = p50\n", "s.sweep", "s.sweep:4: an empty range"},
    {BASE "axis.pcie.tags = 0..16 log 4\nmetric = p50\n", "s.sweep", "s.sweep:4: an empty range"},
    {BASE "axis.pcie.tags = 4..16\nmetric = p50\n", "s.sweep", "s.sweep:4: no range"},
    {BASE "axis.mac.cable = 1 m..2 cm step 1\nmetric = p50\n", "s.sweep", "s.sweep:4: no range"},
    {BASE "axis.pcie.tags = 4,,16\nmetric = p50\n", "s.sweep", "s.sweep:4: an empty value"},
    {BASE "axis.pcie.tags = 1..10000000 step 1\nmetric = p50\n", "s.sweep", "s.sweep:4: too many values"},
    {BASE "axis.seed = 1..1000 step 1\naxis.pcie.tags = 1..1000 step 1\nmetric = p50\n", "s.sweep",
     "1000000 runs; allowed without --yes are 10000"},
    {BASE "axis.seed = 1..1000 step 1\naxis.a = 1..1000 step 1\naxis.b = 1..1000 step 1\nmetric = p50\n",
     "s.sweep --yes", "more than 100000000 runs"},
    {BASE "axis.load = 10, 20\nmetric = p50\n", "s.sweep", "s.sweep:4: axis.load: perftest has no such option"},
    {BASE "axis.size = 0\nmetric = p50\n", "s.sweep", "-s \"0\", allowed are 1"},
    {BASE "axis.size = 64, none\nmetric = p50\n", "s.sweep", "s.sweep:4: --perftest"},
    {BASE "axis.size = 64\naxis.size = 128\nmetric = p50\n", "s.sweep", "s.sweep:5: axis.size is given twice"},
    {BASE "axis.size = 64\n", "s.sweep", "s.sweep: metric is needed"},
    {BASE "axis.size = 64\nmetric = goodput_gbit\n", "s.sweep", "s.sweep:5: metric: \"goodput_gbit\" is no number"},
    {BASE "axis.size = 64\nmetric = status\n", "s.sweep", "s.sweep:5: metric: \"status\" is no number"},
    {BASE "axis.size = 64\nmetric = p50\nchart = pie\n", "s.sweep", "s.sweep:6: chart: \"pie\"; allowed are lines"},
    {BASE "axis.size = 64, 128\nmetric = p50\nchart = lines x=tags\n", "s.sweep",
     "s.sweep:6: chart: x=tags: there is no"},
    {BASE "axis.size = 64, 128\nmetric = p50\nchart = lines y=p50\n", "s.sweep", "s.sweep:6: chart: \"y=\""},
    {BASE "axis.size = 64, 128\nmetric = p50\nchart = lines metric=p99\n", "s.sweep", "s.sweep:6: chart: metric=p99"},
    {BASE "axis.size = 64, 128\nmetric = p50\nchart = heatmap\n", "s.sweep",
     "s.sweep:6: chart: heatmap needs two axes"},
    {BASE "axis.size = 64, 128\nmetric = p50\nchart = load_latency\n", "s.sweep",
     "s.sweep:6: chart: load_latency needs"},
    {BASE "axis.size = 64, 128\nmetric = p50\nchart = lines log=z\n", "s.sweep", "s.sweep:6: chart: log=z"},
    {BASE "axis.seed = 1..20 step 1\naxis.size = 64, 128\nmetric = p50\nchart = lines x=size\n", "s.sweep",
     "s.sweep:7: chart: 20 curves"},
    {BASE "axis.size = 64, 128\naxis.qps = 1, 2, 3\nzip = size, qps\nmetric = p50\n", "s.sweep",
     "s.sweep:6: zip: size has 2 values, qps 3"},
    {BASE "axis.size = 64\nzip = size, deep\nmetric = p50\n", "s.sweep", "s.sweep:5: zip: there is no axis.deep"},
    {BASE "axis.seed = 1, 2\nrepeats = 2\nmetric = p50\n", "s.sweep", "repeats and axis.seed"},
    {BASE "repeats = 0\nmetric = p50\n", "s.sweep", "s.sweep:4: repeats: \"0\"; allowed are 1"},
    {BASE "trace = t.wqe\nmetric = p50\n", "s.sweep", "more than one workload"},
    {BASE "frobnicate = 1\n", "s.sweep", "s.sweep:4: unknown key \"frobnicate\""},
    {"[study]\nboard = u280_100g\n", "s.sweep", "s.sweep:1: section [study]; allowed is [sweep]"},
    {"[sweep]\nboard = u280_100g\nmetric = p50\n", "s.sweep", "no workload"},
    {"[sweep]\nperftest = write_lat\nmetric = p50\n", "s.sweep", "which board?"},
    {"[sweep]\nboard = u281\nperftest = write_lat\nmetric = p50\n", "s.sweep", "s.sweep: unknown board 'u281'"},
    {"[sweep]\nboard = u280_100g\ntrace = none.wqe\nmetric = p50\n", "s.sweep", "none.wqe"},
    {"[sweep]\nboard = u280_100g\nperftest = write_bw -a\nmetric = p50\n", "s.sweep", "allowed is axis.size"},
    {GOOD, "s.sweep -j 0", "-j 0: allowed are 1"},
    {GOOD, "s.sweep --charts gif", "\"gif\" is no format"},
    {GOOD, "s.sweep other.sweep", "one sweep file is allowed"},
    {GOOD, "s.sweep --part 0/2", "holds no sweep"},
    {GOOD, "s.sweep --part 2/2", "--part \"2/2\""},
    {GOOD, "s.sweep -o none/there", "-o none/there: cannot be made"},
};

static void test_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct command command;
        command_open(&command);
        if (wrong[i].file != NULL)
            command_write(&command, "s.sweep", wrong[i].file);
        CU_ASSERT_EQUAL(command_run(&command, "$R sweep %s", wrong[i].options), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT(command_holds(command.err, wrong[i].expected));
        CU_ASSERT_STRING_EQUAL(command.out, "");
        CU_ASSERT(!command_has(&command, "s.results/sweep.json"));
        command_close(&command);
    }
}

static void test_dry_run(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "s.sweep",
                  BASE "axis.seed = 1..1000 step 1\naxis.pcie.tags = 1..64 step 1\nmetric = p50\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep --dry-run"), 0);
    CU_ASSERT(command_holds(command.out, "s.sweep: 64000 points; s.results has 0 of them"));
    CU_ASSERT(!command_has(&command, "s.results"));
    command_close(&command);
}

void suite_bench_sweep(void)
{
    CU_pSuite suite = CU_add_suite("bench/sweep", NULL, NULL);
    CU_add_test(suite, "lists and ranges", test_ranges);
    CU_add_test(suite, "points: crossed and zipped", test_points);
    CU_add_test(suite, "a point is a run", test_like_run);
    CU_add_test(suite, "repeats: means and intervals", test_repeats);
    CU_add_test(suite, "a dry run", test_dry_run);
}

void suite_bench_sweep_results_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/sweep: results and mistakes", NULL, NULL);
    CU_add_test(suite, "what is there is not run again", test_resumed);
    CU_add_test(suite, "a run that fails", test_failed);
    CU_add_test(suite, "no gnuplot", test_no_gnuplot);
    CU_add_test(suite, "charts of each kind", test_charts);
    CU_add_test(suite, "one line, exit 2", test_wrong);
}
