/* Reports from the field about PCIe in FPGA NICs, each with its right outcome here: facts/pcie.md, section 5. */
#include "pcie/params.h"
#include "pcie/tlp.h"
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <string.h>

#define READ_NS 2000 /* of the host, so long that reads are bound by what they reserve */

/* u280_100g, writes of 64 KiB, whose payload is read in aligned requests, at that latency. */
static struct scenario reads(const char *const *set, size_t sets)
{
    struct scenario s = scenario_default();
    s.length_bytes = 65536;
    s.outstanding = 16;
    s.messages = 200;
    s.set[s.sets++] = "pcie.host_read=2 us";
    for (size_t i = 0; i < sets; i++)
        s.set[s.sets++] = set[i];
    return s;
}

/* What is read stays within so many bytes in flight: at most their rate over the shortest round trip, and nearly that. */
static void bounded(const char *const *set, size_t sets, uint32_t in_flight_bytes, enum rnicsim_cause cause)
{
    struct scenario s = reads(set, sets);
    struct rnicsim *sim;
    struct scenario_result result = scenario_run(&s, &sim);
    double round_trip_ns = READ_NS + 2 * 100; /* the link's latency, both ways */
    double most_gbps = in_flight_bytes * 8 / round_trip_ns;
    CU_ASSERT_EQUAL(result.done, s.messages);
    CU_ASSERT_EQUAL(result.totals.drops, 0);
    CU_ASSERT(result.goodput_gbps <= most_gbps);
    CU_ASSERT(result.goodput_gbps > 0.9 * most_gbps);
    CU_ASSERT(scenario_share(sim, "a", "read_engine", cause) > 0.5);
    rnicsim_destroy(sim);
}

/* #1, corundum/corundum#242: reads in flight exceed the block's completion headers, and nothing recovers. Here no read is sent
 * without a header reserved for each RCB block that it touches, however the host then cuts its completions. */
static void completion_headers_hold(void)
{
    static const char *const mps[] = {"pcie.completion_headers=128", "pcie.completions=mps"};
    static const char *const rcb[] = {"pcie.completion_headers=128", "pcie.completions=rcb"};
    static const char *const wide[] = {"pcie.completion_headers=128", "pcie.rcb=128 B"};
    bounded(mps, 2, 128 * 64, RNICSIM_NO_CREDIT_CPLH);
    bounded(rcb, 2, 128 * 64, RNICSIM_NO_CREDIT_CPLH);
    bounded(wide, 2, 128 * 128, RNICSIM_NO_CREDIT_CPLH);
}

/* #2, alexforencich/verilog-pcie#35: at MRRS 4096 a second request followed an aligned one of 4096 bytes. */
static void one_request(void)
{
    static const char *const set[] = {"pcie.mrrs=4096 B"};
    struct scenario s = reads(set, 1);
    struct rnicsim *sim;
    CU_ASSERT_EQUAL(tlp_piece(0x1000, 4096, 4096), 4096);
    s.length_bytes = 4096;
    s.messages = 10;
    scenario_run(&s, &sim);
    struct rnicsim_tlp_info info;
    CU_ASSERT_EQUAL_FATAL(rnicsim_tlp(sim, 0, &info), RNICSIM_OK);
    CU_ASSERT_STRING_EQUAL(info.direction, "up");
    CU_ASSERT_EQUAL(info.tlps, s.messages); /* payload reads */
    rnicsim_destroy(sim);
}

/* #3, alexforencich/verilog-axi#12: a crossing was told by one bit of the address, which is the same again two pages on; NetTLP/libtlp#5:
 * reads were not cut at pages at all. */
