/* Creating a simulation, its objects, posting, time, and what the hosts see. */
#include "api/api_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MESSAGE_STAMPS == RNICSIM_STAMP_COUNT, "the stamps of a message are those of the API");
_Static_assert((int)MESSAGE_WRITE_IMM == (int)RNICSIM_WRITE_IMM, "opcodes are those of the API");

int api_fail(struct rnicsim_error *error, int result, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return result;
}

int api_alive(const struct rnicsim *sim, struct rnicsim_error *error)
{
    if (sim->system.sim.failed)
        return api_fail(error, RNICSIM_EMODEL, "%s", sim->system.sim.failure);
    return RNICSIM_OK;
}

int rnicsim_create(const struct rnicsim_options *options, struct rnicsim **out, struct rnicsim_error *error)
{
    struct config_error wrong;
    *out = 0;
    if (!options->board)
        return api_fail(error, RNICSIM_EINPUT, "no board is named, allowed: a board's name or a board file");
    struct config *config =
        system_configure(options->data_dir, options->board, options->host, options->set, options->set_count, &wrong);
    if (!config)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    struct rnicsim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        config_destroy(config);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    struct system_options system_options = {.seed = options->seed, .horizon_off = options->horizon_off,
                                            .idle_pair = options->idle_pair, .spurious_seed = options->spurious_seed,
                                            .shift_ps = options->shift_ps};
    sim->first_post_ps = SIM_NEVER;
    if (system_init(&sim->system, config, &system_options, &wrong)) {
        rnicsim_destroy(sim);
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    }
    *out = sim;
    return RNICSIM_OK;
}

void rnicsim_destroy(struct rnicsim *sim)
{
    if (!sim)
        return;
    system_free(&sim->system);
    for (uint32_t host = 0; host < API_HOSTS; host++)
        regions_free(&sim->regions[host]);
    free(sim);
}

/* ---- objects ---- */

static const char *wrong_with_qp(const struct rnicsim_qp_attr *attr)
{
    if (attr->host >= API_HOSTS || attr->peer_host >= API_HOSTS || attr->host == attr->peer_host)
        return "host and peer_host: allowed are 0 and 1, one each";
    if (attr->qpn < 1 || attr->qpn > 0xffffff || attr->peer_qpn < 1 || attr->peer_qpn > 0xffffff)
        return "qpn and peer_qpn: allowed 1 to 16777215";
    if (attr->mtu_bytes < 256 || attr->mtu_bytes > 4096 || (attr->mtu_bytes & (attr->mtu_bytes - 1)) != 0)
        return "mtu: allowed 256, 512, 1024, 2048, 4096";
    if (attr->sq_depth < 1 || attr->sq_depth > 32768 || attr->rq_depth > 32768)
        return "sq_depth: allowed 1 to 32768; rq_depth: 0 to 32768";
    if (attr->max_inline_bytes > 1024)
        return "max_inline: allowed 0 to 1024";
    return 0;
}

