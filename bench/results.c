#include "bench/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/results_known.h"
#include "traces/cleanup.h"

#define FILES_MAX 512u
#define NAME_BYTES 96u
#define HIDDEN ".rnicsim" /* the begin of the hidden folder's name, */
#define HIDDEN_END ".tmp" /* and its end; in older versions there was a number between */

struct results {
    char *path;
    char *folder; /* hidden, inside path */
    int lock;     /* path, open and locked; -1 */
    enum results_mode mode;
    int has_lock; /* 0: there are no locks on this file system */
    int made_path, made_folder;
    char names[FILES_MAX][NAME_BYTES];
    size_t count;
    char open_name[NAME_BYTES];
    char failure[512]; /* the first one; empty: none */
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

static int check(const char *path, enum results_mode mode)
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
    int has_sweep = mode == RESULTS_NEW && (exists(path, RESULTS_SWEEP_WHOLE) || exists(path, RESULTS_PLAN));
    int is_kept = mode == RESULTS_NEW || mode == RESULTS_SWEEP;
    if (is_kept &&
        (exists(path, RESULTS_SUMMARY) || exists(path, RESULTS_SIZE) || exists(path, RESULTS_WHY) || has_sweep))
        return cli_fail("-o %s: holds the results of another run; --force replaces them", path);
    return 0;
}

static void remove_file(const char *folder, const char *name)
{
    char *path = join(folder, name);
    if (path != NULL) {
        unlink(path);
        cleanup_forget(path);
    }
    free(path);
}

static void remove_folder(const char *path)
{
    rmdir(path); /* fails when something else is in it, and then it stays */
    cleanup_forget(path);
}

void results_discard(struct results *results)
{
    if (results == NULL)
        return;
    for (size_t i = 0; i < results->count; i++)
        remove_file(results->folder, results->names[i]);
    if (results->made_folder)
        remove_folder(results->folder);
    if (results->made_path)
        remove_folder(results->path);
    if (results->lock >= 0)
        close(results->lock); /* which unlocks it */
    free(results->folder);
    free(results->path);
    free(results);
}

/* Makes a folder that a signal takes away again. 0, or -1 with errno. */
static int make_folder(const char *path)
{
    cleanup_hold();
    int failed = mkdir(path, 0777), reason = errno;
    if (!failed)
        cleanup_add(path);
    cleanup_release();
    errno = reason;
    return failed;
}

static int is_hidden(const char *name)
{
    size_t length = strlen(name), end = strlen(HIDDEN_END);
    return strncmp(name, HIDDEN, strlen(HIDDEN)) == 0 && length > end && strcmp(name + length - end, HIDDEN_END) == 0;
}

/* Hidden folders of runs that were killed: the lock is ours, so nobody writes into them. */
static void remove_stale(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (is_hidden(entry->d_name)) {
            char *stale = join(path, entry->d_name);
            if (stale != NULL)
                results_known_remove_tree(stale);
            free(stale);
        }
    if (folder != NULL)
        closedir(folder);
}

/* A folder is written by one run at a time. The lock goes with the process, however it ends; without locks, the hidden
 * folder is the lock. */
static int take_lock(struct results *results)
{
    results->lock = open(results->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (results->lock < 0)
        return -1;
    results->has_lock = flock(results->lock, LOCK_EX | LOCK_NB) == 0;
    return !results->has_lock && errno == EWOULDBLOCK ? -1 : 0;
}

static int fill(struct results *results)
{
    results->made_path = make_folder(results->path) == 0;
    if (!results->made_path && errno != EEXIST)
        return cli_fail("-o %s: %s", results->path, strerror(errno));
    if (take_lock(results) != 0)
        return errno == EWOULDBLOCK
                   ? cli_fail("-o %s: another run is writing into it; one at a time is allowed", results->path)
                   : cli_fail("-o %s: %s", results->path, strerror(errno));
    if (check(results->path, results->mode) != 0) /* another run may have ended meanwhile */
        return CLI_INPUT;
    if (results->has_lock)
        remove_stale(results->path);
    results->made_folder = make_folder(results->folder) == 0;
    if (!results->made_folder && errno == EEXIST)
        return cli_fail("-o %s: another run is writing into it; if none is, remove %s", results->path, results->folder);
    return results->made_folder ? 0 : cli_fail("-o %s: %s", results->path, strerror(errno));
}

int results_begin(const char *path, enum results_mode mode, struct results **out)
{
    if (check(path, mode) != 0)
        return CLI_INPUT;
    struct results *results = calloc(1, sizeof *results);
    if (results == NULL)
        return cli_fail("-o %s: out of memory", path);
    results->lock = -1;
    results->mode = mode;
    results->path = strdup(path);
    results->folder = join(path, HIDDEN HIDDEN_END);
    int result =
        results->path == NULL || results->folder == NULL ? cli_fail("-o %s: out of memory", path) : fill(results);
    if (result != 0)
        results_discard(results);
    else
        *out = results;
    return result;
}

void results_leave(struct results *results)
{
    if (results != NULL && results->lock >= 0)
        close(results->lock);
}

const char *results_folder(const struct results *results)
{
    return results->folder;
}

const char *results_name(const struct results *results, size_t n)
{
    return n < results->count ? results->names[n] : NULL;
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
    char *path = join(results->folder, name);
    if (path != NULL)
        cleanup_add(path);
    free(path);
    snprintf(results->names[results->count++], NAME_BYTES, "%s", name);
}

void results_drop(struct results *results, const char *name)
{
    if (results->count == 0 || strcmp(results->names[results->count - 1], name) != 0)
        return;
    results->count--;
    remove_file(results->folder, name);
}

FILE *results_open(struct results *results, const char *name)
{
    char *path = join(results->folder, name);
    results_add(results, name);
    FILE *file = path == NULL ? NULL : fopen(path, "we");
    free(path);
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

/* Out of the hidden folder, into its place. */
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

/* summary.json of a run, size.json of a search: where it is, the result is whole. */
static int is_whole_mark(const char *name)
{
    return strcmp(name, RESULTS_SUMMARY) == 0 || strcmp(name, RESULTS_SIZE) == 0 || strcmp(name, RESULTS_WHY) == 0 ||
           strcmp(name, RESULTS_SWEEP_WHOLE) == 0;
}

/* All, the mark last. */
static int move_all(struct results *results)
{
    int failed = 0;
    for (int marks = 0; marks < 2; marks++)
        for (size_t i = 0; !failed && i < results->count; i++)
            if (is_whole_mark(results->names[i]) == marks)
                failed = move(results, results->names[i]);
    return failed;
}

int results_finish(struct results *results)
{
    int failed = results->failure[0] != 0;
    cleanup_hold(); /* from here on it is all or nothing */
    if (!failed) {
        results_known_remove(results->path, results->mode == RESULTS_REPLACE);
        failed = move_all(results);
    }
    if (failed)
        cli_fail("%s", results->failure);
    else if (results->made_path) {
        cleanup_forget(results->path);
        results->made_path = 0; /* it stays */
    }
    results_discard(results);
    cleanup_release();
    return failed ? CLI_INPUT : 0;
}
