/* What passed from stage to stage in a stretch of a run, for three kinds of file: a timeline (trace-event JSON, for Perfetto), waveforms (VCD,
 * for GTKWave), and golden timings (CSV and $readmemh vectors, for an RTL bench). Functions that can fail return an exit status after one
 * line.
 *
 * The stage that writes into a FIFO is told of by that FIFO: an item begins in the stage (start), its first and last beat come out and
 * are in the FIFO (head, tail). */
#ifndef BENCH_WAVES_WAVES_H
#define BENCH_WAVES_WAVES_H

#include <stdio.h>

#include "bench/simulate.h"

#define WAVES_PASSES_MAX 2000000u
#define WAVES_LEVELS_MAX 200000u /* changes of one FIFO */
#define WAVES_REQUESTS_MAX 200000u

struct waves_options {
    const char *timeline, *vcd, *golden; /* files, golden: a folder; NULL: not wanted */
    const char *window;                  /* as given, NULL: the whole run */
};

struct waves_window {
    struct rnicsim_stretch stretch;
    uint64_t first, last; /* requests, instead; 0: not so */
};

struct waves_fifo {
    struct rnicsim_fifo_info info;
    size_t index;   /* in the simulation */
    int has_passes; /* else a buffer without an order */
    struct rnicsim_clock write, read;
    struct rnicsim_level_change *levels; /* the first at the beginning */
    size_t level_count;
    char name[128]; /* "a.tx.mac" */
};

struct waves {
    const struct waves_options *options;
    struct waves_window window;
    struct waves_fifo *fifos;
    size_t fifo_count;
    struct rnicsim_pass *passes; /* by FIFO, then in order of time */
    size_t pass_count;
    uint64_t missed;
    struct rnicsim_event *requests; /* completed ones that touch the stretch */
    size_t request_count;
    int failed; /* memory ran out */
};

/* "10..20 us", "0..500 ns", "request 5", "request 5..20". */
int waves_window_read(const char *text, struct waves_window *out);
int waves_is_wanted(const struct waves_options *options);
/* Opens what will be written, so that what is wrong with a name is told before the run. */
int waves_check(const struct waves_options *options);
/* Prepares a simulation to be watched: sets its hooks. waves lives until it is over. */
void waves_watch(struct waves *waves, struct simulate *simulate);
/* Where requests first..last lie in time: by a run of its own. */
int waves_find_requests(struct waves *waves, struct simulate *simulate);
/* Takes what was kept, after the run. */
int waves_take(struct waves *waves, struct simulate *simulate);
/* Writes all files that are wanted: each aside, then renamed. */
int waves_write(const struct waves *waves, const struct result *result);
void waves_free(struct waves *waves);

/* ---- the files; 0, or -1: the write failed ---- */

int waves_timeline(const struct waves *waves, const struct result *result, FILE *out);
int waves_vcd(const struct waves *waves, const struct result *result, FILE *out);
/* A folder: passes.csv, golden.svh, NAME.memh of each FIFO. Tells of what failed itself. */
int waves_golden(const struct waves *waves, const struct result *result, const char *folder);

/* The passes into a FIFO: the first, and how many. */
const struct rnicsim_pass *waves_passes_of(const struct waves *waves, const struct waves_fifo *fifo, size_t *count);

#endif
