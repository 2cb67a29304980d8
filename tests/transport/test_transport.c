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

/* PSNs go round: that it went back once means nothing 2^23 packets later. */
static void back_long_ago(void)
{
    struct transport_params params = {.ack_request_every = 64};
    struct requester requester = {.window = 1u << 23};
    int ask;
    for (int i = 0; i < 10; i++)
        requester_send(&requester, &params, 0, 0, &ask);
    requester_go_to(&requester, 4, 0);
    CU_ASSERT_EQUAL(requester_end(&requester), 10);
    for (uint32_t i = 4; i < (1u << 24) + 4; i++) {
        uint32_t psn = requester_send(&requester, &params, 0, 0, &ask);
        if (requester.is_back && !requester_repeats(&requester, psn))
            requester.is_back = 0; /* as who sends does */
        requester_acked(&requester, psn);
        if (requester_end(&requester) != (i < 10 ? 10 : psn_add(i, 1)))
            CU_FAIL_FATAL("the end is elsewhere");
    }
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
}

static void timers(void)
{
    struct transport_params params = {.timer = TRANSPORT_TIMER_IBTA};
    CU_ASSERT_EQUAL(retry_step(&params, 0, 0, 4000).wait_ps, 0);
    CU_ASSERT_EQUAL(retry_step(&params, 14, 0, 4000).wait_ps, INT64_C(67108864000));
    CU_ASSERT_EQUAL(retry_step(&params, 14, 9, 4000).wait_ps, INT64_C(67108864000));
    params.timeout_late = 3000000000; /* the latest that is allowed */
    CU_ASSERT_EQUAL(retry_step(&params, 14, 0, 4000).wait_ps, 4 * INT64_C(67108864000));
    CU_ASSERT_EQUAL(retry_step(&params, 31, 0, 4000).wait_ps, 4 * (INT64_C(4096000) << 31));
    params.timer = TRANSPORT_TIMER_POW2;
    CU_ASSERT_EQUAL(retry_step(&params, 1, 0, 4000).wait_ps,
                    2048 * 4000); /* exactly 8.192 us: 2,048 cycles of 250 MHz */
    CU_ASSERT_EQUAL(retry_step(&params, 1, 0, 3103).wait_ps, 4096 * 3103);
}

/* How long a requester tries whose peer does not answer, and how often it repeats. */
static double detected_ms(const struct transport_params *params, unsigned timeout, unsigned count, int *repeats)
{
    struct retry retry = {.timeout = (uint8_t)timeout, .retry_count = (uint8_t)count};
    int left = retry_most(params, &retry);
    int64_t ps = 0;
    *repeats = 0;
    for (unsigned expired = 0; expired < 100; expired++) {
        struct retry_step step = retry_step(params, timeout, expired, 4000);
        ps += step.wait_ps;
        if (step.repeats && step.costs && left == 0)
            return (double)ps / 1e9;
        left -= step.costs;
        *repeats += step.repeats;
    }
    return 0;
}

/* As measured on a ConnectX-6, fw 20.43, median of repeated faults in one process (rdma-fault-characterization, harness/ack_timeout/NOTES.md, A1 and
 * A2). Its clock was 30 ppm slow. Times within the 0.5 ms between two looks at its counters. */
static void connectx_ladder(void)
{
    static const struct {
        unsigned timeout, count;
        double measured_ms;
        int repeats; /* as sent, where all were seen; 0: not kept */
    } row[] = {{14, 7, 3661.8, 0},   {16, 7, 3661.8, 0}, {17, 7, 7151.7, 0}, {18, 7, 14667.8, 0}, {19, 7, 29700.8, 0},
               {20, 7, 59766.3, 15}, {14, 1, 440.6, 0},  {14, 2, 977.6, 0},  {14, 3, 1514.3, 0},  {14, 4, 2051.4, 0},
               {14, 5, 2588.2, 0},   {14, 6, 3124.8, 0}, {14, 0, 2050.7, 0}};
    struct transport_params params = {
        .timer = TRANSPORT_TIMER_CX6_FW, .timer_floor = TRANSPORT_TIMER_FLOOR_ON, .timeout_late = 30000};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int repeats;
        double ms = detected_ms(&params, row[i].timeout, row[i].count, &repeats);
        CU_ASSERT_DOUBLE_EQUAL(ms, row[i].measured_ms, 0.7);
        CU_ASSERT(row[i].repeats == 0 || repeats == row[i].repeats);
    }
}

/* Without floor: each is the first timeout, of which nothing comes, and R + 1 times T. The first was 0.51 to 1.16 of T. */
static void connectx_without_floor(void)
{
    static const struct {
        unsigned timeout;
        double measured_ms;
        int64_t first; /* of T, as measured */
    } row[] = {{14, 574.9, 567000000}, {12, 147.0, 762000000}, {10, 37.9, 1037000000}, {8, 9.49, 1050000000}};
    struct transport_params params = {.timer = TRANSPORT_TIMER_CX6_FW, .timer_floor = TRANSPORT_TIMER_FLOOR_OFF};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int repeats;
        params.timer_first = row[i].first;
        CU_ASSERT_DOUBLE_EQUAL(detected_ms(&params, row[i].timeout, 7, &repeats), row[i].measured_ms, 0.2);
        CU_ASSERT_EQUAL(repeats, 7);
    }
}

/* A count for 1 ms at 6.4 ns is 0.63 ms at 250 MHz; after three of them comes 64 ms (fpga-network-stack, transport_timer.hpp). */
static void scanned_timer(void)
{
    static const struct {
        int64_t clock_ps;
        double us;
    } row[] = {{6400, 1001.6}, {4000, 626.0}, {3103, 485.6}};
    struct transport_params params = {.timer = TRANSPORT_TIMER_HLS_SCAN, .timer_scan = 500};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (unsigned expired = 0; expired < 3; expired++)
            CU_ASSERT_DOUBLE_EQUAL((double)retry_step(&params, 14, expired, row[i].clock_ps).wait_ps / 1e6, row[i].us,
                                   0.1);
    CU_ASSERT_EQUAL(retry_step(&params, 14, 3, 6400).wait_ps, INT64_C(20001) * 500 * 6400);
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
    CU_add_test(suite, "back long ago", back_long_ago);
    CU_add_test(suite, "times to wait", times_to_wait);
    CU_add_test(suite, "ACK timers", timers);
    CU_add_test(suite, "the ladder of ConnectX-6", connectx_ladder);
    CU_add_test(suite, "the same without its floor", connectx_without_floor);
    CU_add_test(suite, "a timer that is scanned", scanned_timer);
}
