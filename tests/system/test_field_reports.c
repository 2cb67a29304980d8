/* Reports from the field about PCIe in NICs, with their right outcome on a pair of NICs: facts/pcie.md, section 5. Those about single TLPs
 * are in tests/pcie/test_field_reports.c. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#define SETS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* The receiver's writes bind: they are acknowledged when they are sent, and few packets are under way. */
#define RESPONDER "pcie.update_fc=100 ns", "transport.ack_point=issued", "transport.window=24"

static struct scenario with(uint32_t bytes, uint32_t messages, const char *const *set)
{
    struct scenario s = scenario_default();
    s.length_bytes = bytes;
    s.messages = messages;
    for (; *set; set++)
        s.set[s.sets++] = *set;
    return s;
}

/* One message on each of 64 QPs: what fails stops no other. */
static struct scenario one_each(const char *const *set)
{
    struct scenario s = with(4096, 64, set);
    s.qps = 64;
    s.outstanding = 1;
    return s;
}

/* All are done, with the goodput in Gb/s. */
static double all_done(const struct scenario *s)
{
    struct scenario_result result = scenario_run(s, NULL);
    CU_ASSERT(!result.failed && result.done == s->messages);
    CU_ASSERT_EQUAL(result.totals.drops + result.totals.errors, 0);
    return result.goodput_gbps;
}

/* #5, enjoy-digital/litepcie#166: an error completion leaked its tag; with 4 tags gone nothing moved. Here some 30 of 64 requests fail, on 4
 * tags, and all end. */
static void refused_reads(void)
{
    struct scenario s = one_each(SETS("pcie.tags=4", "pcie.refused_reads=100000 ppm"));
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT(!result.failed && result.done == s.messages);
    CU_ASSERT(result.totals.errors > 10 && result.totals.errors < 60);
    CU_ASSERT_EQUAL(result.totals.in_flight, 0);
}

/* #6, litepcie#173 and #178: a tag that is used again while its data waits in the reorder buffer. Where tags retire in order, a read that the
 * host is late with holds up those behind it: slower, without deadlock. */
static void tags_retire_in_order(void)
{
    const char *tail = "pcie.host_read=0:200 90:200 100:4000 ns";
    struct scenario s = with(65536, 100, SETS("pcie.tags=32", tail, "pcie.retire=arrival"));
    double arrival_gbps = all_done(&s);
    s.set[2] = "pcie.retire=in_order";
    double in_order_gbps = all_done(&s);
    CU_ASSERT(in_order_gbps > 1 && in_order_gbps < 0.8 * arrival_gbps);
    s.set[1] = "pcie.host_read=200 ns"; /* nothing is late, nothing overtakes */
    in_order_gbps = all_done(&s);
    s.set[2] = "pcie.retire=arrival";
    CU_ASSERT_DOUBLE_EQUAL(in_order_gbps, all_done(&s), 0.1);
}

/* #7, litex_m2sdr#156: completion timeouts under sustained DMA. A request whose completion is late, or lost, fails with its message, and its
 * tag is not used before the late one is in: with few tags the others go on, with all lost they do not. */
static void late_completions(void)
{
    const char *timeout = "pcie.completion_timeout=50 us";
    struct scenario s =
        one_each(SETS(timeout, "pcie.host_read=0:200 97:200 97.0001:60000 100:90000 ns", "pcie.tags=8"));
    struct scenario_result late = scenario_run(&s, NULL);
    CU_ASSERT(!late.failed && late.done == s.messages);
    CU_ASSERT(late.totals.errors > 5 && late.totals.errors < 40);
    s.set[1] = "pcie.lost_completions=2000 ppm";
    s.set[2] = "pcie.tags=256";
    struct scenario_result lost = scenario_run(&s, NULL);
    CU_ASSERT(!lost.failed && lost.done == s.messages);
    CU_ASSERT(lost.totals.errors > 0 && lost.totals.errors < 10);
    s.set[1] = "pcie.lost_completions=1000000 ppm";
    s.set[2] = "pcie.tags=1"; /* its quarantine is for good: nothing goes on, and the model says who waits */
    s.set[s.sets++] = "transport.timeout=0"; /* else that would end it */
    struct rnicsim *sim;
    struct scenario_result stuck = scenario_run(&s, &sim);
    char text[2000] = "";
    rnicsim_explain_stuck(sim, text, sizeof text);
    CU_ASSERT(!stuck.failed && stuck.done == 0 && stuck.totals.in_flight == s.messages && text[0] != '\0');
    rnicsim_destroy(sim);
}

