/* A sweep as a Slurm job array: each task runs a part of the runs (rnicsim sweep FILE --part K/N) into the shared folder; what is finished
 * is skipped, so that a task that is requeued goes on. */
#ifndef BENCH_SWEEP_SWEEP_SLURM_H
#define BENCH_SWEEP_SWEEP_SLURM_H

#include "bench/sweep/sweep_store.h"

/* partition: NULL: the default one. Waits until the array has ended. CLI_DONE also when tasks failed: what is missing tells. */
int sweep_slurm_run(const struct sweep *sweep, const struct sweep_store *store, const char *partition, int is_quiet);

#endif
