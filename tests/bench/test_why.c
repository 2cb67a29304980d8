/* rnicsim why: bottlenecks made on purpose are named and lifting them helps; what makes requests late on purpose is told. */
#include <CUnit/CUnit.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_why_slow(void);

static json_t *why(struct command *command, const char *options)
{
    CU_ASSERT_EQUAL(command_run(command, "$R why -b u280_100g --json %s >why.json", options), 0);
    CU_ASSERT_STRING_EQUAL(command->err, "");
    char path[128];
    snprintf(path, sizeof path, "%s/why.json", command->folder);
    return json_load_file(path, 0, NULL);
}

static double number_at(const json_t *object, const char *key, const char *inner)
{
    return json_number_value(json_object_get(json_object_get(object, key), inner));
}

/* ---- bottlenecks ---- */

#define BULK "--perftest 'write_bw -s 65536 -n 100' "

static const struct {
    const char *options, *stage, *cause, *lifted_by; /* begins so */
    double gain;                                     /* of the message rate, at the least */
    const char *next_cause;
} limits[] = {
    {"--perftest 'write_bw -s 4096 -n 500' -s pcie.tags=4", "a core read_engine", "no_tag", "pcie.tags=", 2, "work"},
    {BULK "-s pcie.completion_headers=32", "a core read_engine", "no_credit_CPLH", "pcie.completion_headers=", 2,
     "work"},
    {BULK "-s 'pcie.completion_buffer=2 KiB'", "a core read_engine", "no_credit_CPLD", "pcie.completion_buffer=", 2,
     "work"},
    {BULK "-s transport.window=4", "a core scheduler", "window_full", "transport.window=", 2, "work"},
    {BULK "-s 'nic.payload_buffer=4 KiB'", "a core scheduler", "no_buffer", "nic.payload_buffer=", 3, "work"},
    {BULK, "a core line", "work", "mac.rate=", 1.1, "work"},
    {BULK "-s pcie.lanes=4", "b core pcie_up", "work", "pcie.generation=", 3, "work"},
    {BULK "-s pcie.posted_headers=4", "b core pcie_up", "no_credit_PH", "pcie.posted_headers=", 2, "work"},
    {BULK "-s 'pcie.replay_buffer=2 KiB'", "b core pcie_up", "no_replay_buffer", "pcie.replay_buffer=", 2, "work"},
    {BULK "-s 'stage.payload.build.interval=4 cycle'", "a payload build", "work", "stage.payload.build.interval=", 3,
     "work"},
    {"--perftest 'write_bw -s 64 -n 2000' -s 'host.post_cost=500 ns'", "a core host_cpu", "work", "host.post_cost=", 5,
     "context_busy"},
    {"--gen '--qps 16 --size 64 --requests 5000 --opcode write --depth 16 --inline 64' -s "
     "'nic.scheduler_interval=40 cycle'",
     "a core scheduler", "work", "nic.scheduler_interval=", 2, "work"},
    {"--perftest 'write_bw -s 4096 -n 500' -s nic.requests=1", "a core scheduler", "no_request", "nic.requests=", 5,
     "work"},
    {"--perftest 'write_bw -s 64 -n 2000 -l 4 -Q 4' -s 'nic.context_loop=100 cycle'", "a core scheduler",
     "context_busy", "nic.context_loop=", 3, NULL},
    {"-b kcu116_25g --perftest 'write_bw -s 65536 -n 128' -s 'stage.tx.mac.depth=600 beats'", "a tx mac FIFO", "full",
     "stage.tx.mac.depth=", 1.05, NULL},
};

static void test_limits(void)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct command command;
        char options[512];
        command_open(&command);
        snprintf(options, sizeof options, "--no-tornado -n 1 %s", limits[i].options);
        json_t *all = why(&command, options), *list = json_object_get(all, "limits"), *first = json_array_get(list, 0);
        const char *lifted_by = json_string_value(json_object_get(first, "lifted_by"));
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(first, "stage")), limits[i].stage);
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(first, "cause")), limits[i].cause);
        CU_ASSERT_PTR_NOT_NULL_FATAL(lifted_by);
        CU_ASSERT(strncmp(lifted_by, limits[i].lifted_by, strlen(limits[i].lifted_by)) == 0);
        CU_ASSERT(number_at(first, "after", "message_rate_mps") >
                  limits[i].gain * number_at(first, "before", "message_rate_mps"));
        if (limits[i].next_cause != NULL)
            CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json_array_get(list, 1), "cause")),
                                   limits[i].next_cause);
        json_decref(all);
        command_close(&command);
    }
}

