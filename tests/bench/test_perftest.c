/* perftest's programs on the model: their order and depths, and their report worked out again from its definitions. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "bench/perftest/report.h"
#include "tests/bench/command.h"

void suite_bench_perftest(void);

#define SETS_MAX 12

struct trial {
    struct rnicsim *sim;
    struct perftest_run run;
};

static void ignore(void *context, const struct rnicsim_event *event)
{
    (void)context;
    (void)event;
}

static void open_trial(struct trial *trial, const char *text, const char *const *set, size_t sets)
{
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = sets, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct perftest_options parsed;
    struct rnicsim_error error = {""};
    if (perftest_parse(text, &parsed, &error) != 0 || rnicsim_create(&options, &trial->sim, &error) != RNICSIM_OK ||
        perftest_run_init(&trial->run, &parsed, perftest_size_bytes(&parsed, 0)) != 0 ||
        perftest_run_create_objects(&trial->run, trial->sim, &error) != RNICSIM_OK) {
        fprintf(stderr, "perftest \"%s\": %s\n", text, error.text);
        abort();
    }
}

static void go(struct trial *trial)
{
    struct rnicsim_error error = {""};
    CU_ASSERT_EQUAL_FATAL(perftest_run_go(&trial->run, RNICSIM_NEVER, ignore, NULL, &error), RNICSIM_OK);
    CU_ASSERT(perftest_run_is_whole(&trial->run));
}

static void close_trial(struct trial *trial)
{
    perftest_run_free(&trial->run);
    rnicsim_destroy(trial->sim);
}

/* ---- the report, from the definitions and by other means ---- */

/* The k-th smallest of n, by counting. */
static uint64_t kth(const uint64_t *value, uint64_t n, uint64_t k)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t below = 0, same = 0;
        for (uint64_t j = 0; j < n; j++) {
            below += value[j] < value[i];
            same += value[j] == value[i];
        }
        if (below <= k && k < below + same)
            return value[i];
    }
    abort();
}

static void same_digits(double got, double want)
{
    char a[32], b[32];
    snprintf(a, sizeof a, "%.2f", got);
    snprintf(b, sizeof b, "%.2f", want);
    CU_ASSERT_STRING_EQUAL(a, b);
}

/* iters - 1 differences, the two largest left out; half round trips (of READs and atomics whole ones) in microseconds of the counter; 99 % is the ceil(0.99 n)-th from
 * 0; t_max the n-th, the second largest. */
static void check_lat(const char *text)
{
    struct trial trial;
    open_trial(&trial, text, NULL, 0);
    go(&trial);
    const struct perftest_run *run = &trial.run;
    uint64_t count = run->options.iters - 1, n = count - 2;
    uint64_t *delta = calloc(count, sizeof *delta), *scratch = calloc(count, sizeof *scratch);
    double us = (double)run->tsc_hz / 1e6 * (run->options.verb >= PERFTEST_READ ? 1 : 2), sum = 0;
    for (uint64_t i = 0; i < count; i++)
        delta[i] = run->side[0].posted_cyc[i + 1] - run->side[0].posted_cyc[i];
    for (uint64_t k = 0; k < n; k++)
        sum += (double)kth(delta, count, k) / us;
    struct perftest_lat_report report = perftest_report_lat(run, 0, scratch);
    uint64_t middle =
        (n - 1) % 2 ? (kth(delta, count, n / 2) + kth(delta, count, n / 2 - 1)) / 2 : kth(delta, count, n / 2);
    same_digits(report.t_min, (double)kth(delta, count, 0) / us);
    same_digits(report.t_max, (double)kth(delta, count, count - 2) / us);
    same_digits(report.largest, (double)kth(delta, count, count - 1) / us);
    same_digits(report.t_typical, (double)middle / us);
    same_digits(report.t_avg, sum / (double)n);
    same_digits(report.t_99, (double)kth(delta, count, (99 * n + 99) / 100) / us);
    same_digits(report.t_999, (double)kth(delta, count, (999 * n + 999) / 1000) / us);
    CU_ASSERT_EQUAL(report.size_bytes, run->size_bytes);
    free(delta);
    free(scratch);
    close_trial(&trial);
}

