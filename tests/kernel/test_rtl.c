/* The reference held against RTL: random traffic through small SystemVerilog blocks of our own under Verilator (tests/rtl),
 * every movement in the same cycle. The kernel is held against the same runs too. */
#include "tests/kernel/net_compare.h"
#include "tests/kernel/net_kernel.h"

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void suite_kernel_rtl_slow(void);

#define CASES 600
#define EDGES_MAX 5000000

#ifndef RNICSIM_SOURCE_DIR
#define RNICSIM_SOURCE_DIR "."
#endif

enum kind { CHAIN, CROSS, ARBITER, KINDS };

struct rtl_case {
    enum kind kind;
    struct ref_net net;
    struct ref_log rtl;
    int clks;
};

static const char *const kind_names[] = {"chain", "cross", "arbiter"};

static struct ref_node plain_node(enum ref_kind kind, int clk, int in, int out)
{
    return (struct ref_node){.kind = kind,
                             .clk = clk,
                             .interval_cyc = 1,
                             .latency_cyc = 1,
                             .threshold_beats = 1,
                             .credit_cyc = 1,
                             .inputs = kind != REF_SOURCE,
                             .in = {in},
                             .out = out};
}

/* The netlists of top.sv; node numbers as in harness.cpp. */
static void chain_net(struct ref_net *net)
{
    net->nodes = 4;
    net->fifos = 3;
    net->node[1] = plain_node(REF_SOURCE, 0, 0, 0);
    net->node[2] = plain_node(REF_STAGE, 0, 0, 1);
    net->node[3] = plain_node(REF_STAGE, 0, 1, 2);
    net->node[0] = plain_node(REF_SINK, 0, 2, 0);
    static const int row[3][2] = {{1, 2}, {2, 3}, {3, 0}};
    for (int f = 0; f < 3; f++)
        net->fifo[f] = (struct ref_fifo){.writer = row[f][0], .reader = row[f][1], .return_cyc = 1};
}

static void cross_net(struct ref_net *net)
{
    net->nodes = 3;
    net->fifos = 2;
    net->node[1] = plain_node(REF_SOURCE, 0, 0, 0);
    net->node[2] = plain_node(REF_STAGE, 1, 0, 1);
    net->node[0] = plain_node(REF_SINK, 0, 1, 0);
    net->fifo[0] = (struct ref_fifo){.writer = 1, .reader = 2, .flops = 2, .return_cyc = 1, .depth = 4};
    net->fifo[1] = (struct ref_fifo){.writer = 2, .reader = 0, .flops = 3, .return_cyc = 1, .depth = 8};
}

static void arbiter_net(struct ref_net *net)
{
    net->nodes = 5;
    net->fifos = 4;
    net->node[0] = plain_node(REF_SINK, 0, 3, 0);
    net->node[1] = plain_node(REF_ARBITER, 0, 0, 3);
    net->node[1].inputs = 3;
    for (int i = 0; i < 3; i++) {
        net->node[1].in[i] = i;
        net->node[2 + i] = plain_node(REF_SOURCE, 0, 0, i);
        net->fifo[i] = (struct ref_fifo){.writer = 2 + i, .reader = 1};
    }
    net->fifo[3] = (struct ref_fifo){.writer = 1, .reader = 0};
}

/* "set NAME NUMBER ...": 1 when it is understood. */
static int set_numbers(struct rtl_case *rtl, const char *line)
{
    struct ref_net *net = &rtl->net;
    int v[12];
    if (rtl->kind == CHAIN)
        return sscanf(line, "set depth %d %d %d", &net->fifo[0].depth, &net->fifo[1].depth, &net->fifo[2].depth) == 3;
    if (sscanf(line, "set strict %d", &net->node[1].strict) == 1)
        return 1;
    if (sscanf(line, "set interval %d %d %d", &net->node[2].interval_cyc, &net->node[3].interval_cyc,
               &net->node[4].interval_cyc) == 3)
        return 1;
    if (sscanf(line, "set links %d %d %d %d %d %d %d %d %d %d %d %d", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
               &v[7], &v[8], &v[9], &v[10], &v[11]) != 12)
        return 0;
    for (int i = 0; i < 4; i++) { /* one cycle more than the delays: the buffer is written, the counter counts */
        net->fifo[i].depth = v[3 * i];
        net->node[i < 3 ? 2 + i : 1].latency_cyc = v[3 * i + 1] + 1;
        net->fifo[i].return_cyc = v[3 * i + 2] + 1;
    }
    return 1;
}

static int add_serve(struct rtl_case *rtl, int node, struct ref_serve serve)
{
    if (node < 0 || node >= rtl->net.nodes || rtl->rtl.count[node] >= REF_ITEMS_MAX)
        return 0;
    rtl->rtl.serve[node][rtl->rtl.count[node]++] = serve;
    return 1;
}

