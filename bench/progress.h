/* A progress bar on standard error, when that is a terminal and the run takes over a second. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdint.h>

struct progress {
    uint64_t total, done;
    double started_s, shown_s; /* of the machine's clock */
    int is_wanted, is_shown;
    const char *what; /* that is counted: "requests" */
};

/* Seconds of a clock that never goes back. */
double progress_clock_s(void);
void progress_start(struct progress *progress, uint64_t total, int is_quiet);
/* `done` of the total; looks at the clock once in a few hundred calls. */
void progress_update(struct progress *progress, uint64_t done);
/* One more is done; looks at the clock. For what takes long each. */
void progress_step(struct progress *progress);
/* Wipes the bar. */
void progress_end(struct progress *progress);

#endif
