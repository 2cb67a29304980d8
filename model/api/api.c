/* Creating a simulation, its objects, time, and what the hosts see. */
#include "api/api_internal.h"

#include "transport/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MESSAGE_STAMPS == RNICSIM_STAMP_COUNT, "the stamps of a message are those of the API");
_Static_assert((int)MESSAGE_WRITE_IMM == (int)RNICSIM_WRITE_IMM && (int)MESSAGE_READ == (int)RNICSIM_READ &&
                   (int)MESSAGE_FETCH_ADD == (int)RNICSIM_FETCH_ADD,
               "opcodes are those of the API");

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
    if (!sim)
        return api_fail(error, RNICSIM_EINPUT, "there is no simulation, allowed: what rnicsim_create() made");
    if (sim->system.sim.failed)
        return api_fail(error, RNICSIM_EMODEL, "%s", sim->system.sim.failure);
    return RNICSIM_OK;
}

int api_guard(struct rnicsim *sim, api_call *call, void *argument, struct rnicsim_error *error)
{
    jmp_buf on_failure;
    struct sim *kernel = &sim->system.sim;
    if (setjmp(on_failure) != 0) {
        kernel->on_failure = 0;
        return api_alive(sim, error);
    }
    kernel->on_failure = &on_failure;
    int result = call(sim, argument, error);
    kernel->on_failure = 0;
    return result;
}

/* ---- create ---- */

static const char *wrong_with_options(const struct rnicsim_options *options)
{
    if (!options)
        return "no options are given";
    if (!options->board)
        return "no board is named, allowed: a board's name or a board file";
    if (options->set_count > 0 && !options->set)
        return "set is NULL, but set_count is not 0";
    for (size_t i = 0; i < options->set_count; i++)
        if (!options->set[i])
            return "set holds NULL, allowed: \"key=value\"";
    if (options->shift_ps < 0 || options->shift_ps > RNICSIM_TIME_MAX / 2)
        return "shift_ps: allowed 0 to 2^61 ps";
    return 0;
}

struct create {
    struct config *config;
    const struct rnicsim_options *options;
};

static int build(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const struct create *create = argument;
    const struct rnicsim_options *options = create->options;
    struct system_options system_options = {.seed = options->seed,
                                            .horizon_off = options->horizon_off,
                                            .idle_pair = options->idle_pair,
                                            .has_data = options->data,
                                            .spurious_seed = options->spurious_seed,
                                            .shift_ps = options->shift_ps,
                                            .on_failure = sim->system.sim.on_failure};
    struct config_error wrong;
    if (system_init(&sim->system, create->config, &system_options, &wrong))
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    return RNICSIM_OK;
}

int rnicsim_create(const struct rnicsim_options *options, struct rnicsim **out, struct rnicsim_error *error)
{
    struct config_error wrong;
    if (!out)
        return api_fail(error, RNICSIM_EINPUT, "out is NULL, allowed: where the simulation is to be put");
    *out = 0;
    const char *refused = wrong_with_options(options);
    if (refused)
        return api_fail(error, RNICSIM_EINPUT, "%s", refused);
    struct config *config =
        system_configure(options->data_dir, options->board, options->host, options->set, options->set_count, &wrong);
    if (!config)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    struct rnicsim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        config_destroy(config);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    sim->first_post_ps = SIM_NEVER;
    struct create create = {config, options};
    int result = api_guard(sim, build, &create, error);
    if (result != RNICSIM_OK)
        rnicsim_destroy(sim);
    else
        *out = sim;
    return result;
}

