/* Another function's TLPs on the same link: its share, and that of ours, to the byte. */
#include "pcie/stops.h"

#include "kernel/sim.h"

#include <CUnit/Basic.h>

static const struct link_skips never = {SIM_NEVER, 1, 0};

/* A full link of ours: what others take is their share; nothing is lost and nothing is early. */
static void full_link(void)
{
    static const int64_t ppm[] = {50000, 300000, 700000};
    for (int i = 0; i < 3; i++) {
        struct stops stops;
        stops_init(&stops, &never, 280, ppm[i] * 1000, 7);
        int64_t free_cyc = 0, ours = 0;
        for (; ours < 100000; ours++) {
            int64_t start = stops_behind(&stops, free_cyc, free_cyc);
            CU_ASSERT(start >= free_cyc && (start - free_cyc) % 280 == 0);
            stops_pass(&stops, start);
            free_cyc = start + 280;
        }
        CU_ASSERT_DOUBLE_EQUAL((double)(free_cyc - ours * 280) / (double)free_cyc, (double)ppm[i] / 1e6, 1e-3);
        CU_ASSERT_EQUAL(free_cyc, 280 * (ours + (int64_t)stops.others.next));
    }
}

/* A link that is idle but for a TLP of ours now and then: it meets one of theirs as often as they are there, and waits for half of it. */
static void idle_link(void)
{
    struct stops stops;
    stops_init(&stops, &never, 280, INT64_C(400000000), 7);
    int64_t free_cyc = 0, waited = 0, met = 0;
    const int64_t count = 100000;
    for (int64_t i = 0; i < count; i++) {
        int64_t ready = i * 10007 + 100, start = stops_behind(&stops, ready, free_cyc);
        CU_ASSERT(start >= ready && start - ready <= 2 * 280);
        CU_ASSERT_EQUAL(stops_behind(&stops, ready, free_cyc), start); /* asking changes nothing */
        stops_pass(&stops, start);
        met += start > ready;
        waited += start - ready;
        free_cyc = start + 24;
    }
    CU_ASSERT_DOUBLE_EQUAL((double)met / (double)count, 0.4, 0.01);
    CU_ASSERT_DOUBLE_EQUAL((double)waited / (double)met, 140, 25); /* and another, where it follows at once */
    int64_t end = count * 10007;
    CU_ASSERT_DOUBLE_EQUAL((double)(stops_others_by(&stops, end) * 280) / (double)end, 0.4, 1e-3);
}

void suite_pcie_stops(void);
void suite_pcie_stops(void)
{
    CU_pSuite suite = CU_add_suite("pcie: another function on the link", NULL, NULL);
    CU_add_test(suite, "a full link", full_link);
    CU_add_test(suite, "an idle link", idle_link);
}
