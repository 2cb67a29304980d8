/* One simulation from its start to its result: a board, a workload, and what was seen. */
#ifndef BENCH_SIMULATE_H
#define BENCH_SIMULATE_H

#include "bench/model_options.h"
#include "bench/progress.h"
#include "bench/result.h"
#include "traces/capture_writer.h"

struct simulate {
    /* set by the caller */
    const struct model_options *model;
    uint64_t seed;
    int horizon_off, quiet;
    struct workload workload; /* open; closed by simulate_free() */
    /* 0, or as many changes of a FIFO are kept, around an instant, and the run ends behind them */
    size_t watch_room, watch_fifo;
    int64_t watch_from_ps, watch_to_ps;
    int checks_data;                /* payload holds bytes, which are compared */
    struct capture_writer *capture; /* NULL, or takes the frames on the line */

    /* NULL, or called once it is built, before anything is posted, to watch what it wants; and with each event */
    int (*watch)(struct simulate *simulate, void *context, struct rnicsim_error *error);
    void *watch_context;
    trace_replay_event *event;
    void *event_context;

    struct rnicsim *sim;
    struct collect collect;
    struct progress progress;
    struct steady steady;
    struct rnicsim_error capture_error; /* of the first frame that it did not take */
    int capture_failed;
    struct result result; /* of it the digest is the caller's, and perftest's table */
};

/* Returns an exit status; when it is not CLI_DONE, one line was told. */
int simulate_run(struct simulate *simulate);
/* Good whatever simulate_run() returned. */
void simulate_free(struct simulate *simulate);

#endif
