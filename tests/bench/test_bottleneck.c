/* The bottleneck rule on inputs made for it. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "bench/bottleneck.h"
#include "tests/system/scenario.h"

void suite_bench_bottleneck(void);

#define STAGES 3

/* Each stage: its work in permille and one more cause; the rest is without input. */
struct bottleneck_case {
    struct {
        int work;
        enum rnicsim_cause cause;
        int other;
    } stage[STAGES];
    const char *first, *first_cause;
    const char *next, *next_cause;
};

static const struct bottleneck_case cases[] = {
    /* a saturated server, whatever waits for it; the next is the next-busiest, however idle */
    {{{990, RNICSIM_BUBBLE, 10}, {500, RNICSIM_DOWNSTREAM_FULL, 500}, {300, RNICSIM_NO_TAG, 650}},
     "a p s0",
     "work",
     "a p s1",
     "work"},
    {{{500, RNICSIM_DOWNSTREAM_FULL, 500}, {900, RNICSIM_NO_INPUT, 0}, {950, RNICSIM_NO_INPUT, 0}},
     "a p s2",
     "work",
     "a p s1",
     "work"},
    /* never idle, but it lacks tags: they bind, however busy another is */
    {{{20, RNICSIM_NO_TAG, 975}, {935, RNICSIM_NO_INPUT, 0}, {0, RNICSIM_NO_INPUT, 0}},
     "a p s0",
     "no_tag",
     "a p s1",
     "work"},
    {{{20, RNICSIM_NO_TAG, 910}, {935, RNICSIM_NO_INPUT, 0}, {0, RNICSIM_NO_INPUT, 0}},
     "a p s1",
     "work",
     "a p s0",
     "work"},
    /* none is saturated: the resource that is most waited for, tags before others; then the busiest stage */
    {{{899, RNICSIM_BUBBLE, 101}, {100, RNICSIM_NO_TAG, 300}, {100, RNICSIM_WINDOW_FULL, 800}},
     "a p s1",
     "no_tag",
     "a p s0",
     "work"},
    {{{100, RNICSIM_CONTEXT_BUSY, 800}, {700, RNICSIM_NO_INPUT, 0}, {100, RNICSIM_NO_INPUT, 0}},
     "a p s0",
     "context_busy",
     "a p s1",
     "work"},
    /* shadows of other stages do not count; below the thresholds it is latency */
    {{{100, RNICSIM_DOWNSTREAM_FULL, 900}, {100, RNICSIM_BUBBLE, 900}, {899, RNICSIM_NO_BUFFER, 101}},
     "payload read",
     "latency",
     "poll sees CQE",
     "latency"},
    {{{100, RNICSIM_NO_BUFFER, 299}, {0, RNICSIM_NO_INPUT, 0}, {0, RNICSIM_NO_INPUT, 0}},
     "payload read",
     "latency",
     "poll sees CQE",
     "latency"},
    /* of equals, the first */
    {{{950, RNICSIM_NO_INPUT, 0}, {950, RNICSIM_NO_INPUT, 0}, {0, RNICSIM_NO_INPUT, 0}},
     "a p s0",
     "work",
     "a p s1",
     "work"},
};

static struct waterfall make_waterfall(void)
{
    struct collect collect = {.stretch_count = 2};
    collect.stretch_ps[RNICSIM_AT_PAYLOAD] = 600;
    collect.stretch_ps[RNICSIM_AT_SEEN] = 300;
    collect.stretch_ps[RNICSIM_AT_WIRE] = 100;
    return waterfall_of(&collect);
}

