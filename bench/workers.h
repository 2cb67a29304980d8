/* Processes of this one's own, so many at a time: one that fails, or dies, takes nobody with it, and all die with their parent, however that
 * ends. */
#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stdint.h>
#include <sys/types.h>

struct worker {
    pid_t pid;
    uint64_t index;
};

struct workers {
    struct worker *worker;
    unsigned count, most;
};

/* What a process does; returns its exit status. */
typedef int workers_work(void *context, uint64_t index);

/* Room for so many at a time, 1 or more; -1 without memory. */
int workers_init(struct workers *workers, unsigned most);
/* They have all ended. */
void workers_free(struct workers *workers);
/* Starts one; fewer than `most` run. 0, or an errno: then all others are ended, too. */
int workers_start(struct workers *workers, workers_work *work, void *context, uint64_t index);
/* Waits until one ends, of at least one. Returns its exit status, or -1 where it died; *index: which it was. */
int workers_wait(struct workers *workers, uint64_t *index);
/* Ends all that run. */
void workers_kill(struct workers *workers);

#endif
