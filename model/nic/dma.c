/* The deciders of the PCIe link: what its TLPs mean to the NIC. Down: stores become doorbells, completions become WQEs and payload.
 * Up: payload that is written delivers messages and is acknowledged, CQEs complete requests. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>
#include <stdlib.h>

/* The first request of a fetch under way, counted like qp.posted. */
static uint32_t first_of_fetch(const struct qp *qp, uint32_t ref)
{
    uint32_t request = qp->fetched;
    for (uint32_t i = qp->fetch_first; (i & (QP_FETCHES_MAX - 1)) != RNIC_FETCH_OF(ref); i++)
        request += qp->fetch[i & (QP_FETCHES_MAX - 1)].count;
    return request;
}

/* WQEs, or a doorbell record. */
static void give_to_scheduler(struct rnic *rnic, uint32_t index, int64_t at_cyc)
{
    const struct pcie_read *read = &rnic->pcie.read[index];
    int is_record = read->kind == PCIE_RECORD_READ;
    uint32_t ref = read->ref | (is_record ? RNIC_IS_RECORD : 0) | (read->failed ? RNIC_HAS_FAILED : 0);
    if (read->failed && !is_record)
        errors_of_request(rnic, RNIC_QP_OF(read->ref), first_of_fetch(&rnic->qp[RNIC_QP_OF(read->ref)], read->ref),
                          at_cyc);
    if (!read->failed || is_record || rnic->lookup.on) /* a visit waits, whatever comes */
        rnic_forward(path_entry(&rnic->path[RNIC_WQE]), at_cyc, read->bytes, ref);
    int64_t free_cyc = at_cyc + rnic->params->wqe_hold;
    pcie_read_end(&rnic->pcie, index, free_cyc);
    rnic_wake_scheduler(rnic, rnic->waits_for_read, free_cyc + 1);
}

static void give_receive_wqe(struct rnic *rnic, uint32_t index, int64_t at_cyc)
{
    const struct pcie_read *read = &rnic->pcie.read[index];
    rnic_forward(path_entry(&rnic->path[RNIC_WQE]), at_cyc, read->bytes,
                 read->ref | (read->failed ? RNIC_HAS_FAILED : 0));
    pcie_read_end(&rnic->pcie, index, at_cyc);
    receive_wqe_read(rnic, at_cyc);
}

/* What a read has brought that is no payload. A timeout that is due while completions are on their way is told of behind them. */
static __attribute__((noinline)) void give_other(struct rnic *rnic, uint32_t read, int64_t at_cyc)
{
    unsigned kind = rnic->pcie.read[read].kind;
    at_cyc = at_cyc > rnic->told_cyc ? at_cyc : rnic->told_cyc;
    rnic->told_cyc = at_cyc;
    if (kind == PCIE_CONTEXT_READ)
        context_arrived(rnic, read, at_cyc);
    else if (kind == PCIE_RECEIVE_READ)
        give_receive_wqe(rnic, read, at_cyc);
    else
        give_to_scheduler(rnic, read, at_cyc);
}

static int64_t decide_down(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t horizon = sim_horizon(rnic->sim, rnic->pcie.down_decider), wake_at;
    if (__builtin_expect(rnic->stores_wait, 0))
        doorbell_forward(rnic);
    for (;;) {
        struct pcie_down down = pcie_down_next(&rnic->pcie, horizon, &wake_at);
        if (down.event == PCIE_DOWN_NOTHING)
            break;
        if (down.event == PCIE_DOWN_STORE) {
            if (pcie_store_send(&rnic->pcie)) {
                doorbell_forward(rnic);
                continue;
            }
            wake_at = wake_at <= now ? SIM_NEVER : wake_at;
            break;
        }
        unsigned kind = rnic->pcie.read[down.ref].kind;
        if (kind == PCIE_PAYLOAD_READ || kind == PCIE_FETCH_ADD || kind == PCIE_CMP_SWAP)
            port_forward_payload(rnic);
        else
            give_other(rnic, down.ref, down.at_cyc);
    }
    rnic_run_reads(rnic); /* with the tags and the space that came back */
    return wake_at;
}

