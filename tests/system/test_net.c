/* Networks of ideal hosts: times and shares; what goes in comes out or is counted. */
#include "tests/system/net_setup.h"

#include <stdlib.h>

/* ---- times ---- */

/* One frame of 1,000 B on an idle network, at 100G: preamble, frame and FCS take 80.96 ns, the first 64 B 5.76 ns, a wire of 3 m and the
 * transceivers 37.151 ns, a switch 300 ns. */
static void one_frame_takes_its_time(void)
{
    static const struct {
        const char *kind, *hosts, *forward;
        int64_t done_ps;
    } row[] = {
        {"net.kind=pair", "net.hosts=2", "net.forward=cut", 80960 + 37151},
        {"net.kind=switch", "net.hosts=2", "net.forward=cut", 5760 + 37151 + 300000 + 80960 + 37151},
        {"net.kind=switch", "net.hosts=2", "net.forward=store", 80960 + 37151 + 300000 + 80960 + 37151},
        {"net.kind=leaf_spine", "net.hosts=4", "net.forward=cut", 3 * (5760 + 37151 + 300000) + 80960 + 37151},
        {"net.kind=leaf_spine", "net.hosts=4", "net.forward=store", 3 * (80960 + 37151 + 300000) + 80960 + 37151},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct setup s = setup_of("u280_100g", row[i].kind, row[i].hosts);
        struct rnicsim_net_totals t;
        struct rnicsim_net_flow flow;
        add(&s, row[i].forward);
        add(&s, "net.flow=1000 B");
        add(&s, "net.leaves=2");
        add(&s, "net.start=100 us");
        struct rnicsim_net *net = run(&s, &t);
        uint32_t last = t.flows - 1; /* of the farthest host */
        CU_ASSERT_EQUAL(rnicsim_net_flow(net, last, &flow), RNICSIM_OK);
        int64_t took_ps = flow.done_ps - 1 - 100000000 * (int64_t)last;
        CU_ASSERT(took_ps >= row[i].done_ps && took_ps <= row[i].done_ps + 12); /* a picosecond a node and wake */
        CU_ASSERT_EQUAL(t.flows_done, t.flows);
        rnicsim_net_destroy(net);
    }
}

/* From a fast line to a slow one and back: never before the last bit is there. */
static void cut_through_waits_for_the_slow_line(void)
{
    struct setup s = setup_of("u280_100g", "net.kind=leaf_spine", "net.hosts=4");
    struct rnicsim_net_totals t;
    struct rnicsim_net_flow flow;
    add(&s, "net.uplink=25 Gbps");
    add(&s, "net.flow=1000 B");
    add(&s, "net.leaves=2");
    add(&s, "net.start=100 us");
    struct rnicsim_net *net = run(&s, &t);
    CU_ASSERT_EQUAL(rnicsim_net_flow(net, 2, &flow), RNICSIM_OK);
    /* 64 B in at 100G; 64 B at 25G; the frame at 25G, of which the last 80.96 ns are sent at 100G */
    int64_t due_ps = 5760 + 37151 + 300000 + 23040 + 37151 + 300000 + 4 * 80960 + 37151 + 300000 + 37151;
    int64_t took_ps = flow.done_ps - 1 - 200000000;
    CU_ASSERT(took_ps >= due_ps && took_ps <= due_ps + 12);
    rnicsim_net_destroy(net);
}

/* An incast through one switch, worked out from a list of all frames in the order in which they come to it: each waits for the one before.
 * Hosts begin 137 ns after each other, so that no two come at once. */
struct listed {
    int64_t at_ps;
    int host;
};

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct listed *)a)->at_ps, y = ((const struct listed *)b)->at_ps;
    return (x > y) - (x < y);
}