void rnicsim_destroy(struct rnicsim *sim)
{
    if (!sim)
        return;
    watch_free(sim);
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
    if (attr->qpn < 1 || attr->qpn > 0xffffff || attr->peer_qpn > 0xffffff ||
        (attr->peer_qpn < 1 && attr->transport != RNICSIM_UD))
        return "qpn and peer_qpn: allowed 1 to 16777215, and peer_qpn 0 with UD";
    if (attr->mtu_bytes < 256 || attr->mtu_bytes > 4096 || (attr->mtu_bytes & (attr->mtu_bytes - 1)) != 0)
        return "mtu: allowed 256, 512, 1024, 2048, 4096";
    if (attr->sq_depth < 1 || attr->sq_depth > 32768 || attr->rq_depth > 32768)
        return "sq_depth: allowed 1 to 32768; rq_depth: 0 to 32768";
    if ((unsigned)attr->transport > RNICSIM_XRC)
        return "transport: allowed are those of enum rnicsim_transport";
    if (attr->srqn > 0 && attr->rq_depth > 0)
        return "rq_depth: allowed is 0 with an SRQ";
    if (attr->transport == RNICSIM_XRC && (attr->srqn > 0 || attr->rq_depth > 0))
        return "rq_depth and srqn: allowed is 0 with XRC, where requests name an SRQ";
    if (attr->max_inline_bytes > 1024)
        return "max_inline: allowed 0 to 1024";
    if (attr->service_level > 15 || attr->weight > 255)
        return "service level: allowed 0 to 15; weight: 1 to 255";
    if (attr->max_rd_atomic > 65535 || attr->sq_psn > PSN_MASK)
        return "max_rd_atomic: allowed 0 to 65535; sq_psn: 0 to 16777215";
    if (attr->rate_bps != 0 && (attr->rate_bps < 1000 || attr->rate_bps > INT64_C(400000000000)))
        return "rate: allowed 1 kbps to 400 Gbps, or 0 for no limit";
    const struct rnicsim_retry *retry = attr->retry;
    if (retry && (retry->timeout > 31 || retry->retry_count > 7 || retry->rnr_retry > 7 || retry->rnr_timer > 31))
        return "timeout and rnr_timer: allowed 0 to 31; retry_count and rnr_retry: 0 to 7";
    return 0;
}

static void open_recovery(const struct rnic *nic, struct qp *qp, const struct rnicsim_retry *asked)
{
    struct retry retry = {0};
    if (asked)
        retry = (struct retry){.timeout = (uint8_t)asked->timeout,
                               .retry_count = (uint8_t)asked->retry_count,
                               .rnr_retry = (uint8_t)asked->rnr_retry,
                               .rnr_timer = (uint8_t)asked->rnr_timer};
    recover_open(nic, qp, asked ? &retry : NULL);
}

/* What the QP's transport makes of it (IBTA vol. 1, 9.8); others than RC may not go with what the NIC is. */
static const char *open_transport(struct system *system, uint32_t host, struct qp *qp,
                                  const struct rnicsim_qp_attr *attr)
{
    static const uint8_t header_bytes[] = {
        [QP_RC] = 0, [QP_UC] = 0, [QP_UD] = FRAME_DETH_BYTES, [QP_XRC] = FRAME_XRCETH_BYTES};
    struct rnic *nic = &system->nic[host];
    int is_unreliable = attr->transport == RNICSIM_UC || attr->transport == RNICSIM_UD;
    qp->transport = (uint8_t)attr->transport;
    qp->is_unreliable = is_unreliable || nic->completes_when_sent;
    qp->header_bytes = header_bytes[attr->transport];
    qp->grh_bytes = attr->transport == RNICSIM_UD ? QP_GRH_BYTES : 0;
    qp->qkey = attr->qkey;
    if (attr->transport != RNICSIM_RC && nic->lookup.on)
        return "transport: allowed is RC with nic.context_unit";
    if (attr->transport == RNICSIM_XRC && (nic->params->srqc_entries > 0 || nic->params->receive_reads > 0))
        return "transport: XRC is allowed with SRQs on chip (nic.srqc_entries and nic.receive_reads = 0)";
    return is_unreliable && sent_turn_on(nic) ? "out of memory" : 0;
}

