/* PSNs, frame sizes, windows and ACK requests. */
#include "transport/frame.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "transport/retry.h"

#include <CUnit/Basic.h>

static void psn_windows(void)
{
    static const struct {
        uint32_t a, b;
        int32_t difference;
    } row[] = {{0, 0, 0},
               {1, 0, 1},
               {0, 1, -1},
               {0, 0xffffff, 1},
               {0xffffff, 0, -1},
               {0x7fffff, 0, 0x7fffff},
               {0x800000, 0, -0x800000},
               {5, 0xfffffb, 10}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CU_ASSERT_EQUAL(psn_difference(row[i].a, row[i].b), row[i].difference);
    CU_ASSERT_EQUAL(psn_add(0xffffff, 1), 0);
}

/* Wire slots of the facts: middle packet, with RETH, ACK; + 24 for preamble, FCS and gap. */
static void frame_sizes(void)
{
    static const uint32_t row[][3] = {
        {256, 338, 354}, {512, 594, 610}, {1024, 1106, 1122}, {2048, 2130, 2146}, {4096, 4178, 4194}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CU_ASSERT_EQUAL(frame_data_bytes(row[i][0], 0, 0) + 24, row[i][1]);
        CU_ASSERT_EQUAL(frame_data_bytes(row[i][0], 1, 0) + 24, row[i][2]);
    }
    CU_ASSERT_EQUAL(FRAME_ACK_BYTES, 62);
    CU_ASSERT_EQUAL(frame_data_bytes(0, 0, 0), 58);
    CU_ASSERT_EQUAL(frame_data_bytes(1, 0, 1), 58 + 4 + 4);
    CU_ASSERT_EQUAL(frame_packets(0, 1024), 1);
    CU_ASSERT_EQUAL(frame_packets(1024, 1024), 1);
    CU_ASSERT_EQUAL(frame_packets(1025, 1024), 2);
    CU_ASSERT_EQUAL(frame_packets(2147483648u, 4096), 524288);
}

static void window_and_ack_requests(void)
{
    struct transport_params params = {.ack_request_every = 3};
    struct requester requester = {.psn_next = 0xfffffe, .psn_oldest = 0xfffffe, .window = 4};
    static const int asks[] = {0, 0, 1, 1}; /* the third as every third, the fourth as the last in the window */
    for (int i = 0; i < 4; i++) {
        int ask;
        CU_ASSERT_TRUE(requester_window_open(&requester));
        requester_send(&requester, &params, 0, 0, &ask);
        CU_ASSERT_EQUAL(ask, asks[i]);
    }
    CU_ASSERT_FALSE(requester_window_open(&requester));
    CU_ASSERT_EQUAL(requester_acked(&requester, 0xffffff), 2);
    CU_ASSERT_EQUAL(requester_acked(&requester, 0xfffffe), 0); /* an old one */
    CU_ASSERT_EQUAL(requester_acked(&requester, 1), 2);
    CU_ASSERT_EQUAL(requester.psn_oldest, 2);
}

static void responder_expects_in_order(void)
{
    struct responder responder = {.psn_expected = 0xffffff, .msn = 0xffffff};
    CU_ASSERT_EQUAL(responder_unexpected(&responder, 0), RESPONDER_GAP);
    CU_ASSERT_EQUAL(responder_unexpected(&responder, 1), RESPONDER_BEHIND_GAP); /* one NAK a gap */
    CU_ASSERT_EQUAL(responder_unexpected(&responder, 0xfffffe), RESPONDER_TWICE);
    CU_ASSERT_EQUAL(responder_unexpected(&responder, 0), RESPONDER_BEHIND_GAP);
    responder_take(&responder, 1, 1);
    CU_ASSERT_EQUAL(responder.psn_expected, 0);
    CU_ASSERT_EQUAL(responder.msn, 0);
    CU_ASSERT_EQUAL(responder_unexpected(&responder, 0xffffff), RESPONDER_TWICE);
    CU_ASSERT_EQUAL(responder_unexpected(&responder, 1), RESPONDER_GAP); /* another */
    responder_take(&responder, 3, 0);                                    /* a READ */
    CU_ASSERT_EQUAL(responder.psn_expected, 3);
}

/* Back to a packet that was sent: what is sent again is told from what is new, across the wrap (linux-rdma, patch "Fix PSN wrap": 64 SENDs
 * from 0xfffff0). */
static void going_back(void)
{
    struct transport_params params = {.ack_request_every = 32};
    struct requester requester = {.psn_next = 0xfffff0, .psn_oldest = 0xfffff0, .window = 64};
    int ask;
    for (int i = 0; i < 32; i++)
        requester_send(&requester, &params, 0, 0, &ask);
    CU_ASSERT_EQUAL(requester.psn_next, 0x10);
    CU_ASSERT_EQUAL(requester_acked(&requester, 0xfffffe), 15);
    requester_go_to(&requester, 0xffffff, 0);
    CU_ASSERT_EQUAL(requester_end(&requester), 0x10);
    for (uint32_t i = 0; i < 17; i++) {
        uint32_t psn = requester_send(&requester, &params, 0, 0, &ask);
        CU_ASSERT_EQUAL(psn, psn_add(0xffffff, i));
        CU_ASSERT_TRUE(requester_repeats(&requester, psn));
    }
    CU_ASSERT_FALSE(requester_repeats(&requester, requester_send(&requester, &params, 0, 0, &ask)));
    CU_ASSERT_EQUAL(requester_end(&requester), 0x11);
    CU_ASSERT_EQUAL(requester_acked(&requester, 3), 5); /* also of 0xffffff */
}

/* Code 0 is the longest, 655.36 ms; 1 is 10 us (NVIDIA/daqiri, pull request 138: stalls of 640 ms where the code was left 0). */
static void times_to_wait(void)
{
    static const struct {
        unsigned code;
        int64_t us;
    } row[] = {{0, 655360}, {1, 10}, {2, 20}, {5, 60}, {12, 640}, {13, 960}, {25, 61440}, {31, 491520}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CU_ASSERT_EQUAL(retry_rnr_ps(row[i].code), row[i].us * 1000000);
    for (unsigned code = 2; code < 32; code++)
        CU_ASSERT_TRUE(retry_rnr_ps(code) > retry_rnr_ps(code - 1) && retry_rnr_ps(code) < retry_rnr_ps(0));
    struct transport_params params = {.timer = TRANSPORT_TIMER_IBTA};
    CU_ASSERT_EQUAL(retry_timeout_ps(&params, 0, 4000), 0);
    CU_ASSERT_EQUAL(retry_timeout_ps(&params, 14, 4000), INT64_C(67108864000));
    params.timeout_late = 3000000000; /* the latest that is allowed */
    CU_ASSERT_EQUAL(retry_timeout_ps(&params, 14, 4000), 4 * INT64_C(67108864000));
    CU_ASSERT_EQUAL(retry_timeout_ps(&params, 31, 4000), 4 * (INT64_C(4096000) << 31));
    params.timer = TRANSPORT_TIMER_POW2;
    CU_ASSERT_EQUAL(retry_timeout_ps(&params, 1, 4000), 2048 * 4000); /* exactly 8.192 us: 2,048 cycles of 250 MHz */
    CU_ASSERT_EQUAL(retry_timeout_ps(&params, 1, 3103), 4096 * 3103);
}

void suite_transport(void);
void suite_transport(void)
{
    CU_pSuite suite = CU_add_suite("transport", NULL, NULL);
    CU_add_test(suite, "PSN windows", psn_windows);
    CU_add_test(suite, "frame sizes", frame_sizes);
    CU_add_test(suite, "window and ACK requests", window_and_ack_requests);
    CU_add_test(suite, "the responder expects PSNs in order", responder_expects_in_order);
    CU_add_test(suite, "going back", going_back);
    CU_add_test(suite, "times to wait", times_to_wait);
}
