/* Networks of ideal hosts under congestion: DCQCN, pauses, what the field reported. */
#include "tests/system/net_setup.h"

/* What the field reported. */
static void cases_of_the_field(void)
{
    struct setup s = setup_of("u280_100g", "net.kind=switch", "net.hosts=3");
    struct rnicsim_net_totals t;
    add(&s, "net.ecn=off");
    add(&s, "net.headroom=1 B"); /* sonic-net/SONiC#480: headroom computed as 0, drops with PFC on */
    rnicsim_net_destroy(run(&s, &t));
    CU_ASSERT(t.pauses > 0 && t.drops > 0);
    s.sets--;
    add(&s,
        "net.alpha=64000000 ppm"); /* bobzhuyb/ns3-rdma#11: admission dropped before PFC was looked at, so that it never fired */
    add(&s, "net.buffer=256 KiB");
    rnicsim_net_destroy(run(&s, &t));
    CU_ASSERT(t.pauses > 0 && t.drops == 0);
    add(&s,
        "net.lossless=off"); /* bytedance/byteps#179: 2:1 on a lossy network, ecn_marked 0: all is left to timeouts */
    rnicsim_net_destroy(run(&s, &t));
    CU_ASSERT(t.marked == 0 && t.pauses == 0 && t.drops > t.delivered_frames / 3);
}

/* alibaba HPCC#21: the paper's thresholds do not work for production: with Kmin 5, Kmax 200 KB and 1 % the line is not full. */
static void thresholds_of_the_paper(void)
{
    double got[2];
    for (int paper = 0; paper < 2; paper++) {
        struct setup s = setup_of("kcu116_25g", "net.kind=switch", "net.hosts=9");
        struct rnicsim_net_totals t;
        add_dcqcn(&s);
        add(&s, paper ? "net.kmin=5000 B" : "net.kmin=100000 B");
        add(&s, paper ? "net.kmax=200000 B" : "net.kmax=400000 B");
        add(&s, paper ? "net.pmax=10000 ppm" : "net.pmax=200000 ppm");
        add(&s, "net.duration=400 ms");
        struct rnicsim_net *net = run(&s, &t);
        got[paper] = t.goodput_gbps;
        CU_ASSERT(port_of(net, "switch0", "host0").queue_late_most_bytes <= (paper ? 300000u : 480000u));
        rnicsim_net_destroy(net);
    }
    CU_ASSERT(got[0] > got[1]);
}

/* ---- congestion ---- */

/* 2:1 and 8:1 for 200 ms: fair, and the queue then stays between nothing and Kmax and what comes in a round trip. That of a frame which
 * finds Kmax before it is 130 us at both rates, so as much again might come; a sixth does. */
static void dcqcn_is_fair(void)
{
    static const struct {
        const char *board, *hosts, *kmin, *kmax;
        uint64_t most_bytes;
    } row[] = {
        {"kcu116_25g", "net.hosts=3", "net.kmin=100000 B", "net.kmax=400000 B", 400000 + 400000 / 6},
        {"kcu116_25g", "net.hosts=9", "net.kmin=100000 B", "net.kmax=400000 B", 400000 + 400000 / 6},
        {"u280_100g", "net.hosts=3", "net.kmin=400000 B", "net.kmax=1600000 B", 1600000 + 1600000 / 6},
        {"u280_100g", "net.hosts=9", "net.kmin=400000 B", "net.kmax=1600000 B", 1600000 + 1600000 / 6},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct setup s = setup_of(row[i].board, "net.kind=switch", row[i].hosts);
        struct rnicsim_net_totals t;
        add_dcqcn(&s);
        add(&s, row[i].kmin);
        add(&s, row[i].kmax);
        add(&s, "net.duration=400 ms"); /* the second half is after 200 ms */
        struct rnicsim_net *net = run(&s, &t);
        CU_ASSERT(t.jain >= 0.95 && t.drops == 0 && t.recovered_ps >= 0);
        CU_ASSERT(t.goodput_gbps > 0.9 * (i < 2 ? 24.86 : 99.43));
        struct rnicsim_net_port port = port_of(net, "switch0", "host0");
        CU_ASSERT(port.queue_late_most_bytes <= row[i].most_bytes);
        rnicsim_net_destroy(net);
    }
}

/* Without congestion control a flow whose own way is free waits behind an incast's paused frames; with it, it does not. */
static void head_of_line_blocking(void)
{
    double got[2];
    for (int i = 0; i < 2; i++) {
        struct setup s = setup_of("u280_100g", "net.kind=leaf_spine", "net.hosts=16");
        struct rnicsim_net_totals t;
        struct rnicsim_net_flow victim;
        add(&s, "net.victim=on");
        add(&s, "net.spines=1");
        add(&s, "net.duration=300 ms");
        if (i == 1)
            add_dcqcn(&s);
        struct rnicsim_net *net = run(&s, &t);
        CU_ASSERT(t.drops == 0);
        CU_ASSERT_EQUAL(rnicsim_net_flow(net, t.flows - 1, &victim), RNICSIM_OK);
        got[i] = victim.late_gbps;
        struct rnicsim_net_port up = port_of(net, "switch3", "switch4");
        CU_ASSERT(i == 0 ? up.paused_share > 0.5 : up.paused_share < 0.1);
        rnicsim_net_destroy(net);
    }
    CU_ASSERT(got[0] < 5);
    CU_ASSERT(got[1] > 4 * got[0]);
}

void suite_system_net_congestion(void);
void suite_system_net_congestion(void)
{
    CU_pSuite suite = CU_add_suite("system: networks under congestion", NULL, NULL);
    CU_add_test(suite, "cases of the field", cases_of_the_field);
    CU_add_test(suite, "thresholds of the paper", thresholds_of_the_paper);
    CU_add_test(suite, "DCQCN is fair", dcqcn_is_fair);
    CU_add_test(suite, "head-of-line blocking", head_of_line_blocking);
}
