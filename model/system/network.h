/* A network of 2 to 512 ideal hosts, switches and links, and its traffic: one simulation, for what queues, pauses and congestion control do.
 *
 * A host is ideal: it has what its flows send at once, in turn, each at its rate, and takes what it gets; DCQCN's two ends are those
 * of the NIC (transport/dcqcn). Each direction of a link is a decider: the port that sends, its queues (a class for CNPs and pause frames,
 * strict, and those of data), the frames under way, and what the far end does with them. Frames take their slot of the line, preamble,
 * padding, FCS and gap. */
#ifndef SYSTEM_NETWORK_H
#define SYSTEM_NETWORK_H

#include "config/config.h"
#include "kernel/heap.h"
#include "kernel/pool.h"
#include "kernel/sim.h"
#include "mac/fabric/buffer.h"
#include "mac/fabric/params.h"
#include "mac/params.h"
#include "transport/dcqcn.h"
#include "transport/params.h"

#define NET_HOSTS_MAX 512u
#define NET_CONTROL 0 /* the class of CNPs and pause frames */
#define NET_CLASSES 5 /* that and up to four of data */
#define NET_PAUSES_MAX 16
#define NET_BINS 400 /* of the duration, for delivered bytes */

enum network_packet_kind { NET_DATA, NET_CNP, NET_PAUSE, NET_RESUME };

struct network_packet {
    uint32_t next; /* in its queue, or behind it on the link */
    uint32_t flow;
    uint32_t bytes;   /* without FCS */
    uint32_t in_link; /* that it came in by, whose port's share of the buffer it takes */
    uint8_t kind, class, ce, place;
    int64_t ready_ps;  /* from when on it may be sent */
    int64_t arrive_ps; /* its head, or all of it, is at the far end */
    int64_t tail_ps;   /* all of it is */
};

struct network_queue {
    uint32_t first, last;                                /* POOL_NONE: empty */
    int64_t bytes, deficit, most_bytes, late_most_bytes; /* late: in the second half of the time */
};

struct network_pause { /* told by the peer, obeyed from an instant on */
    int64_t at_ps;
    int on;
};

struct network_link { /* one direction */
    struct network *net;
    uint32_t from, to, back; /* nodes; the other direction */
    int decider;
    int64_t rate_bps, delay_ps, octet_fs; /* of a byte */
    struct network_queue queue[NET_CLASSES];
    uint32_t turn; /* of deficit round robin */
    struct network_packet
        sent;        /* the newest: it may have arrived at a switch that cuts through before it has left here */
    int is_sending;  /* it has not left yet */
    int64_t free_ps; /* the line, from then on */
    uint32_t under_way_first, under_way_last;
    struct network_pause pause[NET_PAUSES_MAX];
    uint32_t pauses;
    struct buffer_port port; /* of the node `to`, where this link comes in */
    uint64_t frames, wire_bytes, marked, drops, pauses_sent;
    int64_t paused_from_ps; /* its data; SIM_NEVER: they may be sent */
    int64_t paused_ps;
    uint64_t marks_drawn;
};

struct network_node {
    uint32_t first_out, outs; /* in net.out: links that leave it */
    struct buffer buffer;     /* of a switch */
    uint32_t *route;          /* of a switch: for each host, offset in net.choice */
};

struct network_flow {
    uint32_t from, to;
    uint8_t class;
    int64_t left_bytes; /* INT64_MAX: without end */
    int64_t next_ps;
    struct dcqcn dcqcn;
    int64_t cnp_at_ps;                          /* of the last one sent for it */
    uint64_t sent_bytes, got_bytes, late_bytes; /* late: delivered in the second half of the time */
    int64_t done_ps;                            /* SIM_NEVER: not yet */
    uint64_t cnps;
};

struct network_host {
    struct heap flows; /* that have something to send, by when */
    uint64_t turns;
};

struct network {
    struct sim sim;
    const struct net_params *params;
    const struct mac_params *mac;
    const struct transport_params *transport;
    struct pool packets;
    uint32_t hosts, nodes, links; /* nodes: hosts first */
    struct network_node *node;
    struct network_link *link;
    uint32_t *out;    /* link numbers, by node */
    uint32_t *choice; /* route lists: a count and so many links */
    uint32_t choices, choice_room;
    struct network_host *host;
    struct network_flow *flow;
    uint32_t flows;
    uint64_t hops, delivered_frames;
    uint64_t bin_bytes[NET_BINS];
};

/* Builds it from a configuration, which must outlive it. Returns -1 and one line in `error`; network_free() is good then, too. */
int network_init(struct network *net, const struct config *config, uint64_t seed, jmp_buf *on_failure,
                 struct config_error *error);
void network_free(struct network *net);
void network_run(struct network *net);

/* ---- between network*.c ---- */

int network_build(struct network *net, struct config_error *error);   /* nodes, links, routes */
int network_traffic(struct network *net, struct config_error *error); /* hosts, flows */
/* A host's port is free at `now`: the next packet of its flows in `*packet`, or when to come again. */
int64_t network_host_next(struct network *net, uint32_t host, int64_t now, uint32_t *packet);
/* A packet is whole at a host. */
void network_host_take(struct network *net, uint32_t host, uint32_t packet, int64_t now);
/* Puts a packet into a port's queue, to be sent from ready_ps on. */
void network_enqueue(struct network *net, uint32_t link, uint32_t packet, int64_t ready_ps);
struct network_packet *network_packet(struct network *net, uint32_t packet);
uint32_t network_new_packet(struct network *net, enum network_packet_kind kind, uint32_t flow, uint32_t bytes,
                            uint8_t class);
int64_t network_slot_ps(const struct network *net, const struct network_link *link, uint32_t bytes, int with_gap);

#endif