/* One line of the harness: 0 not understood, 1 taken, 2 the case is complete. */
static int take_line(struct rtl_case *rtl, const char *line)
{
    static void (*const nets[])(struct ref_net *) = {chain_net, cross_net, arbiter_net};
    char name[16];
    int64_t num, den, phase;
    struct ref_item item;
    struct ref_serve serve;
    int node;
    if (sscanf(line, "case %15s", name) == 1) {
        *rtl = (struct rtl_case){.kind = KINDS};
        for (int k = 0; k < KINDS; k++)
            if (strcmp(name, kind_names[k]) == 0)
                rtl->kind = (enum kind)k;
        if (rtl->kind == KINDS)
            return 0;
        nets[rtl->kind](&rtl->net);
        rtl->net.clks = rtl->kind == CROSS ? 2 : 1;
        return 1;
    }
    if (sscanf(line, "clk %" SCNd64 " %" SCNd64 " %" SCNd64, &num, &den, &phase) == 3)
        return rtl->clks < 2 && clk_init(&rtl->net.clk[rtl->clks++], num, den, phase) == 0;
    if (sscanf(line, "item %d %" SCNd64 " %d %d", &item.source, &item.arrive_cyc, &item.words, &item.rest_cyc) == 4) {
        item.source += rtl->kind == ARBITER ? 2 : 1;
        rtl->net.item[rtl->net.items++] = item;
        return rtl->net.items < REF_ITEMS_MAX;
    }
    if (sscanf(line, "serve %d %d %" SCNd64 " %" SCNd64, &node, &serve.item, &serve.start_cyc, &serve.end_cyc) == 4)
        return add_serve(rtl, node, serve);
    return strcmp(line, "end\n") == 0 ? 2 : set_numbers(rtl, line);
}

/* Two clocks that are one would be no crossing to the kernel; the RTL has its flip-flops anyway. */
static int kernel_can(const struct ref_net *net)
{
    return net->clks < 2 || !clk_same(&net->clk[0], &net->clk[1]);
}

/* 1 when the reference and the kernel agree with the RTL. */
static int agrees(const struct rtl_case *rtl, int number)
{
    static struct ref_log want, got;
    const struct net_options plain = {0};
    char what[500];
    int failed = ref_tick_run(&rtl->net, &want, EDGES_MAX);
    if (failed)
        snprintf(what, sizeof what, "the reference did not end");
    memcpy(got.serve, rtl->rtl.serve, sizeof got.serve);
    memcpy(got.count, rtl->rtl.count, sizeof got.count);
    memcpy(got.high_water, want.high_water, sizeof got.high_water);
    memcpy(got.level_ps, want.level_ps, sizeof got.level_ps);
    if (!failed && net_compare(&rtl->net, &want, &got, what, sizeof what) == 0) {
        if (!kernel_can(&rtl->net) || (net_kernel_run(&rtl->net, &got, &plain, what, sizeof what) == 0 &&
                                       net_compare(&rtl->net, &want, &got, what, sizeof what) == 0))
            return 1;
        fprintf(stderr, "\nRTL case %d (%s): the kernel differs from the reference: %s\n", number,
                kind_names[rtl->kind], what);
        return 0;
    }
    fprintf(stderr, "\nRTL case %d (%s): wanted: the reference, got: the RTL: %s\n", number, kind_names[rtl->kind],
            what);
    return 0;
}

static void reference_against_rtl(void)
{
    static struct rtl_case rtl;
    char line[256], command[1024];
    const char *soak = getenv("RNICSIM_SOAK_SECONDS");
    int wanted = CASES + (soak ? 90 * atoi(soak) : 0); /* about a tenth of the time */
    long seed = soak ? (long)time(NULL) * 100000 : 1;
    int cases[KINDS] = {0}, number = 0, wrong = 0, kind;
    snprintf(command, sizeof command, "sh '%s/tests/rtl/run.sh' %d %ld", RNICSIM_SOURCE_DIR, wanted, seed);
    FILE *pipe = popen(command, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
    while (wrong < 3 && fgets(line, sizeof line, pipe)) {
        int taken = take_line(&rtl, line);
        wrong += taken == 0;
        if (taken == 0)
            fprintf(stderr, "\nRTL case %d: not understood: %s", number, line);
        if (taken != 2)
            continue;
        cases[rtl.kind]++;
        wrong += !agrees(&rtl, number++);
    }
    while (fgets(line, sizeof line, pipe))
        continue;
    int status = pclose(pipe);
    if (status != 0)
        CU_FAIL("tests/rtl/run.sh failed; it needs the packages verilator and g++ (what it said stands above)");
    CU_ASSERT_EQUAL(wrong, 0);
    for (kind = 0; kind < KINDS; kind++)
        CU_ASSERT(wrong || cases[kind] == wanted / KINDS);
}

void suite_kernel_rtl_slow(void)
{
    CU_pSuite suite = CU_add_suite("kernel rtl", NULL, NULL);
    CU_add_test(suite, "reference and kernel against RTL", reference_against_rtl);
}
