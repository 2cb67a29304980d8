/* What is lost is sent again: who notices, when, and what is sent. IBTA vol. 1, 9.7.5 and 9.7.6; cases of field reports by their subject. */
#include "tests/system/pair.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_system_recovery(void);

#define RETRY_EXCEEDED 12u     /* IBV_WC_RETRY_EXC_ERR */
#define RNR_RETRY_EXCEEDED 13u /* IBV_WC_RNR_RETRY_EXC_ERR */
#define REMOTE_ACCESS 10u      /* IBV_WC_REM_ACCESS_ERR */
#define FLUSHED 5u             /* IBV_WC_WR_FLUSH_ERR */

static uint64_t all_retransmits(const struct rnicsim_totals *totals)
{
    return totals->retransmits_nak + totals->retransmits_rnr + totals->retransmits_implied +
           totals->retransmits_timeout;
}

/* ---- data ---- */

/* The third of ten packets: one NAK, and from the third on all that was sent, or is still to be, comes once more. */
static void a_packet_is_lost(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_WRITE, 3);
    struct pair pair = pair_open(NULL, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_WRITE, 10 * 1024);
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 1);
    CU_ASSERT_EQUAL(pair.done[0].status, 0);
    CU_ASSERT_EQUAL(pair.delivered, 1);
    CU_ASSERT_EQUAL(pair.totals.drops_planned, 1);
    CU_ASSERT_EQUAL(pair.totals.retransmits_nak, 1);
    CU_ASSERT_EQUAL(all_retransmits(&pair.totals), 1);
    CU_ASSERT_EQUAL(pair.totals.repeated, 8); /* packets 3 to 10: the NAK comes when all are sent */
    CU_ASSERT_EQUAL(pair.totals.drops_sequence, 7);
    CU_ASSERT(pair.done[0].stamp_ps[RNICSIM_AT_WIRE] > pair.done[0].stamp_ps[RNICSIM_AT_WQE]);
    for (int i = 1; i < RNICSIM_STAMP_COUNT; i++) /* a waterfall of what was delivered */
        CU_ASSERT(pair.done[0].stamp_ps[i] >= pair.done[0].stamp_ps[i - 1]);
    CU_ASSERT((double)pair.done[0].at_ps / 1e6 < 20); /* long before any timer */
    pair_close(&pair);
}

/* Nothing comes behind the last packet that could show its loss: the timer does. The same of its ACK (bobzhuyb/ns3-rdma #8: a lost ACK at the
 * end of a flow is a live-lock unless a duplicate is acknowledged again). A damaged frame is a lost one. */
static void the_last_packet_or_its_ack(void)
{
    static const struct {
        enum rnicsim_fault_action action;
        unsigned frames;
        uint64_t nth;
        unsigned repeated;
    } row[] = {{RNICSIM_FAULT_DROP, RNICSIM_FRAME_WRITE, 4, 1},
               {RNICSIM_FAULT_CORRUPT, RNICSIM_FRAME_WRITE, 4, 1},
               {RNICSIM_FAULT_DROP, RNICSIM_FRAME_ACK, 1, 4},
               {RNICSIM_FAULT_CORRUPT, RNICSIM_FRAME_ACK, 1, 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rnicsim_fault fault = pair_fault(row[i].action, row[i].frames, row[i].nth);
        struct pair pair = pair_open(NULL, &pair_retries, &fault);
        pair_post(&pair, RNICSIM_WRITE, 4 * 1024);
        pair_finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 1);
        CU_ASSERT_EQUAL(pair.done[0].status, 0);
        CU_ASSERT_EQUAL(pair.delivered, 1);
        CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, 1);
        CU_ASSERT_EQUAL(all_retransmits(&pair.totals), 1);
        CU_ASSERT_EQUAL(pair.totals.repeated, 4); /* none is acknowledged: all four */
        CU_ASSERT_EQUAL(pair.totals.drops_damaged, row[i].action == RNICSIM_FAULT_CORRUPT);
        double us = (double)pair.done[0].at_ps / 1e6;
        CU_ASSERT(us > PAIR_TIMEOUT_US && us < PAIR_TIMEOUT_US + 5);
        pair_close(&pair);
    }
}

