#include "bench/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli.h"

int workers_init(struct workers *workers, unsigned most)
{
    *workers = (struct workers){.worker = calloc(most, sizeof *workers->worker), .most = most};
    return workers->worker != NULL ? 0 : -1;
}

void workers_free(struct workers *workers)
{
    free(workers->worker);
}

int workers_start(struct workers *workers, workers_work *work, void *context, uint64_t index)
{
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(getppid() == parent ? work(context, index) : CLI_MODEL);
    }
    if (child < 0) {
        int reason = errno;
        workers_kill(workers);
        return reason;
    }
    workers->worker[workers->count++] = (struct worker){child, index};
    return 0;
}

int workers_wait(struct workers *workers, uint64_t *index)
{
    for (;;) {
        int status;
        pid_t ended = waitpid(-1, &status, 0);
        for (unsigned i = 0; i < workers->count; i++)
            if (workers->worker[i].pid == ended) {
                *index = workers->worker[i].index;
                workers->worker[i] = workers->worker[--workers->count];
                return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            }
    }
}

void workers_kill(struct workers *workers)
{
    uint64_t index;
    for (unsigned i = 0; i < workers->count; i++)
        kill(workers->worker[i].pid, SIGKILL);
    while (workers->count > 0)
        workers_wait(workers, &index);
}
