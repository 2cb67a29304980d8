#include "bench/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli.h"

struct worker {
    pid_t pid;
    size_t index;
};

unsigned parallel_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* The child dies with its parent, however that ends. */
static pid_t start(parallel_work *work, void *context, size_t index, void *out)
{
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (getppid() != parent || nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(CLI_MODEL);
    _exit(work(context, index, out));
}

static void reap(struct worker *workers, unsigned *count, int *status)
{
    int ended_with;
    pid_t ended;
    while ((ended = waitpid(-1, &ended_with, 0)) < 0 && errno == EINTR)
        continue;
    for (unsigned i = 0; i < *count; i++)
        if (workers[i].pid == ended) {
            status[workers[i].index] = WIFEXITED(ended_with) ? WEXITSTATUS(ended_with) : CLI_MODEL;
            workers[i] = workers[--*count];
            return;
        }
}

static void end_all(struct worker *workers, unsigned count, int *status)
{
    for (unsigned i = 0; i < count; i++)
        kill(workers[i].pid, SIGKILL);
    while (count > 0)
        reap(workers, &count, status);
}

static int run_all(size_t count, struct worker *workers, unsigned jobs, parallel_work *work, void *context, int *status,
                   char *shared, size_t out_bytes, struct progress *progress)
{
    unsigned running = 0;
    for (size_t next = 0; next < count || running > 0;) {
        while (next < count && running < jobs) {
            workers[running] = (struct worker){start(work, context, next, shared + next * out_bytes), next};
            if (workers[running].pid < 0) {
                int reason = errno;
                end_all(workers, running, status);
                return cli_fail("a process cannot be started: %s", strerror(reason));
            }
            running++;
            next++;
        }
        reap(workers, &running, status);
        if (progress != NULL)
            progress_step(progress);
    }
    return CLI_DONE;
}

int parallel_run(size_t count, unsigned jobs, parallel_work *work, void *context, int *status, void *out,
                 size_t out_bytes, struct progress *progress)
{
    size_t bytes = count * out_bytes + 1;
    char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct worker *workers = calloc(jobs, sizeof *workers);
    int result = shared == MAP_FAILED || workers == NULL ? cli_fail("out of memory for %zu runs", count) : CLI_DONE;
    if (result == CLI_DONE)
        result = run_all(count, workers, jobs, work, context, status, shared, out_bytes, progress);
    for (size_t i = 0; result == CLI_DONE && i < count; i++) {
        char *to = (char *)out + i * out_bytes;
        if (status[i] == CLI_DONE)
            memcpy(to, shared + i * out_bytes, out_bytes);
        else
            memset(to, 0, out_bytes);
    }
    if (shared != MAP_FAILED)
        munmap(shared, bytes);
    free(workers);
    return result;
}
