/* Contexts that are not all on chip: a cache of each kind, what brings the missing ones from host memory, and who waits for them.
 *
 * A grant of the scheduler needs its QP's context, and a packet with payload in host memory also the region's entry (MPT) and the
 * translation of each page touched (MTT). A packet that is received needs its QP's context; an ACK, and data that makes a CQE, also
 * the CQ's (each QP has a CQ of its own); what takes a receive WQE of an SRQ also the SRQ's; data also the region's entry and the
 * translations of where it goes. They are looked up in this order, the next when the one before is there; what was found stays with the request, whatever the caches drop meanwhile.
 *
 * Hits take no time here: the lookup's latency is that of path sched and path rx. A miss is a DMA read through path sched and the
 * read engine, of at most so many of each kind; what more is missed waits, in order. The scheduler's decider does all of it: it alone
 * throws contexts out and pushes into path sched. A QP that misses has used its turn; the others go on, as long as a fetch is free.
 * Received packets are looked up as soon as they are judged, as far as the dispatch FIFO holds them, and dispatched in order.
 * A context is changed by its use; one that is thrown out then is written back through a FIFO of its own on the PCIe link.
 *
 * MTT: entries of 8 bytes, fetched in lines. With more than one level the lookup begins at the lowest level, goes up until a line is
 * there, and fetches the missing ones downwards, one after the other. */
#ifndef NIC_CONTEXT_H
#define NIC_CONTEXT_H

#include "kernel/fifo.h"
#include "kernel/heap.h"
#include "kernel/pool.h"
#include "nic/context_cache.h"
#include "pcie/pcie.h"

enum context_kind {
    CONTEXT_QPC,
    CONTEXT_CQC,
    CONTEXT_EQC,
    CONTEXT_SRQC,
    CONTEXT_MPT,
    CONTEXT_MTT,
    CONTEXT_RQE,
    CONTEXT_KINDS
};

#define CONTEXT_NONE POOL_NONE

struct context_table { /* of a kind */
    int on;            /* 0: all are on chip */
    struct context_cache cache;
    uint32_t bytes, fetches_most, fetches; /* fetches: under way */
    int64_t port_cyc;
    uint32_t ports_used;              /* in that cycle */
    uint32_t waits_first, waits_last; /* requests that wait for a fetch, in order; CONTEXT_NONE: none */
    uint64_t joined;                  /* accesses that found a fetch under way */
    uint64_t fetched, written_back, failed, port_waits;
    int64_t fetch_cyc; /* sum over fetches, from begin to end */
    int64_t wait_cyc;  /* sum over misses: until a fetch was free, or space for what is thrown out */
};

struct context_fetch {
    uint64_t key;
    int64_t begun_cyc;
    uint32_t entry;       /* in the cache, while it is still this key's */
    uint32_t first, last; /* requests that wait for it; CONTEXT_NONE: none */
    uint8_t kind, failed;
};

enum context_who { CONTEXT_OF_SCHEDULER, CONTEXT_OF_DISPATCH, CONTEXT_OF_LOOKUP };

/* All that a grant or a packet needs, and how far it has come. */
struct context_request {
    uint64_t page, pages_left; /* MTT: the page looked up now, and with it those to come */
    uint32_t qp;
    uint64_t region;
    uint64_t block; /* RQE: of receive WQEs */
    int block_missed;
    uint32_t job;       /* CONTEXT_OF_LOOKUP: for which it is */
    uint32_t misses;    /* fetches that it waited for */
    uint32_t next;      /* in a list of those that wait */
    int64_t since_cyc;  /* it waits for a fetch to be free; or: all is there */
    uint8_t who, wants; /* bits of enum context_kind, those that are still to come */
    uint8_t has_payload;
    uint8_t level; /* MTT: of the walk; CONTEXT_WALK_BEGINS */
    uint8_t done, failed;
};

struct contexts {
    int on; /* any table is, or there are units */
    struct context_table table[CONTEXT_KINDS];
    int page_shift;
    struct pool requests, fetches;
    struct heap arrived; /* fetches, by when what they bring can be used */
    struct heap again;   /* requests that look up again then */
    uint64_t arrivals, agains;
    struct fifo writes;            /* thrown out and changed */
    uint32_t *look;                /* ring beside the dispatch FIFO: the request of each packet looked up */
    uint32_t look_mask, look_next; /* the next packet to be looked up, counted as the FIFO does */
};

struct rnic;

extern const char *const context_name[CONTEXT_KINDS]; /* "qpc", as in its parameters */

int context_init(struct rnic *rnic, char *error, size_t error_bytes);
/* When the paths stand. */
int context_join(struct rnic *rnic);
/* The FIFO of what the NIC changes in host memory, contexts and atomics' values, where it is not there yet. Returns -1 without memory. */
int context_open_writes(struct rnic *rnic);
void context_free(struct rnic *rnic);

/* ---- for the scheduler, in its decide() ---- */

/* What has come since, and what waits goes on; returns the cycle in which to come again. */
int64_t context_run(struct rnic *rnic, int64_t now_cyc);
/* Whether all that a grant of the QP needs is there. */
int context_is_here(const struct rnic *rnic, uint32_t qp, int is_packet);
/* It is not: from which cycle on, not before at_cyc, it can be asked for; SIM_NEVER: I am woken. Also what the scheduler is blocked by. */
int64_t context_grant_at(struct rnic *rnic, uint32_t qp, int is_packet, int64_t at_cyc);
/* The QP whose turn it is asks for it. Its turn is used; it stays marked as queued until all is there: then scheduler_kick(). */
void context_grant(struct rnic *rnic, uint32_t qp, int is_packet, int64_t now_cyc);
/* It is there, and the QP is granted. */
void context_use(struct rnic *rnic, uint32_t qp, int is_packet);

/* ---- for dispatch, in its decide() ---- */

/* Looks up the packets judged by now; returns when the next one will be, SIM_NEVER: none, or I am woken. */
int64_t context_look_ahead(struct rnic *rnic, int64_t now_cyc);
/* When the next one is judged, after now; SIM_NEVER: none, or it is looked up when it is the front. */
int64_t context_next_look(const struct rnic *rnic, int64_t now_cyc);
/* The cycle from which on the front packet has all that it needs; SIM_NEVER: not known yet, and dispatch is woken. */
int64_t context_front_cyc(const struct rnic *rnic);
/* The front packet is to be taken: 1 when what it needs could not be read. */
int context_front_taken(struct rnic *rnic);

/* ---- for the PCIe link ---- */

/* The read of a context is done at at_cyc. */
void context_arrived(struct rnic *rnic, uint32_t read, int64_t at_cyc);
void context_describe(const struct rnic *rnic, uint32_t ref, struct pcie_write *write);

#endif
