/* The requester's side of a reliable connection: numbers packets, asks for ACKs, keeps the window. */
#ifndef TRANSPORT_REQUESTER_H
#define TRANSPORT_REQUESTER_H

#include "transport/params.h"
#include "transport/psn.h"

struct requester {
    uint32_t psn_next;      /* of the next packet */
    uint32_t psn_oldest;    /* the oldest not acknowledged */
    uint32_t since_request; /* packets since AckReq was last set */
    uint32_t
        answer_psns; /* PSNs between the two that are no packets of the requester: of answers, beyond the request's own */
    uint32_t psn_end; /* behind the latest that was ever sent, with is_back */
    uint32_t window;  /* transport.window; 0 while nothing may be sent */
    uint8_t is_back;  /* psn_next may lie before packets that were sent */
};

static inline int requester_window_open(const struct requester *requester)
{
    return ((requester->psn_next - requester->psn_oldest - requester->answer_psns) & PSN_MASK) < requester->window;
}

/* The next packet's PSN; *ack_request: whether it asks for an ACK: as the last of its message, as one in so many, as the last
 * that the window allows, or because `needs_ack` says that nothing more can be sent before one comes. */
static inline uint32_t requester_send(struct requester *requester, const struct transport_params *params,
                                      int last_of_message, int needs_ack, int *ack_request)
{
    uint32_t psn = requester->psn_next;
    requester->psn_next = psn_add(psn, 1);
    requester->since_request++;
    *ack_request = last_of_message || needs_ack || requester->since_request >= params->ack_request_every ||
                   !requester_window_open(requester);
    if (*ack_request)
        requester->since_request = 0;
    return psn;
}

/* The request that was just sent is answered by `psns` packets, which acknowledge it, too (IBTA vol. 1, 9.7.3.1). */
static inline void requester_expect(struct requester *requester, uint32_t psns)
{
    requester->psn_next = psn_add(requester->psn_next, psns - 1);
    requester->answer_psns += psns - 1;
    requester->since_request = 0;
}

/* Behind the latest PSN that was sent. */
static inline uint32_t requester_end(const struct requester *requester)
{
    return requester->is_back && psn_difference(requester->psn_end, requester->psn_next) > 0 ? requester->psn_end
                                                                                             : requester->psn_next;
}

/* The next packet is `psn`, which was sent before, or is the first that was not. */
static inline void requester_go_to(struct requester *requester, uint32_t psn, uint32_t answer_psns)
{
    requester->psn_end = requester_end(requester);
    requester->is_back = 1;
    requester->psn_next = psn;
    requester->answer_psns = answer_psns;
    requester->since_request = 0;
}

/* Whether the packet with this PSN, the last that was numbered or the next one, was sent before. */
static inline int requester_repeats(const struct requester *requester, uint32_t psn)
{
    return requester->is_back && psn_difference(requester->psn_end, psn) > 0;
}

/* The first packet has this PSN; nothing was sent. */
static inline void requester_begin(struct requester *requester, uint32_t psn)
{
    requester->psn_next = requester->psn_oldest = psn;
}

/* An ACK of `psn` acknowledges all up to it; an old one changes nothing. Returns how many packets are newly acknowledged
 * (IBTA vol. 1, 9.7.5). */
static inline uint32_t requester_acked(struct requester *requester, uint32_t psn)
{
    int32_t count = psn_difference(psn, requester->psn_oldest) + 1;
    if (count <= 0)
        return 0;
    requester->psn_oldest = psn_add(psn, 1);
    return (uint32_t)count;
}

#endif
