/* One run of a sweep: its model, workload and seed, from the values that the axes have in its point. */
#ifndef BENCH_SWEEP_SWEEP_JOB_H
#define BENCH_SWEEP_SWEEP_JOB_H

#include <jansson.h>

#include "bench/model_options.h"
#include "bench/source.h"
#include "bench/sweep/sweep.h"

#define SWEEP_JOB_TEXT_BYTES 2048

struct sweep_job {
    struct model_options model;
    struct source source;
    char *settings[SWEEP_AXES_MAX]; /* "key=value", of model.set */
    char workload[SWEEP_JOB_TEXT_BYTES];
    uint64_t seed;
};

/* run: point * repeats + repeat. Functions return CLI_DONE, or an exit status after one line; sweep_job_free() also then. */
int sweep_job_make(struct sweep_job *job, const struct sweep *sweep, uint64_t run);
void sweep_job_free(struct sweep_job *job);

/* Whether it can begin: the model is built, the workload read. digest: of all parameters in effect. */
int sweep_job_check(struct sweep_job *job, char *digest, size_t digest_bytes);
/* Simulates it; *summary is the object of summary.json without what depends on the machine's clock. */
int sweep_job_run(struct sweep_job *job, json_t **summary);

#endif
