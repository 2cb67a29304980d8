/* Queue pairs. */
#include "api/api_internal.h"
#include "transport/frame.h"

struct qp *api_find_qp(const struct rnicsim *sim, uint32_t host, uint32_t qpn, struct rnicsim_error *error)
{
    uint32_t index = host < API_HOSTS ? qp_table_find(&sim->system.nic[host].by_number, qpn) : QP_NONE;
    if (index != QP_NONE)
        return &((struct rnicsim *)sim)->system.nic[host].qp[index];
    api_fail(error, RNICSIM_EINPUT, "host %u has no QP %u", host, qpn);
    return 0;
}

/* What a connection needs. */
static const char *wrong_with_connection(const struct rnicsim_qp_attr *attr)
{
    if (attr->peer_qpn > 0xffffff || (attr->peer_qpn < 1 && attr->transport != RNICSIM_UD))
        return "qpn and peer_qpn: allowed 1 to 16777215, and peer_qpn 0 with UD";
    if (attr->mtu_bytes < 256 || attr->mtu_bytes > 4096 || (attr->mtu_bytes & (attr->mtu_bytes - 1)) != 0)
        return "mtu: allowed 256, 512, 1024, 2048, 4096";
    return 0;
}

static const char *wrong_with_times(const struct rnicsim_qp_attr *attr)
{
    const struct rnicsim_retry *retry = attr->retry;
    if (attr->max_rd_atomic > 65535 || attr->sq_psn > PSN_MASK || attr->rq_psn > PSN_MASK)
        return "max_rd_atomic: allowed 0 to 65535; sq_psn and rq_psn: 0 to 16777215";
    if (retry && (retry->timeout > 31 || retry->retry_count > 7 || retry->rnr_retry > 7 || retry->rnr_timer > 31))
        return "timeout and rnr_timer: allowed 0 to 31; retry_count and rnr_retry: 0 to 7";
    return 0;
}

