#include "traces/replay_wait.h"

#include <stdlib.h>

int trace_replay_wait_init(struct trace_replay_wait *wait, size_t qps, int remembers)
{
    *wait = (struct trace_replay_wait){.qps = qps, .remembers = remembers};
    wait->happened = calloc(qps * TRACE_REPLAY_KINDS, sizeof *wait->happened);
    return wait->happened == NULL ? -1 : 0;
}

static struct trace_replay_happened *happened(const struct trace_replay_wait *wait, uint32_t qp,
                                              enum trace_dep_kind kind)
{
    return &wait->happened[(size_t)qp * TRACE_REPLAY_KINDS + (kind - TRACE_DEP_CQE)];
}

static int kind_of(const struct rnicsim_event *event, enum trace_dep_kind *kind)
{
    switch (event->kind) {
    case RNICSIM_SEND_DONE:
        *kind = TRACE_DEP_CQE;
        return 1;
    case RNICSIM_RECV_DONE:
        *kind = TRACE_DEP_RECV;
        return 1;
    case RNICSIM_WRITE_VISIBLE:
        *kind = TRACE_DEP_MEM;
        return 1;
    default: /* no program sees the others */
        return 0;
    }
}

void trace_replay_wait_hear(struct trace_replay_wait *wait, uint32_t qp, const struct rnicsim_event *event)
{
    enum trace_dep_kind kind;
    if (!kind_of(event, &kind))
        return;
    struct trace_replay_happened *what = happened(wait, qp, kind);
    if (wait->remembers && what->past_ps == NULL) {
        what->past_ps = calloc(TRACE_REPLAY_REMEMBERED, sizeof *what->past_ps);
        wait->failed |= what->past_ps == NULL;
    }
    what->last_ps = event->at_ps;
    if (what->past_ps != NULL)
        what->past_ps[what->count % TRACE_REPLAY_REMEMBERED] = event->at_ps;
    what->count++;
}

uint64_t trace_replay_wait_count(const struct trace_replay_wait *wait, uint32_t qp, enum trace_dep_kind kind)
{
    return happened(wait, qp, kind)->count;
}

int64_t trace_replay_wait_since(const struct trace_replay_wait *wait, uint32_t qp, enum trace_dep_kind kind,
                                uint64_t count)
{
    const struct trace_replay_happened *what = happened(wait, qp, kind);
    if (what->count < count)
        return RNICSIM_NEVER;
    if (what->past_ps == NULL)
        return what->last_ps; /* without think time, any instant up to now serves */
    uint64_t oldest = what->count > TRACE_REPLAY_REMEMBERED ? what->count - TRACE_REPLAY_REMEMBERED + 1 : 1;
    return what->past_ps[((count > oldest ? count : oldest) - 1) % TRACE_REPLAY_REMEMBERED];
}

void trace_replay_wait_free(struct trace_replay_wait *wait)
{
    for (size_t i = 0; wait->happened != NULL && i < wait->qps * TRACE_REPLAY_KINDS; i++)
        free(wait->happened[i].past_ps);
    free(wait->happened);
    *wait = (struct trace_replay_wait){0};
}
