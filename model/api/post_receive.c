/* Posting receive buffers, and what all posts are checked for. */
#include "api/post.h"

#include <stdlib.h>

const char *post_wrong_with_list(const struct rnicsim *sim, uint32_t host, const struct rnicsim_sge *sge,
                                 uint32_t count, uint64_t length_bytes)
{
    const struct rnic *nic = &sim->system.nic[host];
    uint64_t sum = 0;
    if (count == 0)
        return 0;
    if (!sge || count > RNICSIM_SGE_MOST)
        return "sge_count: allowed 0 to 32, and sge is not NULL where it is not 0";
    for (uint32_t i = 0; i < count; i++)
        sum += sge[i].length_bytes;
    if (sum != length_bytes)
        return "length: allowed is the sum of its SGEs' lengths";
    return nic->lookup.on || nic->fabric_source != NIC_FABRIC_OFF
               ? "SGEs: not with nic.context_unit nor nic.fabric; allowed is sge_count 0"
               : 0;
}

void post_take_list(struct sge_list *list, const struct rnicsim_sge *sge, uint32_t count)
{
    list->count = count;
    for (uint32_t i = 0; i < count; i++)
        list->sge[i] = (struct sge){sge[i].address, sge[i].length_bytes, sge[i].lkey};
}

int post_check(const void *list, size_t count, struct rnicsim_error *error)
{
    if (count < 1)
        return api_fail(error, RNICSIM_EINPUT, "nothing is posted: count is 0, allowed from 1 to the queue's depth");
    if (!list)
        return api_fail(error, RNICSIM_EINPUT, "the list of what is posted is NULL, but count is %zu", count);
    return RNICSIM_OK;
}

int post_own_time(struct rnicsim *sim, uint32_t host, int64_t at_ps, int64_t *own_ps, struct rnicsim_error *error)
{
    if (at_ps > RNICSIM_TIME_MAX)
        return api_fail(error, RNICSIM_EINPUT, "a post at %lld ps, allowed up to 2^62 ps", (long long)at_ps);
    *own_ps = at_ps + sim->system.shift_ps;
    if (at_ps < 0 || *own_ps < sim->system.sim.now)
        return api_fail(error, RNICSIM_EINPUT, "a post at %lld ps lies before now, %lld ps", (long long)at_ps,
                        (long long)rnicsim_now(sim));
    if (*own_ps < sim->last_post_ps[host])
        return api_fail(error, RNICSIM_EINPUT, "a post of host %u at %lld ps lies before its last one", host,
                        (long long)at_ps);
    sim->last_post_ps[host] = *own_ps;
    if (*own_ps < sim->first_post_ps)
        sim->first_post_ps = *own_ps;
    return RNICSIM_OK;
}

static int add_receives(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const struct post *post = argument;
    struct receive_queue *queue = post->queue;
    int64_t posted_at = host_post_receive(&sim->system.nic[post->host].host, post->own_ps, (uint32_t)post->count);
    for (size_t i = 0; i < post->count; i++) {
        const struct rnicsim_recv *buffer = &post->buffers[i];
        struct qp_receive *slot = &queue->slot[queue->posted & queue->mask];
        struct sge_list *list = slot->list; /* of the one that was here before */
        if (buffer->sge_count > 0 && !list && !(list = malloc(sizeof *list)))
            return api_fail(error, RNICSIM_EINPUT, "out of memory");
        if (buffer->sge_count == 0) {
            free(list);
            list = NULL;
        } else
            post_take_list(list, buffer->sge, buffer->sge_count);
        *slot = (struct qp_receive){.wr_id = buffer->wr_id,
                                    .address = list ? list->sge[0].address : buffer->address,
                                    .posted_at_ps = posted_at,
                                    .length_bytes = buffer->length_bytes,
                                    .lkey = list ? list->sge[0].lkey : buffer->lkey,
                                    .list = list};
        queue->posted++;
    }
    struct rnic *nic = &sim->system.nic[post->host];
    if (post->index != QP_NONE && nic->qp[post->index].failed)
        errors_go_on(nic, post->index, rnic_cycle(nic, posted_at));
    return RNICSIM_OK;
}

/* To the queue of a QP or an SRQ, as far as it has room. */
static int post_receives(struct rnicsim *sim, struct post *post, const char *whose, uint32_t number, int64_t at_ps,
                         struct rnicsim_error *error)
{
    const struct receive_queue *queue = post->queue;
    uint32_t held = queue->posted - queue->taken;
    if (post->count > queue->depth - held)
        return api_fail(error, RNICSIM_EINPUT,
                        "receive queue full: %s %u of host %u holds %u of %u, %zu more were posted", whose, number,
                        post->host, held, queue->depth, post->count);
    for (size_t i = 0; i < post->count; i++) {
        const struct rnicsim_recv *buffer = &post->buffers[i];
        const char *wrong = post_wrong_with_list(sim, post->host, buffer->sge, buffer->sge_count, buffer->length_bytes);
        if (wrong)
            return api_fail(error, RNICSIM_EINPUT, "receive buffer %llu of %s %u of host %u: %s",
                            (unsigned long long)buffer->wr_id, whose, number, post->host, wrong);
    }
    if (post_own_time(sim, post->host, at_ps, &post->own_ps, error))
        return RNICSIM_EINPUT;
    return api_guard(sim, add_receives, post, error);
}

int rnicsim_post_recv(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_recv *buffers,
                      size_t count, int64_t at_ps, struct rnicsim_error *error)
{
    struct post post = {.host = host, .count = count, .buffers = buffers};
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    struct qp *qp = api_find_qp(sim, host, qpn, error);
    if (!qp || post_check(buffers, count, error))
        return RNICSIM_EINPUT;
    post.index = rnic_qp_index(&sim->system.nic[host], qp);
    if (qp->state == QP_RESET && !qp->failed)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u is in RESET: allowed from INIT on", qpn, host);
    if (qp->srq != SRQ_NONE)
        return api_fail(error, RNICSIM_EINPUT,
                        "QP %u of host %u takes its receive buffers from SRQ %u: allowed is a post to that", qpn, host,
                        sim->system.nic[host].srqs.srq[qp->srq]->srqn);
    post.queue = qp->receives;
    return post_receives(sim, &post, "QP", qpn, at_ps, error);
}

int rnicsim_post_srq_recv(struct rnicsim *sim, uint32_t host, uint32_t srqn, const struct rnicsim_recv *buffers,
                          size_t count, int64_t at_ps, struct rnicsim_error *error)
{
    struct post post = {.host = host, .index = QP_NONE, .count = count, .buffers = buffers};
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    const struct srq *srq = api_find_srq(sim, host, srqn, error);
    if (!srq || post_check(buffers, count, error))
        return RNICSIM_EINPUT;
    post.queue = srq->queue;
    return post_receives(sim, &post, "SRQ", srqn, at_ps, error);
}
