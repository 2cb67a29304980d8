/* What the tests of networks share: settings, a run, a port by name. */
#ifndef TESTS_SYSTEM_NET_SETUP_H
#define TESTS_SYSTEM_NET_SETUP_H

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
static const char *const net_dcqcn[] = {
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

static inline struct setup setup_of(const char *board, const char *kind, const char *hosts)
{
    struct setup s = {.board = board, .set = {kind, hosts}, .sets = 2, .seed = 1};
    return s;
}

static inline void add(struct setup *s, const char *set)
{
    s->set[s->sets++] = set;
}

static inline void add_dcqcn(struct setup *s)
{
    for (size_t i = 0; i < sizeof net_dcqcn / sizeof *net_dcqcn; i++)
        add(s, net_dcqcn[i]);
}

static inline struct rnicsim_net *run(const struct setup *s, struct rnicsim_net_totals *totals)
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
static inline struct rnicsim_net_port port_of(const struct rnicsim_net *net, const char *from, const char *to)
{
    struct rnicsim_net_port port = {0};
    for (uint32_t i = 0; rnicsim_net_port(net, i, &port) == RNICSIM_OK; i++)
        if (strcmp(port.from, from) == 0 && strcmp(port.to, to) == 0)
            return port;
    CU_FAIL("no such port");
    return port;
}

#endif
