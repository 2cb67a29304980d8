/* What must always be true: what goes in comes out, every stage's time adds up, no FIFO was fuller than it is deep. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

static void balanced(const struct scenario *s)
{
    struct rnicsim *sim;
    struct scenario_result result = scenario_run(s, &sim);
    struct rnicsim_totals t = result.totals;
    CU_ASSERT_EQUAL_FATAL(result.done, s->messages);
    CU_ASSERT_EQUAL(t.requests, s->messages);
    CU_ASSERT_EQUAL(t.payload_bytes, (uint64_t)s->messages * s->length_bytes);
    CU_ASSERT_EQUAL(t.in_flight, 0);
    CU_ASSERT_EQUAL(t.drops, 0);
    CU_ASSERT_EQUAL(t.data_packets, (uint64_t)s->messages * ((s->length_bytes + s->mtu_bytes - 1) / s->mtu_bytes));
    int64_t total = -1;
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++) {
        struct rnicsim_stage_info info;
        int64_t sum = 0;
        rnicsim_stage(sim, i, &info);
        for (int cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++) {
            CU_ASSERT(info.time_ps[cause] >= 0);
            sum += info.time_ps[cause];
        }
        if (total >= 0)
            CU_ASSERT_EQUAL(sum, total); /* all stages share one span: since the first post */
        total = sum;
    }
    for (size_t i = 0; i < rnicsim_fifo_count(sim); i++) {
        struct rnicsim_fifo_info info;
        rnicsim_fifo(sim, i, &info);
        if (info.high_water > info.depth)
            printf("\n    %s.%s: %llu of %llu", info.path, info.name, (unsigned long long)info.high_water,
                   (unsigned long long)info.depth);
        CU_ASSERT(info.high_water <= info.depth && info.p999 <= info.high_water && info.p50 <= info.p99);
    }
    rnicsim_destroy(sim);
}

/* TLPs of one 4 KiB WRITE, fetched by doorbell: 8 B and 64 B WQE; MRd 8 of 512, CplD 16 of 256, MWr 16 of 256, CQE. */
static void tlps_of_a_write(void)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    s.length_bytes = 4096;
    s.messages = 1;
    s.set[s.sets++] = "host.push=off";
    scenario_run(&s, &sim);
    uint64_t tlps[2][2][16] = {{{0}}};
    size_t kinds = rnicsim_tlp_count(sim) / 4;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        struct rnicsim_tlp_info info;
        rnicsim_tlp(sim, i, &info);
        tlps[info.nic[0] - 'a'][info.direction[0] == 'd'][i % kinds] = info.tlps;
    }
    CU_ASSERT_EQUAL(tlps[0][0][0], 8);  /* a up: payload reads */
    CU_ASSERT_EQUAL(tlps[0][0][1], 1);  /* a up: WQE read */
    CU_ASSERT_EQUAL(tlps[0][0][3], 1);  /* a up: CQE */
    CU_ASSERT_EQUAL(tlps[0][1][0], 16); /* a down: completions with payload */
    CU_ASSERT_EQUAL(tlps[0][1][1], 1);
    CU_ASSERT_EQUAL(tlps[0][1][kinds - 1], 1); /* a down: doorbell */
    CU_ASSERT_EQUAL(tlps[1][0][2], 16);        /* b up: payload writes */
    rnicsim_destroy(sim);
}

/* Header and digest: so many bytes beside the payload of a TLP, of one that goes up and of a completion. */
static void overhead(const char *header, const char *ecrc, uint64_t request_bytes, uint64_t completion_bytes)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    s.set[s.sets++] = header;
    s.set[s.sets++] = ecrc;
    scenario_run(&s, &sim);
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        struct rnicsim_tlp_info info;
        rnicsim_tlp(sim, i, &info);
        int is_completion = info.direction[0] == 'd' && strstr(info.kind, "read") != NULL;
        CU_ASSERT_EQUAL(info.link_bytes - info.payload_bytes,
                        info.tlps * (is_completion ? completion_bytes : request_bytes));
    }
    rnicsim_destroy(sim);
}

static void overheads(void)
{
    overhead("pcie.header=4dw", "pcie.ecrc=off", 24, 20);
    overhead("pcie.header=3dw", "pcie.ecrc=off", 20, 20);
    overhead("pcie.header=4dw", "pcie.ecrc=on", 28, 24);
    overhead("pcie.header=3dw", "pcie.ecrc=on", 24, 24);
}

static void loads(void)
{
    struct scenario s = scenario_default();
    balanced(&s);
    s.length_bytes = 5000;
    s.mtu_bytes = 256;
    s.qps = 4;
    s.outstanding = 4;
    balanced(&s);
    s.opcode = RNICSIM_SEND_IMM;
    s.board = "kcu116_25g";
    balanced(&s);
    s.length_bytes = 64;
    s.mtu_bytes = 4096;
    s.batch = 16;
    s.outstanding = 32;
    s.messages = 320;
    balanced(&s);
}

/* Messages without payload, where payload is kept until the ACK: nothing is kept, nothing comes back. */
static void empty_messages(void)
{
    struct scenario s = scenario_default();
    s.length_bytes = 0;
    s.outstanding = 4;
    s.set[s.sets++] = "transport.retx_source=buffer";
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).done, s.messages);
    s.opcode = RNICSIM_SEND;
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).done, s.messages);
}

void suite_system_account(void);
void suite_system_account(void)
{
    CU_pSuite suite = CU_add_suite("system: accounts", NULL, NULL);
    CU_add_test(suite, "balanced on several loads", loads);
    CU_add_test(suite, "TLPs of a 4 KiB WRITE", tlps_of_a_write);
    CU_add_test(suite, "header and digest of TLPs", overheads);
    CU_add_test(suite, "empty messages", empty_messages);
}
