/* --faults: what goes wrong on the way, as text or in a file. One statement a line, or between semicolons; # begins a comment.
 *
 *   ACTION FRAMES [WHICH ...]      drop data 100; drop ack last; corrupt data p=1e-4; delay ack 5 us every 1000
 *   link down TIME for TIME        every frame that begins then is lost
 *
 * ACTION: drop, corrupt, duplicate, delay (with a TIME), not_ready, bad_key, mark (ECN: congestion experienced). FRAMES: data (send, write), request (data, read, atomic), send,
 * write, read, atomic, answer, ack, nak, cnp, any. WHICH: N (the Nth of each sender), last (of the last request its last packet, or the ACK
 * of that), every N, p=X, times=N, request=N, qp=N, psn=N, from=a or b, first or again (sent for the first time, or not), after TIME,
 * until TIME. */
#ifndef BENCH_FAULTS_H
#define BENCH_FAULTS_H

#include "api/rnicsim.h"

struct fault_plan {
    const char *text; /* as given; NULL: no plan */
    struct rnicsim_fault *fault;
    unsigned char *is_last; /* of the workload's last request */
    size_t count, room;
};

/* text: the statements, or the name of a file with them. Returns an exit status; when it is not CLI_DONE, one line was told. */
int fault_plan_parse(struct fault_plan *plan, const char *text);
void fault_plan_free(struct fault_plan *plan);
/* Gives it to a simulation in which nothing is posted yet; requests: of the whole workload, 0: not known. An enum rnicsim_result. */
int fault_plan_apply(const struct fault_plan *plan, struct rnicsim *sim, uint64_t requests,
                     struct rnicsim_error *error);

#endif
