/* How long a TLP keeps the endpoint's user interface: descriptors in band, straddle on or off. */
#include "pcie/interface.h"

#include "pcie/tlp.h"

#include <CUnit/Basic.h>

/* 512 bit at 250 MHz behind Gen3 x16 (8125/128 ps a byte): Gb/s of payload in TLPs of `payload` bytes, from the time that 1,000 take. */
static double rate(uint32_t parts, uint32_t descriptor, uint32_t payload, uint32_t overhead)
{
    struct clk user, link;
    struct interface side;
    clk_init(&user, 4000, 1, 0);
    clk_init(&link, 8125, 128, 0);
    interface_init(&side, 64, parts, descriptor, &user, &link);
    int64_t cyc = 1000 * interface_occupancy_cyc(&side, payload, payload + overhead);
    return 1000.0 * payload * 8 * 1000 / (double)clk_edge(&link, cyc);
}

/* PG213: a request with its 16 B descriptor; at 64 B of payload 80 B are two beats, or three halves of one (facts of the data sheet, computed
 * for 64 B: 64, 85.3 and, on the link alone, 91.7 Gb/s). A link byte more or less is 1 % here. */
static void straddle_of_writes(void)
{
    CU_ASSERT_DOUBLE_EQUAL(rate(1, 16, 64, TLP_REQUEST_BYTES), 64.0, 0.5);
    CU_ASSERT_DOUBLE_EQUAL(rate(2, 16, 64, TLP_REQUEST_BYTES), 85.33, 0.5);
    CU_ASSERT_DOUBLE_EQUAL(rate(1, 0, 64, TLP_REQUEST_BYTES), 91.66, 0.1);
    /* at 256 B: five beats of 4 ns, or nine halves and a link of 280 B */
    CU_ASSERT_DOUBLE_EQUAL(rate(1, 16, 256, TLP_REQUEST_BYTES), 102.4, 0.4);
    CU_ASSERT_DOUBLE_EQUAL(rate(2, 16, 256, TLP_REQUEST_BYTES), 113.78, 0.4);
}

/* Completions of 64 B with their 12 B: two beats, or five quarters, less than the link's 84 B. */
static void straddle_of_completions(void)
{
    CU_ASSERT_DOUBLE_EQUAL(rate(1, 12, 64, TLP_COMPLETION_BYTES), 64.0, 0.5);
    CU_ASSERT_DOUBLE_EQUAL(rate(4, 12, 64, TLP_COMPLETION_BYTES), 96.02, 0.1);
}

static void whole_page(void)
{
    struct clk user, link;
    struct interface side;
    clk_init(&user, 4000, 1, 0);
    clk_init(&link, 1000, 1, 0);
    interface_init(&side, 8, 1, 64, &user, &link); /* the most places there can be: 520 beats of 4 bytes' time */
    CU_ASSERT_EQUAL(interface_occupancy_cyc(&side, 4096, 100), 520 * 4);
    CU_ASSERT_EQUAL(interface_occupancy_cyc(&side, 4096, 4120), 4120);
}

void suite_pcie_interface(void);
void suite_pcie_interface(void)
{
    CU_pSuite suite = CU_add_suite("pcie: the user interface", NULL, NULL);
    CU_add_test(suite, "straddle of writes", straddle_of_writes);
    CU_add_test(suite, "straddle of completions", straddle_of_completions);
    CU_add_test(suite, "a whole page on the narrowest", whole_page);
}
