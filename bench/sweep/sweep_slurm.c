#include "bench/sweep/sweep_slurm.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/progress.h"

#define ARRAY_DEFAULT 1001u /* Slurm's MaxArraySize: the least index that is not allowed */
#define LOOK_NS 500000000L

/* MaxArraySize of this cluster. */
static unsigned long array_limit(void)
{
    char line[256];
    unsigned long limit = 0;
    FILE *config = popen("scontrol show config 2>/dev/null", "re");
    while (config != NULL && fgets(line, sizeof line, config) != NULL)
        if (limit == 0 && strncmp(line, "MaxArraySize", 12) == 0 && strchr(line, '=') != NULL)
            limit = strtoul(strchr(line, '=') + 1, NULL, 10);
    if (config != NULL)
        pclose(config);
    return limit > 1 ? limit - 1 : ARRAY_DEFAULT - 1;
}

/* A word of the shell's. */
static void put_word(FILE *out, const char *text)
{
    fputs(" '", out);
    for (; *text != 0; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

static int write_script(const struct sweep *sweep, const struct sweep_store *store, unsigned long tasks, char *path)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return cli_fail("--slurm: the program's own path is not known: %s", strerror(errno));
    program[length] = 0;
    snprintf(path, SWEEP_PATH_BYTES, "%s/points/slurm.sh", store->folder);
    FILE *out = fopen(path, "we");
    if (out == NULL)
        return cli_fail("%s: %s", path, strerror(errno));
    fputs("#!/bin/sh\n#SBATCH --job-name=rnicsim-sweep\n#SBATCH --ntasks=1\nexec", out);
    put_word(out, program);
    fputs(" sweep", out);
    put_word(out, sweep->path);
    fputs(" -o", out);
    put_word(out, store->folder);
    fprintf(out, " --yes --quiet -j 1 --part \"$SLURM_ARRAY_TASK_ID/%lu\"\n", tasks);
    return fclose(out) == 0 ? CLI_DONE : cli_fail("%s: cannot be written", path);
}

static pid_t start(const struct sweep_store *store, const char *partition, unsigned long tasks, char *script)
{
    char program[] = "sbatch", wait[] = "--wait", quiet[] = "--quiet", array[64], output[SWEEP_PATH_BYTES + 64],
         part[256];
    char *argv[8] = {program, wait, quiet, array, output};
    size_t count = 5;
    pid_t child;
    snprintf(array, sizeof array, "--array=0-%lu", tasks - 1);
    snprintf(output, sizeof output, "--output=%s/points/slurm_%%a.log", store->folder);
    if (partition != NULL) {
        snprintf(part, sizeof part, "--partition=%.200s", partition);
        argv[count++] = part;
    }
    argv[count++] = script;
    argv[count] = NULL;
    fflush(NULL);
    errno = posix_spawnp(&child, program, NULL, NULL, argv, environ);
    return errno == 0 ? child : -1;
}

static uint64_t count_finished(const struct sweep *sweep, const struct sweep_store *store)
{
    uint64_t count = 0;
    for (uint64_t run = 0; run < sweep->runs; run++)
        count += (uint64_t)sweep_store_has(store, run);
    return count;
}

/* sbatch's exit status is the greatest of its tasks': a run that failed has left its reason. */
static int wait_for(const struct sweep *sweep, const struct sweep_store *store, pid_t child, int is_quiet)
{
    const struct timespec look = {0, LOOK_NS};
    struct progress progress;
    int status;
    uint64_t before = count_finished(sweep, store);
    progress_start(&progress, sweep->runs - before, is_quiet);
    progress.what = "runs";
    while (waitpid(child, &status, WNOHANG) == 0) {
        nanosleep(&look, NULL);
        if (progress.is_wanted)
            for (uint64_t done = count_finished(sweep, store) - before; progress.done < done;)
                progress_step(&progress);
    }
    progress_end(&progress);
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_MODEL;
}

/* All is finished: the script and the tasks' words are of no use any more. */
static void remove_rest(const struct sweep_store *store, unsigned long tasks)
{
    char path[SWEEP_PATH_BYTES];
    snprintf(path, sizeof path, "%s/points/slurm.sh", store->folder);
    unlink(path);
    for (unsigned long i = 0; i < tasks; i++) {
        snprintf(path, sizeof path, "%s/points/slurm_%lu.log", store->folder, i);
        unlink(path);
    }
}

int sweep_slurm_run(const struct sweep *sweep, const struct sweep_store *store, const char *partition, int is_quiet)
{
    char script[SWEEP_PATH_BYTES];
    uint64_t before = count_finished(sweep, store);
    if (before == sweep->runs)
        return CLI_DONE;
    unsigned long limit = array_limit(), tasks = sweep->runs < limit ? (unsigned long)sweep->runs : limit;
    int result = write_script(sweep, store, tasks, script);
    if (result != CLI_DONE)
        return result;
    pid_t child = start(store, partition, tasks, script);
    if (child < 0)
        return cli_fail("--slurm: sbatch cannot be started: %s; what is finished stays in %s", strerror(errno),
                        store->folder);
    int status = wait_for(sweep, store, child, is_quiet);
    if (status != 0 && count_finished(sweep, store) == before)
        return cli_fail("--slurm: no run was finished (sbatch ended with %d); its tasks' words are in "
                        "%s/points/slurm_*.log",
                        status, store->folder);
    if (count_finished(sweep, store) == sweep->runs)
        remove_rest(store, tasks);
    return CLI_DONE;
}
