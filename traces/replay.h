/* Replays a trace on a simulation, closed loop: each doorbell is rung when what it waits for has happened.
 *
 * What a record waits for: FORMAT.md, "When a record is posted"; an event has happened when the program knows
 * (rnicsim_event.at_ps). Posts of one host come in order of time, from all its threads. A post that its queue has no room
 * for waits for that queue's next event (where verbs would say ENOMEM) and is counted. Memory is constant, whatever the
 * trace's length. Times are ps of the simulation.
 *
 * Functions that can fail return an enum rnicsim_result, and one line of error when it is not RNICSIM_OK. */
#ifndef TRACES_REPLAY_H
#define TRACES_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "api/rnicsim.h"

struct trace_replay;

/* Every event that a host sees, in order of time. */
typedef void trace_replay_event(void *context, const struct rnicsim_event *event);

/* Reads the whole trace once: whatever in it cannot be replayed is refused here, with its place. */
int trace_replay_open(const char *path, struct trace_replay **out, struct rnicsim_error *error);

struct trace_replay_counts {
    uint64_t requests, receives;               /* in the trace */
    uint64_t posted_requests, posted_receives; /* so far */
    uint64_t queue_full;                       /* doorbells that had to wait for room in their queue */
};

void trace_replay_counts(const struct trace_replay *replay, struct trace_replay_counts *out);

/* Creates the trace's QPs and memory regions. A host without #mr lines gets none: the simulation then checks no keys. */
int trace_replay_create_objects(struct trace_replay *replay, struct rnicsim *sim, struct rnicsim_error *error);

/* Posts, advances and polls until nothing moves, or until_ps is reached. RNICSIM_OK also when records are left over:
 * trace_replay_is_whole. */
int trace_replay_run(struct trace_replay *replay, struct rnicsim *sim, int64_t until_ps, trace_replay_event *event,
                     void *context, struct rnicsim_error *error);

/* 1: everything was posted. */
int trace_replay_is_whole(const struct trace_replay *replay);
/* Says of thread `index` (0, 1, ...) which record waits, with its place, and for what; 0: this thread has nothing left,
 * -1: there is no such thread. */
int trace_replay_explain(const struct trace_replay *replay, uint32_t index, struct rnicsim_error *text);

void trace_replay_close(struct trace_replay *replay);

#endif
