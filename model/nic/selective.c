#include "nic/selective.h"

#include "nic/rnic.h"

#include <stdio.h>

#define PACKET_IS_LAST 0x80000000u   /* of its message, which it delivers */
#define PACKET_TAKES_WQE 0x40000000u /* a receive WQE */
#define PACKET_MESSAGE 0x3fffffffu

int selective_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    const struct transport_params *params = rnic->setup.transport;
    rnic->selective.on = rnic->recovers && params->recovery == TRANSPORT_RECOVERY_SELECTIVE;
    if (!rnic->selective.on)
        return 0;
    snprintf(error, error_bytes, "transport.window with transport.recovery = selective: allowed are at most %d",
             SELECTIVE_WINDOW_MOST);
    if (params->window > SELECTIVE_WINDOW_MOST)
        return -1;
    rnic->receive_cqe_apart = 1;
    rnic->selective.mask = 63;
    while (rnic->selective.mask < 2 * params->window) /* what follows a missing packet is told of after it has come */
        rnic->selective.mask = 2 * rnic->selective.mask + 1;
    return 0;
}

int selective_open(struct rnic *rnic, uint32_t index)
{
    struct selective *selective = &rnic->selective;
    if (!selective->on)
        return 0;
    struct selective_qp *more = realloc(selective->qp, (index + 1) * sizeof *more);
    if (!more)
        return -1;
    selective->qp = more;
    uint32_t first_psn = rnic->qp[index].requester.psn_next;
    selective->qp[index] = (struct selective_qp){.lost_end = first_psn,
                                                 .repair_next = first_psn,
                                                 .message = calloc((size_t)selective->mask + 1, sizeof(uint32_t))};
    selective->count = index + 1;
    return sack_init(&more[index].come, selective->mask) || sack_init(&more[index].ahead, selective->mask) ||
                   !more[index].message
               ? -1
               : 0;
}

void selective_free(struct rnic *rnic)
{
    for (uint32_t i = 0; i < rnic->selective.count; i++) {
        free(rnic->selective.qp[i].come.bit);
        free(rnic->selective.qp[i].ahead.bit);
        free(rnic->selective.qp[i].message);
    }
    free(rnic->selective.qp);
}

/* ---- the responder ---- */

/* A packet ahead needs a receive WQE: those of the messages before it that have none yet come first. 1: it has one. */
static int take_receive_ahead(struct rnic *rnic, const struct qp *qp, struct message *message)
{
    const struct rnic *peer = rnic->peer;
    const struct qp *sender = &peer->qp[qp->peer];
    const struct receive_queue *queue = qp->receives;
    uint32_t before = 0;
    for (uint32_t i = sender->acked; i != sender->posted; i++) {
        const struct message *other = rnic_message(peer, sender->send[i & sender->send_mask]);
        if (other == message)
            break;
        before += message_is_received(other) && other->has_receive < 2;
    }
    if (qp->srq != SRQ_NONE || qp->transport == QP_XRC || rnic->receives_fetched.on ||
        queue->posted - queue->taken <= before)
        return 0;
    const struct qp_receive *receive = &queue->slot[(queue->taken + before) & queue->mask];
    return receive->posted_at_ps <= rnic->sim->now && receive_give_wqe(rnic, qp, message, receive);
}

int selective_place(struct rnic *rnic, struct item *item)
{
    struct qp *qp = &rnic->qp[item->qp];
    struct selective_qp *selective = &rnic->selective.qp[item->qp];
    struct message *message = rnic_message(rnic, item->message);
    if (message_is_answered(message) || item->status != MESSAGE_OK || message->wrong_keys ||
        !sack_covers(&selective->ahead, qp->responder.psn_expected, item->psn))
        return 0;
    item->ahead = (uint8_t)sack_has(&selective->ahead, qp->responder.psn_expected, item->psn);
    if (item->ahead)
        return 0;
    int takes_wqe = receive_takes_wqe(item, message);
    if ((takes_wqe || message_is_send(message)) && !message->has_receive && !take_receive_ahead(rnic, qp, message))
        return 0;
    sack_put(&selective->ahead, item->psn);
    selective->message[item->psn & selective->ahead.mask] =
        item->message | (item->last ? PACKET_IS_LAST : 0) | (takes_wqe ? PACKET_TAKES_WQE : 0);
    return 1;
}

void selective_release(struct rnic *rnic, struct item *item, int64_t ack_cyc)
{
    struct qp *qp = &rnic->qp[item->qp];
    struct selective_qp *selective = &rnic->selective.qp[item->qp];
    struct responder *responder = &qp->responder;
    while (sack_has(&selective->ahead, responder->psn_expected, responder->psn_expected)) {
        uint32_t packet = selective->message[responder->psn_expected & selective->ahead.mask];
        sack_drop(&selective->ahead, responder->psn_expected);
        if (packet & PACKET_TAKES_WQE)
            receive_count_wqe(qp->receives, rnic_message(rnic, packet & PACKET_MESSAGE));
        if ((packet & PACKET_IS_LAST) && message_is_received(rnic_message(rnic, packet & PACKET_MESSAGE)))
            qp->receives_due++;
        if ((packet & PACKET_IS_LAST) && rnic->setup.transport->ack_point == TRANSPORT_ACK_ACCEPTED)
            rnic_message(rnic, packet & PACKET_MESSAGE)->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, ack_cyc);
        responder_take(responder, 1, (packet & PACKET_IS_LAST) != 0);
        item->releases++;
    }
    item->ack_request |= item->releases > 0;
}

