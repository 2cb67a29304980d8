/* The same work many times, each in a process of its own, so many at a time; what each finds comes back through shared memory. A piece that
 * fails says nothing on standard error, but with its status. */
#ifndef BENCH_PARALLEL_H
#define BENCH_PARALLEL_H

#include <stddef.h>

#include "bench/progress.h"

/* Returns an exit status; fills `out`. */
typedef int parallel_work(void *context, size_t index, void *out);

/* status[count]: of each piece, CLI_MODEL where it died. out: count times out_bytes, zero where a piece failed. progress may be NULL, else a
 * step for each. Returns CLI_DONE, or an exit status after one line: the machine gives no memory or processes. */
int parallel_run(size_t count, unsigned jobs, parallel_work *work, void *context, int *status, void *out,
                 size_t out_bytes, struct progress *progress);
/* As many as there are cores for this process. */
unsigned parallel_cores(void);

#endif
