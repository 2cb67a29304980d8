/* When a requester tries again: the timers of RC (IBTA vol. 1, 9.7.6.1.3 and 9.7.5.2.8), as attributes of a QP. */
#ifndef TRANSPORT_RETRY_H
#define TRANSPORT_RETRY_H

#include "transport/params.h"

#include <stdint.h>

#define RETRY_RNR_FOR_EVER 7u

struct retry {
    uint8_t timeout;     /* 0 .. 31: 4.096 us * 2^timeout; 0: no timer */
    uint8_t retry_count; /* 0 .. 7: for what is lost */
    uint8_t rnr_retry;   /* 0 .. 6, or 7: for ever */
    uint8_t rnr_timer;   /* 0 .. 31: what this end tells a peer for whom it has no receive WQE */
};

/* As the parameters have it. */
struct retry retry_of(const struct transport_params *params);

/* From the start of the timer until it ends, in picoseconds; 0: never. In cycles of clock_ps with transport.timer = pow2. */
int64_t retry_timeout_ps(const struct transport_params *params, unsigned timeout, int64_t clock_ps);

/* The least time that a code of an RNR NAK asks to wait for. Code 0 is the longest. */
int64_t retry_rnr_ps(unsigned code);

#endif
