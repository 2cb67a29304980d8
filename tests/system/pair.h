/* Two hosts with a QP between them, for tests that follow single requests: posted on host 0, run to the end, what happened kept. */
#ifndef TESTS_SYSTEM_PAIR_H
#define TESTS_SYSTEM_PAIR_H

#include "api/rnicsim.h"

#define PAIR_MOST 256u
#define PAIR_TIMEOUT_US 131.072 /* 4.096 us * 2^5 */

struct pair {
    struct rnicsim *sim;
    struct rnicsim_event done[PAIR_MOST];     /* host 0's SEND_DONE */
    struct rnicsim_event received[PAIR_MOST]; /* host 1's RECV_DONE and WRITE_VISIBLE */
    uint32_t count, delivered, posted, receives;
    struct rnicsim_totals totals;
};

/* With PAIR_TIMEOUT_US, seven retries, RNR for ever after 10 us. */
extern const struct rnicsim_retry pair_retries;

/* Board u280_100g with a setting; QP 1 of each host, MTU 1024, 64 WQEs. Each may be NULL. */
struct pair pair_open(const char *setting, const struct rnicsim_retry *retry, const struct rnicsim_fault *fault);
/* The same, with the first PSN of host 0's packets. */
struct pair pair_open_at(uint32_t sq_psn, const char *setting, const struct rnicsim_retry *retry,
                         const struct rnicsim_fault *fault);
/* Acts on frames of both hosts; nth: on that one only, 0: on all. */
struct rnicsim_fault pair_fault(enum rnicsim_fault_action action, unsigned frames, uint64_t nth);
/* Signalled, with the count of those before as wr_id. */
void pair_post(struct pair *pair, enum rnicsim_opcode opcode, uint32_t bytes);
/* 64 KiB, on host 1. */
void pair_post_receive(struct pair *pair, int64_t at_ps);
/* To the end. */
void pair_finish(struct pair *pair);
void pair_close(struct pair *pair);

#endif