void rnic_run_reads(struct rnic *rnic)
{
    if (pcie_read_run(&rnic->pcie))
        port_forward_payload(rnic);
}

static void describe(void *context, int input, uint32_t ref, struct pcie_write *write)
{
    const struct rnic *rnic = context;
    uint32_t cqe_bytes = (uint32_t)rnic->params->cqe_bytes;
    if (input == PCIE_IN_CQE) {
        *write = (struct pcie_write){.cqe_bytes = cqe_bytes, .last_kind = PCIE_CQE_WRITE};
        return;
    }
    if (input == PCIE_IN_UPDATE) {
        if (ref & ATOMIC_WRITE_BIT)
            atomics_describe(rnic, ref, write);
        else
            context_describe(rnic, ref, write);
        return;
    }
    const struct item *item = rnic_item(rnic, ref);
    const struct message *message = rnic_message(rnic, item->message);
    if (item->kind == ITEM_ANSWER) {
        *write = (struct pcie_write){.address = message->local_address + item->offset,
                                     .bytes = item->payload_bytes,
                                     .kind = PCIE_PAYLOAD_WRITE,
                                     .last_kind = PCIE_PAYLOAD_WRITE};
        if (__builtin_expect(message->local_sges > 0, 0))
            places_scatter(rnic, item, write);
        return;
    }
    int has_cqe = item->last && message_is_received(message) && item->status == MESSAGE_OK && !rnic->receive_cqe_apart;
    *write = (struct pcie_write){.address = message->remote_address + item->offset,
                                 .bytes = item->payload_bytes,
                                 .cqe_bytes = has_cqe ? cqe_bytes : 0,
                                 .kind = PCIE_PAYLOAD_WRITE,
                                 .last_kind = PCIE_CQE_WRITE};
    if (__builtin_expect(message->receive_sges > 0, 0))
        places_scatter(rnic, item, write);
}

/* The last thing written of a message tells a program that it is there: its CQE, or its last byte. It must not be seen before all payload,
 * unless relaxed ordering was asked for on it: then that is counted (PCIe Base Spec 3.0, 2.4.1). */
static void check_order(struct rnic *rnic, const struct message *message, int64_t seen_ps)
{
    int64_t relaxed = rnic->setup.pcie->relaxed_ordering;
    if (seen_ps >= message->payload_seen_ps)
        return;
    model_assert(rnic->sim, relaxed >= (message_is_received(message) ? PCIE_RELAXED_ALL : PCIE_RELAXED_PAYLOAD),
                 "%s: a message is seen at %lld ps, its payload at %lld", rnic->setup.name, (long long)seen_ps,
                 (long long)message->payload_seen_ps);
    rnic->seen_early++;
}

/* A packet of an answer is written, at the requester: the last one lets its request retire, so that the CQE comes behind it. */
static void answer_written(struct rnic *rnic, const struct pcie_up *up)
{
    struct item *item = rnic_item(rnic, up->ref);
    struct message *message = rnic_message(rnic, item->message);
    rnic->payload_bytes += item->payload_bytes;
    if (__builtin_expect(rnic->setup.contents != 0, 0))
        content_written(rnic, up);
    if (up->payload_visible_at_ps > message->payload_seen_ps)
        message->payload_seen_ps = up->payload_visible_at_ps;
    if (item->last) {
        message->delivered_at_ps = message->payload_seen_ps;
        retire_returned(rnic, item->message, clk_after(&rnic->user_clk, up->sent_at_ps));
    } else {
        message_end(rnic->setup.messages, item->message);
    }
    pool_give(rnic->setup.items, up->ref);
}