/* A black hole: the QP fails when its timer has ended retry_count + 1 times; what was posted behind is flushed. */
static void retries_are_counted(void)
{
    for (uint32_t count = 0; count <= 7; count += 7) {
        struct rnicsim_retry retry = {.timeout = 5, .retry_count = count};
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANY, 0);
        struct pair pair = pair_open(NULL, &retry, &fault);
        pair_post(&pair, RNICSIM_WRITE, 64);
        pair_post(&pair, RNICSIM_WRITE, 64);
        pair_finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 2);
        CU_ASSERT_EQUAL(pair.done[0].status, RETRY_EXCEEDED);
        CU_ASSERT_EQUAL(pair.done[1].status, FLUSHED);
        CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, count);
        double us = (double)pair.done[0].at_ps / 1e6, expected = (count + 1) * PAIR_TIMEOUT_US;
        CU_ASSERT(us > expected && us < expected + 3 + count);
        pair_close(&pair);
    }
}

/* Doubled or late frames change nothing that programs see but times. */
static void doubled_and_late(void)
{
    for (int late = 0; late < 2; late++) {
        struct rnicsim_fault fault =
            pair_fault(late ? RNICSIM_FAULT_DELAY : RNICSIM_FAULT_DUPLICATE, RNICSIM_FRAME_ANY, 0);
        fault.every = 3;
        fault.delay_ps = 2500000;
        struct pair pair = pair_open(NULL, &pair_retries, &fault);
        for (int i = 0; i < 20; i++) {
            pair_post_receive(&pair, 0);
            pair_post(&pair, i % 2 ? RNICSIM_SEND : RNICSIM_WRITE, 3000);
        }
        pair_finish(&pair);
        CU_ASSERT_EQUAL(pair.count, 20);
        CU_ASSERT_EQUAL(pair.delivered, 20);
        CU_ASSERT_EQUAL(pair.totals.errors, 0);
        CU_ASSERT(pair.totals.drops_sequence > 0);
        CU_ASSERT(late ? pair.totals.retransmits_nak > 0 : all_retransmits(&pair.totals) == 0);
        pair_close(&pair);
    }
}

/* ---- not ready ---- */

/* rnr_retry = 7 is for ever: a receive that comes 1 ms late is found after some hundred NAKs of code 1, 10 us, each at least that long after
 * the one before (slaclab/Simple-10GbE-RUDP-KCU105-Example #15). A smaller number is counted: 3 retries, the 4th NAK ends it; a WRITE before
 * it is done, what is behind it flushed. */
static void not_ready(void)
{
    struct pair pair = pair_open(NULL, &pair_retries, NULL);
    pair_post(&pair, RNICSIM_SEND, 64);
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_advance(pair.sim, INT64_C(1000000000), NULL, &error), RNICSIM_OK);
    pair_post_receive(&pair, INT64_C(1000000000));
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 1);
    CU_ASSERT_EQUAL(pair.done[0].status, 0);
    CU_ASSERT_EQUAL(pair.delivered, 1);
    CU_ASSERT(pair.totals.retransmits_rnr > 80 && pair.totals.retransmits_rnr <= 100);
    CU_ASSERT(pair.done[0].at_ps > INT64_C(1000000000) && pair.done[0].at_ps < INT64_C(1020000000));
    pair_close(&pair);
    for (uint32_t count = 0; count <= 6; count += 3) {
        struct rnicsim_retry retry = {.timeout = 14, .retry_count = 7, .rnr_retry = count, .rnr_timer = 1};
        pair = pair_open(NULL, &retry, NULL);
        pair_post(&pair, RNICSIM_WRITE, 64);
        pair_post(&pair, RNICSIM_SEND, 64);
        pair_post(&pair, RNICSIM_WRITE, 64);
        pair_finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 3);
        CU_ASSERT_EQUAL(pair.done[0].status, 0);
        CU_ASSERT_EQUAL(pair.done[1].status, RNR_RETRY_EXCEEDED);
        CU_ASSERT_EQUAL(pair.done[2].status, FLUSHED);
        CU_ASSERT_EQUAL(pair.totals.retransmits_rnr, count);
        pair_close(&pair);
    }
}

/* Code 0 is the longest pause, not the shortest; the larger number is not the longer time (NVIDIA/daqiri, pull request 138). */
static void code_0_is_655_ms(void)
{
    static const struct {
        uint32_t code;
        double us;
    } row[] = {{0, 655360}, {1, 10}, {13, 960}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rnicsim_retry retry = {.timeout = 14, .retry_count = 7, .rnr_retry = 7, .rnr_timer = row[i].code};
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_NOT_READY, RNICSIM_FRAME_WRITE, 1);
        struct pair pair = pair_open(NULL, &retry, &fault);
        pair_post(&pair, RNICSIM_WRITE, 64);
        pair_finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 1);
        double us = (double)pair.done[0].at_ps / 1e6;
        CU_ASSERT(us > row[i].us && us < row[i].us + 5);
        pair_close(&pair);
    }
}

