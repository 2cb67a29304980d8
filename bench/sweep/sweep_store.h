/* The folder of a sweep: points/plan.json says which sweep it is, points/NNNNNNNNN.json is one finished run, written aside and renamed;
 * what is in its place is whole. points/NNNNNNNNN.err says why a run failed. The tables and charts are put in place at the end
 * (bench/results.h), sweep.json last.
 *
 * Functions that can fail return CLI_DONE, or an exit status after one line. */
#ifndef BENCH_SWEEP_SWEEP_STORE_H
#define BENCH_SWEEP_SWEEP_STORE_H

#include <jansson.h>

#include "bench/results.h"
#include "bench/sweep/sweep.h"

#define SWEEP_PATH_BYTES 1024

struct sweep_store {
    const char *folder;
    const char *identity;
    struct results *results; /* NULL: a part of a sweep that somebody else collects */
};

/* Takes the folder, with what it holds of the same sweep. force: whatever it holds otherwise is removed. */
int sweep_store_begin(struct sweep_store *store, const struct sweep *sweep, int force);
/* For one part of the runs: the folder must be there, and of the same sweep. */
int sweep_store_join(const struct sweep_store *store);

int sweep_store_has(const struct sweep_store *store, uint64_t run);
/* run_summary is what sweep_job_run() gave; the file is in place when this returns. */
int sweep_store_write(const struct sweep_store *store, const struct sweep *sweep, uint64_t run, json_t *run_summary);
/* The summary of a finished run, to be released; NULL after one line: the file is damaged. */
json_t *sweep_store_read(const struct sweep_store *store, uint64_t run);
void sweep_store_error_path(const struct sweep_store *store, uint64_t run, char *path, size_t path_bytes);
/* Why it failed, one line without "rnicsim: "; empty when it has not. */
void sweep_store_why(const struct sweep_store *store, uint64_t run, char *text, size_t text_bytes);

#endif