int rnicsim_qp_create(struct rnicsim *sim, const struct rnicsim_qp_attr *attr, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!attr)
        return api_fail(error, RNICSIM_EINPUT, "attr is NULL");
    const char *wrong = wrong_with_qp(attr);
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u: %s", attr->qpn, attr->host, wrong);
    if (qp_table_find(&sim->system.nic[attr->host].by_number, attr->qpn) != QP_NONE)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u exists already", attr->qpn, attr->host);
    const struct nic_params *nic = sim->system.nic[attr->host].params;
    int64_t frame_bytes = frame_data_bytes(attr->mtu_bytes, 1, 1);
    if (ready_quantum_bytes(nic) < frame_bytes)
        return api_fail(error, RNICSIM_EINPUT,
                        "QP %u of host %u: a frame of MTU %u has %lld bytes, a quantum of the scheduler only %lld",
                        attr->qpn, attr->host, attr->mtu_bytes, (long long)frame_bytes,
                        (long long)ready_quantum_bytes(nic));
    struct srq *srq = 0;
    if (attr->srqn > 0 && !(srq = api_find_srq(sim, attr->host, attr->srqn, error)))
        return RNICSIM_EINPUT;
    uint32_t srq_index = srq ? qp_table_find(&sim->system.nic[attr->host].srqs.by_number, attr->srqn) : SRQ_NONE;
    struct qp qp;
    if (qp_init(&qp, attr->qpn, attr->sq_depth, attr->rq_depth, srq_index, srq ? srq->queue : 0))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    qp.peer_qpn = attr->peer_qpn;
    qp.mtu_bytes = attr->mtu_bytes;
    qp.max_inline_bytes = attr->max_inline_bytes;
    qp.signal_all = attr->signal_all != 0;
    qp.service_level = (uint8_t)attr->service_level;
    qp.weight = attr->weight ? (uint8_t)attr->weight : 1;
    qp.rate = rate_of(attr->rate_bps, nic->rate_burst);
    qp.max_rd_atomic = (uint16_t)attr->max_rd_atomic;
    requester_begin(&qp.requester, attr->sq_psn);
    uint32_t peer = qp_table_find(&sim->system.nic[attr->peer_host].by_number, attr->peer_qpn);
    if (peer != QP_NONE && sim->system.nic[attr->peer_host].qp[peer].transport != (unsigned)attr->transport)
        wrong = "its peer has another transport";
    else
        wrong = open_transport(&sim->system, attr->host, &qp, attr);
    if (wrong) {
        qp_free(&qp);
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u: %s", attr->qpn, attr->host, wrong);
    }
    open_recovery(&sim->system.nic[attr->host], &qp, attr->retry);
    if (attr->max_rd_atomic > 0 && system_answer(&sim->system)) {
        qp_free(&qp);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    if (system_add_qp(&sim->system, attr->host, &qp, attr->peer_host) == QP_NONE) {
        qp_free(&qp);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    if (srq)
        srq->qps++;
    return RNICSIM_OK;
}

int rnicsim_mr_register(struct rnicsim *sim, const struct rnicsim_mr_attr *attr, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!attr)
        return api_fail(error, RNICSIM_EINPUT, "attr is NULL");
    if (attr->host >= API_HOSTS || attr->length_bytes == 0 || attr->base + attr->length_bytes < attr->base)
        return api_fail(error, RNICSIM_EINPUT, "region %u: host is 0 or 1, length at least 1, end within 64 bits",
                        attr->key);
    if (attr->page_bytes != 4096 && attr->page_bytes != 2097152 && attr->page_bytes != 1073741824)
        return api_fail(error, RNICSIM_EINPUT, "region %u: page of %llu bytes, allowed 4096, 2097152, 1073741824",
                        attr->key, (unsigned long long)attr->page_bytes);
    int failed = regions_add(&sim->regions[attr->host], attr);
    if (failed)
        return api_fail(error, RNICSIM_EINPUT,
                        failed == -1 ? "region key %u of host %u exists already" : "out of memory", attr->key,
                        attr->host);
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

int rnicsim_is_stuck(const struct rnicsim *sim)
{
    return sim->system.outbox.is_stuck;
}

int64_t rnicsim_lookahead(const struct rnicsim *sim)
{
    return sim->system.sim.outside_lookahead_ps;
}

static int run(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const int64_t *until_ps = argument;
    sim->system.outbox.is_stuck = 0;
    sim_run(&sim->system.sim, *until_ps == RNICSIM_NEVER ? SIM_NEVER : *until_ps + sim->system.shift_ps);
    return sim->system.contents ? api_settle(sim, error) : RNICSIM_OK;
}

int rnicsim_advance(struct rnicsim *sim, int64_t until_ps, int64_t *stopped_at_ps, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (until_ps < rnicsim_now(sim))
        return api_fail(error, RNICSIM_EINPUT, "advance to %lld ps, before now", (long long)until_ps);
    if (until_ps > RNICSIM_TIME_MAX && until_ps != RNICSIM_NEVER)
        return api_fail(error, RNICSIM_EINPUT, "advance to %lld ps, allowed 0 to 2^62 ps and RNICSIM_NEVER",
                        (long long)until_ps);
    int result = api_guard(sim, run, &until_ps, error);
    if (result == RNICSIM_OK && stopped_at_ps)
        *stopped_at_ps = rnicsim_now(sim);
    return result;
}

/* ---- what hosts see ---- */

/* A stamp in the caller's time; what was not passed, or is decided but still to come, is RNICSIM_NEVER. */
static int64_t seen_stamp(const struct rnicsim *sim, int64_t at_ps)
{
    return at_ps > sim->system.sim.now ? RNICSIM_NEVER : at_ps - sim->system.shift_ps;
}

/* All of a message: most of what a poll does. shift_ps: a constant where it is 0, as it is outside of tests. */
static inline __attribute__((always_inline)) void copy_stamps(const struct rnicsim *sim, const int64_t *from,
                                                              int64_t *to, int64_t shift_ps)
{
    int64_t now_ps = sim->system.sim.now - shift_ps;
#pragma GCC unroll 18
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++) {
        int64_t at_ps = from[i] - shift_ps;
        to[i] = at_ps > now_ps ? RNICSIM_NEVER : at_ps;
    }
}

