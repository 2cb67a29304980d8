/* The QP scheduler on a pair of NICs: what a small message waits for beside bulk, shares of the line, limits. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QPS 4
#define SMALL_QPN QPS /* 64 B at random instants; QPs 1 .. are bulk */
#define SMALLS 600

struct mix {
    const char *set[12];
    uint32_t bulk_qps, bulk_bytes[QPS], outstanding;
    uint32_t sl[QPS], weight[QPS];
    int64_t rate_bps[QPS];
    uint32_t smalls; /* messages of SMALL_QPN; 0: runs for duration_ps */
    int64_t gap_ps;  /* between them, in the mean: 0.5 to 1.5 of it */
    int64_t duration_ps;
};

struct mix_result {
    double wait_ns[SMALLS]; /* at the arbiter: decoded until granted */
    uint32_t waits;
    double sent_bytes[QPS]; /* of messages that are done */
    int64_t end_ps;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

static struct rnicsim *create(const struct mix *mix)
{
    struct rnicsim_error error;
    struct rnicsim *sim;
    struct rnicsim_options options = {
        .board = "u280_100g", .set = mix->set, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    while (options.set_count < 12 && mix->set[options.set_count])
        options.set_count++;
    if (rnicsim_create(&options, &sim, &error)) {
        printf("    %s\n", error.text);
        CU_FAIL_FATAL("no simulation");
    }
    for (uint32_t i = 0; i < QPS; i++)
        for (uint32_t host = 0; host < 2; host++) {
            struct rnicsim_qp_attr qp = {.host = host,
                                         .qpn = i + 1,
                                         .peer_host = host ^ 1,
                                         .peer_qpn = i + 1,
                                         .mtu_bytes = 4096,
                                         .sq_depth = 128,
                                         .max_inline_bytes = 64,
                                         .service_level = mix->sl[i],
                                         .weight = mix->weight[i],
                                         .rate_bps = mix->rate_bps[i]};
            CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &qp, &error), 0);
        }
    return sim;
}

static void post(struct rnicsim *sim, uint32_t qpn, uint32_t bytes)
{
    struct rnicsim_error error;
    struct rnicsim_wr wr = {.local_address = 1u << 24,
                            .remote_address = 1u << 25,
                            .length_bytes = bytes,
                            .opcode = RNICSIM_WRITE,
                            .flags = RNICSIM_SIGNALLED | (bytes <= 64 ? RNICSIM_INLINE : 0u)};
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(sim, 0, qpn, &wr, 1, rnicsim_now(sim), &error), 0);
}

static void take_events(struct rnicsim *sim, const struct mix *mix, struct mix_result *result)
{
    struct rnicsim_event event[64];
    for (size_t n; (n = rnicsim_poll(sim, event, 64)) > 0;)
        for (size_t i = 0; i < n; i++) {
            if (event[i].kind != RNICSIM_SEND_DONE)
                continue;
            CU_ASSERT_EQUAL(event[i].status, 0);
            if (mix->smalls > 0 && event[i].qpn == SMALL_QPN) {
                result->wait_ns[result->waits++] =
                    (double)(event[i].stamp_ps[RNICSIM_AT_GRANT] - event[i].stamp_ps[RNICSIM_AT_DOORBELL]) / 1000.0;
            } else {
                uint32_t bytes = mix->bulk_bytes[event[i].qpn - 1];
                result->sent_bytes[event[i].qpn - 1] += bytes;
                post(sim, event[i].qpn, bytes);
            }
        }
}

static struct mix_result run(const struct mix *mix, struct rnicsim **keep)
{
    static struct mix_result result;
    struct rnicsim *sim = create(mix);
    struct rnicsim_error error;
    uint64_t random = 1;
    int64_t due_ps = mix->gap_ps;
    memset(&result, 0, sizeof result);
    for (uint32_t qpn = 1; qpn <= mix->bulk_qps; qpn++)
        for (uint32_t i = 0; i < mix->outstanding; i++)
            post(sim, qpn, mix->bulk_bytes[qpn - 1]);
    for (uint32_t posted = 0; mix->smalls > 0 ? result.waits < mix->smalls : rnicsim_now(sim) < mix->duration_ps;) {
        int64_t until_ps = posted < mix->smalls ? due_ps : mix->smalls > 0 ? RNICSIM_NEVER : mix->duration_ps;
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, until_ps, NULL, &error), 0);
        take_events(sim, mix, &result);
        if (posted < mix->smalls && rnicsim_now(sim) >= due_ps) {
            post(sim, SMALL_QPN, 64);
            posted++;
            due_ps += mix->gap_ps / 2 + (int64_t)(next_random(&random) % (uint64_t)mix->gap_ps);
        }
    }
    result.end_ps = rnicsim_now(sim);
    if (keep)
        *keep = sim;
    else
        rnicsim_destroy(sim);
    return result;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define INTERVAL_NS 20.0 /* of the scheduler, 5 cycles */
