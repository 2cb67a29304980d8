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

/* One time that the timer runs. */
struct retry_step {
    int64_t wait_ps; /* from its start until it ends; 0: it does not run */
    uint8_t costs;   /* of the retry count; without one left the QP fails */
    uint8_t repeats; /* what is not acknowledged is sent again */
};

/* The timer's next run after `expired` ends without progress; clock_ps: the NIC's clock, for timers that count its cycles. What it is by
 * profile:
 *
 *   ibta      T = 4.096 us * 2^timeout, each time (IBTA vol. 1, 9.7.6.1.3), later by transport.timeout_late
 *   pow2      the power of two of cycles that is not below T
 *   cx6_fw    with floor: adaptive retransmissions after 5, 4, 8, 16, 24, 48, 128, 192, 512 and 1024 times 4.194304 ms, as far as they are at most
 *             N = 4.096 us * 2^max(timeout, 16); then the next of these, if it is less than 2N, once; then 2N each. Of the first ones two are counted.
 *             Without floor: a run of which nothing comes, then T each. Measured on a ConnectX-6, fw 20.43 (rdma-fault-characterization,
 *             harness/ack_timeout, 2026-09-25; the units are how those times can be written as whole numbers)
 *   hls_scan  a count of looks at a table of transport.timer_scan QPs, one a cycle: for 1 ms three times, then for 64 ms, if cycles took 6.4 ns
 *             (fpga-network-stack, transport_timer.hpp). From the first look on: by up to one scan later */
struct retry_step retry_step(const struct transport_params *params, unsigned timeout, unsigned expired,
                             int64_t clock_ps);

/* So often is tried again without progress. As retry_count says; 4 where ConnectX-6 has none (floor on): as measured. */
uint8_t retry_most(const struct transport_params *params, const struct retry *retry);

/* The least time that a code of an RNR NAK asks to wait for. Code 0 is the longest. */
int64_t retry_rnr_ps(unsigned code);

#endif
