/* The fabric-side requester: user logic in the FPGA that posts requests and supplies their payload. No doorbell, no WQE fetch, no
 * payload read over PCIe, no CQE.
 *
 * stream: the payload of a request follows its post on an AXI stream (nic.fabric_width, nic.fabric_clock; a beat every fabric_interval,
 *   fabric_gap between two requests) into the payload buffer, which is its staging buffer: a packet's space is reserved when its first
 *   beat comes, and without space the stream is stopped (tready low). A packet is granted when it is there whole.
 * memory: the payload lies in memory on the board and is read when its packet is granted: nic.fabric_memory until the first beat, then
 *   a beat a cycle of the same width and clock, one packet after the other.
 *
 * Streaming chooses nothing: it runs ahead inside whoever posts, or frees space. */
#ifndef NIC_FABRIC_H
#define NIC_FABRIC_H

#include "kernel/agenda.h"
#include "kernel/clk.h"
#include "kernel/pool.h"
#include "kernel/rnd.h"

#include <stddef.h>

struct rnic;
struct qp;

struct fabric_packet {   /* in the staging buffer, not yet granted: a list a QP */
    int64_t visible_cyc; /* user cycle in which its last beat is there */
    uint32_t next;
};

struct fabric {
    struct clk clk;
    int64_t flops;          /* between it and the user clock; 0: the same */
    struct agenda posts;    /* user cycle in which the scheduler sees it -> QP << 32 | count */
    struct agenda messages; /* to be streamed, in the order of their posts */
    uint32_t offset_bytes;  /* into the first of them */
    int64_t free_cyc;       /* the stream's next beat; its cycles */
    int64_t work_cyc, wait_cyc;
    uint64_t packets;
    int waits_for_space;
    struct pool staged; /* struct fabric_packet */

    struct rnd_table memory;
    uint64_t memory_stream, memory_reads;
    int64_t memory_free_cyc;
    uint32_t memory_asked; /* so many payloads, in the order of their operations, have their time */
};

/* Returns -1 with one line in `error`. */
int fabric_init(struct rnic *rnic, char *error, size_t error_bytes);
void fabric_free(struct rnic *rnic);
/* The least time (ps) from a post until the scheduler can see it. */
int64_t fabric_least_ps(const struct rnic *rnic);
/* User logic posts `count` messages, already in the QP's send ring, at at_ps. Returns -1 without memory. */
int fabric_post(struct rnic *rnic, uint32_t qp, uint32_t count, int64_t at_ps);
/* Streams what is posted as far as space is known. */
void fabric_stream(struct rnic *rnic);
/* The scheduler takes the posts that it sees by now_cyc; returns when it sees the next. */
int64_t fabric_take_posts(struct rnic *rnic, int64_t now_cyc);
/* Of a stream: from which user cycle on the QP's next packet can be granted as far as its payload goes; SIM_NEVER: not told yet. */
int64_t fabric_ready_cyc(const struct rnic *rnic, const struct qp *qp);
/* That packet is granted. */
void fabric_take_packet(struct rnic *rnic, struct qp *qp);
/* When the payload of the oldest operation, begun at begun_cyc, is read from memory; asked for once an operation, in order. */
int64_t fabric_read_cyc(struct rnic *rnic, int64_t begun_cyc, uint32_t bytes);

#endif