static const char *wrong_with_qp(const struct rnicsim_qp_attr *attr)
{
    if (attr->host >= API_HOSTS || attr->peer_host >= API_HOSTS || attr->host == attr->peer_host)
        return "host and peer_host: allowed are 0 and 1, one each";
    if (attr->qpn < 1 || attr->qpn > 0xffffff)
        return "qpn and peer_qpn: allowed 1 to 16777215, and peer_qpn 0 with UD";
    if (attr->state != RNICSIM_QP_RTS && attr->state != RNICSIM_QP_RESET)
        return "state: a QP is created in RTS or in RESET";
    const char *wrong = attr->state == RNICSIM_QP_RTS ? wrong_with_connection(attr) : 0;
    if (wrong || (wrong = wrong_with_times(attr)) != 0)
        return wrong;
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
    if (attr->rate_bps != 0 && (attr->rate_bps < 1000 || attr->rate_bps > INT64_C(400000000000)))
        return "rate: allowed 1 kbps to 400 Gbps, or 0 for no limit";
    if (api_access_is_wrong(attr->access))
        return "access: allowed are those of enum rnicsim_access";
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

static int frame_too_large(const struct nic_params *nic, const struct rnicsim_qp_attr *attr,
                           struct rnicsim_error *error)
{
    int64_t frame_bytes = frame_data_bytes(attr->mtu_bytes, 1, 1);
    if (ready_quantum_bytes(nic) >= frame_bytes)
        return RNICSIM_OK;
    return api_fail(error, RNICSIM_EINPUT,
                    "QP %u of host %u: a frame of MTU %u has %lld bytes, a quantum of the scheduler only %lld",
                    attr->qpn, attr->host, attr->mtu_bytes, (long long)frame_bytes,
                    (long long)ready_quantum_bytes(nic));
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
    if (attr->state == RNICSIM_QP_RTS && frame_too_large(nic, attr, error))
        return RNICSIM_EINPUT;
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
    qp.pd = attr->pd;
    qp.access = api_access(attr->access);
    requester_begin(&qp.requester, attr->sq_psn);
    if (attr->state == RNICSIM_QP_RESET) {
        qp.state = QP_RESET;
        qp.halted = QP_NOT_READY;
        qp.deaf = 1;
        qp.peer_qpn = 0;
    }
    uint32_t peer = qp_table_find(&sim->system.nic[attr->peer_host].by_number, attr->peer_qpn);
    if (qp.peer_qpn != 0 && peer != QP_NONE &&
        sim->system.nic[attr->peer_host].qp[peer].transport != (unsigned)attr->transport)
        wrong = "its peer has another transport";
    else
        wrong = open_transport(&sim->system, attr->host, &qp, attr);
    if (wrong) {
        qp_free(&qp);
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u: %s", attr->qpn, attr->host, wrong);
    }
    open_recovery(&sim->system.nic[attr->host], &qp, attr->retry);
    int is_answering = attr->max_rd_atomic > 0 || attr->state == RNICSIM_QP_RESET;
    if ((is_answering && system_answer(&sim->system)) ||
        system_add_qp(&sim->system, attr->host, &qp, attr->peer_host) == QP_NONE) {
        qp_free(&qp);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    if (srq)
        srq->qps++;
    return RNICSIM_OK;
}

/* ---- states ---- */

static enum rnicsim_qp_state state_of(const struct qp *qp)
{
    return qp->failed ? RNICSIM_QP_ERROR : (enum rnicsim_qp_state)qp->state;
}

/* IBTA vol. 1, 10.3.1, figure 124; ibv_modify_qp(3). */
static int is_move_allowed(enum rnicsim_qp_state from, enum rnicsim_qp_state to)
{
    static const enum rnicsim_qp_state next[][3] = {
        [RNICSIM_QP_RTS] = {RNICSIM_QP_RTS, RNICSIM_QP_SQD, RNICSIM_QP_ERROR},
        [RNICSIM_QP_RESET] = {RNICSIM_QP_INIT, RNICSIM_QP_ERROR, RNICSIM_QP_RESET},
        [RNICSIM_QP_INIT] = {RNICSIM_QP_INIT, RNICSIM_QP_RTR, RNICSIM_QP_ERROR},
        [RNICSIM_QP_RTR] = {RNICSIM_QP_RTS, RNICSIM_QP_ERROR, RNICSIM_QP_RESET},
        [RNICSIM_QP_SQD] = {RNICSIM_QP_RTS, RNICSIM_QP_SQD, RNICSIM_QP_ERROR},
        [RNICSIM_QP_ERROR] = {RNICSIM_QP_ERROR, RNICSIM_QP_RESET, RNICSIM_QP_RESET}};
    return to == RNICSIM_QP_RESET || to == next[from][0] || to == next[from][1] || to == next[from][2];
}

static int is_quiet(const struct qp *qp)
{
    return qp->retired == qp->posted && qp->known == qp->posted && qp->receives_due == 0 && qp->answers_held == 0 &&
           qp->open_receive == POOL_NONE && qp->failed_receive == POOL_NONE && !qp->queued;
}

/* As when it was made; receive buffers are gone without a word (IBTA vol. 1, 10.3.1.1). */
static const char *to_reset(struct qp *qp)
{
    if (!is_quiet(qp))
        return "requests of it are under way: allowed when they are done, or flushed in ERROR";
    qp->fetched = qp->cut = qp->acked = qp->asked = qp->kept = qp->retired;
    qp->offset_bytes = qp->kept_offset_bytes = 0;
    qp->failed = qp->failed_status = 0;
    qp->deaf = 1;
    qp->halted = QP_NOT_READY;
    qp->responder = (struct responder){0};
    qp->peer = QP_NONE;
    if (qp->srq == SRQ_NONE)
        qp->receives->taken = qp->receives->posted;
    return 0;
}

static const char *to_rtr(struct rnicsim *sim, struct qp *qp, const struct rnicsim_qp_attr *attr)
{
    const char *wrong = wrong_with_connection(attr);
    struct rnic *nic = &sim->system.nic[attr->host], *peer = &sim->system.nic[attr->host ^ 1];
    uint32_t other = qp_table_find(&peer->by_number, attr->peer_qpn), own = rnic_qp_index(nic, qp);
    if (wrong)
        return wrong;
    if (qp->transport != QP_UD) {
        if (other == QP_NONE || peer->qp[other].transport != qp->transport)
            return "peer_qpn names no QP of its transport";
        if (peer->qp[other].peer != QP_NONE && peer->qp[other].peer != own)
            return "its peer is connected with another QP";
    }
    qp->peer = qp->transport == QP_UD ? 0 : other;
    qp->peer_qpn = attr->peer_qpn;
    qp->mtu_bytes = attr->mtu_bytes;
    qp->responder = (struct responder){.psn_expected = attr->rq_psn};
    if (attr->retry)
        qp->recovery.retry.rnr_timer = (uint8_t)attr->retry->rnr_timer;
    qp->deaf = 0;
    return 0;
}

static void from_rtr_to_rts(struct rnic *nic, struct qp *qp, const struct rnicsim_qp_attr *attr)
{
    uint8_t rnr_timer = qp->recovery.retry.rnr_timer;
    qp->requester = (struct requester){0};
    requester_begin(&qp->requester, attr->sq_psn);
    qp->max_rd_atomic = (uint16_t)attr->max_rd_atomic;
    open_recovery(nic, qp, attr->retry);
    if (attr->retry)
        qp->recovery.retry.rnr_timer = rnr_timer;
}

static const char *move(struct rnicsim *sim, struct qp *qp, const struct rnicsim_qp_attr *attr)
{
    struct rnic *nic = &sim->system.nic[attr->host];
    uint32_t index = rnic_qp_index(nic, qp);
    const char *wrong = 0;
    if (attr->state == RNICSIM_QP_RESET)
        wrong = to_reset(qp);
    else if (attr->state == RNICSIM_QP_RTR)
        wrong = to_rtr(sim, qp, attr);
    if (wrong)
        return wrong;
    if (attr->state == RNICSIM_QP_INIT) {
        qp->access = api_access(attr->access);
        qp->qkey = attr->qkey;
    } else if (attr->state == RNICSIM_QP_RTS) {
        if (qp->state == QP_RTR)
            from_rtr_to_rts(nic, qp, attr);
        qp->halted = QP_GOES_ON;
    } else if (attr->state == RNICSIM_QP_SQD) {
        qp->halted = QP_DRAINS;
        qp->halted_at = qp->cut + (qp->offset_bytes > 0);
    }
    int64_t cyc = rnic_cycle(nic, nic->sim->now) + 1;
    if (attr->state == RNICSIM_QP_ERROR)
        errors_of_qp(nic, index, 0, cyc);
    else
        qp->state = (uint8_t)attr->state;
    if (attr->state == RNICSIM_QP_RTS)
        scheduler_kick(nic, index, cyc, QP_WAIT_POST);
    return 0;
}

struct modify {
    const struct rnicsim_qp_attr *attr;
    struct qp *qp;
};

static int modify(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    static const char *const names[] = {"RTS", "RESET", "INIT", "RTR", "SQD", "ERROR"};
    const struct modify *modify = argument;
    const struct rnicsim_qp_attr *attr = modify->attr;
    enum rnicsim_qp_state from = state_of(modify->qp);
    if (!is_move_allowed(from, attr->state))
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u: no way from %s to %s", attr->qpn, attr->host,
                        names[from], names[attr->state]);
    const char *wrong = move(sim, modify->qp, attr);
    return wrong ? api_fail(error, RNICSIM_EINPUT, "QP %u of host %u to %s: %s", attr->qpn, attr->host,
                            names[attr->state], wrong)
                 : RNICSIM_OK;
}

int rnicsim_qp_modify(struct rnicsim *sim, const struct rnicsim_qp_attr *attr, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!attr)
        return api_fail(error, RNICSIM_EINPUT, "attr is NULL");
    struct modify change = {.attr = attr};
    change.qp = api_find_qp(sim, attr->host, attr->qpn, error);
    if (!change.qp)
        return RNICSIM_EINPUT;
    const char *wrong = wrong_with_times(attr);
    if (!wrong && ((unsigned)attr->state > RNICSIM_QP_ERROR || api_access_is_wrong(attr->access)))
        wrong = "state and access: allowed are those of their enums";
    if (!wrong && sim->system.nic[attr->host].lookup.on)
        wrong = "states change: not with nic.context_unit";
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "QP %u of host %u: %s", attr->qpn, attr->host, wrong);
    if (attr->state == RNICSIM_QP_RTR && frame_too_large(sim->system.nic[attr->host].params, attr, error))
        return RNICSIM_EINPUT;
    return api_guard(sim, modify, &change, error);
}

int rnicsim_qp_query(const struct rnicsim *sim, uint32_t host, uint32_t qpn, struct rnicsim_qp_info *out)
{
    const struct qp *qp = sim && out ? api_find_qp(sim, host, qpn, NULL) : NULL;
    if (!qp)
        return RNICSIM_EINPUT;
    *out = (struct rnicsim_qp_info){.state = state_of(qp),
                                    .is_draining = qp->halted == QP_DRAINS && qp->retired != qp->halted_at,
                                    .send_queued = qp->posted - qp->retired,
                                    .receive_queued = qp->receives->posted - qp->receives->taken};
    return RNICSIM_OK;
}