static void crossings(void)
{
    static const struct {
        uint64_t address;
        uint32_t bytes, most, piece;
    } row[] = {
        /* 1 */ {0xff8, 8, 4096, 8},        /* ends at the page's end */
        /* 2 */ {0xff8, 9, 4096, 8},        /* one byte on */
        /* 3 */ {0xff8, 8200, 16384, 8},    /* two pages on: bit 12 is the same */
        /* 4 */ {0x1ff8, 8200, 16384, 8},   /* likewise from an odd page */
        /* 5 */ {0xfff, 4098, 8192, 1},     /* one byte before and one behind a whole page */
        /* 6 */ {0x1000, 8192, 8192, 4096}, /* aligned, larger than a page */
        /* 7 */ {0xfffffff0, 32, 512, 16},  /* 4 GiB is a page's end, too */
        /* 8 */ {0xe00, 4096, 512, 512},
        /* 9 */ {0xe01, 4096, 512, 511},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CU_ASSERT_EQUAL(tlp_piece(row[i].address, row[i].bytes, row[i].most), row[i].piece);
}

/* #4, greearb/ath10k-ct#108: a device's read across 4 KiB hung the link. It is refused. */
static void crossing_is_refused(void)
{
    struct tlp tlp = {TLP_MRD, 0xfc0, 128};
    CU_ASSERT_PTR_NOT_NULL(tlp_refused(&tlp, 256, 512));
    tlp.bytes = 64;
    CU_ASSERT_PTR_NULL(tlp_refused(&tlp, 256, 512));
}

/* #9, aws/aws-fpga#656: the shell took 512 bytes for MPS, the kernel had set 128. TLPs have the least of the path. */
static void mps_of_path(void)
{
    static const struct {
        const char *endpoint, *host;
        uint64_t tlps; /* of 4 KiB written */
    } row[] = {{"pcie.mps_most=512 B", "pcie.mps=128 B", 32},
               {"pcie.mps_most=512 B", "pcie.mps=256 B", 16},
               {"pcie.mps_most=512 B", "pcie.mps=1024 B", 8},
               {"pcie.mps_most=4096 B", "pcie.mps=1024 B", 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = scenario_default();
        struct rnicsim *sim;
        struct rnicsim_pcie_bound bound = {.bytes = 4096};
        s.length_bytes = 4096;
        s.messages = 1;
        s.set[s.sets++] = row[i].endpoint;
        s.set[s.sets++] = row[i].host;
        s.set[s.sets++] = "pcie.mrrs=4096 B"; /* completions are no shorter for the request's sake */
        scenario_run(&s, &sim);
        for (size_t t = 0; t < rnicsim_tlp_count(sim); t++) {
            struct rnicsim_tlp_info info;
            rnicsim_tlp(sim, t, &info);
            if (info.payload_bytes == 4096)
                CU_ASSERT_EQUAL(info.tlps, row[i].tlps); /* completions at the sender, writes at the receiver */
        }
        CU_ASSERT_EQUAL(rnicsim_pcie_bound(sim, &bound, NULL), RNICSIM_OK);
        CU_ASSERT_EQUAL((uint64_t)(4096 / bound.mps_bytes), row[i].tlps);
        rnicsim_destroy(sim);
    }
}

/* #17, Linux 6.18 on Xeon 6, deepin kernel#237 on Phytium: hosts that need extended tags off and MRRS 128. It works, at 32 x 128 B over
 * the round trip, and the cause is named. */
static void few_tags(void)
{
    static const char *const set[] = {"pcie.tags=32", "pcie.mrrs=128 B"};
    bounded(set, 2, 32 * 128, RNICSIM_NO_TAG);
}

void suite_pcie_field_reports(void);
void suite_pcie_field_reports(void)
{
    CU_pSuite suite = CU_add_suite("pcie: field reports", NULL, NULL);
    CU_add_test(suite, "1: completion headers hold", completion_headers_hold);
    CU_add_test(suite, "2: one request of 4096 B", one_request);
    CU_add_test(suite, "3: crossings of 4 KiB", crossings);
    CU_add_test(suite, "4: a crossing is refused", crossing_is_refused);
    CU_add_test(suite, "9: MPS of the path", mps_of_path);
    CU_add_test(suite, "17: few tags", few_tags);
}