/* ---- what made it ---- */

#define LAT "--perftest 'write_lat -s 512 -n 2000' "

static const struct {
    const char *options, *late_in, *event;
} causes[] = {
    {LAT "--faults 'drop data 100'", NULL, "retransmission (timeout)"},
    {"--perftest 'write_bw -s 4096 -n 500' --faults 'drop data 100'", NULL, "retransmission (nak)"},
    {LAT "-s 'pcie.host_stall_share=2000 ppm' -s 'pcie.host_stall=5 us'", "payload read", "host stall at host "},
    {LAT "-s 'pcie.host_dram_share=1000000 ppm'", "payload read", "DRAM refresh at host "},
    {LAT "-s 'pcie.damaged_tlps=20000 ppm'", NULL, "TLP replay at host "},
    {"--gen '--qps 4 --size 4096 --opcode read --requests 2000 --depth 1' --host hsw_e5_2620v3_iommu -s "
     "pcie.iommu_entries=1 -s pcie.iommu_walkers=1",
     NULL, "IOTLB miss at host "},
    {LAT, "payload read", "slow read at host "},
    {"--gen '--qps 8 --size 64:0.9,65536:0.1 --opcode write --requests 3000 --arrival poisson --rate \"60 Gbps\"'",
     NULL, "arbitration lost: behind "},
};

static void test_causes(void)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct command command;
        char options[512];
        command_open(&command);
        snprintf(options, sizeof options, "--no-tornado -n 3 %s", causes[i].options);
        json_t *all = why(&command, options), *first = json_array_get(json_object_get(all, "slowest"), 0);
        CU_ASSERT(command_holds(json_string_value(json_object_get(first, "event")), causes[i].event));
        if (causes[i].late_in != NULL)
            CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(first, "late_in")), causes[i].late_in);
        json_decref(all);
        command_close(&command);
    }
}

/* The slowest are in order, none below the percentile, and their stages sum to their latency. */
static void test_slowest(void)
{
    struct command command;
    size_t index;
    json_t *request, *row;
    command_open(&command);
    json_t *all =
        why(&command, "--no-tornado -n 20 --percentile 99 --gen '--qps 8 --size 4096 --opcode write --requests "
                      "2000 --arrival poisson --rate \"90 Gbps\"'");
    json_t *slowest = json_object_get(all, "slowest");
    double before = 1e18, threshold = json_number_value(json_object_get(all, "threshold_ns"));
    CU_ASSERT_EQUAL(json_array_size(slowest), 20); /* of 2000 the slowest 1 % */
    json_array_foreach(slowest, index, request)
    {
        double latency = json_number_value(json_object_get(request, "latency_ns")), sum = 0;
        size_t stage;
        json_array_foreach(json_object_get(request, "stages"), stage, row)
        {
            sum += json_number_value(json_object_get(row, "took_ns"));
        }
        CU_ASSERT_DOUBLE_EQUAL(sum, latency, 0.001);
        CU_ASSERT(latency <= before && latency >= threshold * (1 - 1.0 / 4096));
        before = latency;
    }
    CU_ASSERT(threshold > 0);
    json_decref(all);
    command_close(&command);
}

/* ---- the tornado ---- */

/* What a formula says: 20 % of a cable's 100 m is 20 * 5.05 ns each way. */
static void test_tornado(void)
{
    struct command command;
    int found = 0;
    size_t index;
    json_t *bar;
    command_open(&command);
    json_t *all =
        why(&command, "-n 1 --target latency_ns.min --perftest 'write_lat -s 8 -n 30' -s 'mac.cable=100 m' -s "
                      "'host.poll_interval=1 ns'");
    double target = json_number_value(json_object_get(all, "target_value")), before = 1e9;
    json_array_foreach(json_object_get(all, "tornado"), index, bar)
    {
        double low = json_number_value(json_object_get(bar, "at_low"));
        double high = json_number_value(json_object_get(bar, "at_high"));
        double effect = target - low > high - target ? target - low : high - target;
        if (json_is_number(json_object_get(bar, "at_low")) && json_is_number(json_object_get(bar, "at_high")) &&
            low < target && high > target) {
            CU_ASSERT(effect <= before + 1e-6);
        }
        if (strcmp(json_string_value(json_object_get(bar, "key")), "mac.cable") == 0) {
            found = 1;
            CU_ASSERT_DOUBLE_EQUAL(target - low, 2 * 101, 8);
            CU_ASSERT_DOUBLE_EQUAL(high - target, 2 * 101, 8);
        }
        before = effect > before ? before : before;
    }
    CU_ASSERT(found);
    json_decref(all);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R why -b kcu116_25g -n 1 -o r --quiet --charts svg,png --perftest 'write_lat "
                                "-s 8 -n 30' && ls r && cd r && rm *.svg && gnuplot tornado.gp && ls *.svg"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "tornado.dat\ntornado.gp\ntornado.png\ntornado.svg\nwhy.json\ntornado.svg\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R why -b kcu116_25g --perftest 'write_lat -n 30' -o r"), 2);
    CU_ASSERT(command_holds(command.err, "--force replaces them"));
    command_close(&command);
}

