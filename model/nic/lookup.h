/* Units that look up contexts and translations for all paths of the NIC, and the stations in which packets wait for them
 * (nic.context_unit; 0: there are none, and lookups are latencies of the paths).
 *
 * Channels ask: the send queues (a QP's visit), packets to be sent, packets received, ACKs received. Each has a station in front
 * of each unit, first for the context, then for the translation. A packet that takes a receive WQE asks in between for that WQE's
 * address, through the channel of receive queues, and then a second time for its CQE's:
 *
 *   arrival -> [station: station_in cycles, one at a time; room for station_entries, station_tags]
 *           -> [unit: one lookup an interval, the channels in turn; latency; misses are fetched meanwhile, others go on]
 *           -> [station: station_out cycles; station_interval each entry, station_turn behind the last of a packet]
 *           -> the next station, or whoever acts on what was found; if that one cannot take it, the station's output waits
 *
 * A QP's visit: its turn (scheduler.c), context, translation of its send queue's address, then the WQE unit, which serves one
 * QP at a time: a WQE that is in the QP's cell is parsed, else a block of them is read over PCIe first, and all wait. Out comes
 * one packet, for the send channel; the QP goes back to the scheduler. Cells belong to QPs by their number; a QP that finds another in
 * its cell takes it.
 *
 * All of it runs inside the scheduler's decision: it alone fetches contexts, reads payload and, here, writes what is behind dispatch. */
#ifndef NIC_LOOKUP_H
#define NIC_LOOKUP_H

#include "kernel/heap.h"
#include "kernel/pool.h"
#include "kernel/space.h"
#include "nic/params.h"

#include <stddef.h>
#include <stdint.h>

enum lookup_unit { LOOKUP_CONTEXT, LOOKUP_TRANSLATION, LOOKUP_UNITS };
enum lookup_channel { LOOKUP_QUEUE, LOOKUP_RECEIVE, LOOKUP_SEND, LOOKUP_DATA, LOOKUP_ACK, LOOKUP_CHANNELS };

#define LOOKUP_NONE POOL_NONE

/* A QP's visit or a packet, on its way through its channel's stations. */
struct lookup_job {
    uint32_t qp;  /* index */
    uint32_t ref; /* the packet's item */
    uint32_t next;
    uint32_t parked_next; /* in the station */
    uint8_t channel, unit;
    uint8_t has_response; /* and the station knows */
    uint8_t entries;      /* that it takes in the translation's station: 2 where the ACK has one of its own */
    uint8_t failed;       /* what it needs could not be read */
    uint8_t
        is_cqe; /* of a received message, behind its last packet; the ACK with it. ref: the message, psn: the packet's */
    uint32_t psn;
    int64_t parse_cyc; /* of a block of receive WQEs that was missing */
    uint32_t misses;
    int64_t at_cyc;  /* it is at the station; then: its response is */
    uint32_t record; /* of the log; LOOKUP_NONE */
};

struct lookup_station {
    uint32_t waits_first, waits_last; /* jobs in front of it, in order */
    uint32_t entries, tags;           /* taken */
    int64_t in_free_cyc;
    uint32_t asks; /* the job that is taken in, then waits for the unit */
    int asks_now;  /* it does */
    uint32_t parked_first,
        parked_last; /* from the begin of taking in, in order: those of a QP leave in order, whatever is found first */
    uint32_t found_first, found_last; /* responses that the station has not looked at */
    uint32_t leaves;                  /* the job at the output */
    int64_t out_free_cyc;
};

struct lookup_server {
    int64_t latency_cyc, interval_cyc, free_cyc;
    unsigned last; /* channel that was served */
    uint64_t items;
    int64_t work_cyc;
};

/* What happened to one lookup, user cycles. */
struct lookup_record {
    uint32_t qp;
    uint8_t channel, unit, misses;
    int64_t came_cyc, begun_cyc, found_cyc,
        left_cyc; /* at the station, in the unit, its response, out of the station */
};

struct lookup {
    int on;
    struct pool jobs;
    struct heap events;
    uint64_t ordinal;
    struct lookup_server unit[LOOKUP_UNITS];
    struct lookup_station station[LOOKUP_CHANNELS * LOOKUP_UNITS]; /* see lookup_station_of() */
    uint32_t blocked; /* bits of stations whose output could not be taken: tried again whenever something happens */

    uint32_t wqe_job; /* the visit in the WQE unit */
    int wqe_state;    /* see visit.c, and from which cycle on it can go on */
    int64_t wqe_cyc;
    uint32_t gives_job; /* the visit whose packet waits for its first station, or has just been taken in; until when */
    int64_t gives_cyc;
    int64_t packet_cyc; /* the next packet is not made before */
    uint32_t read_ref;  /* the packet whose payload is to be asked for next, from read_cyc on */
    int read_has_failed;
    int64_t read_cyc;
    uint64_t rings_bytes; /* of all QPs */
    uint32_t receive_job; /* the received packet that waits for its receive WQE, which is there at receive_cyc */
    int64_t receive_cyc, receive_free_cyc;
    uint32_t *cell; /* the QP that each cell of WQEs belongs to; LOOKUP_NONE */
    uint32_t cells;

    struct space unacked;      /* packets of all QPs; no depth: no limit */
    int64_t returned_free_cyc; /* the same of answers */
    int64_t scatter_free_cyc;  /* the write side of dispatch */

    struct lookup_record *record; /* NULL: not asked for */
    uint32_t records, records_room;
    struct lookup_record unkept; /* of all others */
};

struct rnic;
struct qp;

