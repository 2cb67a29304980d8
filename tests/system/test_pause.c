/* Pause frames and PFC in the system: nothing is lost behind enough headroom, something behind less; the same bytes whoever runs ahead. */
#include "tests/quick.h"
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>

/* A receiver at two thirds of the line. */
static struct scenario slow_receiver(const char *pause)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = "stage.rx.judge.interval=2 cycle";
    s.set[s.sets++] = pause;
    s.qps = 4;
    s.outstanding = 8;
    s.length_bytes = 20000;
    s.messages = 300;
    return s;
}

static void nothing_is_lost(void)
{
    static const char *const pause[] = {"mac.pause=link", "mac.pause=priority"};
    struct scenario without = slow_receiver("mac.pause=off");
    without.set[without.sets++] = "transport.timeout=4";
    CU_ASSERT(scenario_run(&without, NULL).totals.drops_full > 0);
    for (int i = 0; i < 2; i++) {
        struct scenario s = slow_receiver(pause[i]);
        struct rnicsim *sim;
        struct scenario_result result = scenario_run(&s, &sim);
        struct rnicsim_port a, b;
        CU_ASSERT(!result.failed && result.done == s.messages && result.totals.drops == 0);
        CU_ASSERT_EQUAL_FATAL(rnicsim_port(sim, 0, &a) || rnicsim_port(sim, 1, &b), 0);
        CU_ASSERT(b.pauses_sent > 0 && a.pauses_received == b.pauses_sent && a.pauses_sent == 0);
        CU_ASSERT(a.paused_ps > 0 && b.paused_ps == 0);
        /* 64 B a cycle and two: what is paused is what the line is faster by */
        CU_ASSERT(result.goodput_gbps > 60 && result.goodput_gbps < 64);
        rnicsim_destroy(sim);
    }
}

/* The receiver's PCIe is the narrow place (kvcache-ai/Mooncake PR #3205: a receiver whose DMA is slower than the wire pauses it): the receive FIFO
 * fills up behind it, and the line is paused. */
static void pcie_that_is_too_slow(void)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = "pcie.generation=2";
    s.set[s.sets++] = "pcie.lanes=4";
    s.set[s.sets++] = "nic.fabric=stream"; /* the sender's PCIe is not */
    s.opcode = RNICSIM_SEND;
    s.qps = 3;
    s.outstanding = 16;
    s.messages = 96;
    CU_ASSERT(scenario_run(&s, NULL).totals.drops_full > 0);
    for (int i = 0; i < 2; i++) {
        struct rnicsim *sim;
        struct rnicsim_port b;
        s.set[s.sets] = i ? "mac.pause=priority" : "mac.pause=link";
        struct scenario paused = s;
        paused.sets++;
        struct scenario_result result = scenario_run(&paused, &sim);
        CU_ASSERT(!result.failed && result.done == s.messages && result.totals.drops == 0);
        CU_ASSERT(rnicsim_port(sim, 1, &b) == RNICSIM_OK && b.pauses_sent > 0);
        rnicsim_destroy(sim);
    }
}

/* The least headroom at which nothing is lost: below it something is, above nothing; and what the closed form asks for is not less. */
static void headroom_is_needed(void)
{
    int lost_below = 0, lost_above = 0;
    struct rnicsim *sim;
    struct rnicsim_port b;
    struct scenario s = slow_receiver("mac.pause=link");
    CU_ASSERT_FATAL(!scenario_run(&s, &sim).failed && rnicsim_port(sim, 1, &b) == RNICSIM_OK);
    uint32_t reckoned = b.pause_headroom_bytes;
    CU_ASSERT(b.high_water_bytes > b.pause_from_bytes && b.high_water_bytes <= b.pause_from_bytes + reckoned);
    uint32_t used = b.high_water_bytes - b.pause_from_bytes;
    rnicsim_destroy(sim);
    for (int more = -512; more <= 8192; more += 512) {
        char headroom[64];
        struct scenario changed = slow_receiver("mac.pause=link");
        snprintf(headroom, sizeof headroom, "mac.headroom=%d B", (int)used + more);
        changed.set[changed.sets++] = headroom;
        changed.set[changed.sets++] = "transport.timeout=4";
        struct scenario_result result = scenario_run(&changed, NULL);
        lost_below += more < 0 ? (int)result.totals.drops_full : 0;
        lost_above += more > 0 ? (int)result.totals.drops_full : 0;
    }
    CU_ASSERT(lost_below > 0);
    CU_ASSERT_EQUAL(lost_above, 0);
}

