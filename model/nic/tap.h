/* Frames as somebody sees them who listens at the line, at either NIC's end of it: kept until they are asked for, in order of time (R11).
 *
 * What is seen is written down when the port sends a frame and when the peer's MAC is given it, each for its own instant. Costs nothing where nobody
 * listens. What stands in a frame is what the transport knows of it (IBTA vol. 1, 9.3). */
#ifndef NIC_TAP_H
#define NIC_TAP_H

#include "kernel/heap.h"
#include "kernel/pool.h"

#include <stdint.h>

struct tap_frame {
    int64_t at_ps;   /* its first byte, of the preamble, passes */
    uint32_t host;   /* where */
    uint8_t is_sent; /* by that host; else it comes in */
    uint8_t is_bad;  /* its FCS is wrong: it was damaged, or sent so */
    uint8_t again;   /* it was sent before */
    uint8_t opcode;  /* enum wire_transport and wire_operation */
    uint8_t ack_request, solicited, syndrome, service_level;
    uint8_t ecn;    /* of the IP header: 2: it can be marked, 3: it is */
    uint32_t bytes; /* without FCS and padding */
    uint32_t payload_bytes;
    uint32_t source_qpn, destination_qpn;
    uint32_t psn, msn;
    uint64_t address; /* of a RETH or AtomicETH */
    uint32_t rkey, dma_bytes, immediate;
    uint32_t qkey, srqn;           /* of a DETH, of an XRCETH */
    uint64_t swap_or_add, compare; /* of an atomic, where payload holds something */
    uint32_t block; /* then: of the payload, or an atomic's answer; to be given back. POOL_NONE: nothing */
};

struct tap { /* of both NICs of a pair */
    int on;
    struct pool seen; /* struct tap_frame */
    struct heap waiting;
    uint64_t count[2][2]; /* by host, and whether it sends: the order at one instant */
};

struct rnic;

/* Before anything is sent. -1 without memory. */
int tap_turn_on(struct tap *tap, struct rnic *pair);
/* port.c: from now on it tells the tap. */
void port_watch(struct rnic *rnic, struct tap *tap);
void tap_free(struct tap *tap);
/* The port sends a frame that begins at start_cyc of its line; the peer's MAC gets it, its last byte at last_cyc. */
void tap_sent(struct rnic *rnic, uint32_t item, uint32_t bytes, int64_t start_cyc);
void tap_received(struct rnic *rnic, uint32_t item, uint32_t bytes, int64_t last_cyc);
/* The next one up to now; 0: none. */
int tap_take(struct tap *tap, int64_t now_ps, struct tap_frame *out);

#endif
