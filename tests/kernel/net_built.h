/* A reference netlist as built on the kernel. Internal to net_*.c. */
#ifndef TESTS_KERNEL_NET_BUILT_H
#define TESTS_KERNEL_NET_BUILT_H

#include "kernel/arb.h"
#include "kernel/path.h"
#include "tests/kernel/net_kernel.h"

#define WORD_BYTES 16
#define PATHS_MAX REF_FIFOS_MAX

struct built;

struct source {
    struct built *built;
    int node, decider, ahead;
    struct fifo *out;
    int item[REF_ITEMS_MAX], items, next;
    int posted; /* items that the source knows of: all, unless the world outside posts them */
    int64_t free_cyc, credit_cyc[REF_ITEMS_MAX];
    int returned;
};

struct sink {
    struct built *built;
    int node, decider, ahead;
    struct fifo *in;
    struct server server;
};

struct watched {
    struct built *built;
    int node;
};

struct built {
    const struct ref_net *net;
    struct sim *sim;
    struct ref_log *log;
    int paths;
    struct path path[PATHS_MAX];
    int path_writer[PATHS_MAX];
    struct fifo *fifo[REF_FIFOS_MAX];
    struct arb arb[REF_NODES_MAX];
    struct source source[REF_NODES_MAX];
    struct sink sink[REF_NODES_MAX];
    struct watched watched[REF_NODES_MAX];
    const struct server *server[REF_NODES_MAX];
    /* credits that the world outside has in hand: it is called by sim->stop */
    int outside, credits;
    struct {
        struct source *source;
        int64_t seen_cyc;
    } credit[REF_ITEMS_MAX];
    char *error;
    size_t error_size;
};

static inline const struct clk *clk_of(const struct ref_net *net, int node)
{
    return &net->clk[net->node[node].clk];
}

static inline uint32_t width_bytes_of(const struct ref_node *node)
{
    return (uint32_t)(node->width_words ? node->width_words : 1) * WORD_BYTES;
}

/* Builds all paths and deciders. 0, or -1 when the kernel refuses. */
int net_build(struct built *built, const struct net_options *options);

/* The test's deciders, and the watch on what is pushed behind a node. */
int64_t net_source_decide(void *self, int64_t now);
int64_t net_sink_decide(void *self, int64_t now);
void net_on_push(void *context, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes, uint32_t ref);
/* A credit reaches its source. */
void net_give_credit(struct built *built, struct source *source, int64_t seen_cyc);

#endif
