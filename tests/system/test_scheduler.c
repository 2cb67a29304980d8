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
    uint32_t bulk_qps, bulk_bytes, outstanding;
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
                result->sent_bytes[event[i].qpn - 1] += mix->bulk_bytes;
                post(sim, event[i].qpn, mix->bulk_bytes);
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
            post(sim, qpn, mix->bulk_bytes);
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
                          .bulk_bytes = 262144,
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

void suite_system_scheduler(void);
void suite_system_scheduler(void)
{
    CU_pSuite suite = CU_add_suite("system: QP scheduler", NULL, NULL);
    CU_add_test(suite, "a small message beside bulk", small_beside_bulk);
}