static void check_case(const struct bottleneck_case *given)
{
    static const char *const name[STAGES] = {"s0", "s1", "s2"};
    struct rnicsim_stage_info stages[STAGES];
    struct waterfall waterfall = make_waterfall();
    for (int i = 0; i < STAGES; i++) {
        stages[i] = (struct rnicsim_stage_info){.nic = "a", .path = "p", .name = name[i]};
        stages[i].time_ps[RNICSIM_WORK] = given->stage[i].work;
        stages[i].time_ps[given->stage[i].cause] += given->stage[i].other;
        stages[i].time_ps[RNICSIM_NO_INPUT] += 1000 - given->stage[i].work - given->stage[i].other;
    }
    struct bottlenecks found = bottleneck_find(stages, STAGES, &waterfall);
    CU_ASSERT_STRING_EQUAL(found.first.stage, given->first);
    CU_ASSERT_STRING_EQUAL(found.first.cause, given->first_cause);
    CU_ASSERT_STRING_EQUAL(found.next.stage, given->next);
    CU_ASSERT_STRING_EQUAL(found.next.cause, given->next_cause);
}

#define RESPONDER "pcie.update_fc=100 ns", "transport.ack_point=issued", "transport.window=24"

/* Systems with one bottleneck made into them, on the model: is it named? */
static void test_named_right(void)
{
    static const struct {
        const char *board, *set[4], *stage, *cause;
        uint32_t bytes, outstanding;
        unsigned flags;
    } made[] = {
        {"u280_100g", {NULL}, "a core line", "work", 65536, 128, 0},
        {"u280_100g", {"mac.rate=10 Gbps"}, "a core line", "work", 65536, 128, 0},
        {"u280_100g", {"pcie.completions=rcb"}, "a core pcie_down", "work", 65536, 128, 0},
        /* a write takes 280 bytes for 256, a completion 276 */
        {"u280_100g", {"pcie.lanes=4"}, "b core pcie_up", "work", 65536, 128, 0},
        {"u280_100g", {"pcie.tags=8"}, "a core read_engine", "no_tag", 65536, 128, 0},
        {"u280_100g", {"pcie.completion_buffer=2 KiB"}, "a core read_engine", "no_credit_CPLD", 65536, 128, 0},
        {"u280_100g", {"pcie.completion_headers=32"}, "a core read_engine", "no_credit_CPLH", 65536, 128, 0},
        /* the responder's writes: 10 of 256 B, 160 credits of 16 B or 36 lines over their way back; acknowledged when written */
        {"u280_100g", {"pcie.posted_headers=10", RESPONDER}, "b core pcie_up", "no_credit_PH", 65536, 128, 0},
        {"u280_100g", {"pcie.posted_data=2560 B", RESPONDER}, "b core pcie_up", "no_credit_PD", 65536, 128, 0},
        {"u280_100g", {"pcie.host_write_lines=36", RESPONDER}, "b core pcie_up", "no_credit_PH", 65536, 128, 0},
        {"u280_100g", {"pcie.nonposted_headers=4", RESPONDER}, "a core pcie_up", "no_credit_NPH", 65536, 128, 0},
        {"u280_100g", {"nic.payload_buffer=8 KiB"}, "a core scheduler", "no_buffer", 65536, 128, 0},
        {"u280_100g", {"mac.cable=2000 m", "transport.window=8"}, "a core scheduler", "window_full", 65536, 128, 0},
        {"u280_100g", {"nic.context_loop=60 cycle"}, "a core scheduler", "context_busy", 64, 128, RNICSIM_INLINE},
        {"u280_100g", {"nic.context_loop=1 cycle"}, "a core host_cpu", "work", 64, 128, RNICSIM_INLINE},
        {"u280_100g", {"nic.payload_ports=1"}, "a core payload_ram", "work", 65536, 128, 0},
        {"u280_100g", {"nic.payload_free_list=10 cycle"}, "a core free_list", "work", 65536, 128, 0},
        {"u280_100g", {"nic.retransmit_entries=2"}, "a core scheduler", "no_retransmit", 65536, 128, 0},
        {"u280_100g", {"nic.srq_loop=100 cycle"}, "b core dispatch", "srq_busy", 64, 128, RNICSIM_INLINE},
        {"u280_100g",
         {"nic.retransmit_latency=60000 cycle"},
         "a core scheduler",
         "retry",
         65536,
         128,
         0}, /* one loss in 1,000 packets */
        {"kcu116_25g", {"stage.tx.mac.depth=600 beats"}, "a tx mac FIFO", "full", 65536, 128, 0},
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct scenario s = scenario_default();
        struct rnicsim_stage_info stages[256];
        struct rnicsim *sim;
        struct waterfall waterfall = make_waterfall();
        s.board = made[i].board;
        s.length_bytes = made[i].bytes;
        s.outstanding = made[i].outstanding;
        s.flags = made[i].flags;
        s.messages = made[i].bytes > 1000 ? 300 : 5000;
        s.has_srq = made[i].set[0] && strncmp(made[i].set[0], "nic.srq", 7) == 0;
        s.faults = strcmp(made[i].cause, "retry") == 0;
        s.fault[0] = (struct rnicsim_fault){.action = RNICSIM_FAULT_DROP,
                                            .frames = RNICSIM_FRAME_WRITE,
                                            .from_host = RNICSIM_FAULT_ANY,
                                            .psn = RNICSIM_FAULT_ANY,
                                            .to_ps = RNICSIM_NEVER,
                                            .every = 1000};
        s.opcode = s.has_srq ? RNICSIM_SEND : RNICSIM_WRITE;
        for (int k = 0; k < 4 && made[i].set[k]; k++)
            s.set[s.sets++] = made[i].set[k];
        CU_ASSERT_FALSE_FATAL(scenario_run(&s, &sim).failed);
        size_t count = rnicsim_stage_count(sim);
        CU_ASSERT_FATAL(count <= 256);
        for (size_t k = 0; k < count; k++)
            rnicsim_stage(sim, k, &stages[k]);
        struct bottlenecks found = bottleneck_find(stages, count, &waterfall);
        if (strcmp(found.first.stage, made[i].stage) != 0 || strcmp(found.first.cause, made[i].cause) != 0)
            printf("    %s: %s (%s) is named\n", made[i].set[0] ? made[i].set[0] : made[i].board, found.first.stage,
                   found.first.cause);
        CU_ASSERT_STRING_EQUAL(found.first.stage, made[i].stage);
        CU_ASSERT_STRING_EQUAL(found.first.cause, made[i].cause);
        rnicsim_destroy(sim);
    }
}

