/* What is kept of packets until they are acknowledged: their entries in the retransmit table, and their payload where that is sent again from the
 * NIC. */
#include "nic/rnic.h"

/* What sent nothing keeps nothing. */
static void skip_local(struct rnic *rnic, struct qp *qp)
{
    while (rnic->has_local && qp->kept != qp->posted &&
           message_is_local(rnic_message(rnic, qp->send[qp->kept & qp->send_mask])))
        qp->kept++;
}

/* The oldest packets that are kept, of so many PSNs, are kept no more; frees their payload, if it is there. Returns how many they are. */
static uint32_t pass_kept(struct rnic *rnic, struct qp *qp, uint32_t psns_left, int has_payload, int64_t now_cyc)
{
    uint32_t packets = 0;
    for (; psns_left > 0; packets++) {
        skip_local(rnic, qp);
        const struct message *message = rnic_message(rnic, qp->send[qp->kept & qp->send_mask]);
        uint32_t psns = message_is_answered(message) ? message_psns(message, qp->mtu_bytes) : 1;
        if (psns > psns_left) /* a NAK in the midst of an answer */
            break;
        psns_left -= psns;
        uint32_t left = message->request_bytes - qp->kept_offset_bytes;
        uint32_t payload = left < qp->mtu_bytes ? left : qp->mtu_bytes;
        if (has_payload)
            rnic_free_payload(rnic, payload, now_cyc);
        qp->kept_offset_bytes += payload;
        if (payload == left) {
            qp->kept_offset_bytes = 0;
            qp->kept++;
        }
    }
    return packets;
}

void kept_free(struct rnic *rnic, struct qp *qp, uint32_t psns, int64_t now_cyc)
{
    int has_payload = rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER;
    payload_forget(rnic, pass_kept(rnic, qp, psns, has_payload, now_cyc), now_cyc);
    rnic_wake_scheduler(rnic, rnic->waits_for_space, now_cyc + 1);
}

void kept_give_up(struct rnic *rnic, struct qp *qp, int64_t now_cyc)
{
    skip_local(rnic, qp);
    const struct message *oldest = rnic_message(rnic, qp->send[qp->kept & qp->send_mask]);
    if (qp->kept == qp->posted || !oldest->numbered)
        return;
    uint32_t psn = psn_add(oldest->first_psn, qp->kept_offset_bytes / qp->mtu_bytes);
    uint32_t psns = psn_add(requester_end(&qp->requester), PSN_MASK + 1 - psn);
    payload_forget(rnic, pass_kept(rnic, qp, psns, 0, now_cyc),
                   now_cyc + 1); /* one may have been granted in this cycle */
}
