/* Whether a sweep's points can begin, and the digest of all that decides their results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "bench/cli.h"
#include "bench/sweep/sweep_job.h"
#include "bench/sweep/sweep_pool.h"

#define TEXT_BYTES 1200u
#define VALUES_CHECKED 256u /* of an axis with more, so many in equal steps */

/* In the child: the digest, or the message on standard error, goes into the pipe. */
static int check_one(const struct sweep *sweep, uint64_t point)
{
    char digest[64];
    struct sweep_job job;
    int result = sweep_job_make(&job, sweep, point * sweep->repeats);
    if (result == CLI_DONE)
        result = sweep_job_check(&job, digest, sizeof digest);
    if (result == CLI_DONE)
        fprintf(stderr, "%s", digest);
    sweep_job_free(&job);
    return result;
}

/* A process of its own: what the command line says of a mistake is told again with the sweep's line. Returns its status. */
static int ask(const struct sweep *sweep, uint64_t point, char *text)
{
    int ends[2], status = CLI_INPUT;
    size_t used = 0;
    ssize_t got;
    text[0] = 0;
    if (pipe(ends) != 0)
        return cli_fail("a process for a check cannot be started: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
        status = check_one(sweep, point);
        fflush(stderr);
        _exit(status);
    }
    close(ends[1]);
    while (child > 0 && (got = read(ends[0], text + used, TEXT_BYTES - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = 0;
    close(ends[0]);
    if (child < 0)
        return cli_fail("a process for a check cannot be started: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_MODEL;
}

/* "-s KEY=..." in a message: the line that has that key; 0: none. */
static int line_of(const struct sweep *sweep, const char *text)
{
    char key[128];
    if (sscanf(text, "-s %127[^= ]", key) != 1)
        return 0;
    size_t axis = sweep_axis_of(sweep, key), length = strlen(key);
    if (axis < sweep->axis_count)
        return sweep->axes[axis].line;
    for (size_t i = 0; i < sweep->set_count; i++)
        if (strncmp(sweep->set[i], key, length) == 0 && sweep->set[i][length] == '=')
            return sweep->set_line[i];
    return 0;
}

static int tell(const struct sweep *sweep, const char *message, int line, int status)
{
    const char *text = strncmp(message, "rnicsim: ", 9) == 0 ? message + 9 : message;
    int own_line = line_of(sweep, text);
    size_t length = strcspn(text, "\n");
    line = own_line > 0 ? own_line : line;
    text += strncmp(text, "-s ", 3) == 0 ? 3 : 0;
    if (line > 0)
        cli_fail("%s:%d: %.*s", sweep->path, line, (int)length, text);
    else
        cli_fail("%s: %.*s", sweep->path, (int)length, text);
    return status;
}

static uLong add_text(uLong crc, const char *text)
{
    return crc32(crc, (const unsigned char *)text, (uInt)strlen(text) + 1);
}

static int check_axis(const struct sweep *sweep, size_t number, uLong *crc)
{
    const struct sweep_axis *axis = &sweep->axes[number];
    size_t step = axis->count / VALUES_CHECKED + 1;
    char text[TEXT_BYTES];
    for (size_t i = step; axis->kind != SWEEP_SEED && i < axis->count; i += step) {
        int status = ask(sweep, (uint64_t)i * sweep->axes[axis->leader].stride, text);
        if (status != CLI_DONE)
            return tell(sweep, text, axis->line, status);
        *crc = add_text(*crc, text);
    }
    return CLI_DONE;
}

/* What the file says, but for metrics and charts, which may be changed later. */
static uLong add_words(const struct sweep *sweep, uLong crc)
{
    const char *const texts[] = {RNICSIM_VERSION, sweep->board,    sweep->host, sweep->trace,
                                 sweep->faults,   sweep->perftest, sweep->gen};
    char numbers[128];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        crc = add_text(crc, texts[i] != NULL ? texts[i] : "-");
    for (size_t i = 0; i < sweep->set_count; i++)
        crc = add_text(crc, sweep->set[i]);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        snprintf(numbers, sizeof numbers, "%s %zu", sweep->axes[i].key, sweep->axes[i].leader);
        crc = add_text(crc, numbers);
        for (size_t k = 0; k < sweep->axes[i].count; k++)
            crc = add_text(crc, sweep->axes[i].values[k]);
    }
    snprintf(numbers, sizeof numbers, "%llu %llu", (unsigned long long)sweep->seed, (unsigned long long)sweep->repeats);
    return add_text(crc, numbers);
}

int sweep_check(const struct sweep *sweep, char *identity, size_t identity_bytes)
{
    char text[TEXT_BYTES];
    uLong crc = add_words(sweep, crc32(0, NULL, 0));
    int status = ask(sweep, 0, text);
    if (status != CLI_DONE)
        return tell(sweep, text, 0, status);
    crc = add_text(crc, text);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        status = check_axis(sweep, i, &crc);
        if (status != CLI_DONE)
            return status;
    }
    snprintf(identity, identity_bytes, "crc32:%08lx", crc);
    return CLI_DONE;
}