static struct rnicsim_tlp_info tlps_of(const struct rnicsim *sim, const char *nic, const char *direction,
                                       const char *kind)
{
    struct rnicsim_tlp_info info;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        rnicsim_tlp(sim, i, &info);
        if (strcmp(info.nic, nic) == 0 && strcmp(info.direction, direction) == 0 && strcmp(info.kind, kind) == 0)
            return info;
    }
    CU_FAIL("no such TLPs");
    memset(&info, 0, sizeof info);
    return info;
}

/* #8, Xilinx/dma_ip_drivers#49: a prefetch of descriptors that crossed a page stopped the engine. All WQEs of a ring of two pages are fetched
 * once, 64 B each, while it goes around: no fetch reads beyond what was posted, or beyond the ring's end. */
static void fetches_stay_in_the_ring(void)
{
    struct scenario s = with(64, 96 * 4, SETS("nic.wqe_fetch_most=64", "nic.wqe_cache=64", "pcie.mrrs=4096 B"));
    struct rnicsim *sim;
    s.outstanding = 96;
    s.batch = 48;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == s.messages);
    CU_ASSERT_EQUAL(tlps_of(sim, "a", "down", "wqe read").payload_bytes, 64 * (uint64_t)s.messages);
    rnicsim_destroy(sim);
}

/* #11, PG156 and PG343: the link brings completions faster than the user interface takes them, and completion credits are infinite. What is
 * reserved holds: nothing runs over, and the interface gives the rate. */
static void slow_user_interface(void)
{
    struct scenario s = with(65536, 200, SETS("pcie.user_width=256 bit", "pcie.completion_headers=512"));
    struct rnicsim_pcie_bound bound = {.is_read = 1, .bytes = 4096, .latency_ps = 500000};
    struct rnicsim *sim;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == s.messages && result.totals.drops == 0);
    CU_ASSERT_EQUAL(rnicsim_pcie_bound(sim, &bound, NULL), RNICSIM_OK);
    CU_ASSERT_EQUAL(bound.binds, RNICSIM_PCIE_USER);
    double user_gbps = (double)bound.limit_bps[RNICSIM_PCIE_USER] * 1e-9;
    CU_ASSERT(result.goodput_gbps <= user_gbps * 1.0001 && result.goodput_gbps > 0.98 * user_gbps);
    CU_ASSERT(scenario_share(sim, "a", "pcie_down", RNICSIM_WORK) > 0.95);
    rnicsim_destroy(sim);
}

/* #15, Mooncake#3205: the host is slow with strictly ordered writes, PCIe pushes back, the receive buffer fills. There is no pause yet, so frames
 * are dropped; with relaxed ordering none is. The chain is seen in the causes. */
static void host_pushes_back(void)
{
    struct scenario s = with(65536, 100, SETS("pcie.host_write_order=100 ns", "pcie.relaxed_ordering=off"));
    struct rnicsim *sim;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_FALSE(result.failed);
    CU_ASSERT(result.totals.drops_full > 0);
    CU_ASSERT(scenario_share(sim, "b", "pcie_up", RNICSIM_NO_CREDIT_PH) +
                  scenario_share(sim, "b", "pcie_up", RNICSIM_NO_CREDIT_PD) >
              0.3);
    rnicsim_destroy(sim);
    s.set[1] = "pcie.relaxed_ordering=payload";
    CU_ASSERT(all_done(&s) > 95);
}

