/* What losses cost: goodput, and how long a requester tries whose peer does not answer. */
#include "tests/system/pair.h"
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>

void suite_system_losses(void);

/* Long WRITEs over so long a cable; little waits in the NIC, so that a NAK has the line's way and the NICs' to go. */
static struct scenario_result stream(const char *recovery, const struct rnicsim_fault *fault, const char *rate,
                                     const char *buffer, const char *cable, const char *timeout, uint32_t messages)
{
    struct scenario s = scenario_default();
    s.length_bytes = 1u << 20;
    s.messages = messages;
    s.outstanding = 32;
    s.set[s.sets++] = recovery;
    s.set[s.sets++] = rate;
    s.set[s.sets++] = timeout;
    s.set[s.sets++] = cable;
    s.set[s.sets++] = buffer;
    s.set[s.sets++] = "transport.window=8192";
    s.set[s.sets++] = "transport.ack_request_every=4"; /* sooner than the timer */
    s.faults = 1;
    s.fault[0] = *fault;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT(!result.failed && result.done == s.messages && result.totals.errors == 0);
    return result;
}

/* (1 - p) / (1 - p + p W), W packets on the way of a NAK: as many as one loss has sent again. 8 and 400 of them, and a timer of about 4
 * round trips, 16.4 and 524 us. */
static void go_back_n(void)
{
    static const struct {
        double least_w, most_w, line_gbps;
        const char *rate, *buffer, *cable, *timeout;
    } row[] = {
        {7, 9, 50, "mac.rate=50 Gbps", "nic.payload_buffer=11 KiB", "mac.cable=1 m", "transport.timeout=2"},
        {390, 410, 100, "mac.rate=100 Gbps", "nic.payload_buffer=24 KiB", "mac.cable=12900 m", "transport.timeout=7"}};
    static const double losses[] = {0.001, 0.01};
    for (int r = 0; r < 2; r++) {
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_WRITE, 1000);
        struct scenario_result once = stream("transport.recovery=go_back_n", &fault, row[r].rate, row[r].buffer,
                                             row[r].cable, row[r].timeout, 20);
        double w = (double)once.totals.repeated;
        CU_ASSERT_EQUAL(once.totals.retransmits_nak, 1);
        if (w < row[r].least_w || w > row[r].most_w)
            printf("\n    a loss has %.0f packets sent again", w);
        CU_ASSERT(w >= row[r].least_w && w <= row[r].most_w);
        for (int i = 0; i < 2; i++) {
            double p = losses[i];
            fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_WRITE, 0);
            fault.probability_ppb = (uint32_t)(p * 1e9);
            struct scenario_result result = stream("transport.recovery=go_back_n", &fault, row[r].rate, row[r].buffer,
                                                   row[r].cable, row[r].timeout, r == 0 || i == 0 ? 200 : 60);
            double found = result.goodput_gbps / (row[r].line_gbps * 4096 / 4178), expected = (1 - p) / (1 - p + p * w);
            if (fabs(found / expected - 1) > 0.1)
                printf("\n    p %.3f, W %.0f: %.4f of the line, expected %.4f; %llu NAKs, %llu timeouts", p, w, found,
                       expected, (unsigned long long)result.totals.retransmits_nak,
                       (unsigned long long)result.totals.retransmits_timeout);
            CU_ASSERT_DOUBLE_EQUAL(found / expected, 1, 0.1);
        }
    }
}

/* Selective repeat loses what is lost: 1 - p, whatever the round trip. At 1 % and 400 packets that is five times what go-back-N has. */
static void selective_repeat(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_WRITE, 0);
    fault.probability_ppb = 10000000;
    double goodput[2];
    for (int i = 0; i < 2; i++) {
        struct scenario_result result = stream(i == 0 ? "transport.recovery=go_back_n" : "transport.recovery=selective",
                                               &fault, "mac.rate=100 Gbps", "nic.payload_buffer=24 KiB",
                                               "mac.cable=12900 m", "transport.timeout=7", 60 + 140 * (uint32_t)i);
        goodput[i] = result.goodput_gbps / (100 * 4096.0 / 4178);
    }
    CU_ASSERT(goodput[1] > 5 * goodput[0]);
    CU_ASSERT_DOUBLE_EQUAL(goodput[1], 0.99, 0.01);
}

/* One NAK a gap: a packet that is lost again when it is sent again waits for the timer, here 67 ms. */
static void a_lost_retransmission_waits_for_the_timer(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_WRITE, 0);
    fault.probability_ppb = 10000000;
    struct scenario_result result = stream("transport.recovery=go_back_n", &fault, "mac.rate=100 Gbps",
                                           "nic.payload_buffer=24 KiB", "mac.cable=1 m", "transport.timeout=14", 100);
    CU_ASSERT(result.totals.retransmits_timeout > 0);
    double found = result.goodput_gbps / (100 * 4096.0 / 4178);
    CU_ASSERT(found < 0.2);
}

/* A black hole from the start: what a WRITE of 64 B has told its program, and when. ConnectX-6 as measured, without 30 ppm of its clock; the
 * scan's timer three times 626 us, then 40 ms at 250 MHz, and the NIC's own time. */
static void nobody_answers(void)
{
    static const struct {
        const char *timer, *more;
        double least_ms, most_ms;
        unsigned repeated;
    } row[] = {{"transport.timer=ibta", NULL, 8 * 67.1088, 8 * 67.1088 + 0.1, 7},
               {"transport.timer=cx6_fw", NULL, 3661.6, 3661.8, 11},
               {"transport.timer=cx6_fw", "transport.timer_floor=off", 574.9, 575.3, 7},
               {"transport.timer=pow2", NULL, 8 * 67.1088, 8 * 67.1088 + 0.1, 7},
               {"transport.timer=hls_scan", NULL, 3 * 0.626 + 5 * 40.002, 3 * 0.626 + 5 * 40.002 + 0.1, 7}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = scenario_default();
        s.length_bytes = 64;
        s.messages = 1;
        s.set[s.sets++] = row[i].timer;
        if (row[i].more)
            s.set[s.sets++] = row[i].more;
        s.faults = 1;
        s.fault[0] = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANY, 0);
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(!result.failed && result.done == 1 && result.last.status == 12);
        double ms = (double)(result.last.at_ps - result.last.stamp_ps[RNICSIM_AT_POST]) / 1e9;
        if (ms < row[i].least_ms || ms > row[i].most_ms || result.totals.repeated != row[i].repeated)
            printf("\n    %s: %.4f ms, %llu repeated", row[i].timer, ms, (unsigned long long)result.totals.repeated);
        CU_ASSERT(ms >= row[i].least_ms && ms <= row[i].most_ms);
        CU_ASSERT_EQUAL(result.totals.repeated, row[i].repeated);
    }
}

void suite_system_losses(void)
{
    CU_pSuite suite = CU_add_suite("system: losses", NULL, NULL);
    CU_add_test(suite, "go-back-N", go_back_n);
    CU_add_test(suite, "selective repeat", selective_repeat);
    CU_add_test(suite, "a lost retransmission waits for the timer", a_lost_retransmission_waits_for_the_timer);
    CU_add_test(suite, "nobody answers", nobody_answers);
}
