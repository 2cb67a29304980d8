/* The connection with the launcher. It uses sendto() and recvfrom(): send() and recv() are the program's, and watched (streams.c). */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct shim shim = {.fd = -1, .memory_fd = -1, .alarm_ps = SHIM_NEVER};

int shim_is_joined(void)
{
    return shim.fd >= 0 && shim.pid == getpid();
}

void shim_enter(void)
{
    shim.inside++;
    shim.entries++;
    shim_arm_again();
}

void shim_leave(void)
{
    shim.inside--;
}

void shim_is_active(void)
{
    shim.empty_polls = 0;
}

static int open_socket(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length + 1 > sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path + 1, name, length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, bytes) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int send_join(int fd, int memory_fd)
{
    const char *host = getenv(VERBS_HOST);
    struct verbs_request request = {.kind = VERBS_JOIN, .host = host != NULL ? host[0] : '-'};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {&request, sizeof request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), &memory_fd, sizeof memory_fd);
    return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof request ? 0 : -1;
}

/* A child is no host of its own. */
static int forget(int fd, int memory_fd)
{
    if (fd >= 0)
        close(fd);
    if (memory_fd >= 0)
        close(memory_fd);
    return EBUSY;
}

int shim_join(void)
{
    const char *name = getenv(VERBS_SOCKET);
    struct verbs_reply reply;
    if (shim_is_joined())
        return 0;
    if (name == NULL)
        return ENODEV;
    int fd = open_socket(name), memory_fd = memfd_create("rnicsim", MFD_CLOEXEC);
    if (fd < 0 || memory_fd < 0 || send_join(fd, memory_fd) || recvfrom(fd, &reply, sizeof reply, 0, NULL, NULL) != (ssize_t)sizeof reply)
        return forget(fd, memory_fd);
    shim.fd = fd;
    shim.memory_fd = memory_fd;
    shim.pid = getpid();
    shim.host = reply.number;
    shim.now_ps = reply.at_ps;
    shim.tsc_hz = reply.tsc_hz;
    shim.real_ns = reply.real_ns;
    shim.writes = reply.writes;
    shim.nothing_at_ps = -1;
    shim_trap();
    return shim_watch();
}

void shim_tell(const struct verbs_request *request)
{
    if (sendto(shim.fd, request, sizeof *request, MSG_NOSIGNAL, NULL, 0) < 0)
        _exit(1); /* the launcher is gone, and time with it */
}

int shim_ask(void *request, size_t bytes, struct verbs_reply *reply)
{
    static struct {
        struct verbs_reply reply;
        struct verbs_completion completion[VERBS_COMPLETIONS];
    } answer; /* one call at a time */
    struct verbs_request *head = request;
    ssize_t got;
    head->at_ps = shim.now_ps;
    if (head->until_ps > shim.alarm_ps)
        head->until_ps = shim.alarm_ps;
    if (sendto(shim.fd, request, bytes, MSG_NOSIGNAL, NULL, 0) < 0)
        _exit(1);
    do
        got = recvfrom(shim.fd, &answer, sizeof answer, 0, NULL, NULL);
    while (got < 0 && errno == EINTR);
    if (got < (ssize_t)sizeof answer.reply)
        _exit(1);
    if (reply != NULL)
        *reply = answer.reply;
    shim.now_ps = answer.reply.at_ps;
    shim.writes = answer.reply.writes;
    shim.nothing_at_ps = answer.reply.waiting == 0 ? shim.now_ps : -1;
    shim_complete(answer.completion, answer.reply.count);
    shim_alarm_due();
    return answer.reply.result;
}
