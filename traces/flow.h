/* What the packets of a capture tell of connections: requests rebuilt from their packets, what answers them, and what breaks the rules of RC.
 *
 * A flow is all that goes from one address to one QP of another: a QP's requests, and its answers to the requests of its peer. A packet does not say
 * which QP sent it, so that two flows are known as the ends of one connection from the first answer that fits. Requests are put together in order
 * of PSN, as the responder does it: what is missing may come later, and is given up when what is behind it has been acknowledged. Sources:
 * IBTA vol. 1, 9.7; what real captures do and a rule must not call wrong: ACKs for several packets, a second NAK when a duplicate came between,
 * any credit count (frames of mlx4, hfi1's sources). */
#ifndef TRACES_FLOW_H
#define TRACES_FLOW_H

#include "traces/capture.h"
#include "traces/map.h"

#define FLOW_NONE UINT32_MAX
#define FLOW_TIMER_LEAST_NS 8192 /* the shortest ACK timer: a copy that comes sooner was not sent again by a timer */

/* A packet that is not yet acknowledged, or a hole: PSNs of which none has come. */
struct flow_slot {
    uint32_t psn, psns; /* of a READ as many as its answer has */
    uint8_t is_hole, again, opcode, solicited;
    uint32_t payload_bytes, dma_bytes, rkey, immediate;
    uint64_t address, swap, compare;
    uint32_t messages; /* of the flow that are complete with it, once it is put together */
    int64_t at_ns;
    uint64_t packet;
};

struct flow_message {
    uint32_t flow;
    uint8_t opcode; /* of its first packet; and of its last: whether it has an immediate */
    uint8_t last_opcode, solicited;
    uint32_t bytes, rkey, immediate;
    uint64_t address, swap, compare;
    int64_t at_ns; /* of its first packet */
};

struct flow {
    uint8_t source[16], destination[16];
    uint32_t qpn;         /* at the destination */
    uint32_t index, peer; /* the flow the other way; FLOW_NONE: not known */
    uint16_t source_port;
    uint8_t transport;  /* enum wire_transport */
    uint32_t mtu_bytes; /* 0: not seen yet */
    uint32_t largest_bytes;

    /* its requests */
    struct flow_slot *slot; /* in order of PSN; those from `drained` on are not put together yet */
    size_t slots, drained, room;
    uint32_t psn_next;
    struct flow_message open;           /* being put together */
    int is_open, is_in_step, is_broken; /* is_broken: it was, until a hole */
    uint32_t open_bytes;
    uint64_t packets, messages, bytes, gaps, missing, came_later, again, duplicates, incomplete, begun_anew;
    uint64_t acked_messages, most_outstanding;
    uint32_t last_psn; /* of the request packet before */
    int64_t last_at_ns;
    uint64_t again_since_nak;

    /* its answers to the requests of the peer */
    uint64_t acks, naks[WIRE_NAKS], rnr, responses, responses_missing, responses_again, unseen;
    int has_acked, msn_known, has_nak, has_answered;
    uint32_t acked_psn, acked_msn, msn_base, nak_psn, answered_psn;
    struct rnicsim_hist *rtt; /* from a request's packet to what acknowledges it first, ps */
};

/* A rule that is broken; a message that is complete. */
typedef void flow_fault(void *context, const struct capture_packet *packet, const char *text);
typedef int flow_done(void *context, const struct flow_message *message); /* -1: no memory */

struct flows {
    struct flow **flow;
    size_t count, room;
    struct trace_map index; /* by a digest of the addresses and the QP */
    flow_fault *fault;
    flow_done *done;
    void *context;
    const struct capture_packet *packet; /* the one that is taken */
    int has_failed;                      /* no memory */
};

/* Takes a packet of RC, XRC or UC whose headers are known. 0, or -1 without memory. */
int flows_take(struct flows *flows, const struct capture_packet *packet);
/* At the capture's end: what can be put together still is. */
int flows_end(struct flows *flows);
void flows_free(struct flows *flows);

/* ---- between the files ---- */

__attribute__((format(printf, 2, 3))) void flow_complain(const struct flows *flows, const char *format, ...);
void flow_take_request(struct flows *flows, struct flow *flow, const struct capture_packet *packet);
/* All up to the PSN was received: it is acknowledged. */
void flow_acked(struct flows *flows, struct flow *flow, uint32_t psn);
/* The slot with this PSN; NULL: it is not known (any more). */
struct flow_slot *flow_find(struct flow *flow, uint32_t psn);
void flow_drain(struct flows *flows, struct flow *flow, int gives_up, uint32_t up_to_psn);
/* A message is complete. */
void flow_deliver(struct flows *flows, const struct flow_message *message);
/* An answer on `flow` to a request of `requests`. */
void flow_take_answer(struct flows *flows, struct flow *flow, struct flow *requests,
                      const struct capture_packet *packet);
/* FIRST and MIDDLE packets tell the path MTU, one for both ways. */
void flow_learn_mtu(struct flows *flows, struct flow *flow, uint32_t payload_bytes);

/* Positive or not. */
static inline int flow_is_ack(uint8_t opcode)
{
    return (opcode & WIRE_OPERATION_MASK) == WIRE_ACKNOWLEDGE;
}

/* XRC has the rules of RC. */
static inline int flow_is_reliable(const struct flow *flow)
{
    return flow->transport == WIRE_RC || flow->transport == WIRE_XRC;
}

static inline int flow_is_answer(uint8_t opcode)
{
    unsigned operation = opcode & WIRE_OPERATION_MASK;
    return operation >= WIRE_READ_RESPONSE_FIRST && operation <= WIRE_ATOMIC_ACKNOWLEDGE;
}

#endif