static void a_bad_key(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_BAD_KEY, RNICSIM_FRAME_READ_REQUEST, 1);
    struct pair pair = pair_open(NULL, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_post(&pair, RNICSIM_READ, 5000);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 3);
    CU_ASSERT_EQUAL(pair.done[0].status, 0);
    CU_ASSERT_EQUAL(pair.done[1].status, REMOTE_ACCESS);
    CU_ASSERT_EQUAL(pair.done[2].status, FLUSHED);
    pair_close(&pair);
}

/* ---- answers ---- */

/* The third of ten packets of a READ: the requester asks for it and those behind it, at once when the fourth comes, and of that only what is
 * missing crosses the line again. Of the last packet the timer tells. */
static void an_answer_is_lost(void)
{
    static const struct {
        uint64_t nth, implied, timeouts, packets;
    } row[] = {{3, 1, 0, 11 + 8}, {10, 0, 1, 11 + 1}}; /* packets that are no ACKs, but for the second request */
    for (size_t i = 0; i < 2; i++) {
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANSWER, row[i].nth);
        struct pair pair = pair_open(NULL, &pair_retries, &fault);
        pair_post(&pair, RNICSIM_READ, 10 * 1024);
        pair_finish(&pair);
        CU_ASSERT_EQUAL_FATAL(pair.count, 1);
        CU_ASSERT_EQUAL(pair.done[0].status, 0);
        CU_ASSERT_EQUAL(pair.totals.retransmits_implied, row[i].implied);
        CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, row[i].timeouts);
        CU_ASSERT_EQUAL(pair.totals.data_packets, row[i].packets + 1);
        for (int stamp = 1; stamp < RNICSIM_STAMP_COUNT; stamp++)
            CU_ASSERT(pair.done[0].stamp_ps[stamp] >= pair.done[0].stamp_ps[stamp - 1]);
        pair_close(&pair);
    }
}

static uint64_t atomic_writes(const struct rnicsim *sim)
{
    struct rnicsim_tlp_info info;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        rnicsim_tlp(sim, i, &info);
        if (strcmp(info.nic, "b") == 0 && strcmp(info.kind, "atomic write") == 0 && strcmp(info.direction, "up") == 0)
            return info.tlps;
    }
    return 0;
}

/* A lost atomic's ACK: the value is changed once, whatever comes twice (linux-rdma, the fix of rxe's replay of atomics). */
static void an_atomic_is_executed_once(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANSWER, 1);
    fault.most = 1;
    struct pair pair = pair_open(NULL, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_FETCH_ADD, 8);
    pair_post(&pair, RNICSIM_FETCH_ADD, 8);
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 2);
    CU_ASSERT_EQUAL(pair.done[0].status | pair.done[1].status, 0);
    CU_ASSERT_EQUAL(pair.totals.retransmits_implied, 1); /* the second one's answer shows it */
    CU_ASSERT_EQUAL(atomic_writes(pair.sim), 2);
    pair_close(&pair);
}

/* An ACK behind a READ whose answer did not come acknowledges what is before the READ, no more. */
static void an_ack_behind_a_lost_answer(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANSWER, 1);
    struct pair pair = pair_open(NULL, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_post(&pair, RNICSIM_READ, 64);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 3);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(pair.done[i].status, 0);
    CU_ASSERT_EQUAL(pair.delivered, 2);
    CU_ASSERT_EQUAL(pair.totals.retransmits_implied, 1);
    CU_ASSERT(pair.done[2].at_ps < INT64_C(30000000)); /* no timer */
    pair_close(&pair);
}

void suite_system_recovery(void)
{
    CU_pSuite suite = CU_add_suite("system: recovery", NULL, NULL);
    CU_add_test(suite, "a packet is lost", a_packet_is_lost);
    CU_add_test(suite, "the last packet, or its ACK", the_last_packet_or_its_ack);
    CU_add_test(suite, "retries are counted", retries_are_counted);
    CU_add_test(suite, "doubled and late frames", doubled_and_late);
    CU_add_test(suite, "a peer that is not ready", not_ready);
    CU_add_test(suite, "RNR code 0 is 655 ms", code_0_is_655_ms);
    CU_add_test(suite, "a bad key", a_bad_key);
    CU_add_test(suite, "an answer is lost", an_answer_is_lost);
    CU_add_test(suite, "an atomic is executed once", an_atomic_is_executed_once);
    CU_add_test(suite, "an ACK behind a lost answer", an_ack_behind_a_lost_answer);
}