int64_t dma_begun_ps(const struct rnic *rnic, const struct pcie_up *up)
{
    return up->sent_at_ps - (clk_edge(&rnic->pcie.link_clk, rnic->pcie.up_tlp_cyc) - clk_edge(&rnic->pcie.link_clk, 0));
}

/* The cycle in which the NIC knows of it, not before it has left. */
static int64_t known_cyc(const struct rnic *rnic, const struct pcie_up *up)
{
    int64_t cyc = clk_after(&rnic->user_clk, dma_begun_ps(rnic, up)) + rnic->params->write_status;
    int64_t sent_cyc = clk_after(&rnic->user_clk, up->sent_at_ps);
    return cyc > sent_cyc ? cyc : sent_cyc;
}

/* A packet ahead of a missing one is written: if it is its message's last, that is delivered later. Or those are that had come ahead. */
static __attribute__((noinline, cold)) void ahead_written(struct rnic *rnic, const struct pcie_up *up, int64_t from_cyc)
{
    struct item item = *rnic_item(rnic, up->ref);
    int is_told = rnic->setup.transport->ack_point != TRANSPORT_ACK_ACCEPTED;
    pool_give(rnic->setup.items, up->ref);
    if (item.ahead == ITEM_CARRIER) {
        selective_deliver(rnic, &item, up, known_cyc(rnic, up), from_cyc);
        item.ahead = ITEM_IN_ORDER;
        if (is_told)
            receive_acknowledge(rnic, &item, MESSAGE_OK, from_cyc);
        return;
    }
    struct message *message = rnic_message(rnic, item.message);
    rnic->payload_bytes += item.payload_bytes;
    if (up->payload_visible_at_ps > message->payload_seen_ps)
        message->payload_seen_ps = up->payload_visible_at_ps;
    if (!item.last)
        message_end(rnic->setup.messages, item.message);
    if (is_told)
        receive_tell_ahead(rnic, &item, from_cyc);
}

/* The CQE of a message is on its way: those of a QP in error are flushed behind it. */
static inline void count_received(struct rnic *rnic, uint32_t index, int64_t cyc)
{
    struct qp *qp = &rnic->qp[index];
    rnic->receives++;
    qp->receives_due--;
    if (__builtin_expect(qp->failed, 0) && qp->receives_due == 0)
        errors_go_on(rnic, index, cyc);
}