#define LOOP_NS 44.0     /* of a context, 11 cycles */

/* Kolmogorov's distance from an arrival at any instant of turns of turn_ns: who comes while the bulk QP's context is in its loop goes
 * at once, the others wait for the turn's end and an interval. */
static double distance(double *wait, uint32_t count, double turn_ns)
{
    double worst = 0;
    qsort(wait, count, sizeof *wait, by_size);
    for (uint32_t i = 0; i < count; i++) {
        double expected = fmin((wait[i] - INTERVAL_NS + LOOP_NS) / turn_ns, 1), step = (double)i / count;
        if (wait[i] > INTERVAL_NS)
            worst = fmax(worst, fmax(fabs(expected - step), fabs(expected - step - 1.0 / count)));
    }
    return worst;
}

/* 64 B at random instants beside 256 KiB messages of one QP: the wait at the arbiter is even up to a turn's time on the line, 4,096
 * bytes at 98 Gb/s for each packet; and beyond that the grant itself. */
static void small_beside_bulk(void)
{
    static const struct {
        const char *set[2];
        double packets;
    } turns[] = {{{"nic.quantum_unit=message", NULL}, 64}, {{"nic.quantum=4", NULL}, 4}, {{NULL}, 1}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        /* 2 KiB more than bulk packets fill: a small one then waits for its turn alone, not for their buffers. Posted by user logic: a
         * doorbell would queue behind the bulk's completions, and no longer come at random. */
        struct mix mix = {.set = {"nic.payload_buffer=130 KiB", "nic.fabric=memory", turns[i].set[0]},
                          .bulk_qps = 1,
                          .bulk_bytes = {262144},
                          .outstanding = 8,
                          .smalls = SMALLS,
                          .gap_ps = 50000000};
        struct mix_result result = run(&mix, NULL);
        double turn_ns = turns[i].packets * 4096 * 8 / 98.0;
        double off = distance(result.wait_ns, result.waits, turn_ns), largest = result.wait_ns[result.waits - 1];
        CU_ASSERT(largest <= turn_ns);
        CU_ASSERT(largest >= 0.98 * turn_ns - LOOP_NS);
        CU_ASSERT(off < 1.63 / sqrt(SMALLS)); /* 1 % of samples are farther */
    }
}

#define DURATION_PS INT64_C(4000000000)

static double gbps(const struct mix_result *result, int qp)
{
    return result->sent_bytes[qp] * 8000 / (double)result->end_ps;
}

/* Three QPs with more to send than the line takes: what each gets of it, in parts of all. */
static void shares(void)
{
    static const struct {
        const char *set[5];
        uint32_t sl[3], weight[3], bytes[3];
        double share[3];
    } row[] = {
        {{0}, {0}, {1, 2, 4}, {65536, 65536, 65536}, {1 / 3.0, 1 / 3.0, 1 / 3.0}},
        {{"nic.scheduler=wrr"}, {0}, {1, 2, 4}, {65536, 65536, 65536}, {1 / 7.0, 2 / 7.0, 4 / 7.0}},
        {{"nic.scheduler=wfq"}, {0}, {1, 2, 4}, {65536, 65536, 65536}, {1 / 7.0, 2 / 7.0, 4 / 7.0}},
        /* packets of 2,048 bytes: half of the line's bytes by turns of a packet, the same bytes by drr and wfq (less their headers) */
        {{0}, {0}, {1, 1, 1}, {65536, 65536, 2048}, {0.4, 0.4, 0.2}},
        {{"nic.scheduler=drr", "nic.quantum_unit=byte", "nic.quantum=4200"},
         {0},
         {1, 1, 1},
         {65536, 65536, 2048},
         {0.3346, 0.3346, 0.3307}},
        {{"nic.scheduler=wfq"}, {0}, {1, 1, 1}, {65536, 65536, 2048}, {0.3346, 0.3346, 0.3307}},
        {{"nic.scheduler=strict"}, {0, 1, 0}, {1, 1, 1}, {65536, 65536, 65536}, {0, 1, 0}},
        /* two classes: QPs 1 and 3 are of the first, QP 2 is of the second */
        {{"nic.classes=2", "nic.class_scheduler=wrr", "nic.class1_weight=3"},
         {0, 1, 2},
         {1, 1, 1},
         {65536, 65536, 65536},
         {0.125, 0.75, 0.125}},
        {{"nic.classes=2", "nic.class_scheduler=wfq", "nic.scheduler=wrr", "nic.class0_weight=2",
          "nic.class1_weight=3"},
         {0, 1, 2},
         {3, 1, 1},
         {65536, 65536, 65536},
         {0.3, 0.6, 0.1}},
        {{"nic.classes=2"}, {0, 1, 2}, {1, 1, 1}, {65536, 65536, 65536}, {0, 1, 0}}, /* strict between classes */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mix mix = {.bulk_qps = 3, .outstanding = 64, .duration_ps = DURATION_PS};
        memcpy(mix.set, row[i].set, sizeof row[i].set);
        memcpy(mix.sl, row[i].sl, sizeof row[i].sl);
        memcpy(mix.weight, row[i].weight, sizeof row[i].weight);
        memcpy(mix.bulk_bytes, row[i].bytes, sizeof row[i].bytes);
        struct mix_result result = run(&mix, NULL);
        double all = gbps(&result, 0) + gbps(&result, 1) + gbps(&result, 2);
        CU_ASSERT(all > 94); /* the line is full */
        for (int qp = 0; qp < 3; qp++) {
            if (fabs(gbps(&result, qp) / all - row[i].share[qp]) > 0.01)
                printf("    %s: QP %d has %.4f of it\n", row[i].set[0] ? row[i].set[0] : "rr", qp + 1,
                       gbps(&result, qp) / all);
            CU_ASSERT_DOUBLE_EQUAL(gbps(&result, qp) / all, row[i].share[qp], 0.01);
        }
    }
}

