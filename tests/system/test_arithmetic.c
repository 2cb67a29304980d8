/* Arithmetic that anyone can redo: the timeline of one zero-load 8-byte inline WRITE, computed here from the parameters alone
 * (divisions in full, no code of the model), stamp by stamp equal to the model's; goodputs; one QP's limit. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a clock, in the plainest arithmetic ---- */

struct ticks {
    __int128 num, den;
    int64_t phase_ps;
};

static int64_t edge(struct ticks t, int64_t n)
{
    return (int64_t)(n * t.num / t.den) + t.phase_ps;
}

static int64_t first_at_or_after(struct ticks t, int64_t ps)
{
    int64_t n = (int64_t)((ps - t.phase_ps) * t.den / t.num) - 2;
    while (n < 0 || edge(t, n) < ps)
        n++;
    return n;
}

/* What changes at edge n is seen through so many flip-flops. */
static int64_t crossed(struct ticks from, int64_t n, struct ticks to, int flops)
{
    return first_at_or_after(to, edge(from, n) + 1) + flops - 1;
}

/* ---- the parameters ---- */

static int64_t value(struct rnicsim *sim, const char *key)
{
    char unit[64];
    return scenario_param(sim, key, unit, sizeof unit) / 1000;
}

static int64_t time_ps(struct rnicsim *sim, const char *key)
{
    char unit[64];
    int64_t thousandths = scenario_param(sim, key, unit, sizeof unit);
    int64_t scale = strcmp(unit, "ps") == 0   ? 1
                    : strcmp(unit, "ns") == 0 ? 1000
                    : strcmp(unit, "us") == 0 ? 1000000
                                              : 0;
    CU_ASSERT_FATAL(scale > 0);
    return thousandths * scale / 1000;
}

static int64_t latency(struct rnicsim *sim, const char *stage)
{
    char key[96];
    snprintf(key, sizeof key, "stage.%s.latency", stage);
    return value(sim, key);
}

/* ---- one NIC's clocks: u280_100g ---- */

struct board {
    struct ticks user, mac, line, link;
};

static struct board board(int64_t phase_ps)
{
    return (struct board){
        .user = {4000, 1, phase_ps},   /* 250 MHz */
        .mac = {102400, 33, phase_ps}, /* 322.265625 MHz */
        .line = {80, 1, phase_ps},     /* a byte at 100 Gb/s */
        /* a byte of Gen3 x16: 8125/128 ps; 16 of 2688 bytes are DLLPs, in what skips leave: 370 blocks of 371 */
        .link = {(__int128)8125 * 2688 * 370, (__int128)128 * (2688 * 370 - 16 * 371), phase_ps}};
}

struct beats { /* of one frame: cycles of its first and last */
    int64_t head, tail;
};

static struct beats cut_through(struct beats in, int64_t beats, int64_t latency_cyc)
{
    int64_t end = in.head + beats - 1 > in.tail ? in.head + beats - 1 : in.tail;
    return (struct beats){in.head + latency_cyc, end + latency_cyc};
}

static struct beats stored(struct beats in, int64_t beats, int64_t latency_cyc)
{
    return (struct beats){in.tail + latency_cyc, in.tail + beats - 1 + latency_cyc};
}

static struct beats into(struct ticks from, struct beats in, struct ticks to, int flops)
{
    return (struct beats){crossed(from, in.head, to, flops), crossed(from, in.tail, to, flops)};
}

/* From the port's grant at a cycle of the sender to dispatch at the receiver; fills wire and received. */
static int64_t over_the_line(struct rnicsim *sim, struct board from, struct board to, int64_t grant_cyc, int64_t bytes,
                             int64_t *wire_ps, int64_t *received_ps)
{
    int64_t beats = (bytes + 63) / 64, delay_ps = time_ps(sim, "mac.serdes") + 3 * time_ps(sim, "mac.cable_delay");
    int64_t delay_cyc = (delay_ps + 79) / 80 + 1, word = bytes < 64 ? bytes : 64, body = bytes < 60 ? 60 : bytes;
    struct beats at = {grant_cyc + value(sim, "nic.port_latency"), 0};
    at.tail = at.head + beats - 1;
    at = stored(into(from.user, at, from.mac, 2), beats, latency(sim, "tx.mac"));
    int64_t start = crossed(from.mac, at.head, from.line, 1);
    int64_t last = start + 8 + body + 4 - 1 + delay_cyc;
    *wire_ps = edge(from.line, start);
    *received_ps = edge(from.line, last);
    struct beats far = {start + 8 + word - 1 + delay_cyc, last};
    far = cut_through(into(from.line, far, to.mac, 2), beats, latency(sim, "mac_rx.mac"));
    far.head++, far.tail++; /* taken on arrival, seen a cycle later */
    far = cut_through(into(to.mac, far, to.user, 2), beats, latency(sim, "rx.cdc"));
    return stored(far, beats, latency(sim, "rx.judge")).tail;
}

