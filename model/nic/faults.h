/* What happens to frames between two NICs, by plan: they are lost, damaged, doubled or late, or find the responder unwilling.
 *
 * It makes no choice of its own: it runs inside the port that sends a frame. A frame that is late goes as another path would have it: those
 * behind it overtake it, and it takes its own place on the receiver's line when its time has come. Draws depend on the seed, the plan's line and
 * the count of frames that fitted (R5). */
#ifndef NIC_FAULTS_H
#define NIC_FAULTS_H

#include "kernel/heap.h"
#include "mac/line.h"

#include <stdint.h>

enum fault_action {
    FAULT_DROP,
    FAULT_CORRUPT,
    FAULT_DUPLICATE,
    FAULT_DELAY,
    FAULT_NOT_READY,
    FAULT_BAD_KEY,
    FAULT_MARK
};

enum fault_frames { /* bits: kinds of frames */
                    FAULT_SEND = 1,
                    FAULT_WRITE = 2,
                    FAULT_READ_REQUEST = 4,
                    FAULT_ATOMIC_REQUEST = 8,
                    FAULT_ANSWER = 16,
                    FAULT_ACK = 32,
                    FAULT_NAK = 64,
                    FAULT_CNP = 128
};

enum fault_times { FAULT_ANY_TIME, FAULT_FIRST_TIME, FAULT_AGAIN }; /* of a packet's transmissions */

struct fault {
    enum fault_action action;
    unsigned frames; /* enum fault_frames */
    uint32_t from;   /* the sending host; FAULT_ANY */
    uint32_t qpn;    /* of the sending end; 0: any */
    uint32_t psn;    /* FAULT_ANY */
    enum fault_times times;
    uint64_t request;       /* the nth that is posted, of all hosts, from 1; 0: any */
    int is_end;             /* of its request the last packet, or what acknowledges that */
    int64_t from_ps, to_ps; /* when its first byte is sent; to_ps SIM_NEVER: for ever */
    /* of those that fit: */
    uint64_t nth, every;      /* the nth; one in so many; 0: all */
    uint64_t most;            /* so many; 0: no limit */
    uint32_t probability_ppb; /* each with this probability; 0: all */
    int64_t delay_ps;

    uint64_t seen, done; /* that fitted; that it acted on */
};

#define FAULT_ANY UINT32_MAX

struct held_frame {
    uint32_t ref, bytes;
    int64_t word_cyc, last_cyc, takes_cyc; /* from its start on, of the line */
};

struct faults {
    struct fault *plan; /* of all, from the same order in both NICs: each looks at its own frames */
    uint32_t count, room;
    struct held_frame *held;
    struct heap waiting; /* of `held`, by the line's cycle in which they can begin */
    uint32_t held_room;
    int64_t free_cyc; /* of the receiver's end of the line, once a frame was late or doubled */
    uint64_t order;
    int64_t ahead_cyc; /* from a grant of the port to the line at the least, in the line's cycles */
};

struct rnic;

/* One more; -1 without memory. */
int faults_add(struct rnic *rnic, const struct fault *fault);
void faults_free(struct rnic *rnic);

/* The port has sent a frame: it goes on, or does not. */
void faults_take(struct rnic *rnic, uint32_t item, uint32_t bytes, const struct line_frame *frame);
/* The port's decision, first: what was held and is due goes on. Returns when to come again, in picoseconds. */
int64_t faults_release(struct rnic *rnic, int64_t now);

/* port.c: from now on its decision asks the plan. */
void port_send_by_plan(struct rnic *rnic);
/* A frame reaches the receiver's MAC. */
void port_deliver(struct rnic *rnic, uint32_t item, uint32_t bytes, int64_t word_at_cyc, int64_t last_at_cyc);

#endif
