/* The threads of a replay whose next post has a time, earliest first; of equal times, the lower number. A binary heap. */
#ifndef TRACES_REPLAY_READY_H
#define TRACES_REPLAY_READY_H

#include <stdint.h>

struct trace_replay_ready {
    struct trace_replay_ready_entry {
        int64_t at_ps;
        uint32_t thread;
    } * entries;
    uint32_t count;
};

/* For at most `threads`, each in it once. 0, or -1 without memory. */
int trace_replay_ready_init(struct trace_replay_ready *ready, uint32_t threads);
void trace_replay_ready_put(struct trace_replay_ready *ready, int64_t at_ps, uint32_t thread);
/* The earliest time, RNICSIM_NEVER when there is none. */
int64_t trace_replay_ready_at(const struct trace_replay_ready *ready);
/* Takes the first one if its time is not after now_ps; 0: there is none. */
int trace_replay_ready_take(struct trace_replay_ready *ready, int64_t now_ps, uint32_t *thread);
void trace_replay_ready_free(struct trace_replay_ready *ready);

#endif