/* The SRQ that the receive buffer of a message to this host was taken from; 0: none. */
static uint32_t srqn_of(const struct rnicsim *sim, uint32_t host, const struct message *message)
{
    const struct rnic *nic = &sim->system.nic[host];
    const struct qp *qp = &nic->qp[rnic_receiver_of(nic, message)];
    uint32_t srq = qp->transport == QP_XRC ? message->to : qp->srq;
    return srq == SRQ_NONE ? 0 : nic->srqs.srq[srq]->srqn;
}

static void fill_event(const struct rnicsim *sim, const struct outbox_entry *entry, struct rnicsim_event *event)
{
    static const enum rnicsim_event_kind kind[OUTBOX_KINDS] = {
        RNICSIM_SEND_DONE, RNICSIM_RECV_DONE, RNICSIM_WRITE_VISIBLE, RNICSIM_UNSIGNALLED, RNICSIM_SRQ_LIMIT};
    const struct message *message = message_at(&sim->system.messages, entry->message);
    int at_requester = entry->kind == OUTBOX_SEND_DONE || entry->kind == OUTBOX_UNSIGNALLED;
    uint32_t requester = at_requester ? entry->host : entry->host ^ 1u;
    const struct rnic *nic = &sim->system.nic[entry->host];
    const struct qp *qp = &sim->system.nic[requester].qp[message->qp];
    enum rnicsim_opcode sent = (enum rnicsim_opcode)message->opcode;
    event->kind = kind[entry->kind];
    event->host = entry->host;
    event->qpn = at_requester ? qp->qpn : nic->qp[rnic_receiver_of(nic, message)].qpn;
    event->opcode = entry->kind == OUTBOX_RECV_DONE ? RNICSIM_RECV : sent;
    event->sent_opcode = sent;
    event->length_bytes = message->length_bytes;
    event->src_qpn = entry->kind == OUTBOX_RECV_DONE && qp->transport == QP_UD ? qp->qpn : 0;
    event->immediate = message->immediate;
    event->status = at_requester ? message->status : 0;
    event->wr_id = entry->kind == OUTBOX_RECV_DONE ? message->recv_wr_id : message->wr_id;
    event->at_ps = entry->at_ps - sim->system.shift_ps;
    event->srqn = entry->kind == OUTBOX_RECV_DONE ? srqn_of(sim, entry->host, message) : 0;
    event->request = message->ordinal;
    event->delivered_at_ps = seen_stamp(sim, message->delivered_at_ps);
    if (sim->system.shift_ps == 0)
        copy_stamps(sim, message->stamp_ps, event->stamp_ps, 0);
    else
        copy_stamps(sim, message->stamp_ps, event->stamp_ps, sim->system.shift_ps);
    if (at_requester && qp->is_unreliable)
        for (int i = RNICSIM_AT_RECEIVED; i <= RNICSIM_AT_RESPONDED; i++)
            event->stamp_ps[i] = RNICSIM_NEVER; /* it is complete whatever becomes of it there */
}

size_t rnicsim_poll(struct rnicsim *sim, struct rnicsim_event *events, size_t max)
{
    struct outbox_entry entry;
    size_t count = 0;
    if (!sim || !events)
        return 0;
    while (count < max && outbox_take(&sim->system.outbox, &entry)) {
        if (entry.kind == OUTBOX_SRQ_LIMIT) {
            events[count++] = (struct rnicsim_event){.kind = RNICSIM_SRQ_LIMIT,
                                                     .host = entry.host,
                                                     .srqn = sim->system.nic[entry.host].srqs.srq[entry.message]->srqn,
                                                     .at_ps = entry.at_ps - sim->system.shift_ps};
            continue;
        }
        fill_event(sim, &entry, &events[count++]);
        message_end(&sim->system.messages, entry.message);
        if (entry.at_ps > sim->last_done_ps)
            sim->last_done_ps = entry.at_ps;
    }
    return count;
}