#define FRAME \
    (4096.0 / (14 + 20 + 8 + 12 + 16 + 4096 + 4 + 4)) /* of a frame with FCS: Ethernet, IP, UDP, BTH, RETH, ICRC */

/* A QP's limit, a class's, and both with a burst: as many frames as the rate pays for. */
static void rates(void)
{
    static const struct {
        const char *set[4];
        int64_t rate_bps;
        double gbps[2];
    } row[] = {{{0}, INT64_C(10000000000), {10, 90}},
               {{"nic.rate_burst=16 KiB"}, INT64_C(10000000000), {10, 90}},
               {{"nic.classes=2", "nic.class0_rate=25 Gbps", "nic.class_scheduler=rr"}, 0, {25, 70}},
               {{"nic.class0_rate=25 Gbps"}, 0, {12.5, 12.5}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mix mix = {.bulk_qps = 2,
                          .bulk_bytes = {4096, 4096},
                          .outstanding = 64,
                          .sl = {0, 1},
                          .rate_bps = {row[i].rate_bps},
                          .duration_ps = DURATION_PS};
        memcpy(mix.set, row[i].set, sizeof row[i].set);
        struct mix_result result = run(&mix, NULL);
        CU_ASSERT_DOUBLE_EQUAL(gbps(&result, 0), row[i].gbps[0] * FRAME, 0.005 * row[i].gbps[0]);
        if (row[i].gbps[1] < 50)
            CU_ASSERT_DOUBLE_EQUAL(gbps(&result, 1), row[i].gbps[1] * FRAME, 0.005 * row[i].gbps[1])
        else
            CU_ASSERT(gbps(&result, 1) > row[i].gbps[1] - 20);
    }
}

/* nic.requests of all QPs, nic.qp_requests of each: messages in flight are that, and no more. */
static void limits(void)
{
    double one = 0;
    for (int n = 1; n <= 4; n *= 2) {
        char all[40], each[40];
        snprintf(all, sizeof all, "nic.requests=%d", 3 * n);
        snprintf(each, sizeof each, "nic.qp_requests=%d", n);
        struct mix mix = {.set = {all}, .bulk_qps = 3, .bulk_bytes = {64, 64, 64}, .outstanding = 32};
        mix.duration_ps = 400000000;
        struct mix_result by_all = run(&mix, NULL);
        mix.set[0] = each;
        struct mix_result by_each = run(&mix, NULL);
        double all_gbps = gbps(&by_all, 0) + gbps(&by_all, 1) + gbps(&by_all, 2);
        double each_gbps = gbps(&by_each, 0) + gbps(&by_each, 1) + gbps(&by_each, 2);
        CU_ASSERT_DOUBLE_EQUAL(all_gbps / each_gbps, 1, 0.05);
        if (n == 1)
            one = all_gbps;
        CU_ASSERT_DOUBLE_EQUAL(all_gbps / one, n, 0.05 * n);
    }
}

void suite_system_scheduler(void);
void suite_system_scheduler(void)
{
    CU_pSuite suite = CU_add_suite("system: QP scheduler", NULL, NULL);
    CU_add_test(suite, "a small message beside bulk", small_beside_bulk);
    CU_add_test(suite, "shares of the line", shares);
    CU_add_test(suite, "rate limits", rates);
    CU_add_test(suite, "limits of requests", limits);
}
