/* Posting: what the caller gives is checked whole before anything changes. */
#include "api/post.h"

#define FLUSH_REACHES (uint32_t)(RNICSIM_FLUSH_VISIBLE | RNICSIM_FLUSH_PERSISTENT)

/* Where a datagram goes: the QP's index at the peer's NIC. */
static uint32_t datagram_to(const struct rnicsim *sim, uint32_t host, const struct qp *qp, const struct rnicsim_wr *wr)
{
    return qp_table_find(&sim->system.nic[host ^ 1].by_number, wr->remote_qpn ? wr->remote_qpn : qp->peer_qpn);
}

/* What a request says, as far as its keys are looked at. */
static void take_fields(struct message *message, const struct rnicsim_wr *wr)
{
    message->wr_id = wr->wr_id;
    message->local_address = wr->local_address;
    message->remote_address = wr->remote_address;
    message->lkey = wr->lkey;
    message->rkey = wr->rkey;
    message->length_bytes = wr->length_bytes;
    message->immediate = wr->immediate;
    message->opcode = (uint8_t)wr->opcode;
    message->has_inline = (wr->flags & RNICSIM_INLINE) != 0;
    if (!message_is_answered(message) || wr->opcode == RNICSIM_ATOMIC_WRITE)
        message->request_bytes = wr->length_bytes;
    if (!message_is_local(message) || !wr->bind)
        return;
    message->rkey = wr->bind->key; /* as local.c has it */
    message->immediate = wr->bind->new_key;
    message->lkey = wr->bind->region;
    message->access = api_access(wr->bind->access);
    message->local_address = wr->bind->base;
    message->remote_address = wr->bind->length_bytes;
}

/* The message has the request's list. */
static __attribute__((noinline, cold)) const char *give_list(struct rnicsim *sim, uint32_t host, uint32_t ref,
                                                             const struct rnicsim_wr *wr)
{
    struct message *message = message_at(&sim->system.messages, ref);
    const char *wrong = post_wrong_with_list(sim, host, wr->sge, wr->sge_count, wr->length_bytes);
    if (wrong)
        return wrong;
    if (sges_open(&sim->system.sges, ref))
        return "out of memory";
    post_take_list(sges_of(&sim->system.sges, ref, SGE_OF_REQUEST), wr->sge, wr->sge_count);
    message->local_sges = (uint8_t)wr->sge_count;
    message->local_address = wr->sge[0].address;
    message->lkey = wr->sge[0].lkey;
    return 0;
}