/* Its last packet had come ahead; all is there now. */
static void deliver(struct rnic *rnic, uint32_t index, const struct pcie_up *up, int64_t known_cyc)
{
    struct message *message = rnic_message(rnic, index);
    if (message_is_received(message)) {
        retire_received(rnic, index, known_cyc + rnic->params->receive_cqe_latency);
        return;
    }
    message->delivered_at_ps =
        up->visible_at_ps > message->payload_seen_ps ? up->visible_at_ps : message->payload_seen_ps;
    outbox_put(rnic->setup.outbox, host_sees(&rnic->host, message->delivered_at_ps), OUTBOX_WRITE_VISIBLE,
               (uint32_t)rnic->setup.entity, index);
}

void selective_deliver(struct rnic *rnic, const struct item *item, const struct pcie_up *up, int64_t known_cyc,
                       int64_t from_cyc)
{
    const struct selective_qp *selective = &rnic->selective.qp[item->qp];
    for (uint32_t i = 1; i <= item->releases; i++) {
        uint32_t packet = selective->message[psn_add(item->psn, i) & selective->ahead.mask];
        uint32_t index = packet & PACKET_MESSAGE;
        if (!(packet & PACKET_IS_LAST))
            continue;
        if (rnic->setup.transport->ack_point != TRANSPORT_ACK_ACCEPTED)
            rnic_message(rnic, index)->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, from_cyc);
        deliver(rnic, index, up, known_cyc);
    }
}

/* ---- the requester ---- */

static struct selective_qp *of(const struct rnic *rnic, const struct qp *qp)
{
    return &rnic->selective.qp[qp - rnic->qp];
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return psn_difference(a, b) > 0 ? a : b;
}

void selective_came(struct rnic *rnic, struct qp *qp, uint32_t from_psn, uint32_t to_psn)
{
    struct selective_qp *selective = of(rnic, qp);
    uint32_t oldest = qp->requester.psn_oldest, end = psn_add(to_psn, 1);
    for (uint32_t psn = later(from_psn, oldest); psn_difference(end, psn) > 0; psn = psn_add(psn, 1))
        if (sack_covers(&selective->come, oldest, psn))
            sack_put(&selective->come, psn);
}

void selective_told(struct rnic *rnic, const struct item *nak)
{
    struct qp *qp = &rnic->qp[nak->qp];
    struct selective_qp *selective = of(rnic, qp);
    if (psn_difference(nak->sack, requester_end(&qp->requester)) >= 0)
        return; /* of an earlier life */
    if (nak->ahead)
        selective_came(rnic, qp, nak->sack, nak->sack);
    selective->lost_end = later(later(selective->lost_end, qp->requester.psn_oldest), psn_add(nak->sack, 1));
}

void selective_forget(struct rnic *rnic, struct qp *qp, uint32_t packets)
{
    struct selective_qp *selective = of(rnic, qp);
    uint32_t oldest = qp->requester.psn_oldest, psn = psn_add(oldest, PSN_MASK + 1 - packets);
    uint32_t end = psn_difference(selective->lost_end, oldest) > 0 ? oldest : selective->lost_end;
    for (; psn_difference(end, psn) > 0; psn = psn_add(psn, 1))
        sack_drop(&selective->come, psn);
    selective->lost_end = later(selective->lost_end, oldest); /* PSNs go round: none is left behind */
    selective->repair_next = later(selective->repair_next, oldest);
}

void selective_lose(struct rnic *rnic, struct qp *qp, uint32_t psn)
{
    struct selective_qp *selective = of(rnic, qp);
    selective->lost_end = requester_end(&qp->requester);
    selective->repair_next = psn;
}

void selective_lose_again(struct rnic *rnic, struct qp *qp)
{
    struct selective_qp *selective = of(rnic, qp);
    uint32_t oldest = qp->requester.psn_oldest;
    if (psn_difference(selective->lost_end, oldest) > 0)
        selective->repair_next = oldest;
    else
        selective_lose(rnic, qp, oldest);
}

uint32_t selective_next(const struct rnic *rnic, const struct qp *qp, uint32_t from_psn)
{
    const struct selective_qp *selective = of(rnic, qp);
    uint32_t oldest = qp->requester.psn_oldest, psn = later(later(from_psn, oldest), selective->repair_next);
    for (; psn_difference(selective->lost_end, psn) > 0; psn = psn_add(psn, 1))
        if (!sack_has(&selective->come, oldest, psn))
            return psn;
    return requester_end(&qp->requester);
}

void selective_go_on(struct rnic *rnic, struct qp *qp, int64_t now_cyc)
{
    struct selective_qp *selective = of(rnic, qp);
    selective->repair_next = later(selective->repair_next, qp->requester.psn_next);
    uint32_t next = selective_next(rnic, qp, qp->requester.psn_next);
    if (next != qp->requester.psn_next)
        recover_go_to(rnic, qp, next, now_cyc);
}