static void expect(struct rnicsim *sim, int64_t *at)
{
    struct board a = board(0), b = board(1000);
    int64_t link = time_ps(sim, "pcie.link_latency");
    at[RNICSIM_AT_ARRIVAL] = at[RNICSIM_AT_POST] = 0;
    at[RNICSIM_AT_MMIO] = time_ps(sim, "host.post_cost") + time_ps(sim, "host.wqe_cost");
    /* 64 B pushed: 88 bytes on the link */
    int64_t sent = first_at_or_after(a.link, at[RNICSIM_AT_MMIO] + time_ps(sim, "host.store_latency")) + 88;
    int64_t cyc = first_at_or_after(a.user, edge(a.link, sent) + link + 1);
    cyc += 1 + latency(sim, "doorbell.decode");
    at[RNICSIM_AT_DOORBELL] = at[RNICSIM_AT_GRANT] = at[RNICSIM_AT_WQE] = edge(a.user, cyc);
    cyc += 1 + latency(sim, "sched.context");
    at[RNICSIM_AT_PACKET] = edge(a.user, cyc);
    cyc += value(sim, "pcie.read_latency"); /* nothing to read: the data came with the WQE */
    at[RNICSIM_AT_PAYLOAD] = edge(a.user, cyc);
    cyc += 1 + latency(sim, "payload.build");
    at[RNICSIM_AT_PORT] = edge(a.user, cyc);
    /* Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, payload 8, ICRC 4 */
    cyc = over_the_line(sim, a, b, cyc, 82, &at[RNICSIM_AT_WIRE], &at[RNICSIM_AT_RECEIVED]);
    at[RNICSIM_AT_JUDGED] = at[RNICSIM_AT_RESPONDED] = edge(b.user, cyc);
    cyc += 1 + latency(sim, "ack.build");
    int64_t ack_received;
    /* ACK: Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, ICRC 4 */
    cyc = over_the_line(sim, b, a, cyc, 62, &at[RNICSIM_AT_ACK_WIRE], &ack_received);
    at[RNICSIM_AT_ACK_RECEIVED] = edge(a.user, cyc);
    cyc += 1 + latency(sim, "retire.context");
    at[RNICSIM_AT_RETIRED] = edge(a.user, cyc);
    cyc += 1 + latency(sim, "cqe.write");
    /* a CQE of 64 B: 88 bytes on the link, but with its descriptor three halves of a beat, 6 ns, which is 94 bytes' time */
    sent = crossed(a.user, cyc, a.link, 1) + 94;
    at[RNICSIM_AT_CQE] = edge(a.link, sent) + link + time_ps(sim, "pcie.host_write");
    int64_t poll = time_ps(sim, "host.poll_interval");
    at[RNICSIM_AT_SEEN] = (at[RNICSIM_AT_CQE] + poll - 1) / poll * poll;
}

static void every_row_of_a_small_write(void)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    int64_t expected[RNICSIM_STAMP_COUNT];
    s.length_bytes = 8;
    s.messages = 1;
    s.flags = RNICSIM_INLINE;
    s.set[s.sets++] = "pcie.skips=off";
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL_FATAL(result.done, 1);
    expect(sim, expected);
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++) {
        if (expected[i] != result.last.stamp_ps[i])
            printf("\n    %s: expected %lld ps, the model says %lld ps", rnicsim_stamp_name((enum rnicsim_stamp)i),
                   (long long)expected[i], (long long)result.last.stamp_ps[i]);
        CU_ASSERT_EQUAL(expected[i], result.last.stamp_ps[i]);
    }
    rnicsim_destroy(sim);
}

/* ---- goodput: the line's share of payload, or the link's ---- */