static void equals_a_sorted_list(void)
{
    enum { HOSTS = 7, FRAMES = 40, BYTES = 1000 };
    static const char *const forward[] = {"net.forward=cut", "net.forward=store"};
    for (int store = 0; store < 2; store++) {
        struct setup s = setup_of("u280_100g", "net.kind=switch", "net.hosts=8");
        struct rnicsim_net_totals t;
        struct listed frame[HOSTS * FRAMES];
        int64_t slot_ps = 81920, whole_ps = 80960, wire_ps = 37151, free_ps = 0, done_ps[HOSTS] = {0};
        add(&s, forward[store]);
        add(&s, "net.lossless=off");
        add(&s, "net.mtu=1000 B");
        add(&s, "net.flow=40000 B");
        add(&s, "net.start=137 ns");
        for (int i = 0; i < HOSTS * FRAMES; i++) {
            int host = i / FRAMES;
            frame[i] = (struct listed){
                1 + 137000 * host + slot_ps * (i % FRAMES) + (store ? whole_ps : 5760) + wire_ps + 300000, host};
        }
        qsort(frame, HOSTS * FRAMES, sizeof *frame, by_time);
        for (int i = 0; i < HOSTS * FRAMES; i++) {
            int64_t start_ps = frame[i].at_ps > free_ps ? frame[i].at_ps : free_ps;
            free_ps = start_ps + slot_ps;
            done_ps[frame[i].host] = start_ps + whole_ps + wire_ps;
        }
        struct rnicsim_net *net = run(&s, &t);
        CU_ASSERT_EQUAL(t.drops, 0);
        for (uint32_t i = 0; i < HOSTS; i++) {
            struct rnicsim_net_flow flow;
            CU_ASSERT(rnicsim_net_flow(net, i, &flow) == RNICSIM_OK);
            CU_ASSERT(flow.done_ps - done_ps[i] >= 0 && flow.done_ps - done_ps[i] <= 4);
        }
        rnicsim_net_destroy(net);
    }
}

/* ---- shares ---- */

/* An incast fills the receiver's line, to the arithmetic: frames of 4,178 B in slots of 4,202; nothing is lost that PFC holds back. */
static void incast_fills_the_line(void)
{
    static const char *const hosts[] = {"net.hosts=3", "net.hosts=9", "net.hosts=64"};
    for (int i = 0; i < 3; i++) {
        struct setup s = setup_of("u280_100g", "net.kind=switch", hosts[i]);
        struct rnicsim_net_totals t;
        add(&s, "net.ecn=off");
        add(&s, "net.duration=2 ms");
        struct rnicsim_net *net = run(&s, &t);
        CU_ASSERT(t.goodput_gbps > 99.429 - 0.04 && t.goodput_gbps < 99.429 + 0.04);
        CU_ASSERT(t.drops == 0 && t.pauses > 0);
        struct rnicsim_net_port port = port_of(net, "host1", "switch0");
        CU_ASSERT(port.paused_share > 0 && port.headroom_most_bytes > 0);
        rnicsim_net_destroy(net);
    }
}

static void all_to_all_and_permutation(void)
{
    static const struct {
        const char *pattern, *kind;
        double least;
    } row[] = {{"net.pattern=permutation", "net.kind=switch", 0.999},
               {"net.pattern=all_to_all", "net.kind=switch", 0.97},
               {"net.pattern=all_to_all", "net.kind=leaf_spine", 0.9}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct setup s = setup_of("u280_100g", row[i].kind, "net.hosts=64");
        struct rnicsim_net_totals t;
        add(&s, row[i].pattern);
        add(&s, "net.leaves=8");
        add(&s, "net.spines=8");
        struct rnicsim_net *net = run(&s, &t);
        CU_ASSERT(t.goodput_gbps > 64 * 99.429 * row[i].least && t.drops == 0);
        CU_ASSERT(t.bytes_of_memory < UINT64_C(64) * 4 * 1024 * 1024);
        CU_ASSERT(t.decisions < 3 * t.hops); /* a start and an arrival: whatever the number of hosts */
        rnicsim_net_destroy(net);
    }
}

/* Deficit round robin gives classes equal bytes; strict the first all. */
static void classes_share(void)
{
    for (int strict = 0; strict < 2; strict++) {
        struct setup s = setup_of("u280_100g", "net.kind=switch", "net.hosts=3");
        struct rnicsim_net_totals t;
        struct rnicsim_net_flow flow[2];
        add(&s, "net.classes=2");
        add(&s, "net.lossless=off");
        add(&s, "net.ecn=off");
        add(&s, strict ? "net.scheduler=strict" : "net.scheduler=drr");
        struct rnicsim_net *net = run(&s, &t);
        for (uint32_t i = 0; i < 2; i++)
            CU_ASSERT_EQUAL(rnicsim_net_flow(net, i, &flow[i]), RNICSIM_OK);
        CU_ASSERT(flow[0].late_gbps > (strict ? 99 : 49) && flow[0].late_gbps < (strict ? 100 : 51));
        CU_ASSERT(flow[1].late_gbps < (strict ? 1 : 51));
        rnicsim_net_destroy(net);
    }
}

