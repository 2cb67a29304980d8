/* Networks of ideal hosts: times, shares, pauses, marks, DCQCN; what goes in comes out or is counted. */
#include "api/rnicsim.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#define SETS_MAX 40

struct setup {
    const char *board, *set[SETS_MAX];
    size_t sets;
    uint64_t seed;
};

/* Those of the author's simulator (bobzhuyb/ns3-rdma mix/config.txt), with the switches of alibaba-edu HPCC. */
static const char *const dcqcn[] = {
    "transport.congestion=dcqcn",
    "transport.cnp_interval=50 us",
    "transport.dcqcn_alpha_period=55 us",
    "transport.dcqcn_time_reset=60 us",
    "transport.dcqcn_byte_reset=300000 B",
    "transport.dcqcn_g=1020",
    "transport.dcqcn_alpha=1024",
    "transport.dcqcn_threshold=5",
    "transport.dcqcn_ai_rate=40 Mbps",
    "transport.dcqcn_hai_rate=200 Mbps",
    "transport.dcqcn_clamp=on",
    "transport.dcqcn_monitor=50 us",
    "transport.dcqcn_min_rate=1000 kbps",
};

static struct setup setup_of(const char *board, const char *kind, const char *hosts)
{
    struct setup s = {.board = board, .set = {kind, hosts}, .sets = 2, .seed = 1};
    return s;
}

static void add(struct setup *s, const char *set)
{
    s->set[s->sets++] = set;
}

static void add_dcqcn(struct setup *s)
{
    for (size_t i = 0; i < sizeof dcqcn / sizeof *dcqcn; i++)
        add(s, dcqcn[i]);
}

static struct rnicsim_net *run(const struct setup *s, struct rnicsim_net_totals *totals)
{
    struct rnicsim_net_options options = {.board = s->board,
                                          .set = s->set,
                                          .set_count = s->sets,
                                          .seed = s->seed,
                                          .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim_net *net;
    struct rnicsim_error error = {""};
    int result = rnicsim_net_create(&options, &net, &error);
    if (result == RNICSIM_OK)
        result = rnicsim_net_run(net, &error);
    if (result != RNICSIM_OK)
        printf("net: %s\n", error.text);
    CU_ASSERT_EQUAL_FATAL(result, RNICSIM_OK);
    rnicsim_net_totals(net, totals);
    return net;
}

/* The port "from" -> "to". */
static struct rnicsim_net_port port_of(const struct rnicsim_net *net, const char *from, const char *to)
{
    struct rnicsim_net_port port = {0};
    for (uint32_t i = 0; rnicsim_net_port(net, i, &port) == RNICSIM_OK; i++)
        if (strcmp(port.from, from) == 0 && strcmp(port.to, to) == 0)
            return port;
    CU_FAIL("no such port");
    return port;
}

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

void suite_system_net(void);
void suite_system_net(void)
{
    CU_pSuite suite = CU_add_suite("system: networks of ideal hosts", NULL, NULL);
    CU_add_test(suite, "one frame takes its time", one_frame_takes_its_time);
    CU_add_test(suite, "cut-through waits for the slow line", cut_through_waits_for_the_slow_line);
    CU_add_test(suite, "an incast fills the line", incast_fills_the_line);
    CU_add_test(suite, "all to all, permutation", all_to_all_and_permutation);
    CU_add_test(suite, "classes share", classes_share);
    CU_add_test(suite, "nothing vanishes", nothing_vanishes);
    CU_add_test(suite, "headroom is needed", headroom_is_needed);
    CU_add_test(suite, "cases of the field", cases_of_the_field);
    CU_add_test(suite, "thresholds of the paper", thresholds_of_the_paper);
    CU_add_test(suite, "the same seed, the same bytes", the_same_seed_the_same_bytes);
    CU_add_test(suite, "DCQCN is fair", dcqcn_is_fair);
    CU_add_test(suite, "head-of-line blocking", head_of_line_blocking);
}
