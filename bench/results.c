#include "bench/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli.h"

#define FILES_MAX 64u
#define NAME_BYTES 64u
#define SUMMARY "summary.json"

struct results {
    char *path;
    char *folder; /* hidden, inside path */
    int made_path;
    char names[FILES_MAX][NAME_BYTES];
    size_t count;
    char open_name[NAME_BYTES];
    char failure[512]; /* the first one; empty: none */
};

/* What a run may have left in its folder; --force removes them, so that old and new never mix. */
static const char *const known_names[] = {
    SUMMARY,           "latency.csv",      "stages.csv",          "stalls.csv",         "fifos.csv",
    "pcie.csv",        "events.csv",       "latency_cdf.dat",     "latency_cdf.gp",     "latency_cdf.svg",
    "latency_ccdf.dat", "latency_ccdf.gp", "latency_ccdf.svg",    "waterfall.dat",      "waterfall.gp",
    "waterfall.svg",   "fifo_occupancy.dat", "fifo_occupancy.gp", "fifo_occupancy.svg", "fifo_fullest.dat",
    "fifo_fullest.gp", "fifo_fullest.svg",
};

/* "folder/name", malloc'ed; NULL without memory. */
static char *join(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int exists(const char *folder, const char *name)
{
    char *path = join(folder, name);
    int result = path != NULL && access(path, F_OK) == 0;
    free(path);
    return result;
}

static int check_parent(const char *path)
{
    char *parent = strdup(path);
    if (parent == NULL)
        return cli_fail("%s: out of memory", path);
    size_t length = strlen(parent);
    while (length > 1 && parent[length - 1] == '/')
        parent[--length] = 0;
    char *slash = strrchr(parent, '/');
    if (slash == parent)
        slash[1] = 0;
    else if (slash != NULL)
        *slash = 0;
    const char *folder = slash == NULL ? "." : parent;
    int result = access(folder, W_OK | X_OK) == 0
                     ? 0
                     : cli_fail("-o %s: cannot be made in %s: %s", path, folder, strerror(errno));
    free(parent);
    return result;
}

int results_check(const char *path, int force)
{
    struct stat status;
    if (path[0] == 0)
        return cli_fail("-o: an empty name; a folder is needed");
    if (stat(path, &status) != 0)
        return errno == ENOENT ? check_parent(path) : cli_fail("-o %s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return cli_fail("-o %s: not a folder; results are several files", path);
    if (access(path, W_OK | X_OK) != 0)
        return cli_fail("-o %s: %s", path, strerror(errno));
    if (!force && exists(path, SUMMARY))
        return cli_fail("-o %s: holds the results of another run; --force replaces them", path);
    return 0;
}

static void discard(struct results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        char *path = join(results->folder, results->names[i]);
        if (path != NULL)
            unlink(path);
        free(path);
    }
    if (results->folder != NULL)
        rmdir(results->folder);
    if (results->made_path)
        rmdir(results->path); /* fails when something else is in it, and then it stays */
    free(results->folder);
    free(results->path);
    free(results);
}

int results_begin(const char *path, int force, struct results **out)
{
    if (results_check(path, force) != 0)
        return CLI_INPUT;
    struct results *results = calloc(1, sizeof *results);
    if (results == NULL)
        return cli_fail("-o %s: out of memory", path);
    results->path = strdup(path);
    if (results->path != NULL && asprintf(&results->folder, "%s/.rnicsim.%ld.tmp", path, (long)getpid()) < 0)
        results->folder = NULL;
    errno = ENOMEM;
    int failed = results->path == NULL || results->folder == NULL;
    if (!failed) {
        results->made_path = mkdir(path, 0777) == 0;
        failed = (!results->made_path && errno != EEXIST) || mkdir(results->folder, 0777) != 0;
    }
    if (failed) {
        cli_fail("-o %s: %s", path, strerror(errno));
        discard(results);
        return CLI_INPUT;
    }
    *out = results;
    return 0;
}

const char *results_folder(const struct results *results)
{
    return results->folder;
}

void results_fail(struct results *results, const char *name)
{
    if (results->failure[0] == 0)
        snprintf(results->failure, sizeof results->failure, "-o %.300s: %s cannot be written: %s", results->path, name,
                 strerror(errno));
}

int results_has_failed(const struct results *results)
{
    return results->failure[0] != 0;
}

void results_add(struct results *results, const char *name)
{
    if (results->count == FILES_MAX) {
        errno = EMFILE;
        results_fail(results, name);
        return;
    }
    snprintf(results->names[results->count++], NAME_BYTES, "%s", name);
}

FILE *results_open(struct results *results, const char *name)
{
    char *path = join(results->folder, name);
    FILE *file = path == NULL ? NULL : fopen(path, "we");
    free(path);
    results_add(results, name);
    snprintf(results->open_name, sizeof results->open_name, "%s", name);
    if (file == NULL)
        results_fail(results, name);
    return file;
}

void results_close(struct results *results, FILE *file)
{
    if (file == NULL)
        return;
    int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        results_fail(results, results->open_name);
}

static void remove_known(const struct results *results)
{
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        char *path = join(results->path, known_names[i]);
        if (path != NULL)
            unlink(path);
        free(path);
    }
}

static int move(struct results *results, const char *name)
{
    char *from = join(results->folder, name), *to = join(results->path, name);
    int failed = from == NULL || to == NULL || rename(from, to) != 0;
    if (failed)
        results_fail(results, name);
    free(from);
    free(to);
    return failed;
}

int results_finish(struct results *results)
{
    int failed = results->failure[0] != 0;
    if (!failed)
        remove_known(results);
    for (size_t i = 0; !failed && i < results->count; i++)
        if (strcmp(results->names[i], SUMMARY) != 0)
            failed = move(results, results->names[i]);
    for (size_t i = 0; !failed && i < results->count; i++)
        if (strcmp(results->names[i], SUMMARY) == 0)
            failed = move(results, SUMMARY);
    if (failed)
        cli_fail("%s", results->failure);
    else
        results->made_path = 0; /* it stays */
    discard(results);
    return failed ? CLI_INPUT : 0;
}
