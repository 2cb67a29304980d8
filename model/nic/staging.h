/* Memory on the board that received payload goes through on its way to the write engine (nic.staging): DDR or HBM.
 *
 *   path respond -> [D staging: a write, then a read] -> staged FIFO -> write engine
 *
 * Each packet is written and read again, in order, so the memory carries every byte twice: 100 Gb/s are 25 GB/s, more than the 19.2 of a
 * channel of DDR4-2400. Packets are spread over the channels in turn; the buffer is a ring in each. A channel does one access at a time, whoever asked
 * first, and takes for it
 *   bursts * burst / rate + row misses * row_miss + turnaround (write after read, or read after write),
 * and rests for memory_refresh every memory_refresh_interval. A row stays open until another is asked for. A read's data comes memory_latency
 * behind its access. */
#ifndef NIC_STAGING_H
#define NIC_STAGING_H

#include "kernel/fifo.h"
#include "kernel/level.h"
#include "kernel/space.h"

#define STAGING_CHANNELS_MAX 32u

struct staging_packet {
    uint32_t ref, bytes;
    int64_t written_cyc; /* from then on it can be read */
};

struct staging_channel {
    int64_t free_ps;
    uint64_t written, read; /* bytes, whole bursts: where in its ring */
    uint64_t open_row;
    int was_read;
};

struct staging {
    int on;
    int decider;
    struct fifo out;    /* what the write engine reads */
    struct space space; /* units of 64 B, user cycles */
    struct level level;
    struct staging_packet *packet; /* a ring */
    uint32_t mask, next, first;    /* written so far; read so far */
    uint32_t taken;                /* of path respond */
    int64_t given_cyc, forwarded_cyc, released_cyc;
    struct staging_channel channel[STAGING_CHANNELS_MAX];
    uint64_t accesses, row_misses;
    int64_t work_ps; /* of all channels */
};

struct rnic;

int staging_init(struct rnic *rnic, char *error, size_t error_bytes);
/* When the paths stand. */
int staging_join(struct rnic *rnic);
int staging_declare(struct rnic *rnic);
void staging_free(struct rnic *rnic);
/* Packets that path respond has given and the write engine has not taken. */
uint32_t staging_packets(const struct rnic *rnic);

#endif