static void test_rule(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static void test_nothing(void)
{
    struct collect collect = {0};
    struct waterfall waterfall = waterfall_of(&collect);
    struct bottlenecks found = bottleneck_find(NULL, 0, &waterfall);
    CU_ASSERT_STRING_EQUAL(found.first.stage, "");
    CU_ASSERT_STRING_EQUAL(found.next.stage, "");
}

static void test_waterfall(void)
{
    struct waterfall waterfall = make_waterfall();
    __int128 sum_ps = 0;
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        sum_ps += waterfall.rows[i].sum_ps;
        CU_ASSERT_EQUAL(waterfall.rows[i].to, waterfall.rows[i].from + 1);
    }
    CU_ASSERT(sum_ps == waterfall.sum_ps && sum_ps == 1000);
    CU_ASSERT_DOUBLE_EQUAL(waterfall.mean_ns, 0.5, 1e-12);
    CU_ASSERT_EQUAL(waterfall.rows[waterfall_largest(&waterfall, -1)].to, RNICSIM_AT_PAYLOAD);
}

void suite_bench_bottleneck(void)
{
    CU_pSuite suite = CU_add_suite("bench/bottleneck", NULL, NULL);
    CU_add_test(suite, "rule", test_rule);
    CU_add_test(suite, "constructed bottlenecks are named right", test_named_right);
    CU_add_test(suite, "nothing happened", test_nothing);
    CU_add_test(suite, "waterfall sums", test_waterfall);
}
