/* What has happened on each QP of a replay: how many send CQEs, receive CQEs and remote writes, and when.
 *
 * With think times, the instant of an event that lies back counts too ("cqe:N+T" may come to its turn after later ones):
 * the last TRACE_REPLAY_REMEMBERED of each kind are remembered. An older one is taken for the oldest remembered. */
#ifndef TRACES_REPLAY_WAIT_H
#define TRACES_REPLAY_WAIT_H

#include <stddef.h>

#include "traces/record.h"

#define TRACE_REPLAY_REMEMBERED 256u
#define TRACE_REPLAY_KINDS 3u /* cqe, recv, mem */

struct trace_replay_wait {
    struct trace_replay_happened {
        uint64_t count;
        int64_t last_ps;
        int64_t *past_ps; /* a ring; NULL: not needed so far */
    } * happened;         /* by QP and kind */
    size_t qps;
    int remembers;
    int failed; /* memory ran out; stays */
};

/* 0, or -1 without memory. */
int trace_replay_wait_init(struct trace_replay_wait *wait, size_t qps, int remembers);
void trace_replay_wait_hear(struct trace_replay_wait *wait, uint32_t qp, const struct rnicsim_event *event);
uint64_t trace_replay_wait_count(const struct trace_replay_wait *wait, uint32_t qp, enum trace_dep_kind kind);
/* When the count-th happened; RNICSIM_NEVER: not yet. */
int64_t trace_replay_wait_since(const struct trace_replay_wait *wait, uint32_t qp, enum trace_dep_kind kind,
                                uint64_t count);
void trace_replay_wait_free(struct trace_replay_wait *wait);

#endif
