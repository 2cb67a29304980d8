/* PSNs, frame sizes, windows and ACK requests. */
#include "transport/frame.h"
#include "transport/requester.h"
#include "transport/responder.h"

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
    struct transport_params params = {.window = 4, .ack_request_every = 3};
    struct requester requester = {.psn_next = 0xfffffe, .psn_oldest = 0xfffffe};
    static const int asks[] = {0, 0, 1, 1}; /* the third as every third, the fourth as the last in the window */
    for (int i = 0; i < 4; i++) {
        int ask;
        CU_ASSERT_TRUE(requester_window_open(&requester, &params));
        requester_send(&requester, &params, 0, 0, &ask);
        CU_ASSERT_EQUAL(ask, asks[i]);
    }
    CU_ASSERT_FALSE(requester_window_open(&requester, &params));
    CU_ASSERT_EQUAL(requester_acked(&requester, 0xffffff), 2);
    CU_ASSERT_EQUAL(requester_acked(&requester, 0xfffffe), 0); /* an old one */
    CU_ASSERT_EQUAL(requester_acked(&requester, 1), 2);
    CU_ASSERT_EQUAL(requester.psn_oldest, 2);
}

static void responder_expects_in_order(void)
{
    struct responder responder = {.psn_expected = 0xffffff, .msn = 0xffffff};
    CU_ASSERT_FALSE(responder_take(&responder, 0, 1, 0));
    CU_ASSERT_TRUE(responder_take(&responder, 0xffffff, 1, 1));
    CU_ASSERT_EQUAL(responder.msn, 0);
    CU_ASSERT_FALSE(responder_take(&responder, 0xffffff, 1, 1));
    CU_ASSERT_TRUE(responder_take(&responder, 0, 1, 0));
}

void suite_transport(void);
void suite_transport(void)
{
    CU_pSuite suite = CU_add_suite("transport", NULL, NULL);
    CU_add_test(suite, "PSN windows", psn_windows);
    CU_add_test(suite, "frame sizes", frame_sizes);
    CU_add_test(suite, "window and ACK requests", window_and_ack_requests);
    CU_add_test(suite, "the responder expects PSNs in order", responder_expects_in_order);
}