/* ---- stall shares, on every board and with every kind of load ---- */

static void test_shares(void)
{
    static const char *const loads[] = {
        "--perftest 'write_lat -n 50'",
        "--perftest 'write_bw -n 50 -q 4'",
        "--perftest 'send_bw -n 50 -s 1000'",
        "--perftest 'read_bw -n 50'",
        "--perftest 'atomic_lat -n 50'",
        "--perftest 'send_lat -n 50 -c UD'",
        "--faults 'drop data p=0.01' --perftest 'write_bw -n 50 -s 65536'",
    };
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        CU_ASSERT_EQUAL(
            command_run(
                &command,
                "for b in $($R boards | awk '/^[a-z]/ {print $1}'); do $R run -b $b --quiet --no-charts -o r "
                "--force %s || exit 1; awk -F, -v b=$b '!/^#|^nic/ {s[$1 \" \" $2 \" \" $3] += $7} END {for (k in s) "
                "{n++; if (s[k] < 99.99 || s[k] > 100.01) {print b, k, s[k]; exit 1}} if (n < 30) exit 1; print "
                "n}' r/stalls.csv || exit 1; done",
                loads[i]),
            0);
        CU_ASSERT(command_lines(command.out) >= 7);
    }
    command_close(&command);
}

static const struct {
    const char *options, *expected;
} wrong[] = {
    {"", "which trace?"},
    {"--percentile 100 --perftest write_lat", "--percentile \"100\""},
    {"--percentile p99 --perftest write_lat", "--percentile \"p99\""},
    {"-n 0 --perftest write_lat", "-n 0: allowed are 1"},
    {"-n 101 --perftest write_lat", "-n: \"101\""},
    {"-j 0 --perftest write_lat", "-j 0: allowed are 1"},
    {"--target speed --perftest 'write_lat -n 20'", "--target speed: no number"},
    {"--perftest 'write_bw -a'", "-a is for rnicsim run"},
    {"none.wqe", "none.wqe"},
};

static void test_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct command command;
        command_open(&command);
        CU_ASSERT_EQUAL(command_run(&command, "$R why -b u280_100g -o r %s", wrong[i].options), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT(command_holds(command.err, wrong[i].expected));
        CU_ASSERT(!command_has(&command, "r"));
        command_close(&command);
    }
}

/* All of its runs have the MAC that was asked for: the target is that of rnicsim run. */
static void of_a_named_mac(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command, "w='write_bw -m 1024 -s 65536 -n 40'; for m in '' '--mac cmac'; do "
                              "$R run -b u280_100g $m --perftest \"$w\" --json | sed -n 's/^ *\"avg\": //p' | head -1; "
                              "$R why -b u280_100g $m --perftest \"$w\" --no-tornado --json | "
                              "sed -n 's/^ *\"target_value\": //p'; done | tr -d ',' | uniq -c | awk '{print $1}'"),
        0);
    CU_ASSERT_STRING_EQUAL(command.out, "2\n2\n"); /* two equal ones, and two others */
    command_close(&command);
}

void suite_bench_why_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/why", NULL, NULL);
    CU_add_test(suite, "of a named MAC", of_a_named_mac);
    CU_add_test(suite, "fifteen bottlenecks, named and lifted", test_limits);
    CU_add_test(suite, "what made a request late", test_causes);
    CU_add_test(suite, "the slowest requests", test_slowest);
    CU_add_test(suite, "the tornado", test_tornado);
    CU_add_test(suite, "stall shares", test_shares);
    CU_add_test(suite, "one line, exit 2", test_wrong);
}
