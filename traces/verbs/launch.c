/* Starts the programs, waits for what they say, tells how they ended. Nothing is left of them afterwards: each is a process group, which
 * is ended as a whole, and their memory lies in files without names. */
#include "traces/verbs/launch.h"

#include "traces/verbs/hosts.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM_FAILED 1
#define GRACE_S 2     /* so long the others may go on when one has failed */
#define OUTSIDE_MS 50 /* so long one that waits is not nudged while another may still say something */

struct running {
    const struct verbs_launch *launch;
    struct verbs_server server;
    pid_t pid[VERBS_PROGRAMS]; /* 0: has ended */
    int alive, listener, signals;
    char socket[64];
    sigset_t mask_before;
    cpu_set_t cores_before;
    int failed; /* one of them, and this says how */
    char how[512];
    int is_interrupted, is_over;
};

int verbs_find_library(char *path, size_t path_bytes, struct rnicsim_error *error)
{
    static const char *const places[] = {"", "../lib/"};
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = 0;
    char *name = strrchr(folder, '/');
    if (name != NULL)
        name[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int written = snprintf(path, path_bytes, "%s%slibrnicsim_verbs.so", folder, places[i]);
        if (written > 0 && (size_t)written < path_bytes && access(path, R_OK) == 0)
            return RNICSIM_OK;
    }
    snprintf(error->text, sizeof error->text,
             "librnicsim_verbs.so is neither beside the program nor in ../lib: make builds it where libibverbs-dev is "
             "installed");
    return RNICSIM_EINPUT;
}

/* ---- begin ---- */

static int listen_for_programs(struct running *run)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(run->socket, sizeof run->socket, "rnicsim-verbs-%ld", (long)getpid());
    size_t length = strlen(run->socket);
    memcpy(address.sun_path + 1, run->socket, length); /* an abstract name: no file */
    run->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    return run->listener < 0 || bind(run->listener, (struct sockaddr *)&address, bytes) || listen(run->listener, 16);
}

static int watch_signals(struct running *run)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGALRM);
    sigprocmask(SIG_BLOCK, &mask, &run->mask_before);
    run->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    return run->signals < 0;
}

/* Only one of us works at any time: on one core, the word is passed on three times as fast as between two. */
static void share_a_core(struct running *run)
{
    cpu_set_t one;
    int core = sched_getcpu();
    sched_getaffinity(0, sizeof run->cores_before, &run->cores_before);
    CPU_ZERO(&one);
    CPU_SET((size_t)(core < 0 ? 0 : core), &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* In the new process. Addresses are the same in each run, so that runs are. */
static void become(const struct running *run, const struct verbs_program *program)
{
    char host[2] = {program->host, 0};
    const char *preloaded = getenv("LD_PRELOAD");
    char preload[2 * PATH_MAX];
    snprintf(preload, sizeof preload, "%s%s%s", run->launch->library, preloaded ? ":" : "", preloaded ? preloaded : "");
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE);
    sigprocmask(SIG_SETMASK, &run->mask_before, NULL);
    setenv("LD_PRELOAD", preload, 1);
    setenv(VERBS_SOCKET, run->socket, 1);
    setenv(VERBS_HOST, host, 1);
    execvp(program->argv[0], program->argv);
    fprintf(stderr, "rnicsim: %s cannot be run: %s\n", program->argv[0], strerror(errno));
    _exit(127);
}

static void start(struct running *run, int index)
{
    pid_t pid = fork();
    if (pid == 0)
        become(run, &run->launch->program[index]);
    if (pid < 0)
        return;
    setpgid(pid, pid);
    run->pid[index] = pid;
    run->alive++;
}

/* ---- meanwhile ---- */

static void say(struct running *run, const char *text)
{
    if (run->failed)
        return;
    snprintf(run->how, sizeof run->how, "%s", text);
    run->failed = 1;
    alarm(GRACE_S);
}

static void note_end(struct running *run, int index, int status)
{
    char text[512];
    const char *name = run->launch->program[index].name;
    kill(-run->pid[index], SIGKILL); /* helpers that it has left behind */
    run->pid[index] = 0;
    run->alive--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    /* a shell tells of a signal by a status of 128 and its number */
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
    if (signal_number > 0 && signal_number < SIGRTMAX)
        snprintf(text, sizeof text, "\"%s\" was ended by signal %d (%s)", name, signal_number,
                 strsignal(signal_number));
    else
        snprintf(text, sizeof text, "\"%s\" ended with status %d", name, WEXITSTATUS(status));
    say(run, text);
}

static void hear_signals(struct running *run)
{
    struct signalfd_siginfo info;
    int status;
    while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo == SIGALRM)
            run->is_over = 1;
        else if (info.ssi_signo != SIGCHLD)
            run->is_interrupted = 1;
    for (int i = 0; i < run->launch->programs; i++)
        if (run->pid[i] > 0 && waitpid(run->pid[i], &status, WNOHANG) == run->pid[i])
            note_end(run, i, status);
}

