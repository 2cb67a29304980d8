#include "traces/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATHS_MAX 1024u

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNALS (sizeof signals / sizeof *signals)

/* The handler sees only these; changed while signals are held. */
static char *volatile paths[PATHS_MAX];
static volatile sig_atomic_t path_count;
static volatile pid_t child_now;
static sigset_t before_hold;

/* Only what is safe in a handler. The signal, blocked until the handler returns, then ends the program. */
static void remove_all(int number)
{
    if (child_now > 0) {
        kill(child_now, SIGKILL);
        while (waitpid(child_now, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    for (int i = path_count - 1; i >= 0; i--)
        if (unlink(paths[i]) != 0)
            rmdir(paths[i]);
    signal(number, SIG_DFL);
    raise(number);
}

static void set_of_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(set, signals[i]);
}

static void install(void)
{
    static int is_installed;
    struct sigaction action = {.sa_handler = remove_all, .sa_flags = SA_RESTART}, old;
    if (is_installed)
        return;
    is_installed = 1;
    set_of_signals(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

void cleanup_hold(void)
{
    sigset_t set;
    set_of_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before_hold);
}

void cleanup_release(void)
{
    sigprocmask(SIG_SETMASK, &before_hold, NULL);
}

void cleanup_add(const char *path)
{
    char *copy = strdup(path);
    install();
    if (copy == NULL || path_count == (sig_atomic_t)PATHS_MAX) {
        free(copy);
        return;
    }
    paths[path_count] = copy;
    path_count++; /* the handler sees it from here on */
}

void cleanup_forget(const char *path)
{
    sigset_t set, before;
    int i = path_count - 1;
    set_of_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    while (i >= 0 && strcmp(paths[i], path) != 0)
        i--;
    if (i >= 0) {
        free(paths[i]);
        path_count--;
        for (; i < path_count; i++)
            paths[i] = paths[i + 1];
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void cleanup_child(pid_t child)
{
    child_now = child;
}