/* A data packet's payload is written: it may be the one that delivers its message, and the one that is acknowledged now. */
static void payload_written(struct rnic *rnic, const struct pcie_up *up)
{
    struct item *item = rnic_item(rnic, up->ref);
    struct message *message = rnic_message(rnic, item->message);
    uint32_t host = (uint32_t)rnic->setup.entity;
    int64_t ack_point = rnic->setup.transport->ack_point;
    int64_t from_ps = ack_point == TRANSPORT_ACK_VISIBLE ? up->visible_at_ps : up->sent_at_ps;
    int64_t from_cyc = clk_after(&rnic->user_clk, from_ps);
    if (__builtin_expect(rnic->place_until_written | rnic->answers.on, 0)) {
        if (rnic->place_until_written)
            receive_free_place(rnic, known_cyc(rnic, up));
        if (rnic->answers.on)
            answers_written(rnic, clk_after(&rnic->user_clk, up->sent_at_ps));
        if (item->kind == ITEM_ANSWER) {
            answer_written(rnic, up);
            return;
        }
    }
    if (__builtin_expect(item->ce, 0) && rnic->congestion.on) { /* nothing is acknowledged sooner */
        if (congestion_is_told(rnic, item, from_cyc))
            congestion_tell(rnic, item, from_cyc);
        item = rnic_item(rnic, up->ref); /* the pool may have moved */
    }
    if (item->status != MESSAGE_OK) { /* refused by the responder */
        struct item refused = *item;
        receive_drop(rnic, up->ref);
        receive_acknowledge(rnic, &refused, refused.status == MESSAGE_TWICE ? MESSAGE_OK : refused.status, from_cyc);
        return;
    }
    if (__builtin_expect(rnic->setup.contents != 0, 0) && item->ahead != ITEM_CARRIER)
        content_written(rnic, up);
    if (__builtin_expect(item->ahead, 0)) {
        ahead_written(rnic, up, from_cyc);
        return;
    }
    rnic->payload_bytes += item->payload_bytes - rnic->qp[item->qp].grh_bytes;
    if (up->payload_visible_at_ps > message->payload_seen_ps)
        message->payload_seen_ps = up->payload_visible_at_ps;
    if (item->last && message_is_received(message) && rnic->receive_cqe_apart) {
        retire_received(rnic, item->message, known_cyc(rnic, up) + rnic->params->receive_cqe_latency);
    } else if (item->last) {
        check_order(rnic, message, up->visible_at_ps);
        message->delivered_at_ps =
            up->visible_at_ps > message->payload_seen_ps ? up->visible_at_ps : message->payload_seen_ps;
        if (message_is_received(message))
            count_received(rnic, item->qp, from_cyc);
        if (__builtin_expect(rnic->params->cq_commit > 0, 0) && message_is_received(message))
            retire_commits(rnic, item->qp, known_cyc(rnic, up));
        if (ack_point != TRANSPORT_ACK_ACCEPTED)
            message->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, from_cyc);
        if (message_is_received(message) && rnic->events.on)
            events_cqe_written(rnic, OUTBOX_RECV_DONE, item->message, up);
        else
            outbox_put(rnic->setup.outbox, host_sees(&rnic->host, up->visible_at_ps),
                       message_is_received(message) ? OUTBOX_RECV_DONE : OUTBOX_WRITE_VISIBLE, host, item->message);
    } else {
        message_end(rnic->setup.messages, item->message);
    }
    if (__builtin_expect(item->releases, 0))
        selective_deliver(rnic, item, up, known_cyc(rnic, up), from_cyc);
    if (!item->ack_request || ack_point == TRANSPORT_ACK_ACCEPTED) {
        pool_give(rnic->setup.items, up->ref);
        return;
    }
    struct item data = *item;
    pool_give(rnic->setup.items, up->ref); /* before the ACK, which takes its place in the pool */
    receive_acknowledge(rnic, &data, MESSAGE_OK, from_cyc);
}

/* The CQE of a message that was written before. */
static void receive_cqe_written(struct rnic *rnic, uint32_t index, const struct pcie_up *up)
{
    struct message *message = rnic_message(rnic, index);
    check_order(rnic, message, up->visible_at_ps);
    message->delivered_at_ps =
        up->visible_at_ps > message->payload_seen_ps ? up->visible_at_ps : message->payload_seen_ps;
    uint32_t qp = rnic_receiver_of(rnic, message);
    count_received(rnic, qp, known_cyc(rnic, up));
    if (rnic->params->cq_commit > 0)
        retire_commits(rnic, qp, known_cyc(rnic, up));
    if (rnic->events.on)
        events_cqe_written(rnic, OUTBOX_RECV_DONE, index, up);
    else
        outbox_put(rnic->setup.outbox, host_sees(&rnic->host, up->visible_at_ps), OUTBOX_RECV_DONE,
                   (uint32_t)rnic->setup.entity, index);
}

static void cqe_written(struct rnic *rnic, const struct pcie_up *up)
{
    if (__builtin_expect(up->ref & RNIC_CQE_OF_RECEIVE, 0)) {
        receive_cqe_written(rnic, up->ref & ~RNIC_CQE_OF_RECEIVE, up);
        return;
    }
    struct message *message = rnic_message(rnic, up->ref);
    message->stamp_ps[MESSAGE_AT_CQE] = up->visible_at_ps;
    rnic->completions++;
    if (message_answer_bytes(message) > 0 && message->status == MESSAGE_OK)
        check_order(rnic, message, up->visible_at_ps);
    if (__builtin_expect(rnic->params->cq_commit > 0, 0))
        retire_commits(rnic, message->qp, known_cyc(rnic, up));
    if (rnic->events.on) {
        events_cqe_written(rnic, OUTBOX_SEND_DONE, up->ref, up);
        return;
    }
    message->stamp_ps[MESSAGE_AT_SEEN] = host_sees(&rnic->host, up->visible_at_ps);
    outbox_put(rnic->setup.outbox, message->stamp_ps[MESSAGE_AT_SEEN], OUTBOX_SEND_DONE, (uint32_t)rnic->setup.entity,
               up->ref);
}