static int has(const struct running *run, enum verbs_state state)
{
    int count = 0;
    for (int i = 0; i < VERBS_HOSTS; i++)
        count += run->server.host[i].state == state;
    return count;
}

/* Waits at most so long (-1: for ever) for a program to say something; 0: none did. */
static int listen_to_all(struct running *run, int timeout_ms)
{
    struct pollfd fds[2 + VERBS_HOSTS] = {{run->signals, POLLIN, 0}, {run->listener, POLLIN, 0}};
    for (int i = 0; i < VERBS_HOSTS; i++) {
        enum verbs_state state = run->server.host[i].state;
        /* who waits for an answer says nothing: only its end is news */
        fds[2 + i] = (struct pollfd){run->server.host[i].fd, state == VERBS_RUNS || state == VERBS_IS_OUTSIDE ? POLLIN : 0, 0};
    }
    int heard = poll(fds, 2 + VERBS_HOSTS, timeout_ms);
    if (heard <= 0)
        return 0;
    if (fds[0].revents != 0)
        hear_signals(run);
    for (uint32_t i = 0; i < VERBS_HOSTS; i++)
        if (fds[2 + i].revents != 0)
            verbs_hear(&run->server, i);
    if (fds[1].revents != 0)
        verbs_welcome(&run->server, accept4(run->listener, NULL, NULL, SOCK_CLOEXEC));
    return 1;
}

/* A process of a program that has no device may still open one. */
static int somebody_may_come(const struct running *run)
{
    return has(run, VERBS_IS_OUTSIDE) > 0 || run->alive > VERBS_HOSTS - has(run, VERBS_ABSENT);
}

static void go_on(struct running *run)
{
    int waits = has(run, VERBS_PARKS) + has(run, VERBS_READS);
    if (has(run, VERBS_RUNS) > 0) {
        listen_to_all(run, -1);
        return;
    }
    if (verbs_step(&run->server) == 0)
        return;
    if (waits == 0) {
        listen_to_all(run, -1);
        return;
    }
    if (listen_to_all(run, somebody_may_come(run) ? OUTSIDE_MS : 0) == 0 && verbs_nudge(&run->server) != 0) {
        say(run, "no program goes on: each waits for a completion or for memory to change, and nothing is under way");
        run->is_over = 1;
    }
}

/* ---- end ---- */

static void end_all(struct running *run)
{
    for (int i = 0; i < run->launch->programs; i++) {
        if (run->pid[i] > 0) {
            kill(-run->pid[i], SIGKILL);
            waitpid(run->pid[i], NULL, 0);
        }
    }
    for (uint32_t i = 0; i < VERBS_HOSTS; i++) {
        struct verbs_host *host = &run->server.host[i];
        if (host->state != VERBS_ABSENT) {
            verbs_host_leaves(&run->server, i);
            close(host->fd);
            close(host->memory_fd);
        }
        free(host->completion);
    }
    alarm(0);
    sched_setaffinity(0, sizeof run->cores_before, &run->cores_before);
    free(run->server.segment);
    close(run->listener);
    close(run->signals);
    sigprocmask(SIG_SETMASK, &run->mask_before, NULL);
}

static int begin(struct running *run, const struct verbs_launch *launch)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    run->launch = launch;
    run->server.sim = launch->sim;
    run->server.tsc_hz = launch->tsc_hz;
    run->server.real_ns = now.tv_sec * INT64_C(1000000000);
    run->server.next_number = 0x11;
    for (int i = 0; i < VERBS_HOSTS; i++)
        run->server.host[i].fd = run->server.host[i].memory_fd = -1;
    if (listen_for_programs(run) || watch_signals(run))
        return -1;
    share_a_core(run);
    for (int i = 0; i < launch->programs; i++)
        start(run, i);
    return 0;
}

int verbs_launch(const struct verbs_launch *launch, struct rnicsim_error *error)
{
    struct running *run = calloc(1, sizeof *run);
    if (run == NULL || begin(run, launch) != 0) {
        free(run);
        snprintf(error->text, sizeof error->text, "programs cannot be started: %s", strerror(errno));
        return PROGRAM_FAILED;
    }
    while (run->alive > 0 && !run->is_interrupted && !run->is_over && run->server.result == RNICSIM_OK)
        go_on(run);
    if (run->is_interrupted)
        say(run, "interrupted: the programs were ended");
    int result = run->server.result != RNICSIM_OK ? run->server.result : run->failed ? PROGRAM_FAILED : RNICSIM_OK;
    *error = run->server.error;
    if (result == PROGRAM_FAILED)
        snprintf(error->text, sizeof error->text, "%s", run->how);
    end_all(run);
    free(run);
    return result;
}
