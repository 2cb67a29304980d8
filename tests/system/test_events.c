/* Interrupts: an EQE and an MSI-X behind CQEs, moderation, and when the program that they wake looks. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <string.h>

static uint64_t tlps(const struct rnicsim *sim, const char *nic, const char *kind)
{
    uint64_t count = 0;
    struct rnicsim_tlp_info info;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        rnicsim_tlp(sim, i, &info);
        count += strcmp(info.nic, nic) == 0 && strcmp(info.kind, kind) == 0 ? info.tlps : 0;
    }
    return count;
}

/* Seen is the CQE behind 64 + 4 bytes of the event (EQE 94 bytes' time with its descriptor, MSI-X 32) and the interrupt. */
static void one_event(void)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    s.length_bytes = 64;
    s.messages = 1;
    s.set[s.sets++] = "host.completion=interrupt";
    s.set[s.sets++] = "host.interrupt=3 us";
    s.set[s.sets++] = "pcie.skips=off";
    struct scenario_result result = scenario_run(&s, &sim);
    int64_t cqe = result.last.stamp_ps[RNICSIM_AT_CQE], seen = result.last.stamp_ps[RNICSIM_AT_SEEN];
    CU_ASSERT_EQUAL(result.done, 1);
    CU_ASSERT_DOUBLE_EQUAL((double)(seen - cqe - 3000000), (94 + 32) * 64.06, 70);
    CU_ASSERT(tlps(sim, "a", "eqe write") == 1 && tlps(sim, "a", "msi-x") == 1 && tlps(sim, "b", "msi-x") == 0);
    rnicsim_destroy(sim);
}

/* 160 completions: an event each 16, each within the moderation time; the last, fewer than 16, when the time is over. */
static void moderated(void)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    s.length_bytes = 64;
    s.messages = 170;
    s.outstanding = 170;
    s.set[s.sets++] = "host.completion=interrupt";
    s.set[s.sets++] = "host.interrupt=3 us";
    s.set[s.sets++] = "nic.moderation_count=16";
    s.set[s.sets++] = "nic.moderation_time=500 us";
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL(result.done, 170);
    CU_ASSERT_EQUAL(tlps(sim, "a", "msi-x"), 11);
    int64_t waited = result.last.stamp_ps[RNICSIM_AT_SEEN] - result.last.stamp_ps[RNICSIM_AT_CQE];
    CU_ASSERT(waited > 490000000 && waited < 510000000);
    rnicsim_destroy(sim);
}

/* Receives raise events, too; WRITEs without immediate do not: nobody is told of them. */
static void at_the_responder(void)
{
    static const struct {
        enum rnicsim_opcode opcode;
        uint64_t events;
    } row[] = {{RNICSIM_SEND, 40}, {RNICSIM_WRITE_IMM, 40}, {RNICSIM_WRITE, 0}};
    for (int i = 0; i < 3; i++) {
        struct scenario s = scenario_default();
        struct rnicsim *sim;
        s.length_bytes = 64;
        s.messages = 40;
        s.outstanding = 1;
        s.opcode = row[i].opcode;
        s.set[s.sets++] = "host.completion=interrupt";
        CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, 40);
        CU_ASSERT_EQUAL(tlps(sim, "b", "msi-x"), row[i].events);
        CU_ASSERT_EQUAL(tlps(sim, "a", "msi-x"), 40);
        rnicsim_destroy(sim);
    }
}

void suite_system_events(void);
void suite_system_events(void)
{
    CU_pSuite suite = CU_add_suite("system: events and interrupts", NULL, NULL);
    CU_add_test(suite, "one event", one_event);
    CU_add_test(suite, "moderation", moderated);
    CU_add_test(suite, "at the responder", at_the_responder);
}