int rnicsim_qp_create(struct rnicsim *sim, const struct rnicsim_qp_attr *attr, struct rnicsim_error *error)
{
    if (api_alive(sim, error))
        return RNICSIM_EMODEL;
    const char *wrong = wrong_with_qp(attr);
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u: %s", attr->qpn, attr->host, wrong);
    if (qp_table_find(&sim->system.nic[attr->host].by_number, attr->qpn) != QP_NONE)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u exists already", attr->qpn, attr->host);
    struct qp qp;
    if (qp_init(&qp, attr->qpn, attr->sq_depth, attr->rq_depth))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    qp.peer_qpn = attr->peer_qpn;
    qp.mtu_bytes = attr->mtu_bytes;
    qp.max_inline_bytes = attr->max_inline_bytes;
    qp.signal_all = attr->signal_all;
    if (system_add_qp(&sim->system, attr->host, &qp, attr->peer_host) == QP_NONE) {
        qp_free(&qp);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    return RNICSIM_OK;
}

int rnicsim_mr_register(struct rnicsim *sim, const struct rnicsim_mr_attr *attr, struct rnicsim_error *error)
{
    if (api_alive(sim, error))
        return RNICSIM_EMODEL;
    if (attr->host >= API_HOSTS || attr->length_bytes == 0 || attr->base + attr->length_bytes < attr->base)
        return api_fail(error, RNICSIM_EINPUT, "region %u: host is 0 or 1, length at least 1, end within 64 bits",
                        attr->key);
    if (attr->page_bytes != 4096 && attr->page_bytes != 2097152 && attr->page_bytes != 1073741824)
        return api_fail(error, RNICSIM_EINPUT, "region %u: page of %llu bytes, allowed 4096, 2097152, 1073741824",
                        attr->key, (unsigned long long)attr->page_bytes);
    int failed = regions_add(&sim->regions[attr->host], attr);
    if (failed)
        return api_fail(error, RNICSIM_EINPUT, failed == -1 ? "region key %u of host %u exists already" : "out of memory",
                        attr->key, attr->host);
    return RNICSIM_OK;
}

/* ---- posting ---- */

static const char *wrong_with_request(const struct rnicsim *sim, uint32_t host, const struct qp *qp,
                                      const struct rnicsim_wr *wr)
{
    if ((unsigned)wr->opcode > RNICSIM_WRITE_IMM)
        return "opcode: allowed SEND, SEND_IMM, WRITE, WRITE_IMM";
    if (wr->length_bytes > RNICSIM_MESSAGE_MAX_BYTES)
        return "length: allowed 0 to 2147483648 bytes";
    if ((wr->flags & RNICSIM_INLINE) && wr->length_bytes > qp->max_inline_bytes)
        return "inline data is longer than the QP's max_inline";
    if (wr->flags & ~(RNICSIM_SIGNALLED | RNICSIM_INLINE | RNICSIM_SOLICITED | RNICSIM_FENCE))
        return "unknown flags";
    if (wr->length_bytes > 0 && !(wr->flags & RNICSIM_INLINE) &&
        !regions_hold(&sim->regions[host], wr->lkey, wr->local_address, wr->length_bytes))
        return "lkey names no region that holds the local buffer";
    if (wr->length_bytes > 0 && wr->opcode >= RNICSIM_WRITE &&
        !regions_hold(&sim->regions[host ^ 1], wr->rkey, wr->remote_address, wr->length_bytes))
        return "rkey names no region of the peer that holds the remote buffer";
    return 0;
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

/* Checks an instant given from outside and turns it into the simulation's own time. */
static int own_time(struct rnicsim *sim, uint32_t host, int64_t at_ps, int64_t *own_ps, struct rnicsim_error *error)
{
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
    if (ref == MESSAGE_NONE)
        return -1;
    struct message *message = &sim->system.messages.message[ref];
    message->wr_id = wr->wr_id;
    message->local_address = wr->local_address;
    message->remote_address = wr->remote_address;
    message->length_bytes = wr->length_bytes;
    message->immediate = wr->immediate;
    message->qp = index;
    message->opcode = (uint8_t)wr->opcode;
    message->signalled = qp->signal_all || (wr->flags & RNICSIM_SIGNALLED);
    message->has_inline = (wr->flags & RNICSIM_INLINE) != 0;
    qp->send[(qp->posted + offset) & qp->send_mask] = ref;
    return 0;
}

int rnicsim_post_send(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_wr *requests,
                      size_t count, int64_t at_ps, struct rnicsim_error *error)
{
    uint32_t index;
    int64_t own_ps;
    if (api_alive(sim, error))
        return RNICSIM_EMODEL;
    struct qp *qp = find_qp(sim, host, qpn, &index, error);
    if (!qp)
        return RNICSIM_EINPUT;
    if (qp->peer == QP_NONE)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u is not in RTS: its peer QP %u does not exist", qpn, host,
                        qp->peer_qpn);
    if (count < 1 || count > qp->sq_depth - (qp->posted - qp->retired))
        return api_fail(error, RNICSIM_EINPUT, "send queue full: QP %u of host %u holds %u of %u, %zu more were posted", qpn,
                        host, qp->posted - qp->retired, qp->sq_depth, count);
    for (size_t i = 0; i < count; i++) {
        const char *wrong = wrong_with_request(sim, host, qp, &requests[i]);
        if (wrong)
            return api_fail(error, RNICSIM_EINPUT, "request %llu on QP %u of host %u: %s",
                            (unsigned long long)requests[i].wr_id, qpn, host, wrong);
    }
    if (own_time(sim, host, at_ps, &own_ps, error))
        return RNICSIM_EINPUT;
    for (size_t i = 0; i < count; i++)
        if (add_message(sim, host, index, (uint32_t)i, &requests[i]))
            return api_fail(error, RNICSIM_EINPUT, "out of memory");
    if (rnic_ring(&sim->system.nic[host], index, (uint32_t)count, own_ps))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}

int rnicsim_post_recv(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_recv *buffers, size_t count,
                      int64_t at_ps, struct rnicsim_error *error)
{
    uint32_t index;
    int64_t own_ps;
    if (api_alive(sim, error))
        return RNICSIM_EMODEL;
    struct qp *qp = find_qp(sim, host, qpn, &index, error);
    if (!qp)
        return RNICSIM_EINPUT;
    if (count < 1 || count > qp->rq_depth - (qp->receives_posted - qp->receives_taken))
        return api_fail(error, RNICSIM_EINPUT, "receive queue full: QP %u of host %u holds %u of %u, %zu more were posted",
                        qpn, host, qp->receives_posted - qp->receives_taken, qp->rq_depth, count);
    if (own_time(sim, host, at_ps, &own_ps, error))
        return RNICSIM_EINPUT;
    int64_t posted_at = host_post_receive(&sim->system.nic[host].host, own_ps, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        qp->receive[qp->receives_posted++ & qp->receive_mask] =
            (struct qp_receive){.wr_id = buffers[i].wr_id, .address = buffers[i].address, .posted_at_ps = posted_at,
                                .length_bytes = buffers[i].length_bytes};
    return RNICSIM_OK;
}

/* ---- time ---- */

int64_t rnicsim_now(const struct rnicsim *sim)
{
    int64_t now = sim->system.sim.now - sim->system.shift_ps;
    return now > 0 ? now : 0;
}

int64_t rnicsim_next_at(const struct rnicsim *sim)
{
    int64_t at = sim_next_at(&sim->system.sim);
    return at == SIM_NEVER ? RNICSIM_NEVER : at - sim->system.shift_ps;
}

int64_t rnicsim_lookahead(const struct rnicsim *sim)
{
    return sim->system.sim.outside_lookahead_ps;
}

int rnicsim_advance(struct rnicsim *sim, int64_t until_ps, int64_t *stopped_at_ps, struct rnicsim_error *error)
{
    jmp_buf on_failure;
    struct sim *kernel = &sim->system.sim;
    if (api_alive(sim, error))
        return RNICSIM_EMODEL;
    if (until_ps < rnicsim_now(sim))
        return api_fail(error, RNICSIM_EINPUT, "advance to %lld ps, before now", (long long)until_ps);
    if (setjmp(on_failure) != 0) {
        kernel->on_failure = 0;
        return api_alive(sim, error);
    }
    kernel->on_failure = &on_failure;
    sim_run(kernel, until_ps == RNICSIM_NEVER ? SIM_NEVER : until_ps + sim->system.shift_ps);
    kernel->on_failure = 0;
    if (stopped_at_ps)
        *stopped_at_ps = rnicsim_now(sim);
    return RNICSIM_OK;
}

/* ---- what hosts see ---- */

/* A stamp in the caller's time; what was not passed, or is decided but still to come, is RNICSIM_NEVER. */
static int64_t seen_stamp(const struct rnicsim *sim, int64_t at_ps)
{
    return at_ps > sim->system.sim.now ? RNICSIM_NEVER : at_ps - sim->system.shift_ps;
}

static void fill_event(const struct rnicsim *sim, const struct outbox_entry *entry, struct rnicsim_event *event)
{
    static const enum rnicsim_event_kind kind[OUTBOX_KINDS] = {RNICSIM_SEND_DONE, RNICSIM_RECV_DONE,
                                                               RNICSIM_WRITE_VISIBLE, RNICSIM_UNSIGNALLED};
    const struct message *message = &sim->system.messages.message[entry->message];
    int at_requester = entry->kind == OUTBOX_SEND_DONE || entry->kind == OUTBOX_UNSIGNALLED;
    uint32_t requester = at_requester ? entry->host : entry->host ^ 1u;
    const struct qp *qp = &sim->system.nic[requester].qp[message->qp];
    *event = (struct rnicsim_event){.kind = kind[entry->kind], .host = entry->host,
                                    .qpn = at_requester ? qp->qpn : qp->peer_qpn,
                                    .opcode = entry->kind == OUTBOX_RECV_DONE ? RNICSIM_RECV
                                                                              : (enum rnicsim_opcode)message->opcode,
                                    .length_bytes = message->length_bytes, .immediate = message->immediate,
                                    .status = at_requester ? message->status : 0,
                                    .wr_id = entry->kind == OUTBOX_RECV_DONE ? message->recv_wr_id : message->wr_id,
                                    .at_ps = entry->at_ps - sim->system.shift_ps};
    event->delivered_at_ps = message->delivered_at_ps == SIM_NEVER ? RNICSIM_NEVER
                                                                   : seen_stamp(sim, message->delivered_at_ps);
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++)
        event->stamp_ps[i] = seen_stamp(sim, message->stamp_ps[i]);
}

size_t rnicsim_poll(struct rnicsim *sim, struct rnicsim_event *events, size_t max)
{
    struct outbox_entry entry;
    size_t count = 0;
    while (count < max && outbox_take(&sim->system.outbox, &entry)) {
        fill_event(sim, &entry, &events[count++]);
        message_end(&sim->system.messages, entry.message);
        if (entry.at_ps > sim->last_done_ps)
            sim->last_done_ps = entry.at_ps;
    }
    return count;
}
