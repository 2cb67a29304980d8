/* The responder's side of a reliable connection: expects PSNs in order, counts messages, answers AckReq. */
#ifndef TRANSPORT_RESPONDER_H
#define TRANSPORT_RESPONDER_H

#include "transport/psn.h"

struct responder {
    uint32_t psn_expected;
    uint32_t msn;
};

/* Takes a packet, which counts for `psns`: those of its answer, if there is one. Returns 1 when it is the expected one; 0 when one before it is missing or it comes twice, and it is ignored
 * (recovery is not modelled yet). */
static inline int responder_take(struct responder *responder, uint32_t psn, uint32_t psns, int last_of_message)
{
    if (psn != responder->psn_expected)
        return 0;
    responder->psn_expected = psn_add(psn, psns);
    responder->msn = (responder->msn + (last_of_message ? 1 : 0)) & PSN_MASK;
    return 1;
}

#endif
