/* TLP splitting, bytes and rates against the golden vectors of the facts (PCIe rules; pcie-model's table to print rounding). */
#include "pcie/link.h"
#include "pcie/tlp.h"

#include <CUnit/Basic.h>
#include <string.h>

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

/* ---- single TLPs: facts/pcie.md 1.2 and 1.6, Base Spec 2.2 and 2.6.1 ---- */

#define ABOVE 0x100000000u
#define MSIX_BYTES 4u

static void kinds(void)
{
    static const struct {
        struct tlp tlp;
        int ecrc;
        uint32_t link, dw;
        enum tlp_pool pool;
        uint32_t data_credits;
    } row[] = {
        /* 1 */ {{TLP_MWR, ABOVE, 64}, 0, 88, 16, TLP_POSTED, 4},
        /* 2 */ {{TLP_MWR, 0x1000, 64}, 0, 84, 16, TLP_POSTED, 4}, /* below 4 GiB: 3 double words of header */
        /* 3 */ {{TLP_MWR, ABOVE, 64}, 1, 92, 16, TLP_POSTED, 4},
        /* 4 */ {{TLP_MWR, 0xffffffff, 1}, 0, 24, 1, TLP_POSTED, 1},
        /* 5 */ {{TLP_MWR, ABOVE + 0x1002, 8}, 0, 36, 3, TLP_POSTED, 1}, /* two half double words */
        /* 6 */ {{TLP_MWR, ABOVE + 0x1003, 258}, 0, 288, 66, TLP_POSTED, 17},
        /* 7 */ {{TLP_MWR, ABOVE, 256}, 0, 280, 64, TLP_POSTED, 16},
        /* 8 */ {{TLP_MWR, ABOVE, MSIX_BYTES}, 0, 28, 1, TLP_POSTED, 1},
        /* 9 */ {{TLP_MWR, ABOVE, 0}, 0, 28, 1, TLP_POSTED, 1}, /* no byte enabled, but one double word */
        /* 10 */ {{TLP_MRD, ABOVE, 512}, 0, 24, 128, TLP_NON_POSTED, 0},
        /* 11 */ {{TLP_MRD, 0, 512}, 0, 20, 128, TLP_NON_POSTED, 0},
        /* 12 */ {{TLP_MRD, ABOVE + 2, 512}, 1, 28, 129, TLP_NON_POSTED, 0},
        /* 13 */ {{TLP_MRD, ABOVE, 4096}, 0, 24, 1024, TLP_NON_POSTED, 0},
        /* 14 */ {{TLP_MRD, ABOVE + 3, 0}, 0, 24, 1, TLP_NON_POSTED, 0},
        /* 15 */ {{TLP_CPLD, ABOVE, 64}, 0, 84, 16, TLP_COMPLETED, 4}, /* always 3 double words */
        /* 16 */ {{TLP_CPLD, ABOVE, 256}, 1, 280, 64, TLP_COMPLETED, 16},
        /* 17 */ {{TLP_CPLD, 0x3c, 4}, 0, 24, 1, TLP_COMPLETED, 1},
        /* 18 */ {{TLP_CPL, 0, 0}, 0, 20, 0, TLP_COMPLETED, 0},
        /* 19 */ {{TLP_MSG, 0, 0}, 0, 24, 0, TLP_POSTED, 0}, /* always 4 */
        /* 20 */ {{TLP_MSG, 0, 0}, 1, 28, 0, TLP_POSTED, 0},
        /* 21 */ {{TLP_FETCH_ADD, ABOVE, 8}, 0, 32, 2, TLP_NON_POSTED, 1},
        /* 22 */ {{TLP_FETCH_ADD, 0x1004, 4}, 0, 24, 1, TLP_NON_POSTED, 1},
        /* 23 */ {{TLP_SWAP, ABOVE, 8}, 0, 32, 2, TLP_NON_POSTED, 1},
        /* 24 */ {{TLP_CAS, ABOVE, 4}, 0, 32, 2, TLP_NON_POSTED, 1}, /* compare and swap: two operands */
        /* 25 */ {{TLP_CAS, ABOVE, 8}, 0, 40, 4, TLP_NON_POSTED, 1},
        /* 26 */ {{TLP_CAS, ABOVE, 16}, 0, 56, 8, TLP_NON_POSTED, 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct tlp_credits credits = tlp_credits(&row[i].tlp);
        CU_ASSERT_EQUAL(tlp_link_bytes(&row[i].tlp, row[i].ecrc), row[i].link);
        CU_ASSERT_EQUAL(tlp_length_dw(&row[i].tlp), row[i].dw);
        CU_ASSERT_EQUAL(credits.pool, row[i].pool);
        CU_ASSERT_EQUAL(credits.headers, 1);
        CU_ASSERT_EQUAL(credits.data, row[i].data_credits);
    }
    CU_ASSERT_EQUAL(tlp_overhead_bytes(TLP_MRD, 1, 0), TLP_REQUEST_BYTES);
    CU_ASSERT_EQUAL(tlp_overhead_bytes(TLP_CPLD, 1, 0), TLP_COMPLETION_BYTES);
}

/* Base Spec 2.2.5: enables of the first and the last double word, 2.2.9: Byte Count and Lower Address of the first completion. */
static void byte_enables(void)
{
    static const struct {
        uint64_t address;
        uint32_t bytes;
        uint8_t first, last;
        uint32_t count, lower;
    } row[] = {
        /* 1 */ {0x1000, 4, 0xf, 0x0, 4, 0x00},
        /* 2 */ {0x1000, 1, 0x1, 0x0, 1, 0x00},
        /* 3 */ {0x1001, 1, 0x2, 0x0, 1, 0x01},
        /* 4 */ {0x1002, 1, 0x4, 0x0, 1, 0x02},
        /* 5 */ {0x1003, 1, 0x8, 0x0, 1, 0x03},
        /* 6 */ {0x1001, 2, 0x6, 0x0, 2, 0x01},
        /* 7 */ {0x1001, 3, 0xe, 0x0, 3, 0x01},
        /* 8 */ {0x1003, 2, 0x8, 0x1, 2, 0x03},
        /* 9 */ {0x1002, 5, 0xc, 0x7, 5, 0x02},
        /* 10 */ {0x1000, 8, 0xf, 0xf, 8, 0x00},
        /* 11 */ {0x1001, 8, 0xe, 0x1, 8, 0x01},
        /* 12 */ {0x107c, 64, 0xf, 0xf, 64, 0x7c},
        /* 13 */ {0x10c1, 510, 0xe, 0x7, 510, 0x41},
        /* 14 */ {0x1000, 4096, 0xf, 0xf, 0, 0x00}, /* 12 bits: 4096 is 0 */
        /* 15 */ {0x1000, 0, 0x0, 0x0, 1, 0x00},    /* a flush: one double word of which nothing is wanted */
        /* 16 */ {0x1043, 0, 0x0, 0x0, 1, 0x40},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct tlp read = {TLP_MRD, row[i].address, row[i].bytes};
        struct tlp_enables enables = tlp_enables(row[i].address, row[i].bytes);
        CU_ASSERT_EQUAL(enables.first, row[i].first);
        CU_ASSERT_EQUAL(enables.last, row[i].last);
        CU_ASSERT_EQUAL(tlp_byte_count(&read, row[i].bytes), row[i].count);
        CU_ASSERT_EQUAL(tlp_lower_address(&read, row[i].address), row[i].lower);
    }
}

/* 512 B at 0x3c in RCB blocks: Byte Count goes down with each, Lower Address is 0x3c and then 0x40 and 0x00 in turn. */
static void completions_in_turn(void)
{
    struct tlp read = {TLP_MRD, ABOVE + 0x3c, 512};
    uint64_t address = read.address;
    uint32_t left = read.bytes, tlps = 0;
    for (; left > 0; tlps++) {
        CU_ASSERT_EQUAL(tlp_byte_count(&read, left), tlps == 0 ? 512u : 508u - (tlps - 1) * 64);
        CU_ASSERT_EQUAL(tlp_lower_address(&read, address), tlps == 0 ? 0x3cu : tlps % 2 == 1 ? 0x40u : 0u);
        uint32_t piece = tlp_completion(address, left, 256, 64, 1);
        address += piece;
        left -= piece;
    }
    CU_ASSERT_EQUAL(tlps, 9);
}

static void answers(void)
{
    static const struct {
        struct tlp request;
        uint32_t link, bytes, count, lower;
    } row[] = {
        /* 1 */ {{TLP_MRD, ABOVE + 0x40, 64}, 84, 64, 64, 0x40},
        /* 2 */ {{TLP_MRD, ABOVE + 0x40, 0}, 24, 1, 1, 0x40},
        /* 3 */ {{TLP_FETCH_ADD, ABOVE + 0x48, 8}, 28, 8, 8, 0},
        /* 4 */ {{TLP_SWAP, ABOVE + 0x44, 4}, 24, 4, 4, 0},
        /* 5 */ {{TLP_CAS, ABOVE + 0x40, 16}, 36, 16, 16, 0}, /* one operand comes back */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct tlp answer = tlp_answer(&row[i].request);
        CU_ASSERT_EQUAL(answer.kind, TLP_CPLD);
        CU_ASSERT_EQUAL(answer.bytes, row[i].bytes);
        CU_ASSERT_EQUAL(tlp_link_bytes(&answer, 0), row[i].link);
        CU_ASSERT_EQUAL(tlp_byte_count(&row[i].request, row[i].request.bytes), row[i].count);
        CU_ASSERT_EQUAL(tlp_lower_address(&row[i].request, row[i].request.address), row[i].lower);
    }
}

/* MPS 256, MRRS 512. */
static void refusals(void)
{
    static const struct {
        struct tlp tlp;
        const char *says; /* NULL: it may be sent */
    } row[] = {
        /* 1 */ {{TLP_MRD, 0xe00, 512}, NULL},
        /* 2 */ {{TLP_MRD, 0xe04, 512}, "4 KiB"}, /* the device's read that hung the link in ath10k-ct#108 */
        /* 3 */ {{TLP_MRD, 0xfff, 1}, NULL},
        /* 4 */ {{TLP_MRD, 0xfff, 2}, "4 KiB"},
        /* 5 */ {{TLP_MRD, ABOVE - 4, 8}, "4 KiB"}, /* also where the header's length would change */
        /* 6 */ {{TLP_MRD, 0x1000, 516}, "MRRS"},
        /* 7 */ {{TLP_MRD, 0x1001, 512}, "MRRS"}, /* 129 double words */
        /* 8 */ {{TLP_MRD, 0xfff, 0}, NULL},
        /* 9 */ {{TLP_MWR, 0xf00, 256}, NULL},
        /* 10 */ {{TLP_MWR, 0xf04, 256}, "4 KiB"},
        /* 11 */ {{TLP_MWR, 0x1000, 260}, "MPS"},
        /* 12 */ {{TLP_MWR, 0x1002, 256}, "MPS"}, /* 65 double words */
        /* 13 */ {{TLP_CPLD, 0x1000, 512}, "MPS"},
        /* 14 */ {{TLP_CPLD, 0x1f80, 256}, NULL}, /* what it answers did not cross */
        /* 15 */ {{TLP_FETCH_ADD, 0x1008, 8}, NULL},
        /* 16 */ {{TLP_FETCH_ADD, 0x1004, 8}, "aligned"},
        /* 17 */ {{TLP_FETCH_ADD, 0x1000, 16}, "operand"},
        /* 18 */ {{TLP_SWAP, 0x1000, 2}, "operand"},
        /* 19 */ {{TLP_CAS, 0x1000, 16}, NULL},
        /* 20 */ {{TLP_CAS, 0x1008, 16}, "aligned"},
        /* 21 */ {{TLP_CAS, 0x1000, 0}, "operand"},
        /* 22 */ {{TLP_MSG, 0, 0}, NULL},
        /* 23 */ {{TLP_CPL, 0, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *refused = tlp_refused(&row[i].tlp, 256, 512);
        CU_ASSERT_EQUAL(refused == NULL, row[i].says == NULL);
        CU_ASSERT(refused == NULL || row[i].says == NULL || strstr(refused, row[i].says) != NULL);
    }
}

/* No aligned transfer is cut into what is refused: every page offset of a double word, the lengths about the limits. */
static void cuts_are_allowed(void)
{
    static const uint32_t bytes[] = {4, 64, 252, 256, 260, 508, 512, 516, 4092, 4096, 4100, 12288};
    for (uint64_t offset = 0; offset < TLP_PAGE_BYTES; offset += 4)
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
            for (uint32_t most = 128; most <= 4096; most *= 2) {
                struct tlp tlp = {TLP_MRD, ABOVE + offset, bytes[b]};
                for (uint32_t left = bytes[b]; left > 0; left -= tlp.bytes, tlp.address += tlp.bytes) {
                    tlp.bytes = tlp_piece(tlp.address, left, most);
                    if (tlp.bytes == 0 || tlp_refused(&tlp, most, most) != NULL) {
                        CU_FAIL("a piece is refused");
                        return;
                    }
                }
            }
}

void suite_pcie_tlp(void);
void suite_pcie_tlp(void)
{
    CU_pSuite suite = CU_add_suite("pcie: TLPs and the link's rate", NULL, NULL);
    CU_add_test(suite, "aligned transfers", aligned_transfers);
    CU_add_test(suite, "across boundaries", across_boundaries);
    CU_add_test(suite, "kinds: bytes, length, credits", kinds);
    CU_add_test(suite, "byte enables, byte count, lower address", byte_enables);
    CU_add_test(suite, "completions in turn", completions_in_turn);
    CU_add_test(suite, "answers", answers);
    CU_add_test(suite, "refusals", refusals);
    CU_add_test(suite, "cuts are allowed", cuts_are_allowed);
    CU_add_test(suite, "rates", rates);
}
