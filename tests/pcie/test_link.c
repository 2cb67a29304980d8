/* Skips: how long they stop the link, how often, and at which boundary. */
#include "pcie/link.h"

#include <CUnit/Basic.h>

static struct link_skips skips_of(int64_t generation, int64_t lanes, struct clk *clk)
{
    struct pcie_params params = {.generation = generation, .lanes = lanes, .mps = 256};
    struct link_skips skips;
    CU_ASSERT_EQUAL_FATAL(link_init(&params, 0, clk, &skips), 0);
    return skips;
}

/* Base Spec 3.0, 4.2.7: 16 symbol times of 1.015625 ns at Gen3, a half at Gen4, a quarter at Gen5, every 371 blocks; within a byte. */
static void stall_and_interval(void)
{
    static const struct {
        int64_t generation, lanes;
        double stall_ns, interval_ns;
    } row[] = {{3, 16, 16.25, 6028.75},    {3, 8, 16.25, 6028.75}, {4, 16, 8.125, 3014.375},
               {5, 16, 4.0625, 1507.1875}, {1, 4, 16, 4736},       {2, 8, 8, 2368}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct clk clk;
        struct link_skips skips = skips_of(row[i].generation, row[i].lanes, &clk);
        double byte_ns = (double)clk.num / (double)clk.den / 1000;
        CU_ASSERT_DOUBLE_EQUAL((double)skips.took_cyc * byte_ns, row[i].stall_ns, 0.6 * byte_ns);
        CU_ASSERT_DOUBLE_EQUAL((double)skips.every_cyc * byte_ns, row[i].interval_ns, 0.05 * row[i].interval_ns);
    }
}

static void at_the_next_boundary(void)
{
    struct link_skips skips = {1000, 5000, 250};
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 999, 900), 999);      /* not due yet */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 1000, 900), 1250);    /* due: it goes first */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 1100, 1100), 1350);   /* behind the TLP in which it became due */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 1100, 900), 1250);    /* under way while the link was idle */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 1250, 900), 1250);    /* over */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 11100, 900), 11250);  /* the third; the others were sent in idle time */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 6100, 6100), 6600);   /* two came due during one TLP */
    CU_ASSERT_EQUAL(link_behind_skip(&skips, 11100, 6100), 11250); /* and the third while nothing was sent */
    link_pass_skip(&skips, 11250);
    CU_ASSERT_EQUAL(skips.due_cyc, 16000);
    link_pass_skip(&skips, 15999);
    CU_ASSERT_EQUAL(skips.due_cyc, 16000);
}

/* TLPs of 280 bytes back to back: a share of 370 in 371 is left, every stall is a skip, and no two are nearer than 370 blocks. */
static void share_of_a_full_link(void)
{
    struct clk clk;
    struct link_skips skips = skips_of(3, 16, &clk);
    link_skips_begin(&skips, 1ull << 63);
    CU_ASSERT_EQUAL(skips.due_cyc, skips.every_cyc / 2);
    int64_t free_cyc = 0, stalls = 0;
    const int64_t count = 500000;
    for (int64_t i = 0; i < count; i++) {
        int64_t start = link_behind_skip(&skips, free_cyc, free_cyc);
        CU_ASSERT(start == free_cyc || start == free_cyc + skips.took_cyc);
        stalls += start != free_cyc;
        link_pass_skip(&skips, start);
        free_cyc = start + 280;
    }
    CU_ASSERT_EQUAL(free_cyc, count * 280 + stalls * skips.took_cyc);
    CU_ASSERT_DOUBLE_EQUAL((double)(count * 280) / (double)free_cyc, 370.0 / 371, 1e-6);
}

/* Gen6 x16: 236 bytes of 256 at 128 bytes a nanosecond, 118; what ends within a flit is there with it, up to 2 ns later. */
static void flits(void)
{
    struct clk clk;
    struct link_skips skips = skips_of(6, 16, &clk);
    CU_ASSERT_DOUBLE_EQUAL((double)clk.den / (double)clk.num * 1000, 118, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL((double)skips.took_cyc * (double)clk.num / (double)clk.den, 16 * 125, 5);
    CU_ASSERT_EQUAL(link_received_cyc(LINK_FLIT_TLP_BYTES, 1), 236);
    CU_ASSERT_EQUAL(link_received_cyc(LINK_FLIT_TLP_BYTES, 236), 236);
    CU_ASSERT_EQUAL(link_received_cyc(LINK_FLIT_TLP_BYTES, 237), 472);
    CU_ASSERT_EQUAL(link_received_cyc(0, 237), 237);
    CU_ASSERT_DOUBLE_EQUAL((double)(clk_edge(&clk, 472) - clk_edge(&clk, 236)), 2000, 1);
}

void suite_pcie_link(void);
void suite_pcie_link(void)
{
    CU_pSuite suite = CU_add_suite("pcie: skips of the link", NULL, NULL);
    CU_add_test(suite, "stall and interval", stall_and_interval);
    CU_add_test(suite, "at the next boundary", at_the_next_boundary);
    CU_add_test(suite, "flits", flits);
    CU_add_test(suite, "share of a full link", share_of_a_full_link);
}