static void goodput(uint32_t mtu, const char *completions, double low, double high, const char *bottleneck)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    char name[64];
    double share;
    s.mtu_bytes = mtu;
    s.length_bytes = 1 << 20;
    s.outstanding = 16;
    s.messages = 100;
    s.set[s.sets++] = completions;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL(result.done, s.messages);
    scenario_busiest(sim, name, sizeof name, &share);
    if (result.goodput_gbps < low || result.goodput_gbps > high || strcmp(name, bottleneck) != 0)
        printf("\n    MTU %u, %s: %.3f Gb/s, busiest %s at %.4f", mtu, completions, result.goodput_gbps, name, share);
    CU_ASSERT(result.goodput_gbps >= low && result.goodput_gbps <= high);
    CU_ASSERT_STRING_EQUAL(name, bottleneck);
    CU_ASSERT(share > 0.98);
    rnicsim_destroy(sim);
}

static void goodput_of_long_messages(void)
{
    goodput(1024, "pcie.completions=mps", 92.54, 92.64, "a.line");    /* 1024/1106 */
    goodput(4096, "pcie.completions=mps", 97.9, 98.1, "a.line");      /* 4096/4178 */
    goodput(4096, "pcie.completions=rcb", 94.7, 95.7, "a.pcie_down"); /* 126.03 * 0.9914 * 64/84 */
}

/* One QP cannot be granted again before its context loop has ended. */
static void one_qp_is_bound_by_its_context_loop(void)
{
    struct scenario s = scenario_default();
    s.length_bytes = 64;
    s.flags = RNICSIM_INLINE;
    s.messages = 4000;
    s.outstanding = 64;
    s.set[s.sets++] = "nic.context_loop=40 cycle"; /* 160 ns: 6.25 M/s; the host could post 14 M/s */
    struct scenario_result result = scenario_run(&s, NULL);
    double rate_mps = (s.messages - 1) * 1e6 / (double)(result.last_done_ps - result.first_done_ps);
    CU_ASSERT_EQUAL(result.done, s.messages);
    CU_ASSERT(rate_mps <= 6.2501 && rate_mps > 6.1);
    s.qps = 4; /* four QPs are not */
    result = scenario_run(&s, NULL);
    CU_ASSERT((s.messages - 1) * 1e6 / (double)(result.last_done_ps - result.first_done_ps) > 12);
}

/* Small frames at the rate of the line, everything else out of the way: 98 bytes a frame at 100 Gb/s are 127.55 M/s. */
static void small_frames_fill_the_line(void)
{
    static const char *const faster[] = {
        "nic.user_clock=400 MHz", "nic.scheduler_interval=1 cycle", "nic.context_loop=1 cycle",
        "nic.wqe_cache=256",      "nic.wqe_fetch_most=32",          "nic.operations=512",
        "nic.operation_fifo=128", "nic.retire_interval=1 cycle",    "host.post_cost=0 ns",
        "host.wqe_cost=0 ns",     "pcie.operation_interval=1 cycle"};
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    for (size_t i = 0; i < sizeof faster / sizeof *faster; i++)
        s.set[s.sets++] = faster[i];
    s.length_bytes = 0; /* WRITE: 58 + RETH 16 bytes, 24 more on the line */
    s.flags = RNICSIM_INLINE;
    s.qps = 4;
    s.batch = 32;
    s.outstanding = 512;
    s.messages = 20480;
    struct scenario_result result = scenario_run(&s, &sim);
    char name[64];
    double share;
    scenario_busiest(sim, name, sizeof name, &share);
    CU_ASSERT_EQUAL(result.done, s.messages);
    if (share < 0.97 || strcmp(name, "a.line") != 0)
        printf("\n    busiest %s at %.4f", name, share);
    CU_ASSERT(share >= 0.97);
    CU_ASSERT_STRING_EQUAL(name, "a.line");
    rnicsim_destroy(sim);
}

void suite_system_arithmetic(void);
void suite_system_arithmetic(void)
{
    CU_pSuite suite = CU_add_suite("system: arithmetic anyone can redo", NULL, NULL);
    CU_add_test(suite, "every row of a zero-load 8 B inline WRITE", every_row_of_a_small_write);
    CU_add_test(suite, "goodput of long messages, and what binds", goodput_of_long_messages);
    CU_add_test(suite, "small frames fill the line", small_frames_fill_the_line);
    CU_add_test(suite, "one QP is bound by its context loop", one_qp_is_bound_by_its_context_loop);
}
