/* Selective repeat: packets behind a missing one are taken, what is missing is sent alone (Mittal et al., SIGCOMM 2018, 3.1). */
#include "tests/system/pair.h"

#include <CUnit/CUnit.h>

void suite_system_selective(void);

#define SELECTIVE "transport.recovery=selective"
#define FRAME_DATA (RNICSIM_FRAME_WRITE | RNICSIM_FRAME_SEND)

static void check_all_done(const struct pair *pair)
{
    CU_ASSERT_EQUAL(pair->count, pair->posted);
    CU_ASSERT_EQUAL(pair->delivered, pair->posted);
    for (uint32_t i = 0; i < pair->count; i++) {
        CU_ASSERT_EQUAL(pair->done[i].status, 0);
        CU_ASSERT_EQUAL(pair->done[i].wr_id, i);
        for (int k = 1; k < RNICSIM_STAMP_COUNT; k++)
            CU_ASSERT(pair->done[i].stamp_ps[k] >= pair->done[i].stamp_ps[k - 1]);
    }
}

/* Each of these of ten packets: it alone is sent once more, after one NAK, and nothing that came is dropped. The last one, behind which nothing
 * comes, is missed by the timer, and all that is not acknowledged is sent again. */
static void a_packet_is_lost(void)
{
    for (uint64_t nth = 1; nth <= 10; nth++) {
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, FRAME_DATA, nth);
        struct pair pair = pair_open(SELECTIVE, &pair_retries, &fault);
        pair_post(&pair, RNICSIM_WRITE, 10 * 1024);
        pair_finish(&pair);
        check_all_done(&pair);
        CU_ASSERT_EQUAL(pair.totals.retransmits_nak, nth < 10);
        CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, nth == 10);
        CU_ASSERT_EQUAL(pair.totals.repeated, nth < 10 ? 1 : 10);
        CU_ASSERT_EQUAL(pair.totals.drops_sequence, nth < 10 ? 0 : 9);
        pair_close(&pair);
    }
}

/* One in three packets of ten WRITEs of five, the first time that each is sent: 16 of 50 are sent again. */
static void many_are_lost(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, FRAME_DATA, 0);
    fault.every = 3;
    fault.times = RNICSIM_FIRST_TIME;
    struct pair pair = pair_open(SELECTIVE, &pair_retries, &fault);
    for (int i = 0; i < 10; i++)
        pair_post(&pair, RNICSIM_WRITE, 5 * 1024);
    pair_finish(&pair);
    check_all_done(&pair);
    CU_ASSERT_EQUAL(pair.totals.repeated, 16);
    CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, 0);
    pair_close(&pair);
}

/* SENDs take receive WQEs in the order of their posting, whichever comes first, and their CQEs are in that order. */
static void messages_are_received_in_order(void)
{
    for (uint64_t nth = 1; nth <= 6; nth++) {
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, FRAME_DATA, nth);
        struct pair pair = pair_open(SELECTIVE, &pair_retries, &fault);
        for (int i = 0; i < 6; i++) {
            pair_post_receive(&pair, 0);
            pair_post(&pair, i % 3 == 1 ? RNICSIM_WRITE_IMM : RNICSIM_SEND, i % 2 ? 2000 : 10);
        }
        pair_finish(&pair);
        check_all_done(&pair);
        for (uint32_t i = 0; i < pair.delivered; i++) {
            CU_ASSERT_EQUAL(pair.received[i].wr_id, i);
        }
        CU_ASSERT_EQUAL(pair.totals.repeated, 1);
        pair_close(&pair);
    }
}

/* A READ behind a missing WRITE is not taken: both are sent again, and the WRITE between them is not. */
static void a_read_is_not_taken_ahead(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, FRAME_DATA, 1);
    struct pair pair = pair_open(SELECTIVE, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_WRITE, 100);
    pair_post(&pair, RNICSIM_WRITE, 100);
    pair_post(&pair, RNICSIM_READ, 3000);
    pair_post(&pair, RNICSIM_WRITE, 100);
    pair_finish(&pair);
    CU_ASSERT_EQUAL(pair.count, 4);
    CU_ASSERT_EQUAL(pair.totals.errors, 0);
    CU_ASSERT_EQUAL(pair.totals.repeated, 2);
    CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, 0);
    pair_close(&pair);
}

/* What is lost when it is sent again is sent a third time when the timer ends, and nothing else is. */
static void a_retransmission_is_lost(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, FRAME_DATA, 0);
    fault.psn = 2;
    fault.most = 2;
    struct pair pair = pair_open(SELECTIVE, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_WRITE, 10 * 1024);
    pair_finish(&pair);
    check_all_done(&pair);
    CU_ASSERT_EQUAL(pair.totals.retransmits_nak, 1);
    CU_ASSERT_EQUAL(pair.totals.retransmits_timeout, 1);
    CU_ASSERT_EQUAL(pair.totals.repeated, 2);
    double us = (double)pair.done[0].at_ps / 1e6;
    CU_ASSERT(us > PAIR_TIMEOUT_US && us < PAIR_TIMEOUT_US + 10);
    pair_close(&pair);
}

/* Late frames are no losses, though they look so. */
static void late_frames(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DELAY, FRAME_DATA, 2);
    fault.delay_ps = 300000; /* behind two others, before its copy is there */
    struct pair pair = pair_open(SELECTIVE, &pair_retries, &fault);
    pair_post(&pair, RNICSIM_WRITE, 10 * 1024);
    pair_finish(&pair);
    check_all_done(&pair);
    CU_ASSERT_EQUAL(pair.totals.repeated, 1);
    CU_ASSERT_EQUAL(pair.totals.drops_sequence, 1);
    pair_close(&pair);
}

void suite_system_selective(void)
{
    CU_pSuite suite = CU_add_suite("system: selective repeat", NULL, NULL);
    CU_add_test(suite, "a packet is lost", a_packet_is_lost);
    CU_add_test(suite, "many are lost", many_are_lost);
    CU_add_test(suite, "messages are received in order", messages_are_received_in_order);
    CU_add_test(suite, "a READ is not taken ahead", a_read_is_not_taken_ahead);
    CU_add_test(suite, "a retransmission is lost", a_retransmission_is_lost);
    CU_add_test(suite, "late frames", late_frames);
}
