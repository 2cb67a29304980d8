/* Bounds of the PCIe side against the facts: golden_bw (raw and with the link's own traffic), golden_littles, completion headers at
 * 1 us, straddle. */
#include "pcie/bound.h"

#include <CUnit/Basic.h>
#include <math.h>

#define GEN3_X16 3, 16

static struct pcie_params link_of(int64_t generation, int64_t lanes)
{
    return (struct pcie_params){.generation = generation,
                                .lanes = lanes,
                                .mps = 256,
                                .mrrs = 512,
                                .rcb = 64,
                                .header = PCIE_HEADER_4DW,
                                .completions = PCIE_COMPLETIONS_MPS,
                                .tags = 256,
                                .completion_headers = 128,
                                .completion_buffer = 32768,
                                .user_width = 512,
                                .skips = PCIE_SKIPS_ON};
}

#define WIDE 10000000000 /* a user clock that never binds */

static double gbps(int64_t bps)
{
    return (double)bps / 1e9;
}

/* facts/pcie.md 4.3: MPS 256, MRRS 512 */
static void link_rates(void)
{
    static const struct {
        int64_t lanes;
        uint32_t bytes;
        double write_raw, write, read_raw, read;
    } row[] = {{8, 64, 45.83, 45.25, 48.01, 47.41},    {8, 256, 57.61, 56.89, 58.45, 57.72},
               {16, 64, 91.66, 90.87, 96.02, 95.19},   {16, 256, 115.2, 114.2, 116.9, 115.9},
               {16, 1024, 115.2, 114.2, 116.9, 115.9}, {16, 4096, 115.2, 114.2, 116.9, 115.9}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct pcie_params params = link_of(3, row[i].lanes);
        struct bound write = bound_write(&params, WIDE, row[i].bytes);
        struct bound read = bound_read(&params, WIDE, row[i].bytes, 1000);
        CU_ASSERT_DOUBLE_EQUAL(gbps(write.raw_bps), row[i].write_raw, 0.05);
        CU_ASSERT_DOUBLE_EQUAL(gbps(write.bps[BOUND_LINK]), row[i].write, 0.05);
        CU_ASSERT_DOUBLE_EQUAL(gbps(read.raw_bps), row[i].read_raw, 0.05);
        CU_ASSERT_DOUBLE_EQUAL(gbps(read.bps[BOUND_LINK]), row[i].read, 0.05);
        CU_ASSERT_EQUAL(write.binds, BOUND_LINK);
        CU_ASSERT_EQUAL(read.binds, BOUND_LINK);
        CU_ASSERT_EQUAL(write.bps[BOUND_HEADERS], INT64_MAX);
    }
}

/* facts/pcie.md 9: reads of 4 KiB by how the host cuts completions */
static void completion_policy(void)
{
    struct pcie_params params = link_of(GEN3_X16);
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, WIDE, 4096, 1000).bps[BOUND_LINK]), 115.9, 0.05);
    params.completions = PCIE_COMPLETIONS_RCB;
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, WIDE, 4096, 1000).bps[BOUND_LINK]), 95.2, 0.05);
}

/* facts/pcie.md 9: 64, 128 and 256 headers at 1 us, whatever MRRS up to 512 */
static void completion_headers(void)
{
    static const struct {
        int64_t headers;
        double gbps;
        enum bound_limit binds;
    } row[] = {{64, 32.768, BOUND_HEADERS}, {128, 65.536, BOUND_HEADERS}, {256, 131.072, BOUND_LINK}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int64_t mrrs = 128; mrrs <= 512; mrrs *= 2) {
            struct pcie_params params = link_of(GEN3_X16);
            params.completion_headers = row[i].headers;
            params.mrrs = mrrs;
            params.tags = 1024;
            struct bound bound = bound_read(&params, WIDE, 4096, 1000000);
            CU_ASSERT_DOUBLE_EQUAL(gbps(bound.bps[BOUND_HEADERS]), row[i].gbps, 0.001);
            CU_ASSERT_EQUAL(bound.binds, row[i].binds);
        }
    /* only whole requests: 100 headers are 12 requests of 8 */
    struct pcie_params params = link_of(GEN3_X16);
    params.completion_headers = 100;
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, WIDE, 4096, 1000000).bps[BOUND_HEADERS]), 12 * 4.096, 0.001);
}

/* Whether 100G can be read: 128 headers give 98 Gb/s up to 668 ns, 64 B pieces on the link never. */
static void latency_for_a_rate(void)
{
    struct pcie_params params = link_of(GEN3_X16);
    CU_ASSERT_EQUAL(bound_latency_most_ps(&params, WIDE, 4096, 98000000000) / 1000, 668);
    params.completion_headers = 256;
    CU_ASSERT_EQUAL(bound_latency_most_ps(&params, WIDE, 4096, 98000000000) / 1000, 1337);
    params.completions = PCIE_COMPLETIONS_RCB;
    CU_ASSERT_EQUAL(bound_latency_most_ps(&params, WIDE, 4096, 98000000000), 0);
}