static void whoever_runs_ahead(void)
{
    static const char *const more[] = {"nic.peer_phase=1300 ps", "mac.fec=rs528",        "mac.ack_priority=6",
                                       "mac.xon=1 KiB",          "mac.pause_quanta=100", "mac.start=8 B"};
    for (int i = 0; i < 12; i++) {
        struct scenario s = slow_receiver(i % 2 ? "mac.pause=priority" : "mac.pause=link");
        s.set[s.sets++] = more[i / 2];
        s.set[s.sets++] = "transport.timeout=4";
        s.both_ways = i % 3 == 0;
        s.opcode = i % 4 == 1 ? RNICSIM_SEND : i % 4 == 2 ? RNICSIM_READ : RNICSIM_WRITE;
        s.messages = 120;
        struct scenario_result reference = scenario_run(&s, NULL);
        CU_ASSERT(!reference.failed && reference.done == s.messages);
        for (int change = 0; change < 3; change++) {
            struct scenario changed = s;
            changed.horizon_off = change == 0;
            changed.spurious_seed = change == 1 ? 11 : 0;
            changed.shift_ps = change == 2 ? 123456789 : 0;
            CU_ASSERT_EQUAL(scenario_run(&changed, NULL).digest, reference.digest);
        }
    }
}

/* Without pressure a line that may be paused sends as one that may not. */
static void without_pressure_nothing_changes(void)
{
    struct scenario s = scenario_default();
    s.length_bytes = 5000;
    s.outstanding = 8;
    struct scenario_result reference = scenario_run(&s, NULL);
    s.set[s.sets++] = "mac.pause=link";
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).digest, reference.digest);
    s.set[s.sets - 1] = "mac.pause=priority";
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).digest, reference.digest);
}

/* A receiver that hardly reads pauses for long: the watchdog ends that, and what comes then is lost. */
static void a_storm_is_ended(void)
{
    struct scenario s = slow_receiver("mac.pause=link");
    struct rnicsim *sim;
    struct rnicsim_port a;
    s.set[s.sets++] = "stage.rx.judge.interval=64 cycle";
    s.set[s.sets++] = "mac.pause_watchdog=10 us";
    s.set[s.sets++] = "transport.timeout=8";
    s.messages = 40;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && rnicsim_port(sim, 0, &a) == RNICSIM_OK);
    CU_ASSERT(a.pause_storms > 0 && result.totals.drops_full > 0);
    rnicsim_destroy(sim);
    s.set[s.sets++] = "mac.pause_watchdog=0 ns";
    result = scenario_run(&s, &sim);
    CU_ASSERT(rnicsim_port(sim, 0, &a) == RNICSIM_OK);
    CU_ASSERT(a.pause_storms == 0 && result.totals.drops_full == 0 && result.done == s.messages);
    rnicsim_destroy(sim);
}

/* A pause of few quanta is asked for again before it ends: nothing slips through. */
static void a_pause_is_refreshed(void)
{
    struct scenario s = slow_receiver("mac.pause=link");
    struct rnicsim *sim;
    struct rnicsim_port few, many;
    s.set[s.sets++] = "stage.rx.judge.interval=16 cycle";
    s.messages = 60;
    CU_ASSERT(scenario_run(&s, &sim).done == s.messages && rnicsim_port(sim, 1, &many) == RNICSIM_OK);
    rnicsim_destroy(sim);
    s.set[s.sets++] = "mac.pause_quanta=1000"; /* 5.1 us */
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(result.done == s.messages && result.totals.drops == 0 && rnicsim_port(sim, 1, &few) == RNICSIM_OK);
    CU_ASSERT(few.pauses_sent > many.pauses_sent);
    rnicsim_destroy(sim);
}

void suite_system_pause(void);
void suite_system_pause(void)
{
    CU_pSuite suite = CU_add_suite("system: pause frames and PFC", NULL, NULL);
    CU_add_test(suite, "nothing is lost", nothing_is_lost);
    CU_add_test(suite, "PCIe that is too slow", pcie_that_is_too_slow);
    CU_add_test(suite, "headroom is needed", headroom_is_needed);
    CU_add_test(suite, "whoever runs ahead: the same bytes", whoever_runs_ahead);
    CU_add_test(suite, "without pressure nothing changes", without_pressure_nothing_changes);
    CU_add_test(suite, "a storm is ended", a_storm_is_ended);
    CU_add_test(suite, "a pause is refreshed", a_pause_is_refreshed);
}