/* Which of its keys are wrong, or that it is for the NICs to see (enum message_key). */
static unsigned wrong_keys(const struct rnicsim *sim, uint32_t host, const struct qp *qp, const struct message *message)
{
    const struct rnic *own = &sim->system.nic[host], *peer = &sim->system.nic[host ^ 1];
    int is_open = qp->transport == QP_UD || peer->qp[qp->peer].access == KEY_ALL;
    if (message_is_local(message) || (is_open && keys_are_open(&own->keys) && keys_are_open(&peer->keys)))
        return 0;
    if (own->keys.can_change || peer->keys.can_change)
        return MESSAGE_KEYS_LATER;
    unsigned wrong = access_local(own, qp, message) ? 0 : MESSAGE_LOCAL_KEY;
    if (qp->transport != QP_UD && !access_remote(peer, &peer->qp[qp->peer], message))
        wrong |= MESSAGE_REMOTE_KEY;
    return wrong;
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

static const char *wrong_with_local(const struct rnicsim *sim, uint32_t host, const struct qp *qp,
                                    const struct rnicsim_wr *wr)
{
    if (!wr->bind)
        return "bind is NULL: LOCAL_INV, BIND_MW and FAST_REG say in it what they do";
    if (qp->transport == QP_UD || !sim->system.nic[host].has_local)
        return "LOCAL_INV, BIND_MW and FAST_REG: allowed on RC, UC and XRC, when the host has a window or a free "
               "region";
    if (wr->length_bytes != 0 || (wr->flags & RNICSIM_INLINE))
        return "LOCAL_INV, BIND_MW and FAST_REG carry nothing: length is 0, inline is not set";
    if (api_access_is_wrong(wr->bind->access))
        return "access: allowed are those of enum rnicsim_access";
    return 0;
}

/* What is said by verbs for each operation and transport (ibv_post_send(3)), and what each needs. */
static const char *wrong_with_operation(const struct rnicsim *sim, uint32_t host, const struct qp *qp,
                                        const struct rnicsim_wr *wr, const struct message *message)
{
    if ((unsigned)wr->opcode > RNICSIM_FAST_REG || wr->opcode == RNICSIM_RECV)
        return "opcode: allowed are those of enum rnicsim_opcode but RECV";
    if (qp->transport == QP_XRC && message_is_received(message) &&
        qp_table_find(&sim->system.nic[host ^ 1].srqs.by_number, wr->remote_srqn) == QP_NONE)
        return "remote_srqn names no SRQ of the peer";
    if (wr->opcode < RNICSIM_RECV)
        return 0;
    if (message_is_answered(message) && qp->max_rd_atomic == 0)
        return "READs and atomics, FLUSH and ATOMIC_WRITE need a QP with max_rd_atomic from 1";
    if (message_is_answered(message) && qp->is_unreliable)
        return "READs and atomics, FLUSH and ATOMIC_WRITE are acknowledged: not on UC and UD, nor with "
               "transport.completion = sent";
    if (wr->opcode == RNICSIM_SEND_INV && qp->is_unreliable)
        return "SEND_INV is acknowledged: not on UC and UD, nor with transport.completion = sent";
    if (wr->opcode > RNICSIM_FETCH_ADD && wr->opcode <= RNICSIM_SEND_INV && sim->system.nic[host].lookup.on)
        return "FLUSH, ATOMIC_WRITE and SEND_INV: not with nic.context_unit";
    if ((message_is_atomic(message) || wr->opcode == RNICSIM_ATOMIC_WRITE) &&
        (wr->length_bytes != 8 || wr->remote_address % 8 != 0))
        return "atomics: allowed are 8 bytes at an address that is a multiple of 8";
    if (wr->opcode == RNICSIM_FLUSH && ((wr->immediate & ~(FLUSH_REACHES | (uint32_t)RNICSIM_FLUSH_REGION)) != 0 ||
                                        (wr->immediate & FLUSH_REACHES) == 0))
        return "immediate of a FLUSH: allowed are those of enum rnicsim_flush, VISIBLE or PERSISTENT at least";
    return message_is_local(message) ? wrong_with_local(sim, host, qp, wr) : 0;
}

static const char *wrong_with_request(const struct rnicsim *sim, uint32_t host, const struct qp *qp,
                                      const struct rnicsim_wr *wr, const struct message *message, int64_t at_ps)
{
    const char *wrong = wrong_with_operation(sim, host, qp, wr, message);
    if (wrong)
        return wrong;
    if ((wr->flags & RNICSIM_INLINE) && (message->request_bytes != wr->length_bytes || wr->opcode == RNICSIM_FLUSH))
        return "inline: allowed for what a request sends";
    if (wr->length_bytes > RNICSIM_MESSAGE_MAX_BYTES)
        return "length: allowed 0 to 2147483648 bytes";
    if ((wr->flags & RNICSIM_INLINE) && wr->length_bytes > qp->max_inline_bytes)
        return "inline data is longer than the QP's max_inline";
    if (wr->flags & ~(RNICSIM_SIGNALLED | RNICSIM_INLINE | RNICSIM_SOLICITED | RNICSIM_FENCE | RNICSIM_HAS_ARRIVAL |
                      RNICSIM_ANY_KEY))
        return "unknown flags";
    if ((wr->flags & RNICSIM_HAS_ARRIVAL) && (wr->arrival_ps < 0 || wr->arrival_ps > at_ps))
        return "arrival: allowed 0 to the instant of its post";
    if ((message->wrong_keys & MESSAGE_LOCAL_KEY) && !(wr->flags & RNICSIM_ANY_KEY))
        return "lkey names no region that holds the local buffer, or that may be used so";
    if ((message->wrong_keys & MESSAGE_REMOTE_KEY) && !(wr->flags & RNICSIM_ANY_KEY))
        return "rkey names no region of the peer that holds the remote buffer, or that may be used so";
    return qp->transport == QP_UD ? wrong_with_datagram(sim, host, qp, wr) : 0;
}

/* A checked request is posted. */
static void finish_message(struct rnicsim *sim, const struct post *post, uint32_t ref, const struct rnicsim_wr *wr)
{
    struct qp *qp = &sim->system.nic[post->host].qp[post->index];
    struct message *message = message_at(&sim->system.messages, ref);
    message->ordinal = ++sim->posted;
    if (wr->flags & (RNICSIM_FENCE | RNICSIM_SOLICITED)) {
        message->fenced = (wr->flags / RNICSIM_FENCE) & 1;
        message->solicited = (wr->flags / RNICSIM_SOLICITED) & 1;
    }
    message->qp = post->index;
    if (__builtin_expect(qp->transport == QP_UD, 0)) {
        message->to = datagram_to(sim, post->host, qp, wr);
        message->qkey = wr->remote_qpn ? wr->remote_qkey : qp->qkey;
    } else if (__builtin_expect(qp->transport == QP_XRC, 0) && message_is_received(message)) {
        message->to = qp_table_find(&sim->system.nic[post->host ^ 1].srqs.by_number, wr->remote_srqn);
    }
    message->signalled = qp->signal_all || (wr->flags & RNICSIM_SIGNALLED);
    if (sim->system.contents)
        content_posted(sim->system.contents, post->host, &sim->system.messages, ref,
                       message->local_sges > 0 ? sges_of(&sim->system.sges, ref, SGE_OF_REQUEST) : NULL, wr->compare,
                       wr->swap_or_add);
    if (wr->flags & RNICSIM_HAS_ARRIVAL)
        message->stamp_ps[MESSAGE_AT_ARRIVAL] = wr->arrival_ps + sim->system.shift_ps;
}

static int ring(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const struct post *post = argument;
    const struct qp *qp = &sim->system.nic[post->host].qp[post->index];
    for (uint32_t i = 0; i < post->count; i++)
        finish_message(sim, post, qp->send[(qp->posted + i) & qp->send_mask], &post->requests[i]);
    if (rnic_ring(&sim->system.nic[post->host], post->index, (uint32_t)post->count, post->own_ps))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}

static void drop_messages(struct rnicsim *sim, const struct qp *qp, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        message_end(&sim->system.messages, qp->send[(qp->posted + i) & qp->send_mask]);
}

/* Makes messages of requests, behind those that are posted, and checks them; without an effect when one is wrong. */
static int make_messages(struct rnicsim *sim, struct qp *qp, const struct post *post, int64_t at_ps,
                         struct rnicsim_error *error)
{
    const char *wrong = 0;
    uint32_t made = 0;
    while (made < post->count && !wrong) {
        const struct rnicsim_wr *wr = &post->requests[made];
        uint32_t ref = message_new(&sim->system.messages);
        if (ref == POOL_NONE) {
            wrong = "out of memory";
            break;
        }
        struct message *message = message_at(&sim->system.messages, ref);
        qp->send[(qp->posted + made++) & qp->send_mask] = ref;
        take_fields(message, wr);
        if (__builtin_expect(wr->sge_count > 0, 0) && (wrong = give_list(sim, post->host, ref, wr)) != 0)
            break;
        unsigned keys = wrong_keys(sim, post->host, qp, message);
        if (keys)
            message->wrong_keys = keys & 7;
        wrong = wrong_with_request(sim, post->host, qp, wr, message, at_ps);
    }
    if (!wrong)
        return RNICSIM_OK;
    unsigned long long wr_id = post->requests[made > 0 ? made - 1 : 0].wr_id;
    drop_messages(sim, qp, made);
    return api_fail(error, RNICSIM_EINPUT, "request %llu on QP %u of host %u: %s", wr_id, qp->qpn, post->host, wrong);
}

int rnicsim_post_send(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_wr *requests, size_t count,
                      int64_t at_ps, struct rnicsim_error *error)
{
    struct post post = {.host = host, .count = count, .requests = requests};
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    struct qp *qp = api_find_qp(sim, host, qpn, error);
    if (!qp || post_check(requests, count, error))
        return RNICSIM_EINPUT;
    post.index = rnic_qp_index(&sim->system.nic[host], qp);
    if (qp->halted == QP_NOT_READY)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u is not in RTS: allowed there, in SQD and in ERROR",
                        qpn, host);
    if (qp->peer == QP_NONE)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u is not in RTS: its peer QP %u does not exist", qpn,
                        host, qp->peer_qpn);
    if (count > qp->sq_depth - (qp->posted - qp->retired))
        return api_fail(error, RNICSIM_EINPUT, "send queue full: QP %u of host %u holds %u of %u, %zu more were posted",
                        qpn, host, qp->posted - qp->retired, qp->sq_depth, count);
    if (make_messages(sim, qp, &post, at_ps, error))
        return RNICSIM_EINPUT;
    if (post_own_time(sim, host, at_ps, &post.own_ps, error)) {
        drop_messages(sim, qp, count);
        return RNICSIM_EINPUT;
    }
    return api_guard(sim, ring, &post, error);
}

int64_t rnicsim_host_free_at(const struct rnicsim *sim, uint32_t host)
{
    if (!sim || host >= API_HOSTS)
        return 0;
    int64_t free_ps = sim->system.nic[host].host.busy_until_ps - sim->system.shift_ps;
    return free_ps > 0 ? free_ps : 0;
}
