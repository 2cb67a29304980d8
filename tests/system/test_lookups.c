/* Units that look up contexts and translations (nic.context_unit), on the whole model, whatever the load: nothing depends on how far
 * deciders run ahead, and reads that fail end their requests only. Times: test_jingzhao.c. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

void suite_system_lookups(void);

#define BOARD RNICSIM_SOURCE_DIR "/tests/system/jingzhao.board"

/* Small caches, and more QPs than cells; two pages a packet, as its address is not aligned. */
static struct scenario random_load(int i)
{
    static const uint32_t bytes[] = {64, 3000, 20000, 0};
    struct scenario s = scenario_default();
    s.board = BOARD;
    if (i % 2) {
        s.set[s.sets++] = "nic.qpc_entries=8";
        s.set[s.sets++] = "nic.mtt_entries=16";
        s.set[s.sets++] = "nic.mpt_entries=4";
        s.set[s.sets++] = "nic.eqc_entries=0";
        s.set[s.sets++] = "nic.station_entries=3";
        s.set[s.sets++] = "nic.unacked=5";
        s.set[s.sets++] = "nic.payload_buffer=8 KiB";
    }
    if (i % 3 == 2)
        s.set[s.sets++] = "transport.window=2";
    s.qps = i % 5 == 0 ? 1 : 20;
    s.outstanding = 8;
    s.batch = (uint32_t)(i % 3) + 1;
    s.messages = 240;
    s.length_bytes = bytes[i % 4];
    s.opcode = i % 4 == 2 ? RNICSIM_SEND : i % 4 == 1 && i > 4 ? RNICSIM_READ : RNICSIM_WRITE;
    return s;
}

static void nothing_depends_on_horizons(void)
{
    for (int i = 0; i < 12; i++) {
        struct scenario s = random_load(i);
        struct scenario_result reference = scenario_run(&s, NULL);
        CU_ASSERT(!reference.failed && reference.done == s.messages && reference.totals.drops == 0);
        for (int change = 0; change < 4; change++) {
            struct scenario changed = s;
            changed.horizon_off = change == 0;
            changed.spurious_seed = change == 1 ? 11 : change == 3 ? 12345 : 0;
            changed.shift_ps = change == 2 ? 123456789 : 0;
            CU_ASSERT_EQUAL(scenario_run(&changed, NULL).digest, reference.digest);
        }
    }
}

/* Every read over PCIe is refused, of WQEs, contexts and payload; or one in so many: each request ends, and the units go on. */
static void reads_that_fail(void)
{
    static const char *const share[] = {"999999 ppm", "100000 ppm", "10000 ppm"};
    for (int i = 0; i < 6; i++) {
        struct scenario s = random_load(i);
        char refused[64];
        snprintf(refused, sizeof refused, "pcie.refused_reads=%s", share[i / 2]);
        s.set[s.sets++] = refused;
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(!result.failed && result.totals.errors > 0);
        CU_ASSERT(result.done == s.messages || result.totals.drops_not_read > 0);
    }
}

/* A line that holds up frames (mac.back_pressure): where the receiver's PCIe is the narrow place none is lost, whoever runs ahead. */
static void line_that_holds_up(void)
{
    for (int opcode = RNICSIM_SEND; opcode <= RNICSIM_WRITE; opcode += 2) {
        struct scenario s = scenario_default();
        s.set[s.sets++] = "pcie.generation=2";
        s.set[s.sets++] = "pcie.lanes=4";
        s.set[s.sets++] = "nic.fabric=stream"; /* the sender's PCIe is not */
        s.opcode = (enum rnicsim_opcode)opcode;
        s.qps = 3;
        s.outstanding = 16;
        s.messages = 96;
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT(!result.failed && result.totals.drops_full > 0);
        s.set[s.sets++] = "mac.back_pressure=on";
        struct scenario_result reference = scenario_run(&s, NULL);
        CU_ASSERT(!reference.failed && reference.done == s.messages && reference.totals.drops == 0);
        for (int change = 0; change < 3; change++) {
            struct scenario changed = s;
            changed.horizon_off = change == 0;
            changed.spurious_seed = change == 1 ? 11 : 0;
            changed.shift_ps = change == 2 ? 123456789 : 0;
            CU_ASSERT_EQUAL(scenario_run(&changed, NULL).digest, reference.digest);
        }
    }
}

void suite_system_lookups(void)
{
    CU_pSuite suite = CU_add_suite("system: units for lookups", NULL, NULL);
    CU_add_test(suite, "horizon 0, spurious wakes, shifted clocks: the same bytes", nothing_depends_on_horizons);
    CU_add_test(suite, "a line that holds up frames loses none", line_that_holds_up);
    CU_add_test(suite, "reads that fail end their requests only", reads_that_fail);
}
