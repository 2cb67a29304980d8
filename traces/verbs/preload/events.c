/* Completion channels: a program sleeps until an armed CQ has a completion. When it learns of it is what host.completion says. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct shim_cq *first_cq;

SHIM_EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
    struct ibv_comp_channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        return NULL;
    *channel = (struct ibv_comp_channel){.context = context, .fd = eventfd(0, EFD_CLOEXEC)};
    return channel;
}

SHIM_EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    for (const struct shim_cq *cq = first_cq; cq != NULL; cq = cq->next)
        if (cq->cq.channel == channel)
            return EBUSY;
    close(channel->fd);
    free(channel);
    return 0;
}

void shim_events_of(struct shim_cq *cq)
{
    cq->next = first_cq;
    first_cq = cq;
}

void shim_events_forget(struct shim_cq *cq)
{
    struct shim_cq **at = &first_cq;
    while (*at != cq)
        at = &(*at)->next;
    *at = cq->next;
}

int shim_arm_cq(struct ibv_cq *cq, int solicited_only)
{
    if (solicited_only)
        return EOPNOTSUPP;
    ((struct shim_cq *)cq)->is_armed = 1;
    return 0;
}

void shim_event(struct shim_cq *cq)
{
    if (!cq->is_armed || cq->cq.channel == NULL)
        return;
    cq->is_armed = 0;
    cq->events++;
}

static struct shim_cq *with_event(const struct ibv_comp_channel *channel)
{
    struct shim_cq *cq = first_cq;
    while (cq != NULL && (cq->cq.channel != channel || cq->events == 0))
        cq = cq->next;
    return cq;
}

SHIM_EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **queue, void **context)
{
    struct shim_cq *cq;
    shim_enter();
    shim_is_active();
    while ((cq = with_event(channel)) == NULL) {
        struct verbs_request request = {.kind = VERBS_WAIT_POLL, .until_ps = SHIM_NEVER};
        shim_ask(&request, sizeof request, NULL);
    }
    shim_leave();
    cq->events--;
    *queue = &cq->cq;
    *context = cq->cq.cq_context;
    return 0;
}

SHIM_EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
    cq->comp_events_completed += count;
}
