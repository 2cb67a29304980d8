/* TCP between the programs: who reads waits in virtual time for who writes. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RETRIES 1000 /* of 10 ms: the other program may still be starting */
#define RETRY_NS 10000000

static uint64_t port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
    return address->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)(const void *)address)->sin6_port) : 0;
}

/* The names of both directions of a connected TCP socket: by their ports, as all is on one machine. 0: no such socket. */
static int find_names(int fd, uint64_t *out, uint64_t *in)
{
    struct sockaddr_storage own, peer;
    socklen_t own_bytes = sizeof own, peer_bytes = sizeof peer;
    int saved = errno;
    int is_one = syscall(SYS_getsockname, fd, &own, &own_bytes) == 0 && syscall(SYS_getpeername, fd, &peer, &peer_bytes) == 0 &&
                 port_of(&own) != 0 && port_of(&peer) != 0;
    errno = saved;
    if (!is_one)
        return 0;
    *out = port_of(&own) << 16 | port_of(&peer);
    *in = port_of(&peer) << 16 | port_of(&own);
    return 1;
}

static int ask_stream(enum verbs_kind kind, uint64_t name, uint64_t bytes)
{
    struct verbs_request request = {.kind = kind, .until_ps = SHIM_NEVER, .stream = {name, bytes}};
    return shim_ask(&request, sizeof request, NULL);
}

static void tell_stream(enum verbs_kind kind, uint64_t name, uint64_t bytes)
{
    struct verbs_request request = {.kind = kind, .at_ps = shim.now_ps, .stream = {name, bytes}};
    shim_tell(&request);
}

/* ---- waits for what the model knows nothing of: others go on ---- */

static int begin_outside(void)
{
    struct verbs_request request = {.kind = VERBS_OUTSIDE, .at_ps = shim.now_ps};
    if (!shim_is_joined() || shim.inside)
        return 0;
    shim_enter();
    shim_is_active();
    shim_tell(&request);
    return 1;
}

static void end_outside(int has_begun, int has_entered)
{
    struct verbs_request request = {.kind = VERBS_BACK, .until_ps = SHIM_NEVER};
    int saved = errno;
    if (!has_begun)
        return;
    shim_ask(&request, sizeof request, NULL);
    if (has_entered)
        shim_leave();
    errno = saved;
}

/* ---- bytes ---- */

static int is_ours(int fd, uint64_t *out, uint64_t *in)
{
    return shim_is_joined() && !shim.inside && fd != shim.fd && find_names(fd, out, in);
}

static ssize_t put(int fd, const void *bytes, size_t count, int flags, int is_send)
{
    uint64_t out, in;
    int is_stream = is_ours(fd, &out, &in);
    if (is_stream) {
        shim_enter();
        shim_is_active();
        ask_stream(VERBS_STREAM_SEND, out, count);
    }
    shim_disarm(); /* the kernel does not wait for memory */
    ssize_t done = is_send ? syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0) : syscall(SYS_write, fd, bytes, count);
    if (is_stream)
        shim_leave();
    return done;
}

static ssize_t get(int fd, void *bytes, size_t count, int flags, int is_recv)
{
    uint64_t out, in;
    int is_stream = is_ours(fd, &out, &in), is_outside = 0;
    if (is_stream) {
        shim_enter();
        shim_is_active();
        if ((flags & MSG_DONTWAIT) == 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0)
            is_outside = ask_stream(VERBS_STREAM_WAIT, in, 0) == EAGAIN;
    }
    shim_disarm();
    ssize_t done = is_recv ? syscall(SYS_recvfrom, fd, bytes, count, flags, NULL, NULL) : syscall(SYS_read, fd, bytes, count);
    end_outside(is_outside, 0);
    if (is_stream && done > 0 && (flags & MSG_PEEK) == 0)
        tell_stream(VERBS_STREAM_TOOK, in, (uint64_t)done);
    if (is_stream)
        shim_leave();
    return done;
}

SHIM_EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
    return put(fd, bytes, count, 0, 0);
}

SHIM_EXPORT ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    return put(fd, bytes, count, flags, 1);
}

SHIM_EXPORT ssize_t read(int fd, void *bytes, size_t count)
{
    return get(fd, bytes, count, 0, 0);
}

SHIM_EXPORT ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    return get(fd, bytes, count, flags, 1);
}

SHIM_EXPORT int close(int fd)
{
    uint64_t out, in;
    if (is_ours(fd, &out, &in))
        tell_stream(VERBS_STREAM_CLOSE, out, 0);
    return (int)syscall(SYS_close, fd);
}

/* ---- connections ---- */

SHIM_EXPORT int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict bytes)
{
    int has_begun = begin_outside();
    int result = (int)syscall(SYS_accept, fd, address, bytes);
    end_outside(has_begun, 1);
    return result;
}

SHIM_EXPORT int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
    const struct timespec pause = {0, RETRY_NS};
    int is_inet = address->sa_family == AF_INET || address->sa_family == AF_INET6;
    int has_begun = is_inet ? begin_outside() : 0;
    int result = (int)syscall(SYS_connect, fd, address, bytes);
    for (int i = 0; i < RETRIES && result != 0 && errno == ECONNREFUSED && is_inet; i++) {
        syscall(SYS_nanosleep, &pause, NULL);
        result = (int)syscall(SYS_connect, fd, address, bytes);
    }
    end_outside(has_begun, 1);
    return result;
}