/* ---- what goes in comes out ---- */

static void nothing_vanishes(void)
{
    static const char *const lossless[] = {"net.lossless=on", "net.lossless=off"};
    for (int i = 0; i < 8; i++) {
        struct setup s = setup_of("u280_100g", i & 2 ? "net.kind=leaf_spine" : "net.kind=switch", "net.hosts=16");
        struct rnicsim_net_totals t;
        add(&s, lossless[i & 1]);
        add(&s, i & 4 ? "net.pattern=all_to_all" : "net.pattern=incast");
        add(&s, "net.buffer=1 MiB");
        add(&s, "net.flow=50000 B");
        add(&s, "net.mtu=1082 B");
        s.seed = (uint64_t)i;
        struct rnicsim_net *net = run(&s, &t);
        struct rnicsim_net_flow flow;
        uint64_t sent = 0, got = 0;
        for (uint32_t k = 0; rnicsim_net_flow(net, k, &flow) == RNICSIM_OK; k++) {
            sent += flow.sent_bytes;
            got += flow.delivered_bytes;
            CU_ASSERT_EQUAL(flow.sent_bytes, 50000);
        }
        CU_ASSERT_EQUAL(got, t.delivered_bytes);
        if (i & 1) {
            CU_ASSERT(sent - got <= t.drops * 1082 && (t.drops == 0 || sent > got));
        } else {
            CU_ASSERT(t.drops == 0 && sent == got && t.flows_done == t.flows);
        }
        rnicsim_net_destroy(net);
    }
}

/* Headroom is enough where the closed form says so, and not with a frame less than is taken. */
static void headroom_is_needed(void)
{
    struct setup s = setup_of("u280_100g", "net.kind=switch", "net.hosts=9");
    struct rnicsim_net_totals t;
    add(&s, "net.ecn=off");
    add(&s, "net.response=2 us");
    struct rnicsim_net *net = run(&s, &t);
    uint64_t most = 0;
    struct rnicsim_net_port port;
    for (uint32_t i = 0; rnicsim_net_port(net, i, &port) == RNICSIM_OK; i++)
        most = port.headroom_most_bytes > most ? port.headroom_most_bytes : most;
    CU_ASSERT(t.drops == 0 && most > 5 * 4178);
    rnicsim_net_destroy(net);
    char less[64];
    snprintf(less, sizeof less, "net.headroom=%llu B", (unsigned long long)most - 1);
    add(&s, less);
    net = run(&s, &t);
    CU_ASSERT(t.drops > 0);
    rnicsim_net_destroy(net);
}

static void the_same_seed_the_same_bytes(void)
{
    uint64_t marked[3];
    for (int i = 0; i < 3; i++) {
        struct setup s = setup_of("u280_100g", "net.kind=switch", "net.hosts=5");
        struct rnicsim_net_totals t;
        add_dcqcn(&s);
        add(&s, "net.duration=5 ms");
        s.seed = i == 2 ? 9 : 1;
        rnicsim_net_destroy(run(&s, &t));
        marked[i] = t.marked;
    }
    CU_ASSERT(marked[0] == marked[1] && marked[0] > 0);
    CU_ASSERT_NOT_EQUAL(marked[0], marked[2]);
}

void suite_system_net(void);
void suite_system_net(void)
{
    CU_pSuite suite = CU_add_suite("system: networks of ideal hosts", NULL, NULL);
    CU_add_test(suite, "one frame takes its time", one_frame_takes_its_time);
    CU_add_test(suite, "cut-through waits for the slow line", cut_through_waits_for_the_slow_line);
    CU_add_test(suite, "equals a sorted list", equals_a_sorted_list);
    CU_add_test(suite, "an incast fills the line", incast_fills_the_line);
    CU_add_test(suite, "all to all, permutation", all_to_all_and_permutation);
    CU_add_test(suite, "classes share", classes_share);
    CU_add_test(suite, "nothing vanishes", nothing_vanishes);
    CU_add_test(suite, "headroom is needed", headroom_is_needed);
    CU_add_test(suite, "the same seed, the same bytes", the_same_seed_the_same_bytes);
}
