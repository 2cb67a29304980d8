/* Marked packets, CNPs, and what they make of a QP's rate. */
#include "tests/system/pair.h"
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

void suite_system_congestion(void);

static struct scenario_result run(const struct rnicsim_fault *fault, uint32_t messages)
{
    struct scenario s = scenario_default();
    s.length_bytes = 65536;
    s.messages = messages;
    s.outstanding = 16;
    s.set[s.sets++] = "transport.congestion=dcqcn";
    s.set[s.sets++] = "transport.dcqcn_byte_reset=1 MiB";
    s.set[s.sets++] = "transport.dcqcn_time_reset=1 s";
    s.faults = fault != NULL;
    if (fault)
        s.fault[0] = *fault;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT(!result.failed && result.done == messages && result.totals.errors == 0 && result.totals.repeated == 0);
    return result;
}

/* One mark: one CNP; then the rate is half the line's, until each MiB brings half of the rest back: that takes 84, 28, 12 us and so on longer
 * than without, less what waited behind the scheduler. */
static void one_mark(void)
{
    struct rnicsim_fault mark = pair_fault(RNICSIM_FAULT_MARK, RNICSIM_FRAME_WRITE, 100);
    struct scenario_result without = run(NULL, 600), with = run(&mark, 600);
    CU_ASSERT_EQUAL(with.totals.marked, 1);
    CU_ASSERT_EQUAL(with.totals.cnps, 1);
    CU_ASSERT_EQUAL(without.totals.cnps, 0);
    double lost_us = (double)(with.last_done_ps - without.last_done_ps) / 1e6, expected_us = 0, rate = 0.5005;
    for (int i = 0; i < 30; i++, rate = (rate + 1) / 2) /* in units of the line's rate */
        expected_us += 1048576 * 8 / 1e5 * (1 / rate - 1);
    if (lost_us > expected_us || lost_us < expected_us - 15)
        printf("\n    lost %.3f us, expected %.3f", lost_us, expected_us);
    CU_ASSERT(lost_us < expected_us &&
              lost_us > expected_us - 15); /* 128 KiB of payload buffer and what is behind it */
}

/* All are marked: a CNP each interval, whatever that is. */
static void cnp_interval(void)
{
    static const struct {
        const char *interval;
        double us;
    } row[] = {{"transport.cnp_interval=4 us", 4}, {"transport.cnp_interval=50 us", 50}};
    for (int i = 0; i < 2; i++) {
        struct rnicsim_fault mark = pair_fault(RNICSIM_FAULT_MARK, RNICSIM_FRAME_WRITE, 0);
        struct scenario s = scenario_default();
        s.length_bytes = 65536;
        s.messages = 100;
        s.outstanding = 16;
        s.set[s.sets++] = "transport.congestion=dcqcn";
        s.set[s.sets++] = "transport.dcqcn_min_rate=20 Gbps";
        s.set[s.sets++] = row[i].interval;
        s.faults = 1;
        s.fault[0] = mark;
        struct scenario_result result = scenario_run(&s, NULL);
        double expected = (double)result.last_done_ps / 1e6 / row[i].us;
        CU_ASSERT(result.totals.marked == 1600);
        CU_ASSERT(result.totals.cnps <= expected + 1 &&
                  result.totals.cnps > expected * 0.6);                             /* frames are 1.7 us apart */
        CU_ASSERT(i > 0 || (result.goodput_gbps > 18 && result.goodput_gbps < 21)); /* at the least rate */
    }
}

/* READs and UD are not slowed down; UC is. */
static void who_reacts(void)
{
    struct rnicsim_fault mark = pair_fault(RNICSIM_FAULT_MARK, RNICSIM_FRAME_ANY, 0);
    for (int i = 0; i < 3; i++) {
        struct scenario s = scenario_default();
        s.transport = i == 0 ? RNICSIM_UC : i == 1 ? RNICSIM_UD : RNICSIM_RC;
        s.opcode = i == 0 ? RNICSIM_WRITE : i == 1 ? RNICSIM_SEND : RNICSIM_READ;
        s.length_bytes = 4096;
        s.messages = 400;
        s.outstanding = 32;
        s.set[s.sets++] = "transport.congestion=dcqcn";
        s.faults = 1;
        s.fault[0] = mark;
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(result.done == 400);
        if (i == 0)
            CU_ASSERT(result.totals.cnps > 5 && result.goodput_gbps < 50);
        if (i == 1)
            CU_ASSERT(result.totals.cnps == 0 && result.goodput_gbps > 90);
    }
}

void suite_system_congestion(void)
{
    CU_pSuite suite = CU_add_suite("system: congestion control", NULL, NULL);
    CU_add_test(suite, "one mark", one_mark);
    CU_add_test(suite, "CNP interval", cnp_interval);
    CU_add_test(suite, "who reacts", who_reacts);
}
