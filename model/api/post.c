/* Posting: what the caller gives is checked whole before anything changes. */
#include "api/api_internal.h"

/* Which of its keys name no region that holds its buffer (enum message_key). Without bytes no key is looked at (IBTA vol. 1, C9-88). */
static unsigned wrong_keys(const struct rnicsim *sim, uint32_t host, const struct rnicsim_wr *wr)
{
    unsigned wrong = 0;
    if (wr->length_bytes > 0 && !(wr->flags & RNICSIM_INLINE) &&
        !regions_hold(&sim->regions[host], wr->lkey, wr->local_address, wr->length_bytes))
        wrong |= MESSAGE_LOCAL_KEY;
    if (wr->length_bytes > 0 && wr->opcode >= RNICSIM_WRITE &&
        !regions_hold(&sim->regions[host ^ 1], wr->rkey, wr->remote_address, wr->length_bytes))
        wrong |= MESSAGE_REMOTE_KEY;
    return wrong;
}

/* Where a datagram goes: the QP's index at the peer's NIC. */
static uint32_t datagram_to(const struct rnicsim *sim, uint32_t host, const struct qp *qp, const struct rnicsim_wr *wr)
{
    return qp_table_find(&sim->system.nic[host ^ 1].by_number, wr->remote_qpn ? wr->remote_qpn : qp->peer_qpn);
}

static const char *wrong_with_datagram(const struct rnicsim *sim, uint32_t host, const struct qp *qp,
                                       const struct rnicsim_wr *wr)
{
    uint32_t to = datagram_to(sim, host, qp, wr);
    if (wr->opcode > RNICSIM_SEND_IMM)
        return "opcode on a UD QP: allowed SEND, SEND_IMM";
    if (wr->length_bytes > qp->mtu_bytes)
        return "length on a UD QP: allowed up to its MTU";
    if (to == QP_NONE || sim->system.nic[host ^ 1].qp[to].transport != QP_UD)
        return "remote_qpn names no UD QP of the peer";
    return 0;
}

static const char *wrong_with_request(const struct rnicsim *sim, uint32_t host, const struct qp *qp,
                                      const struct rnicsim_wr *wr, int64_t at_ps)
{
    int is_answered = wr->opcode >= RNICSIM_READ, is_atomic = wr->opcode > RNICSIM_READ;
    if ((unsigned)wr->opcode > RNICSIM_FETCH_ADD || wr->opcode == RNICSIM_RECV)
        return "opcode: allowed SEND, SEND_IMM, WRITE, WRITE_IMM, READ, CMP_SWAP, FETCH_ADD";
    if (is_answered && qp->max_rd_atomic == 0)
        return "READs and atomics need a QP with max_rd_atomic from 1";
    if (is_answered && qp->is_unreliable)
        return "READs and atomics are acknowledged: not on UC and UD, nor with transport.completion = sent";
    if (qp->transport == QP_XRC && (wr->opcode <= RNICSIM_SEND_IMM || wr->opcode == RNICSIM_WRITE_IMM) &&
        qp_table_find(&sim->system.nic[host ^ 1].srqs.by_number, wr->remote_srqn) == QP_NONE)
        return "remote_srqn names no SRQ of the peer";
    if (is_answered && (wr->flags & RNICSIM_INLINE))
        return "inline: allowed for what a request sends";
    if (is_atomic && (wr->length_bytes != 8 || wr->remote_address % 8 != 0))
        return "atomics: allowed are 8 bytes at an address that is a multiple of 8";
    if (wr->length_bytes > RNICSIM_MESSAGE_MAX_BYTES)
        return "length: allowed 0 to 2147483648 bytes";
    if ((wr->flags & RNICSIM_INLINE) && wr->length_bytes > qp->max_inline_bytes)
        return "inline data is longer than the QP's max_inline";
    if (wr->flags & ~(RNICSIM_SIGNALLED | RNICSIM_INLINE | RNICSIM_SOLICITED | RNICSIM_FENCE | RNICSIM_HAS_ARRIVAL |
                      RNICSIM_ANY_KEY))
        return "unknown flags";
    if ((wr->flags & RNICSIM_HAS_ARRIVAL) && (wr->arrival_ps < 0 || wr->arrival_ps > at_ps))
        return "arrival: allowed 0 to the instant of its post";
    unsigned wrong = wr->flags & RNICSIM_ANY_KEY ? 0 : wrong_keys(sim, host, wr);
    if (wrong & MESSAGE_LOCAL_KEY)
        return "lkey names no region that holds the local buffer";
    if (wrong & MESSAGE_REMOTE_KEY)
        return "rkey names no region of the peer that holds the remote buffer";
    return qp->transport == QP_UD ? wrong_with_datagram(sim, host, qp, wr) : 0;
}

static struct qp *find_qp(struct rnicsim *sim, uint32_t host, uint32_t qpn, uint32_t *index,
                          struct rnicsim_error *error)
{
    *index = host < API_HOSTS ? qp_table_find(&sim->system.nic[host].by_number, qpn) : QP_NONE;
    if (*index == QP_NONE) {
        api_fail(error, RNICSIM_EINPUT, "host %u has no QP %u", host, qpn);
        return 0;
    }
    return &sim->system.nic[host].qp[*index];
}

static int check_list(const void *list, size_t count, struct rnicsim_error *error)
{
    if (count < 1)
        return api_fail(error, RNICSIM_EINPUT, "nothing is posted: count is 0, allowed from 1 to the queue's depth");
    if (!list)
        return api_fail(error, RNICSIM_EINPUT, "the list of what is posted is NULL, but count is %zu", count);
    return RNICSIM_OK;
}

