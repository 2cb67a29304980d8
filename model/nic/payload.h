/* The payload buffer as hardware has it, and the table of what may have to be sent again. With their defaults none of it costs or changes
 * anything: units of 64 B, a list that is never in the way, a RAM with a port for each side, and no table.
 *
 *   grant of a packet -> chunks from the free list -> written as the read's completions come -> read into path payload -> chunks back
 *
 * Chunks: a packet takes whole ones (nic.payload_chunk); what it leaves of the last is lost (internal fragmentation). The list of free ones
 * has two sides in fixed turns, so that neither waits for the other: nic.payload_free_list cycles are for a chunk taken and one put back. The
 * chunks of a packet are taken from the grant of the one before on, and it can be granted when they are there; they are put back, one after the
 * other, from the end of the packet's stay on.
 * RAM: beats go over its banks in turn, so with banks * ports >= 2 the write and the read side, a beat a cycle each, meet once at the most. A single
 * bank with a single port has fixed turns: each side has every other cycle, and a packet of n beats takes 2n of either.
 * Table: nic.retransmit_entries packets of all QPs, from when each is cut until it is acknowledged. */
#ifndef NIC_PAYLOAD_H
#define NIC_PAYLOAD_H

#include "kernel/level.h"
#include "kernel/space.h"

#include <stddef.h>

struct payload {
    int is_gated;  /* a packet's place is no matter of units of 64 B only: what is below, or user logic has taken it */
    int is_kept;   /* something is kept until the ACK: payload, or an entry of the table */
    int is_slow;   /* a single port */
    int shift;     /* log2 of a chunk's bytes */
    int waits_for; /* enum rnic_wait: what came last for the packet that was asked for */
    int64_t granted_cyc, returned_cyc; /* the list: the latest packet with payload; until when chunks are put back */
    int64_t written_cyc, read_cyc;     /* the RAM: until when each side is taken */
    uint64_t allocations, packets;     /* of the list; through the RAM */
    int64_t list_work_cyc, ram_work_cyc;
    uint64_t asked_bytes, held_bytes; /* sums over packets, where it is gated: payload, and the chunks that it took */

    struct space entries; /* of the table, user cycles; no depth: there is none */
    struct level entries_level;
};

struct rnic;
struct qp;

/* The buffer, too (rnic.payload_space). Returns 0, or -1 with one line in `error`. */
int payload_init(struct rnic *rnic, char *error, size_t error_bytes);
void payload_free(struct rnic *rnic);

/* When the QP's next packet finds its chunks and its entry; SIM_NEVER: not decided yet, and who gives them back wakes the scheduler. Only where
 * it is gated, as all of these. */
int64_t payload_packet_when(struct rnic *rnic, const struct qp *qp);
/* The same of chunks for so many bytes. */
int64_t payload_chunks_when(struct rnic *rnic, uint32_t bytes);
/* They are taken at the cycle; they leave the buffer at it. */
void payload_take(struct rnic *rnic, uint32_t bytes, int64_t cyc);
void payload_give(struct rnic *rnic, uint32_t bytes, int64_t cyc);

/* A packet of the QP is being cut, and something of it is to be kept: 1 when that leaves no room for another, so that it must ask for an ACK. */
int payload_is_last(const struct rnic *rnic, const struct qp *qp) __attribute__((pure, cold));
/* It takes its entry, if there is a table; so many packets are acknowledged. */
void payload_keep(struct rnic *rnic, int64_t cyc);
void payload_forget(struct rnic *rnic, uint32_t packets, int64_t cyc);

/* A packet whose payload is there at done_cyc goes through the RAM: when it can go on. Packets come in order. */
int64_t payload_through_ram(struct rnic *rnic, uint32_t bytes, int64_t done_cyc);

#endif
