/* Requests that are complete when their last frame is sent: nothing is acknowledged, and what is lost nobody hears of. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static struct scenario sending(const char *const *set, size_t sets)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = "transport.completion=sent";
    for (size_t i = 0; i < sets; i++)
        s.set[s.sets++] = set[i];
    return s;
}

/* The stamps of one 64 B message: after the wire come the MAC's end of the frame, 1 to 2 cycles of 4 ns until the requester's unit has
 * it, path retire, the CQE. 64 B and 74 B of headers with the ICRC take 8 + 4 bytes more on the line, 80 ps each. */
static void one_message(void)
{
    struct scenario s = sending(0, 0);
    s.length_bytes = 64;
    s.messages = 1;
    struct scenario_result result = scenario_run(&s, NULL);
    const int64_t *at = result.last.stamp_ps;
    CU_ASSERT_EQUAL(result.done, 1);
    CU_ASSERT_EQUAL(result.totals.ack_packets, 0);
    CU_ASSERT_EQUAL(at[RNICSIM_AT_ACK_WIRE] - at[RNICSIM_AT_WIRE], (64 + 74 + 8 + 4 - 1) * 80);
    int64_t until_known = at[RNICSIM_AT_ACK_RECEIVED] - at[RNICSIM_AT_ACK_WIRE];
    CU_ASSERT(until_known > 0 && until_known <= 4000);
    CU_ASSERT(at[RNICSIM_AT_RETIRED] > at[RNICSIM_AT_ACK_RECEIVED] && at[RNICSIM_AT_CQE] > at[RNICSIM_AT_RETIRED]);
    CU_ASSERT_EQUAL(at[RNICSIM_AT_RECEIVED], RNICSIM_NEVER);
    CU_ASSERT_EQUAL(at[RNICSIM_AT_RESPONDED], RNICSIM_NEVER);
    const char *later[] = {"nic.sent_latency=26 cycle"};
    s = sending(later, 1);
    s.length_bytes = 64;
    s.messages = 1;
    struct scenario_result slow = scenario_run(&s, NULL);
    CU_ASSERT_EQUAL(slow.last.stamp_ps[RNICSIM_AT_RETIRED] - at[RNICSIM_AT_RETIRED], 100000);
}

/* A window of one packet, and payload that is kept until it is sent: all goes on by what the MAC tells. */
static void windows_and_kept_payload(void)
{
    const char *set[] = {"transport.window=1", "transport.retx_source=buffer", "nic.payload_buffer=8 KiB"};
    struct scenario s = sending(set, 3);
    s.length_bytes = 20000;
    s.opcode = RNICSIM_SEND;
    s.messages = 40;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT_EQUAL(result.done, 40);
    CU_ASSERT(result.totals.receives > 35); /* the last are on their way */
    CU_ASSERT_EQUAL(result.totals.ack_packets, 0);
    CU_ASSERT_EQUAL(result.totals.drops, 0);
}

/* A receiver that is slower than the line loses frames, and what is left of a message: the sender's requests are complete all the same,
 * and the receiver goes on with the next message that it sees from its beginning. */
static void what_is_lost(void)
{
    const char *set[] = {"stage.rx.cdc.depth=80 beats", "stage.rx.cdc.interval=4 cycle"};
    struct scenario s = sending(set, 2);
    s.length_bytes = 9000;
    s.messages = 100;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT_EQUAL(result.done, 100);
    CU_ASSERT_EQUAL(result.totals.errors, 0);
    CU_ASSERT(result.totals.drops_full > 20);
    CU_ASSERT(result.totals.payload_bytes > 9000 && result.totals.payload_bytes < 90 * 9000);
}

/* One CQE of a CQ in so many cycles of 4 ns; each QP has its CQ. */
static void one_cq(void)
{
    for (uint32_t qps = 1; qps <= 2; qps++) {
        const char *set[] = {"nic.cq_loop=40 cycle", "nic.retire_interval=20 cycle"};
        struct scenario s = sending(set, 2);
        s.length_bytes = 64;
        s.qps = qps;
        s.messages = 2000;
        struct scenario_result result = scenario_run(&s, NULL);
        double apart_ns = (double)(result.last_done_ps - result.first_done_ps) / 1999e3;
        CU_ASSERT_EQUAL(result.done, 2000);
        CU_ASSERT_DOUBLE_EQUAL(apart_ns, qps == 1 ? 160 : 80, 1);
    }
}

/* The same where the context is taken once more when the CQE is known to be written: 20 and 20 cycles. */
static void one_cq_and_commits(void)
{
    for (uint32_t qps = 1; qps <= 2; qps++) {
        const char *set[] = {"nic.cq_loop=20 cycle", "nic.cq_commit=20 cycle", "nic.write_status=30 cycle",
                             "nic.retire_interval=20 cycle"};
        struct scenario s = sending(set, 4);
        s.length_bytes = 64;
        s.qps = qps;
        s.messages = 2000;
        struct scenario_result result = scenario_run(&s, NULL);
        double apart_ns = (double)(result.last_done_ps - result.first_done_ps) / 1999e3;
        CU_ASSERT_EQUAL(result.done, 2000);
        CU_ASSERT_DOUBLE_EQUAL(apart_ns, qps == 1 ? 160 : 80, 1);
    }
}

void suite_system_sent(void);
void suite_system_sent(void)
{
    CU_pSuite suite = CU_add_suite("system: complete when sent", NULL, NULL);
    CU_add_test(suite, "one message", one_message);
    CU_add_test(suite, "windows and kept payload", windows_and_kept_payload);
    CU_add_test(suite, "what is lost", what_is_lost);
    CU_add_test(suite, "one CQ", one_cq);
    CU_add_test(suite, "one CQ and commits", one_cq_and_commits);
}
