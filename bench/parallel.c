#include "bench/parallel.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/workers.h"

struct pieces {
    parallel_work *work;
    void *context;
    char *shared; /* what each finds */
    size_t out_bytes;
};

unsigned parallel_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static int run_one(void *context, uint64_t index)
{
    const struct pieces *pieces = context;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        return CLI_MODEL;
    return pieces->work(pieces->context, index, pieces->shared + index * pieces->out_bytes);
}

static int run_all(size_t count, struct workers *workers, struct pieces *pieces, int *status, struct progress *progress)
{
    for (size_t next = 0; next < count || workers->count > 0;) {
        while (next < count && workers->count < workers->most) {
            int reason = workers_start(workers, run_one, pieces, next);
            if (reason != 0)
                return cli_fail("a process cannot be started: %s", strerror(reason));
            next++;
        }
        uint64_t index;
        int ended_with = workers_wait(workers, &index);
        status[index] = ended_with >= 0 ? ended_with : CLI_MODEL;
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
    struct pieces pieces = {work, context, shared, out_bytes};
    struct workers workers;
    int has_room = workers_init(&workers, jobs) == 0;
    int result = shared == MAP_FAILED || !has_room ? cli_fail("out of memory for %zu runs", count) : CLI_DONE;
    if (result == CLI_DONE)
        result = run_all(count, &workers, &pieces, status, progress);
    for (size_t i = 0; result == CLI_DONE && i < count; i++) {
        char *to = (char *)out + i * out_bytes;
        if (status[i] == CLI_DONE)
            memcpy(to, shared + i * out_bytes, out_bytes);
        else
            memset(to, 0, out_bytes);
    }
    if (shared != MAP_FAILED)
        munmap(shared, bytes);
    workers_free(&workers);
    return result;
}
