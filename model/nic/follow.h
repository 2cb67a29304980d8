/* Grants of whole requests (nic.grant = request): the scheduler grants one WQE's fetch, and when it is here its packets follow, in the
 * order in which WQEs come, as their payload finds a place: no second turn. It makes no choice: it runs inside the scheduler.
 * Fetches go through a path of their own before they meet payload's reads, as where a unit takes them out of their queue first. */
#ifndef NIC_FOLLOW_H
#define NIC_FOLLOW_H

#include "kernel/agenda.h"

#include <stddef.h>

struct rnic;

struct follow {
    struct agenda wqes; /* as path wqe has brought them */
    uint32_t qp;        /* whose packets follow now; QP_NONE */
    int64_t free_cyc;
    int waits_for_read, waits_for_space, waits_for_window;
};

int follow_init(struct rnic *rnic, char *error, size_t error_bytes);
/* A fetch is here (what path wqe brings). */
void follow_fetch(struct rnic *rnic, uint32_t ref, int64_t cyc);
/* Sends what follows; returns when to come again. Inside the scheduler's decision. */
int64_t follow_run(struct rnic *rnic, int64_t now_cyc);
/* What path fetch has brought goes on into path sched; returns when to come again. */
int64_t follow_fetches(struct rnic *rnic, int64_t now_cyc);

#endif
