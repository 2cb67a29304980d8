/* What takes the CPU from a host's thread: timer interrupts, at equal intervals, and preemption, somewhere in each interval. Where a pause
 * begins and how long it is follow from its number (R5), so that any stretch of time can be asked for, in any order. */
#ifndef HOST_JITTER_H
#define HOST_JITTER_H

#include "host/params.h"
#include "kernel/rnd.h"

#include <stddef.h>

enum { JITTER_TIMER, JITTER_PREEMPT, JITTER_KINDS };

struct jitter {
    int pauses; /* 0: nothing ever pauses the thread */
    uint64_t stream;
    struct jitter_pause {
        int64_t interval_ps; /* 0: none of this kind */
        int64_t phase_ps;    /* of the timer: in each interval at the same place */
        struct rnd_table length_ps;
    } kind[JITTER_KINDS];
};

/* 0, or -1 and one line in `error`: a pause takes at most a quarter of its interval. */
int jitter_init(struct jitter *jitter, const struct host_params *params, uint64_t stream, char *error,
                size_t error_bytes);
/* When a thread that needs work_ps of CPU time, from from_ps (>= 0) on, is done; with 0: when it runs. */
int64_t jitter_end_paused(const struct jitter *jitter, int64_t from_ps, int64_t work_ps);

static inline int64_t jitter_end(const struct jitter *jitter, int64_t from_ps, int64_t work_ps)
{
    return jitter->pauses ? jitter_end_paused(jitter, from_ps, work_ps) : from_ps + work_ps;
}

#endif
