#include "nic/congestion.h"

#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>

int congestion_check(const struct rnic *rnic, char *error, size_t error_bytes)
{
    const struct fifo *acks = path_entry(&rnic->path[RNIC_ACK]);
    uint32_t units = fifo_units(acks, FRAME_ACK_BYTES) + fifo_units(acks, FRAME_CNP_BYTES);
    const char *wrong = rnic->lookup.on                                                  ? "nic.context_unit"
                        : rnic->setup.transport->completion == TRANSPORT_COMPLETION_SENT ? "transport.completion = sent"
                        : acks->shape.depth < units ? "a FIFO of path ack that does not hold an ACK and a CNP"
                                                    : 0;
    if (rnic->setup.transport->congestion == TRANSPORT_CONGESTION_NONE || !wrong)
        return 0;
    snprintf(error, error_bytes, "transport.congestion with %s: allowed is none", wrong);
    return -1;
}

int congestion_open(struct rnic *rnic, uint32_t index)
{
    struct congestion *congestion = &rnic->congestion;
    congestion->on = rnic->setup.transport->congestion == TRANSPORT_CONGESTION_DCQCN;
    if (!congestion->on)
        return 0;
    struct congestion_qp *more = realloc(congestion->qp, (index + 1) * sizeof *more);
    if (!more)
        return -1;
    more[index] = (struct congestion_qp){.limit_bps = rnic->qp[index].rate.bps, .cnp_at_ps = INT64_MIN / 2};
    congestion->qp = more;
    congestion->count = index + 1;
    return 0;
}

void congestion_free(struct rnic *rnic)
{
    free(rnic->congestion.qp);
}

/* ---- the notification point ---- */

int congestion_is_told(const struct rnic *rnic, const struct item *item, int64_t cyc)
{
    const struct congestion_qp *qp = &rnic->congestion.qp[item->qp];
    return rnic->qp[item->qp].transport != QP_UD &&
           rnic_ps(rnic, cyc) - qp->cnp_at_ps >= rnic->setup.transport->cnp_interval;
}

void congestion_tell(struct rnic *rnic, const struct item *item, int64_t cyc)
{
    uint32_t ref = item_new(rnic->setup.items);
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    *rnic_item(rnic, ref) = (struct item){.kind = ITEM_ACK,
                                          .bytes = FRAME_CNP_BYTES,
                                          .status = MESSAGE_CNP,
                                          .message = item->message,
                                          .qp = rnic->qp[item->qp].peer};
    rnic->congestion.qp[item->qp].cnp_at_ps = rnic_ps(rnic, cyc);
    rnic->congestion.cnps++;
    receive_send_ack(rnic, ref, cyc);
}

/* ---- the reaction point ---- */

/* The lower one of what the QP is allowed at all, and now. */
static void set_rate(struct rnic *rnic, uint32_t index)
{
    const struct congestion_qp *qp = &rnic->congestion.qp[index];
    int64_t now_bps = qp->dcqcn.rate_bps, limit_bps = qp->limit_bps;
    int64_t bps = now_bps == 0 || (limit_bps > 0 && limit_bps < now_bps) ? limit_bps : now_bps;
    struct rate *rate = &rnic->qp[index].rate;
    if (bps != rate->bps)
        *rate = rate_at(rate, bps, rnic->params->rate_burst);
}

void congestion_react(struct rnic *rnic, uint32_t index)
{
    rnic->congestion.cnps_taken++;
    dcqcn_cnp(&rnic->congestion.qp[index].dcqcn, rnic->setup.transport, rnic->setup.mac->rate, rnic->sim->now);
    set_rate(rnic, index);
}

void congestion_sent(struct rnic *rnic, uint32_t index, uint32_t frame_bytes)
{
    struct dcqcn *dcqcn = &rnic->congestion.qp[index].dcqcn;
    if (dcqcn->rate_bps == 0)
        return;
    dcqcn_pass(dcqcn, rnic->setup.transport, rnic->setup.mac->rate, rnic->sim->now);
    dcqcn_sent(dcqcn, rnic->setup.transport, rnic->setup.mac->rate, frame_bytes);
    set_rate(rnic, index);
}
