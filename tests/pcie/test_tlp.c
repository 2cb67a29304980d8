/* TLP splitting, bytes and rates against the golden vectors of the facts (PCIe rules; pcie-model's table to print rounding). */
#include "pcie/link.h"
#include "pcie/tlp.h"

#include <CUnit/Basic.h>

static uint32_t read_requests(uint64_t address, uint32_t bytes, uint32_t mrrs)
{
    uint32_t requests = 0;
    for (; bytes > 0; requests++) {
        uint32_t piece = tlp_piece(address, bytes, mrrs);
        address += piece;
        bytes -= piece;
    }
    return requests;
}

static uint32_t write_bytes(uint64_t address, uint32_t bytes, uint32_t mps, uint32_t *tlps)
{
    uint32_t total = 0;
    for (*tlps = 0; bytes > 0; ++*tlps) {
        uint32_t piece = tlp_piece(address, bytes, mps);
        total += TLP_REQUEST_BYTES + tlp_payload_bytes(address, piece);
        address += piece;
        bytes -= piece;
    }
    return total;
}

static uint32_t completion_bytes(uint64_t address, uint32_t bytes, uint32_t mps, uint32_t rcb, int each, uint32_t *tlps)
{
    uint32_t total = 0;
    for (*tlps = 0; bytes > 0; ++*tlps) {
        uint32_t piece = tlp_completion(address, bytes, mps, rcb, each);
        total += TLP_COMPLETION_BYTES + tlp_payload_bytes(address, piece);
        address += piece;
        bytes -= piece;
    }
    return total;
}

/* MPS 256, 64-bit address, aligned, MRRS 512. */
static void aligned_transfers(void)
{
    static const struct {
        uint32_t bytes, write_tlps, write, whole, each, read;
    } row[] = {{1, 1, 28, 24, 24, 24},           {64, 1, 88, 84, 84, 24},     {256, 1, 280, 276, 336, 24},
               {257, 2, 308, 300, 360, 24},      {512, 2, 560, 552, 672, 24}, {1024, 4, 1120, 1104, 1344, 48},
               {4096, 16, 4480, 4416, 5376, 192}};
    uint32_t tlps;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CU_ASSERT_EQUAL(write_bytes(0, row[i].bytes, 256, &tlps), row[i].write);
        CU_ASSERT_EQUAL(tlps, row[i].write_tlps);
        CU_ASSERT_EQUAL(completion_bytes(0, row[i].bytes, 256, 64, 0, &tlps), row[i].whole);
        CU_ASSERT_EQUAL(completion_bytes(0, row[i].bytes, 256, 64, 1, &tlps), row[i].each);
        CU_ASSERT_EQUAL(read_requests(0, row[i].bytes, 512) * TLP_REQUEST_BYTES, row[i].read);
    }
}

static void across_boundaries(void)
{
    uint32_t tlps;
    CU_ASSERT_EQUAL(write_bytes(0xffc, 64, 256, &tlps), 112);  /* 4 + 60 */
    CU_ASSERT_EQUAL(write_bytes(0xfc0, 256, 256, &tlps), 304); /* 64 + 192 */
    CU_ASSERT_EQUAL(write_bytes(0xfc0, 4096, 256, &tlps), 4504);
    CU_ASSERT_EQUAL(tlps, 17);
    CU_ASSERT_EQUAL(completion_bytes(0x3c, 64, 256, 64, 1, &tlps), 104); /* 4 + 60 */
    CU_ASSERT_EQUAL(completion_bytes(0x3c, 256, 256, 64, 1, &tlps), 356);
    CU_ASSERT_EQUAL(tlps, 5);
    CU_ASSERT_EQUAL(completion_bytes(0x10000, 192, 256, 64, 1, &tlps), 252);
    CU_ASSERT_EQUAL(tlps, 3);
    completion_bytes(0x10000, 192, 256, 128, 1, &tlps);
    CU_ASSERT_EQUAL(tlps, 2);
    completion_bytes(0x10020, 256, 256, 64, 1, &tlps);
    CU_ASSERT_EQUAL(tlps, 5);
    completion_bytes(0x10020, 4096, 512, 128, 0, &tlps);
    CU_ASSERT_EQUAL(tlps, 9); /* 480, seven of 512, 32 */
    CU_ASSERT_EQUAL(tlp_completion(0x10020, 4096, 512, 128, 0), 480);
    CU_ASSERT_EQUAL(read_requests(0, 4096, 4096), 1); /* one request, not two (verilog-pcie#35) */
}

/* Bytes a nanosecond of the raw link, and the share that its own traffic leaves: 98.75 % on x8, 99.1 % on x16; on x1 two DLLPs of 8 bytes
 * come in every 237. */
static void rates(void)
{
    static const struct {
        int64_t generation, lanes, mps;
        double raw, low, high;
    } row[] = {{1, 1, 128, 0.25, 0.925, 0.935},     {2, 4, 256, 2.0, 0.96, 1.0},
               {3, 8, 256, 7.877, 0.9865, 0.9885},  {3, 16, 256, 15.754, 0.9905, 0.992},
               {4, 16, 256, 31.508, 0.9905, 0.992}, {5, 16, 512, 63.015, 0.99, 0.993}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct pcie_params params = {.generation = row[i].generation, .lanes = row[i].lanes, .mps = row[i].mps};
        struct clk clk;
        struct link_skips skips;
        CU_ASSERT_EQUAL_FATAL(link_init(&params, 0, &clk, &skips), 0);
        double left = (double)(skips.every_cyc - skips.took_cyc) / (double)skips.every_cyc;
        double share = 1000.0 * (double)clk.den / (double)clk.num * left / row[i].raw;
        CU_ASSERT(share > row[i].low && share < row[i].high);
    }
    struct pcie_params wrong = {.generation = 3, .lanes = 12, .mps = 256};
    struct clk clk;
    struct link_skips skips;
    CU_ASSERT_EQUAL(link_init(&wrong, 0, &clk, &skips), -1);
}

void suite_pcie_tlp(void);
void suite_pcie_tlp(void)
{
    CU_pSuite suite = CU_add_suite("pcie: TLPs and the link's rate", NULL, NULL);
    CU_add_test(suite, "aligned transfers", aligned_transfers);
    CU_add_test(suite, "across boundaries", across_boundaries);
    CU_add_test(suite, "rates", rates);
}