static void lat_reports(void)
{
    check_lat("write_lat");
    check_lat("write_lat -s 4096 -n 400");
    check_lat("ib_write_lat -s 64 -n 401 -I 0");
    check_lat("send_lat -n 300");
    check_lat("send_lat -s 1K -n 333 -r 16");
    check_lat("send_lat -s 2 -n 120 -t 16 -Q 8");
    check_lat("send_lat -s 64 -n 200 -c UD");
    check_lat("write_lat -s 64 -n 200 -c UC");
    check_lat("send_lat -s 64 -n 200 -c XRC");
    check_lat("write_lat -n 5 --latency_gap=3");
    check_lat("read_lat -n 300");
    check_lat("read_lat -s 64K -n 60");
    check_lat("atomic_lat -n 200");
    check_lat("atomic_lat -A CMP_AND_SWAP -n 50 --latency_gap=1");
}

/* t_stdev goes through whole microseconds; 99 and 99.9 % and the rest on samples made up so that all differ. */
static void lat_of_made_up_samples(void)
{
    uint64_t posted[12] = {0}, delta[12];
    static const uint64_t step[11] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 1000, 2000}; /* n = 9 */
    for (int i = 0; i < 11; i++)
        posted[i + 1] = posted[i] + step[10 - i];
    struct perftest_lat_report r = perftest_lat_of(posted, 12, 10, 1, delta);
    CU_ASSERT_DOUBLE_EQUAL(r.t_min, 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.t_max, 100, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.largest, 200, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.t_typical, 5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.t_avg, 5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.t_99, 100, 1e-12);  /* ceil(8.91) = 9: past the n that count */
    CU_ASSERT_DOUBLE_EQUAL(r.t_999, 100, 1e-12); /* as at 1,000 iterations: equal to t_max */
    CU_ASSERT_DOUBLE_EQUAL(r.t_stdev, 2.581988897, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(r.sigma, 2.581988897, 1e-9);
    r = perftest_lat_of(posted, 12, 100, 1, delta); /* the same shape in tenths: perftest's vanishes */
    CU_ASSERT_DOUBLE_EQUAL(r.t_stdev, 0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(r.sigma, 0.2581988897, 1e-9);
}

/* Average: from the first post to the last CQE polled. Peak: the fewest whole cycles a message from any first post of a list to any
 * signalled completion, however far apart. */
static void check_bw(const char *text)
{
    struct trial trial;
    open_trial(&trial, text, NULL, 0);
    go(&trial);
    const struct perftest_run *run = &trial.run;
    const uint64_t *posted = run->side[0].posted_cyc, *completed = run->side[0].completed_cyc;
    uint64_t all = run->options.iters * run->options.qps, least = UINT64_MAX;
    double unit = run->options.in_gbits ? 125e6 : 1048576, hz = (double)run->tsc_hz;
    double seconds = (double)(completed[run->options.no_peak ? 0 : all - 1] - posted[0]) / hz;
    for (uint64_t i = 0; i < all && !run->options.no_peak; i++)
        for (uint64_t j = i; j < all; j++)
            if (posted[i] != 0 && completed[j] != 0 && (completed[j] - posted[i]) / (j - i + 1) < least)
                least = (completed[j] - posted[i]) / (j - i + 1);
    struct perftest_bw_report report = perftest_report_bw(run, 0);
    same_digits(report.average, (double)run->size_bytes * (double)all / seconds / unit);
    same_digits(report.message_rate_mps * 1e4, (double)all / seconds / 1e2);
    same_digits(report.peak, run->options.no_peak ? 0 : (double)run->size_bytes * hz / (double)least / unit);
    CU_ASSERT_EQUAL(report.iters, all);
    close_trial(&trial);
}

static void bw_reports(void)
{
    check_bw("write_bw -n 500");
    check_bw("write_bw -s 4096 -n 1000");
    check_bw("write_bw -s 4096 -n 1050 --report_gbits");
    check_bw("write_bw -s 256 -n 1024 -l 16");
    check_bw("write_bw -s 256 -n 1024 -l 16 -Q 4");
    check_bw("write_bw -s 1K -q 3 -n 400 -Q 10");
    check_bw("write_bw -s 1K -n 400 -N");
    check_bw("send_bw -s 2K -n 600");
    check_bw("send_bw -s 64K -n 600 -c UD"); /* one packet of 4 KiB */
    check_bw("send_bw -s 2K -n 600 -c UC -q 2");
    check_bw("send_bw -s 2K -n 600 -r 64 -t 32");
    check_bw("send_bw -s 2K -n 512 -q 2 -b");
    check_bw("read_bw -s 4K -n 500");
    check_bw("read_bw -s 256 -n 500 -q 2 -o 4");
    check_bw("read_bw -s 2K -n 300 -b");
    check_bw("atomic_bw -n 400 -q 3");
}

/* By duration: messages whose CQE is polled between the margins, over the time between them. */
static void durations(void)
{
    static const char *const slow[] = {"host.post_cost=20 us"}; /* 50,000 messages a second */
    struct trial trial;
    open_trial(&trial, "write_bw -s 64 -D 1 -f 0", slow, 1);
    go(&trial);
    struct perftest_bw_report bw = perftest_report_bw(&trial.run, 0);
    CU_ASSERT_DOUBLE_EQUAL(bw.message_rate_mps, 1 / 20.02, 0.0002);
    CU_ASSERT_EQUAL(bw.iters % 100, 0); /* each CQE stands for cq_mod messages */
    close_trial(&trial);
    open_trial(&trial, "send_lat -s 64 -D 1 -f 0", slow, 1);
    go(&trial);
    struct perftest_lat_report lat = perftest_report_lat(&trial.run, 0, NULL);
    CU_ASSERT_DOUBLE_EQUAL(lat.tps, (double)lat.iters, 1);
    CU_ASSERT_DOUBLE_EQUAL(lat.t_avg, 1e6 / 2 / (double)lat.iters, 0.01);
    close_trial(&trial);
}

/* ---- the loops ---- */

static struct {
    uint64_t least, most;
} outstanding;

/* perftest's client, and how many were outstanding before and after each of its posts once the window has been full. */
static void spy(struct perftest_side *side)
{
    uint64_t before = side->sent;
    perftest_bw_client(side);
    if (side->sent == before || side->completed == 0)
        return;
    uint64_t now = side->sent - side->completed;
    outstanding.least = now - 1 < outstanding.least ? now - 1 : outstanding.least;
    outstanding.most = now > outstanding.most ? now : outstanding.most;
}

static void watch_window(const char *text)
{
    struct trial trial;
    outstanding.least = UINT64_MAX;
    outstanding.most = 0;
    open_trial(&trial, text, NULL, 0);
    trial.run.side[0].step = spy;
    go(&trial);
    close_trial(&trial);
}

/* A CQE at WQE 100, 200, ...: the window opens by a hundred. */
static void sawtooth(void)
{
    watch_window("write_bw -s 4096");
    CU_ASSERT_EQUAL(outstanding.least, 28);
    CU_ASSERT_EQUAL(outstanding.most, 128);
    watch_window("write_bw -s 4096 -Q 1");
    CU_ASSERT(outstanding.least >= 128 - PERFTEST_POLL_BATCH);
    CU_ASSERT_EQUAL(outstanding.most, 128);
}

static double messages_per_us(const char *text, const char *const *set, size_t sets)
{
    struct trial trial;
    open_trial(&trial, text, set, sets);
    go(&trial);
    double rate = perftest_report_bw(&trial.run, 0).message_rate_mps;
    close_trial(&trial);
    return rate;
}

/* At a round trip of 4 us and p us a message at the narrowest place: with every request signalled 128 a round trip; with every
 * hundredth, a hundred in the time in which the 72nd of a burst goes out and comes back. */
static void window_at_4_us(void)
{
    const char *set[SETS_MAX] = {"host.post_cost=0 ns",      "host.wqe_cost=2 ns",
                                 "host.poll_interval=1 ns",  "nic.scheduler_interval=1 cycle",
                                 "nic.context_loop=5 cycle", "nic.retire_interval=1 cycle",
                                 "pcie.host_read=200 ns",    "nic.operations=1024",
                                 "transport.window=16384",   "mac.cable=3 m",
                                 "pcie.host_write=1 ns",     "pcie.host_write_ack=0 ns"};
    char cable[40];
    double base = 1 / messages_per_us("write_bw -s 64 -t 1 -Q 1 -n 50 -N", set, 12);
    snprintf(cable, sizeof cable, "mac.cable=%.0f m", 3 + (4.0 - base) * 1e6 / 2 / 5050);
    set[9] = cable;
    double rtt = 1 / messages_per_us("write_bw -s 64 -t 1 -Q 1 -n 50 -N", set, 12);
    double p = 0.020; /* the narrowest place: the context loop, 5 cycles of 4 ns */
    double each = messages_per_us("write_bw -s 64 -Q 1 -n 20000 -N", set, 12);
    double hundredth = messages_per_us("write_bw -s 64 -n 20000 -N", set, 12);
    CU_ASSERT_DOUBLE_EQUAL(rtt, 4, 0.02);
    CU_ASSERT(128 * p < rtt);
    CU_ASSERT_DOUBLE_EQUAL(each, 128 / rtt, 1.28 / rtt);
    CU_ASSERT_DOUBLE_EQUAL(hundredth, 100 / (rtt + 72 * p), 1.0 / (rtt + 72 * p));
}

static int64_t first_post[2];

static void note_first(void *context, const struct rnicsim_event *event)
{
    (void)context;
    if (event->kind == RNICSIM_SEND_DONE && first_post[event->host] == 0)
        first_post[event->host] = event->stamp_ps[RNICSIM_AT_POST];
}

/* write_lat: the server sends first. send_lat: the client. */
static void who_sends_first(void)
{
    for (int is_send = 0; is_send < 2; is_send++) {
        struct trial trial;
        struct rnicsim_error error;
        open_trial(&trial, is_send ? "send_lat -n 5" : "write_lat -n 5 --latency_gap=1", NULL, 0);
        first_post[0] = first_post[1] = 0;
        CU_ASSERT_EQUAL(perftest_run_go(&trial.run, RNICSIM_NEVER, note_first, NULL, &error), RNICSIM_OK);
        CU_ASSERT(is_send ? first_post[0] < first_post[1] : first_post[1] < first_post[0]);
        CU_ASSERT(first_post[0] > 0 && first_post[1] > 0);
        close_trial(&trial);
    }
}

/* The host's stores to the doorbell page: (stores, bytes). */
static void doorbells(const char *text, uint64_t tlps, uint64_t bytes)
{
    struct trial trial;
    open_trial(&trial, text, NULL, 0);
    go(&trial);
    for (size_t i = 0; i < rnicsim_tlp_count(trial.sim); i++) {
        struct rnicsim_tlp_info info;
        rnicsim_tlp(trial.sim, i, &info);
        if (strcmp(info.nic, "a") == 0 && strcmp(info.kind, "doorbell") == 0 && strcmp(info.direction, "down") == 0) {
            CU_ASSERT_EQUAL(info.tlps, tlps);
            CU_ASSERT_EQUAL(info.payload_bytes, bytes);
        }
    }
    close_trial(&trial);
}

/* One WQE is pushed, a list is rung for with 8 bytes; inline data up to the limit go with the WQE. */
static void pushes_and_doorbells(void)
{
    doorbells("write_bw -s 64 -n 64", 64, 64 * 64);
    doorbells("write_bw -s 64 -n 64 -l 16", 4, 4 * 8);
    doorbells("write_lat -s 220 -n 10", 10 * 4, 10 * 4 * 64); /* 16 + 16 + 4 + 220 */
    doorbells("write_lat -s 221 -n 10", 10, 10 * 64);
}

static void receives(void)
{
    struct trial trial;
    struct rnicsim_totals totals;
    open_trial(&trial, "send_bw -s 64 -n 1000 -r 100", NULL, 0);
    go(&trial);
    rnicsim_totals(trial.sim, &totals);
    CU_ASSERT_EQUAL(totals.receives, 1000);
    CU_ASSERT_EQUAL(trial.run.posted_receives, 1000);
    close_trial(&trial);
}

/* ---- the command ---- */

static void as_a_command(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_bw -a -n 20' -o r"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "BW average[MB/sec]"));
    char *csv = command_read(&command, "r/perftest.csv"), *summary = command_read(&command, "r/summary.json");
    CU_ASSERT_EQUAL(command_lines(csv), 2 + 1 + PERFTEST_SIZES_MAX);
    CU_ASSERT_PTR_NOT_NULL(strstr(summary, "\"bw_average\""));
    CU_ASSERT(command_has(&command, "r/bandwidth_size.svg") && command_has(&command, "r/rate_size.svg"));
    free(csv);
    free(summary);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_bw -k' -o q"), 2);
    CU_ASSERT(command_lines(command.err) == 1 && command.out[0] == 0 && !command_has(&command, "q/summary.json"));
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest write_bw x.wqe"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "one workload"));
    command_close(&command);
}

void suite_bench_perftest(void)
{
    CU_pSuite suite = CU_add_suite("bench/perftest", NULL, NULL);
    CU_add_test(suite, "latency reports, worked out again", lat_reports);
    CU_add_test(suite, "of samples made up", lat_of_made_up_samples);
    CU_add_test(suite, "bandwidth reports, worked out again", bw_reports);
    CU_add_test(suite, "durations", durations);
    CU_add_test(suite, "sawtooth of 28 to 128", sawtooth);
    CU_add_test(suite, "windows at 4 us", window_at_4_us);
    CU_add_test(suite, "who sends first", who_sends_first);
    CU_add_test(suite, "pushes and doorbells", pushes_and_doorbells);
    CU_add_test(suite, "receives are posted again", receives);
    CU_add_test(suite, "as a command", as_a_command);
}
