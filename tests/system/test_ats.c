/* Address translation at the endpoint: what a miss and a hit of its cache cost, against translation by the IOMMU. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <string.h>

static uint64_t translations(const struct rnicsim *sim, const char *nic)
{
    struct rnicsim_tlp_info info;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        rnicsim_tlp(sim, i, &info);
        if (strcmp(info.nic, nic) == 0 && strcmp(info.direction, "up") == 0 && strcmp(info.kind, "translation") == 0)
            return info.tlps;
    }
    return 0;
}

/* The payload read of one 64 B WRITE: from the grant until the payload is there. */
static double payload_ns(const char *iommu, const char *ats, uint32_t messages, uint64_t *asked)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    s.set[s.sets++] = iommu;
    s.set[s.sets++] = ats;
    s.set[s.sets++] = "pcie.iommu_miss=300 ns";
    s.set[s.sets++] = "pcie.iommu_lookup=0 ns";
    s.set[s.sets++] = "pcie.host_read=200 ns";
    s.set[s.sets++] = "pcie.skips=off";
    s.length_bytes = 64;
    s.messages = messages;
    s.outstanding = 1;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == messages);
    *asked = translations(sim, "a");
    int64_t took = result.last.stamp_ps[RNICSIM_AT_PAYLOAD] - result.last.stamp_ps[RNICSIM_AT_PACKET];
    rnicsim_destroy(sim);
    return (double)took / 1000;
}

/* A miss is a round trip of its own, 200 ns of link, 300 ns of IOMMU and 24 + 28 bytes, before the read; a hit costs nothing. */
static void a_miss_and_a_hit(void)
{
    uint64_t asked;
    double plain = payload_ns("pcie.iommu=off", "pcie.ats=off", 1, &asked);
    CU_ASSERT_EQUAL(asked, 0);
    CU_ASSERT_DOUBLE_EQUAL(payload_ns("pcie.iommu=on", "pcie.ats=off", 1, &asked), plain + 300, 4);
    CU_ASSERT_EQUAL(asked, 0);
    CU_ASSERT_DOUBLE_EQUAL(payload_ns("pcie.iommu=on", "pcie.ats=on", 1, &asked), plain + 300 + 200 + 52 * 0.064, 8);
    CU_ASSERT_EQUAL(asked, 2); /* the payload's page and the CQE's */
    CU_ASSERT_DOUBLE_EQUAL(payload_ns("pcie.iommu=on", "pcie.ats=on", 5, &asked), plain, 4);
    CU_ASSERT_EQUAL(asked, 2);
}

void suite_system_ats(void);
void suite_system_ats(void)
{
    CU_pSuite suite = CU_add_suite("system: address translation at the endpoint", NULL, NULL);
    CU_add_test(suite, "a miss and a hit", a_miss_and_a_hit);
}