/* #16, xdp-newbies 2023-04-09: packets discarded for PCIe's sake; compressed CQEs gave 86 -> 108 Mpps. On one lane the receiver's CQEs bind:
 * a message of 8 bytes is 24 + 8 and 24 + CQE bytes on the link. */
static void smaller_cqes(void)
{
    struct scenario s = with(8, 3000, SETS("nic.cqe_bytes=64 B", "pcie.lanes=1", "pcie.generation=1", RESPONDER));
    s.opcode = RNICSIM_SEND;
    s.flags = RNICSIM_INLINE;
    s.batch = 16;
    double large_gbps = all_done(&s);
    s.set[0] = "nic.cqe_bytes=8 B";
    double small_gbps = all_done(&s);
    double byte_ns = 4 * 1.025; /* with DLLPs */
    CU_ASSERT_DOUBLE_EQUAL(large_gbps, 8 * 8 / ((24 + 8 + 24 + 64) * byte_ns), 0.02 * large_gbps);
    CU_ASSERT(small_gbps > 1.25 * large_gbps); /* then the sender's fetches bind */
}

/* #18, NVIDIA NV-Kernels#182: strict IOMMU 2.8 M, passthrough 16.5 M operations a second. 17 pages and 8 entries: with 4 KiB pages every one
 * misses, with 2 MiB none does. */
static void iommu_pages(void)
{
    struct scenario s = with(65536, 200,
                             SETS("pcie.iommu=off", "pcie.iommu_entries=8", "pcie.iommu_page=4 KiB",
                                  "pcie.iommu_walk=2 us", "pcie.iommu_miss=2 us"));
    double off_gbps = all_done(&s);
    s.set[0] = "pcie.iommu=on";
    double small_gbps = all_done(&s);
    s.set[2] = "pcie.iommu_page=2 MiB";
    double large_gbps = all_done(&s);
    CU_ASSERT(large_gbps > 0.98 * off_gbps);
    CU_ASSERT(small_gbps < 0.3 * off_gbps);
}

/* #20, UG197 of Virtex-5: data credits run out. With the least advert, one TLP of 256 bytes unaligned, each waits for the one before it: 256 B
 * in the time of a TLP, the way there and back and the UpdateFC. */
static void least_data_credits(void)
{
    struct scenario s = with(65536, 100, SETS("pcie.posted_data=272 B", RESPONDER));
    struct rnicsim *sim;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == s.messages && result.totals.drops == 0);
    CU_ASSERT(scenario_share(sim, "b", "pcie_up", RNICSIM_NO_CREDIT_PD) > 0.8);
    double each_ns = 17.8 + 2 * 100 + 100;
    CU_ASSERT_DOUBLE_EQUAL(result.goodput_gbps, 256 * 8 / each_ns, 0.02 * 256 * 8 / each_ns);
    rnicsim_destroy(sim);
}

void suite_system_field_reports(void);
void suite_system_field_reports(void)
{
    CU_pSuite suite = CU_add_suite("system: field reports", NULL, NULL);
    CU_add_test(suite, "5: refused reads", refused_reads);
    CU_add_test(suite, "6: tags retire in order", tags_retire_in_order);
    CU_add_test(suite, "7: late completions", late_completions);
    CU_add_test(suite, "8: fetches stay in the ring", fetches_stay_in_the_ring);
    CU_add_test(suite, "11: slow user interface", slow_user_interface);
    CU_add_test(suite, "15: the host pushes back", host_pushes_back);
    CU_add_test(suite, "16: smaller CQEs", smaller_cqes);
    CU_add_test(suite, "18: pages of the IOMMU", iommu_pages);
    CU_add_test(suite, "20: least data credits", least_data_credits);
}
