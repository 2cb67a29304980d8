/* The responder's side of a reliable connection: expects PSNs in order, counts messages, answers AckReq. */
#ifndef TRANSPORT_RESPONDER_H
#define TRANSPORT_RESPONDER_H

#include "transport/psn.h"

struct responder {
    uint32_t psn_expected;
    uint32_t msn;
    uint8_t
        nak_sent; /* of a sequence, for the packet that is expected: no other before it comes (IBTA vol. 1, 9.7.5.1.3) */
};

/* Takes the expected packet, which counts for `psns`: those of its answer, if there is one. */
static inline void responder_take(struct responder *responder, uint32_t psns, int last_of_message)
{
    responder->psn_expected = psn_add(responder->psn_expected, psns);
    responder->msn = (responder->msn + (last_of_message ? 1 : 0)) & PSN_MASK;
    responder->nak_sent = 0;
}

enum responder_news { RESPONDER_TWICE, RESPONDER_GAP, RESPONDER_BEHIND_GAP };

/* What a packet tells that is not the expected one: it has come before; one before it is missing, which is to be told; or that is told. */
static inline enum responder_news responder_unexpected(struct responder *responder, uint32_t psn)
{
    if (psn_difference(psn, responder->psn_expected) < 0)
        return RESPONDER_TWICE;
    if (responder->nak_sent)
        return RESPONDER_BEHIND_GAP;
    responder->nak_sent = 1;
    return RESPONDER_GAP;
}

#endif