/* Where a written packet is acknowledged, the ACK must find space: until then nothing more is written. */
static int ack_has_no_space(struct rnic *rnic)
{
    struct fifo *ack = path_entry(&rnic->path[RNIC_ACK]);
    if (rnic->setup.transport->ack_point == TRANSPORT_ACK_ACCEPTED)
        return 0;
    if (rnic->congestion.on)
        return receive_two_acks_at(rnic) == SIM_NEVER;
    if (fifo_space_at(ack, FRAME_ACK_BYTES) != SIM_NEVER)
        return 0;
    ack->writer_waits = 1;
    return 1;
}

static int64_t decide_up(void *self, int64_t now)
{
    struct rnic *rnic = self;
    pcie_up_begin(&rnic->pcie, now, rnic_horizon(rnic, rnic->pcie.up_decider, RNIC_RESPOND, RNIC_CQE));
    for (;;) {
        int64_t wake_at;
        if (ack_has_no_space(rnic))
            return SIM_NEVER;
        struct pcie_up up;
        if (!pcie_up_next(&rnic->pcie, &up, &wake_at))
            return wake_at;
        if (up.input == PCIE_IN_PAYLOAD)
            payload_written(rnic, &up);
        else if (up.input == PCIE_IN_CQE)
            cqe_written(rnic, &up);
        else if (up.input == PCIE_IN_EVENT)
            events_raised(rnic, &up);
        else if (up.ref & ATOMIC_WRITE_BIT) /* else a context: nobody waits for it */
            atomics_written(rnic, up.ref, clk_after(&rnic->user_clk, up.sent_at_ps));
    }
}

int dma_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    if (pcie_init(&rnic->pcie, rnic->sim, rnic->setup.pcie, &rnic->user_clk, rnic->setup.entity,
                  (uint32_t)rnic->params->operations, (uint32_t)rnic->params->wqe_reads, rnic->setup.phase_ps, error,
                  error_bytes))
        return -1;
    rnic->pcie.up_decider = sim_add(rnic->sim, decide_up, rnic, "pcie up", 1);
    rnic->pcie.down_decider = sim_add(rnic->sim, decide_down, rnic, "pcie down", 1);
    uint32_t ring = 1;
    while (ring < rnic->params->operations)
        ring *= 2;
    rnic->order_mask = ring - 1;
    rnic->order = malloc(ring * sizeof *rnic->order);
    snprintf(error, error_bytes, "too many decision points, or out of memory");
    return rnic->pcie.up_decider < 0 || rnic->pcie.down_decider < 0 || !rnic->order ? -1 : 0;
}

void dma_join(struct rnic *rnic)
{
    rnic->pcie.operations = &rnic->path[RNIC_SCHED].end;
    rnic->pcie.write_in[PCIE_IN_PAYLOAD - 1] = &rnic->path[RNIC_RESPOND].end;
    rnic->pcie.write_in[PCIE_IN_CQE - 1] = &rnic->path[RNIC_CQE].end;
    rnic->pcie.describe = describe;
    rnic->pcie.segment_of = places_segment;
    rnic->pcie.describe_context = rnic;
    for (int i = 0; i < 2; i++) {
        rnic->pcie.write_in[i]->read_decider = rnic->pcie.up_decider;
        rnic->pcie.write_in[i]->reader_wants_tail = 1;
    }
}
