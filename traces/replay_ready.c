#include "traces/replay_ready.h"

#include <stdlib.h>

#include "api/rnicsim.h"

int trace_replay_ready_init(struct trace_replay_ready *ready, uint32_t threads)
{
    ready->count = 0;
    ready->entries = malloc(threads * sizeof *ready->entries);
    return ready->entries == NULL ? -1 : 0;
}

static int is_before(const struct trace_replay_ready_entry *a, const struct trace_replay_ready_entry *b)
{
    return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->thread < b->thread;
}

void trace_replay_ready_put(struct trace_replay_ready *ready, int64_t at_ps, uint32_t thread)
{
    struct trace_replay_ready_entry entry = {at_ps, thread};
    uint32_t at = ready->count++;
    while (at > 0 && is_before(&entry, &ready->entries[(at - 1) / 2])) {
        ready->entries[at] = ready->entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    ready->entries[at] = entry;
}

int64_t trace_replay_ready_at(const struct trace_replay_ready *ready)
{
    return ready->count == 0 ? RNICSIM_NEVER : ready->entries[0].at_ps;
}

int trace_replay_ready_take(struct trace_replay_ready *ready, int64_t now_ps, uint32_t *thread)
{
    if (ready->count == 0 || ready->entries[0].at_ps > now_ps)
        return 0;
    *thread = ready->entries[0].thread;
    struct trace_replay_ready_entry last = ready->entries[--ready->count];
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < ready->count) {
        if (child + 1 < ready->count && is_before(&ready->entries[child + 1], &ready->entries[child]))
            child++;
        if (is_before(&last, &ready->entries[child]))
            break;
        ready->entries[at] = ready->entries[child];
        at = child;
    }
    ready->entries[at] = last;
    return 1;
}

void trace_replay_ready_free(struct trace_replay_ready *ready)
{
    free(ready->entries);
    *ready = (struct trace_replay_ready){0};
}