/* Whole pages of a ring. */
static inline uint64_t lookup_ring_bytes(uint32_t mask, uint64_t entry_bytes)
{
    return (((uint64_t)mask + 1) * entry_bytes + 4095) & ~UINT64_C(4095);
}
/* A new QP's rings have their place behind those of the others. */
void lookup_add_rings(struct rnic *rnic, uint32_t qp);

extern const char *const lookup_channel_name[LOOKUP_CHANNELS];

int lookup_init(struct rnic *rnic, char *error, size_t error_bytes);
void lookup_free(struct rnic *rnic);
/* Keeps what happens to the first `room` lookups. -1: no memory. */
int lookup_watch(struct rnic *rnic, uint32_t room);

/* ---- for the scheduler, in its decide() ---- */

/* What is due by now; returns the cycle in which to come again. */
int64_t lookup_run(struct rnic *rnic, int64_t now_cyc);
/* An ACK, or an answer, has come for so many of the QP's packets; inside the decision to retire. */
void lookup_acknowledged(struct rnic *rnic, struct qp *qp, uint32_t packets, int64_t now_cyc);
/* When the QP whose turn it is can begin its visit, not before at_cyc; SIM_NEVER: not known yet. */
int64_t visit_grant_at(const struct rnic *rnic, int64_t at_cyc);
/* The QP, the first in the queue, begins it. It stays marked as queued until its packet is made. */
void visit_begin(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
/* The block of WQEs that the WQE unit waits for is here, parsed. */
void visit_fetched(struct rnic *rnic, uint32_t qp, int has_failed, int64_t now_cyc);

/* When a packet of so many bytes of payload can be built, as its payload is there, behind the one before. */
int64_t lookup_build_cyc(const struct rnic *rnic, uint32_t payload_bytes);

/* ---- for contexts that were missing ---- */

/* All that the request of a job needs is there. */
void lookup_found(struct rnic *rnic, uint32_t job, int has_failed, int64_t now_cyc);

/* ---- between lookup.c, visit.c and lookup_receive.c ---- */

static inline struct lookup_job *lookup_job(const struct lookup *lookup, uint32_t index)
{
    return (struct lookup_job *)lookup->jobs.slot + index;
}

static inline unsigned lookup_station_of(unsigned channel, unsigned unit)
{
    return channel * LOOKUP_UNITS + unit;
}

/* Cycles that payload takes, beat by beat. */
static inline int64_t lookup_beats(const struct nic_params *params, uint32_t payload_bytes)
{
    int64_t width_bytes = params->port_width / 8;
    return (payload_bytes + width_bytes - 1) / width_bytes;
}

/* What happens at a cycle. */
enum lookup_event { LOOKUP_ASKS, LOOKUP_RESPONSE, LOOKUP_TAG, LOOKUP_LEAVES, LOOKUP_LOOK_AGAIN };
void lookup_at(struct rnic *rnic, int64_t cyc, enum lookup_event event, uint32_t what);

/* Whether a channel's station takes another job: none waits in front of it. */
static inline int lookup_has_room(const struct lookup *lookup, enum lookup_channel channel, enum lookup_unit unit)
{
    return lookup->station[lookup_station_of(channel, unit)].waits_first == LOOKUP_NONE;
}
/* A new job enters the channel's first station at a cycle. */
void lookup_enter(struct rnic *rnic, enum lookup_channel channel, uint32_t qp, uint32_t ref, uint32_t entries,
                  int64_t at_cyc);

/* A job leaves its translation: the cycle in which it, or the last of its entries, is taken; or it is not taken now, and comes again
 * in *again_cyc; SIM_NEVER: when something happens. */
#define LOOKUP_NOT_TAKEN INT64_MIN
int64_t visit_to_wqes(struct rnic *rnic, uint32_t job, int64_t now_cyc, int64_t *again_cyc);
int64_t visit_to_read(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc);
int64_t lookup_to_write(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc);
int64_t lookup_to_cqe(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc);
int64_t lookup_to_retire(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc);
/* Its packet is taken in by the first station at a cycle: until then no other is made. */
void visit_taken_in(struct rnic *rnic, int64_t start_cyc);
/* The WQE unit, and the read of payload, go on as far as they can. */
void visit_wqe_run(struct rnic *rnic, int64_t now_cyc);
void visit_read_run(struct rnic *rnic, int64_t now_cyc);
/* What a job needs is looked up, so many pages of it; then, now or when what is missing has come, lookup_found(). */
void context_look_up(struct rnic *rnic, uint32_t job, int64_t now_cyc, uint32_t *pages);
/* A job out of its context's station, or a new one, comes to its translation's at at_cyc. */
void lookup_come(struct rnic *rnic, uint32_t job, enum lookup_unit unit, int64_t at_cyc, int64_t now_cyc);
/* A received packet leaves its context: the same as above. */
int64_t lookup_place(struct rnic *rnic, uint32_t job, int64_t now_cyc, int64_t *again_cyc);
/* An ACK, or a packet of an answer, leaves its context; if it is an answer's last, its CQE comes behind it. */
int64_t lookup_ack_gap(const struct rnic *rnic, const struct lookup_job *job);
void lookup_answer_cqe(struct rnic *rnic, uint32_t qp, uint32_t ref, int64_t at_cyc, int64_t now_cyc);
/* The receive WQE's lookup is done. */
void lookup_has_place(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc);
void lookup_place_run(struct rnic *rnic, int64_t now_cyc);
/* A judged frame will be there: the scheduler is woken. */
void lookup_frame_came(struct rnic *rnic);
/* Judged frames enter their channels. Returns when the next will be there. */
int64_t lookup_take_frames(struct rnic *rnic, int64_t now_cyc);

#endif
