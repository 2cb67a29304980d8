/* What programs ask for, and their answers. */
#include "traces/verbs/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void park(struct verbs_host *host, int64_t until_ps)
{
    host->state = VERBS_PARKS;
    host->until_ps = until_ps;
}

static void return_at(struct verbs_host *host, int64_t at_ps)
{
    host->state = VERBS_RETURNS;
    host->at_ps = at_ps > host->at_ps ? at_ps : host->at_ps;
}

static int is_poll(uint32_t kind)
{
    return kind == VERBS_POLL || kind == VERBS_WAIT_POLL;
}

static uint32_t kind_of(const struct verbs_host *host)
{
    return ((const struct verbs_request *)host->message)->kind;
}

/* The program goes on: everything before its clock has happened. */
static void answer(struct verbs_host *host)
{
    struct {
        struct verbs_reply reply;
        struct verbs_completion completion[VERBS_COMPLETIONS];
    } message;
    message.reply = host->reply;
    if (is_poll(kind_of(host)))
        message.reply.count = (uint32_t)(host->count < VERBS_COMPLETIONS ? host->count : VERBS_COMPLETIONS);
    memcpy(message.completion, host->completion + host->first, message.reply.count * sizeof *message.completion);
    host->first += message.reply.count;
    host->count -= message.reply.count;
    if (host->count == 0)
        host->first = 0;
    message.reply.at_ps = host->at_ps;
    message.reply.writes = host->writes;
    message.reply.waiting = (uint32_t)host->count;
    size_t bytes = sizeof message.reply + message.reply.count * sizeof *message.completion;
    send(host->fd, &message, bytes, MSG_NOSIGNAL); /* one that is gone is seen when it is heard next */
    host->state = VERBS_RUNS;
}

static void wait_for_memory(struct verbs_host *host, const struct verbs_request *request)
{
    host->seen = request->seen;
    if (host->writes != host->seen)
        return_at(host, host->at_ps);
    else
        park(host, request->until_ps);
}

static void do_request(struct verbs_server *server, uint32_t index)
{
    struct verbs_host *host = &server->host[index];
    const struct verbs_request *request = (const void *)host->message;
    host->reply = (struct verbs_reply){0};
    switch (request->kind) {
    case VERBS_WAIT_POLL:
        if (host->count == 0) {
            park(host, request->until_ps);
            return;
        }
        break;
    case VERBS_WAIT_MEMORY:
        wait_for_memory(host, request);
        return;
    case VERBS_SLEEP:
        return_at(host, request->until_ps);
        return;
    case VERBS_STREAM_SEND:
        verbs_stream_add(server, request->stream.name, request->stream.bytes, host->at_ps);
        break;
    case VERBS_STREAM_WAIT:
        host->stream = request->stream.name;
        host->state = VERBS_READS;
        return;
    case VERBS_POST_SEND:
    case VERBS_POST_RECEIVE:
        host->reply.result = verbs_post(server, index, request, host->message_bytes);
        return_at(host, rnicsim_host_free_at(server->sim, index));
        return;
    case VERBS_POLL:
    case VERBS_BACK:
        break;
    default:
        host->reply.result = verbs_objects(server, index, request, &host->reply.number);
    }
    return_at(host, host->at_ps);
}

void verbs_serve(struct verbs_server *server, uint32_t index)
{
    struct verbs_host *host = &server->host[index];
    if (host->state == VERBS_RETURNS) {
        answer(host);
        return;
    }
    if (host->state == VERBS_ASKS)
        do_request(server, index);
    else /* it has waited long enough */
        return_at(host, host->state == VERBS_PARKS ? host->until_ps : rnicsim_now(server->sim));
    if (host->state == VERBS_RETURNS && host->at_ps <= rnicsim_now(server->sim))
        answer(host);
}

void verbs_release(struct verbs_server *server, uint32_t index)
{
    struct verbs_host *host = &server->host[index];
    host->reply = (struct verbs_reply){.result = EAGAIN};
    answer(host);
    host->state = VERBS_IS_OUTSIDE;
}

/* ---- what is heard ---- */

/* What is said without waiting for an answer. 1: that was all. */
static int is_remark(struct verbs_server *server, struct verbs_host *host, const struct verbs_request *request)
{
    switch (request->kind) {
    case VERBS_OUTSIDE:
        host->state = VERBS_IS_OUTSIDE;
        return 1;
    case VERBS_STREAM_TOOK:
        verbs_stream_took(server, request->stream.name, request->stream.bytes);
        return 1;
    case VERBS_STREAM_CLOSE:
        verbs_stream_add(server, request->stream.name, 0, host->at_ps);
        return 1;
    default:
        return 0;
    }
}

static void hang_up(struct verbs_server *server, uint32_t index)
{
    struct verbs_host *host = &server->host[index];
    verbs_host_leaves(server, index);
    close(host->fd);
    close(host->memory_fd);
    host->state = VERBS_ABSENT;
    host->fd = host->memory_fd = -1;
}

int verbs_hear(struct verbs_server *server, uint32_t index)
{
    struct verbs_host *host = &server->host[index];
    ssize_t bytes = recv(host->fd, host->message, sizeof host->message, 0);
    if (bytes < 0 && errno == EINTR)
        return 0;
    if (bytes < (ssize_t)sizeof(struct verbs_request)) {
        hang_up(server, index);
        return -1;
    }
    struct verbs_request *request = (void *)host->message;
    host->message_bytes = (size_t)bytes;
    if (request->at_ps > host->at_ps)
        host->at_ps = request->at_ps;
    if (is_remark(server, host, request))
        return 0;
    if (request->kind == VERBS_BACK && host->at_ps < rnicsim_now(server->sim))
        host->at_ps = rnicsim_now(server->sim); /* others went on meanwhile */
    if (request->kind != VERBS_WAIT_POLL && request->kind != VERBS_WAIT_MEMORY && request->kind != VERBS_POLL)
        host->idle_ps = 0;
    request->at_ps = host->at_ps;
    host->state = VERBS_ASKS;
    return 0;
}

/* The first packet, with the file of the program's memory. */
static int hear_join(int fd, struct verbs_request *request)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int memory_fd = -1;
    if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *request || request->kind != VERBS_JOIN)
        return -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head != NULL && head->cmsg_type == SCM_RIGHTS)
        memcpy(&memory_fd, CMSG_DATA(head), sizeof memory_fd);
    return memory_fd;
}

void verbs_welcome(struct verbs_server *server, int fd)
{
    struct verbs_request request;
    int memory_fd = hear_join(fd, &request);
    for (uint32_t i = 0; i < VERBS_HOSTS && memory_fd >= 0; i++) {
        struct verbs_host *host = &server->host[i];
        if (host->state != VERBS_ABSENT || (request.host != '-' && request.host != (char)('a' + (int)i)))
            continue;
        host->fd = fd;
        host->memory_fd = memory_fd;
        host->at_ps = rnicsim_now(server->sim);
        host->idle_ps = 0;
        host->state = VERBS_RUNS;
        struct verbs_reply reply = {.at_ps = host->at_ps,
                                    .number = i,
                                    .writes = host->writes,
                                    .tsc_hz = server->tsc_hz,
                                    .real_ns = server->real_ns};
        send(fd, &reply, sizeof reply, MSG_NOSIGNAL);
        return;
    }
    close(fd); /* the device is in use, or this is no program of ours */
    if (memory_fd >= 0)
        close(memory_fd);
}
