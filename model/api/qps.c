/* Queue pairs. */
#include "api/api_internal.h"
#include "transport/frame.h"

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
    if (api_access_is_wrong(attr->access))
        return "access: allowed are those of enum rnicsim_access";
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
    qp.pd = attr->pd;
    qp.access = api_access(attr->access);
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