/* Checks an instant given from outside and turns it into the simulation's own time. */
static int own_time(struct rnicsim *sim, uint32_t host, int64_t at_ps, int64_t *own_ps, struct rnicsim_error *error)
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

static int add_message(struct rnicsim *sim, uint32_t host, uint32_t index, uint32_t offset, const struct rnicsim_wr *wr)
{
    struct qp *qp = &sim->system.nic[host].qp[index];
    uint32_t ref = message_new(&sim->system.messages);
    if (ref == POOL_NONE)
        return -1;
    struct message *message = message_at(&sim->system.messages, ref);
    message->ordinal = ++sim->posted;
    message->wr_id = wr->wr_id;
    message->local_address = wr->local_address;
    message->remote_address = wr->remote_address;
    message->lkey = wr->lkey;
    message->rkey = wr->rkey;
    message->length_bytes = wr->length_bytes;
    message->request_bytes = wr->opcode >= RNICSIM_READ ? 0 : wr->length_bytes;
    message->fenced = (wr->flags & RNICSIM_FENCE) != 0;
    message->immediate = wr->immediate;
    message->qp = index;
    message->opcode = (uint8_t)wr->opcode;
    if (qp->transport == QP_UD) {
        message->to = datagram_to(sim, host, qp, wr);
        message->qkey = wr->remote_qpn ? wr->remote_qkey : qp->qkey;
    } else if (qp->transport == QP_XRC && message_is_received(message)) {
        message->to = qp_table_find(&sim->system.nic[host ^ 1].srqs.by_number, wr->remote_srqn);
    }
    message->signalled = qp->signal_all || (wr->flags & RNICSIM_SIGNALLED);
    message->has_inline = (wr->flags & RNICSIM_INLINE) != 0;
    if (wr->flags & RNICSIM_ANY_KEY)
        message->wrong_keys = wrong_keys(sim, host, wr) & 3;
    if (sim->system.contents)
        content_posted(sim->system.contents, host, &sim->system.messages, ref, wr->compare, wr->swap_or_add);
    if (wr->flags & RNICSIM_HAS_ARRIVAL)
        message->stamp_ps[MESSAGE_AT_ARRIVAL] = wr->arrival_ps + sim->system.shift_ps;
    qp->send[(qp->posted + offset) & qp->send_mask] = ref;
    return 0;
}

/* A checked post, for api_guard(). */
struct post {
    uint32_t host, index;
    size_t count;
    const struct rnicsim_wr *requests;
    const struct rnicsim_recv *buffers;
    struct receive_queue *queue; /* for them */
    int64_t own_ps;
};

static int ring(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const struct post *post = argument;
    for (size_t i = 0; i < post->count; i++)
        if (add_message(sim, post->host, post->index, (uint32_t)i, &post->requests[i]))
            return api_fail(error, RNICSIM_EINPUT, "out of memory");
    if (rnic_ring(&sim->system.nic[post->host], post->index, (uint32_t)post->count, post->own_ps))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}

int rnicsim_post_send(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_wr *requests, size_t count,
                      int64_t at_ps, struct rnicsim_error *error)
{
    struct post post = {.host = host, .count = count, .requests = requests};
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    struct qp *qp = find_qp(sim, host, qpn, &post.index, error);
    if (!qp || check_list(requests, count, error))
        return RNICSIM_EINPUT;
    if (qp->peer == QP_NONE)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u is not in RTS: its peer QP %u does not exist", qpn,
                        host, qp->peer_qpn);
    if (count > qp->sq_depth - (qp->posted - qp->retired))
        return api_fail(error, RNICSIM_EINPUT, "send queue full: QP %u of host %u holds %u of %u, %zu more were posted",
                        qpn, host, qp->posted - qp->retired, qp->sq_depth, count);
    for (size_t i = 0; i < count; i++) {
        const char *wrong = wrong_with_request(sim, host, qp, &requests[i], at_ps);
        if (wrong)
            return api_fail(error, RNICSIM_EINPUT, "request %llu on QP %u of host %u: %s",
                            (unsigned long long)requests[i].wr_id, qpn, host, wrong);
    }
    if (own_time(sim, host, at_ps, &post.own_ps, error))
        return RNICSIM_EINPUT;
    return api_guard(sim, ring, &post, error);
}

static int add_receives(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    (void)error;
    const struct post *post = argument;
    struct receive_queue *queue = post->queue;
    int64_t posted_at = host_post_receive(&sim->system.nic[post->host].host, post->own_ps, (uint32_t)post->count);
    for (size_t i = 0; i < post->count; i++)
        queue->slot[queue->posted++ & queue->mask] = (struct qp_receive){.wr_id = post->buffers[i].wr_id,
                                                                         .address = post->buffers[i].address,
                                                                         .posted_at_ps = posted_at,
                                                                         .length_bytes = post->buffers[i].length_bytes,
                                                                         .lkey = post->buffers[i].lkey};
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
    if (own_time(sim, post->host, at_ps, &post->own_ps, error))
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
    struct qp *qp = find_qp(sim, host, qpn, &post.index, error);
    if (!qp || check_list(buffers, count, error))
        return RNICSIM_EINPUT;
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
    struct post post = {.host = host, .count = count, .buffers = buffers};
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    const struct srq *srq = api_find_srq(sim, host, srqn, error);
    if (!srq || check_list(buffers, count, error))
        return RNICSIM_EINPUT;
    post.queue = srq->queue;
    return post_receives(sim, &post, "SRQ", srqn, at_ps, error);
}

int64_t rnicsim_host_free_at(const struct rnicsim *sim, uint32_t host)
{
    if (!sim || host >= API_HOSTS)
        return 0;
    int64_t free_ps = sim->system.nic[host].host.busy_until_ps - sim->system.shift_ps;
    return free_ps > 0 ? free_ps : 0;
}