/* golden_littles: tags for 95 % of the raw link, MPS 256, a read a request */
static void tags(void)
{
    static const int64_t latency_ns[] = {400, 550, 700, 1000, 2000}, link[][2] = {{3, 8}, {3, 16}, {4, 16}, {5, 16}};
    static const uint32_t bytes[] = {64, 128, 256, 512, 4096};
    static const int64_t golden[4][5][5] = {
        {{36, 49, 63, 90, 179}, {21, 28, 36, 51, 102}, {11, 15, 19, 28, 55}, {6, 8, 10, 14, 28}, {1, 1, 2, 2, 4}},
        {{72, 98, 125, 179, 357}, {41, 56, 71, 102, 203}, {22, 30, 38, 55, 109}, {11, 15, 19, 28, 55}, {2, 2, 3, 4, 7}},
        {{143, 196, 250, 357, 713},
         {81, 112, 142, 203, 405},
         {44, 60, 76, 109, 217},
         {22, 30, 38, 55, 109},
         {3, 4, 5, 7, 14}},
        {{286, 392, 499, 713, 1426},
         {162, 223, 284, 405, 809},
         {87, 120, 152, 217, 434},
         {44, 60, 76, 109, 217},
         {6, 8, 10, 14, 28}},
    };
    for (int l = 0; l < 4; l++)
        for (int b = 0; b < 5; b++)
            for (int i = 0; i < 5; i++) {
                struct pcie_params params = link_of(link[l][0], link[l][1]);
                params.mrrs = 4096;
                params.tags = golden[l][b][i];
                struct bound enough = bound_read(&params, WIDE, bytes[b], latency_ns[i] * 1000);
                params.tags--;
                struct bound few = bound_read(&params, WIDE, bytes[b], latency_ns[i] * 1000);
                double needed = 0.95 * gbps(enough.raw_bps);
                CU_ASSERT(gbps(enough.bps[BOUND_TAGS]) >= needed);
                CU_ASSERT(gbps(few.bps[BOUND_TAGS]) < needed);
            }
    /* 32 tags, 64 B, 550 ns: what the hosts of pcie-bench show without extended tags */
    struct pcie_params params = link_of(3, 8);
    params.tags = 32;
    struct bound bound = bound_read(&params, WIDE, 64, 550000);
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound.bps[BOUND_TAGS]), 29.8, 0.05);
    CU_ASSERT_EQUAL(bound.binds, BOUND_TAGS);
}

/* UltraScale+'s 32,768 B are 64 requests of 512; corundum's engine on it takes 28,672, 56 of them. */
static void completion_data(void)
{
    struct pcie_params params = link_of(GEN3_X16);
    params.completion_headers = 4096;
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, WIDE, 512, 1000000).bps[BOUND_DATA]), 64 * 4.096, 0.001);
    params.completion_buffer = 28672;
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, WIDE, 512, 1000000).bps[BOUND_DATA]), 56 * 4.096, 0.001);
    params.completion_buffer = 8191; /* 511 credits: 15 requests of 32 */
    struct bound bound = bound_read(&params, WIDE, 512, 1000000);
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound.bps[BOUND_DATA]), 15 * 4.096, 0.001);
    CU_ASSERT_EQUAL(bound.binds, BOUND_DATA);
}

/* facts/pcie.md 3: 64 B writes with a descriptor of 16 B, 512 bit at 250 MHz, against a link of 91.7 Gb/s */
static void straddle(void)
{
    static const struct {
        int64_t clock_hz, descriptor, straddle, width;
        uint32_t bytes;
        double gbps;
        enum bound_limit binds;
    } row[] = {
        /* 1 */ {250000000, 16, 0, 512, 64, 64, BOUND_USER},    /* 80 B take 2 beats */
        /* 2 */ {250000000, 16, 1, 512, 64, 85.33, BOUND_USER}, /* two of them 3 */
        /* 3 */ {250000000, 0, 0, 512, 64, 128, BOUND_LINK},    /* a beat */
        /* 4 */ {250000000, 16, 0, 512, 256, 102.4, BOUND_USER},
        /* 5 */ {250000000, 16, 1, 512, 256, 113.78, BOUND_USER}, /* 272 B take 9 halves */
        /* 6 */ {250000000, 16, 0, 256, 64, 42.67, BOUND_USER},
        /* 7 */ {500000000, 16, 0, 1024, 64, 256, BOUND_LINK},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct pcie_params params = link_of(GEN3_X16);
        params.user_width = row[i].width;
        params.straddle = row[i].straddle;
        params.request_descriptor = row[i].descriptor;
        struct bound bound = bound_write(&params, row[i].clock_hz, row[i].bytes);
        CU_ASSERT_DOUBLE_EQUAL(gbps(bound.bps[BOUND_USER]), row[i].gbps, 0.005);
        CU_ASSERT_EQUAL(bound.binds, row[i].binds);
        CU_ASSERT(row[i].bytes != 64 || fabs(gbps(bound.raw_bps) - 91.66) < 0.005);
    }
    /* completions start in quarters: 76 B are 5 of them, 4 TLPs in 5 beats */
    struct pcie_params params = link_of(GEN3_X16);
    params.completion_descriptor = 12;
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, 250000000, 64, 1000).bps[BOUND_USER]), 64, 0.005);
    params.straddle = PCIE_STRADDLE_ON;
    CU_ASSERT_DOUBLE_EQUAL(gbps(bound_read(&params, 250000000, 64, 1000).bps[BOUND_USER]), 102.4, 0.005);
}

void suite_pcie_bound(void);
void suite_pcie_bound(void)
{
    CU_pSuite suite = CU_add_suite("pcie: bounds", NULL, NULL);
    CU_add_test(suite, "the link's rates", link_rates);
    CU_add_test(suite, "completion policy", completion_policy);
    CU_add_test(suite, "completion headers at 1 us", completion_headers);
    CU_add_test(suite, "the latency for a rate", latency_for_a_rate);
    CU_add_test(suite, "tags", tags);
    CU_add_test(suite, "completion data", completion_data);
    CU_add_test(suite, "descriptors and straddle", straddle);
}
