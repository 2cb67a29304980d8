#include "nic/tap.h"

#include "nic/rnic.h"
#include "transport/wire.h"

#define FRAMES_FIRST 256u

int tap_turn_on(struct tap *tap, struct rnic *pair)
{
    if (tap->on)
        return 0;
    if (pool_init(&tap->seen, sizeof(struct tap_frame), FRAMES_FIRST) || heap_init(&tap->waiting, FRAMES_FIRST))
        return -1;
    tap->on = 1;
    for (int i = 0; i < 2; i++)
        port_watch(&pair[i], tap);
    return 0;
}

void tap_free(struct tap *tap)
{
    if (!tap->on)
        return;
    pool_free(&tap->seen);
    heap_free(&tap->waiting);
}

/* A message's packets, by their places in it. */
static unsigned placed(const struct item *item, unsigned first)
{
    return first + (item->first && item->last ? WIRE_SEND_ONLY
                    : item->first             ? WIRE_SEND_FIRST
                    : item->last              ? WIRE_SEND_LAST
                                              : WIRE_SEND_MIDDLE);
}

static unsigned answer_operation(const struct item *item, const struct message *message)
{
    if (message_is_atomic(message))
        return WIRE_ATOMIC_ACKNOWLEDGE;
    return item->first && item->last ? WIRE_READ_RESPONSE_ONLY
           : item->first             ? WIRE_READ_RESPONSE_FIRST
           : item->last              ? WIRE_READ_RESPONSE_LAST
                                     : WIRE_READ_RESPONSE_MIDDLE;
}

static unsigned request_operation(const struct item *item, const struct message *message)
{
    switch (message->opcode) {
    case MESSAGE_READ:
        return WIRE_READ_REQUEST;
    case MESSAGE_CMP_SWAP:
        return WIRE_COMPARE_SWAP;
    case MESSAGE_FETCH_ADD:
        return WIRE_FETCH_ADD;
    case MESSAGE_FLUSH:
        return WIRE_FLUSH;
    case MESSAGE_ATOMIC_WRITE:
        return WIRE_ATOMIC_WRITE;
    case MESSAGE_SEND_INV:
        if (item->last)
            return item->first ? WIRE_SEND_ONLY_INV : WIRE_SEND_LAST_INV;
        return placed(item, WIRE_SEND_FIRST);
    default: /* the operation with an immediate is the next one after that without */
        return placed(item, message_is_send(message) ? WIRE_SEND_FIRST : WIRE_WRITE_FIRST) +
               (item->last && message_has_word(message) ? 1 : 0);
    }
}

static uint8_t syndrome_of(const struct rnic *rnic, const struct item *item)
{
    switch (item->kind == ITEM_ACK ? item->status : MESSAGE_OK) {
    case MESSAGE_OK:
        return WIRE_SYNDROME_ACK | WIRE_CREDITS_INVALID; /* credits are not modelled */
    case MESSAGE_RNR_EXCEEDED:
        return (uint8_t)(WIRE_SYNDROME_RNR | rnic->qp[rnic->peer->qp[item->qp].peer].recovery.retry.rnr_timer);
    case MESSAGE_RETRY_EXCEEDED:
        return WIRE_SYNDROME_NAK | WIRE_NAK_SEQUENCE;
    case MESSAGE_REMOTE_INVALID:
        return WIRE_SYNDROME_NAK | WIRE_NAK_INVALID_REQUEST;
    case MESSAGE_REMOTE_ACCESS:
        return WIRE_SYNDROME_NAK | WIRE_NAK_REMOTE_ACCESS;
    default:
        return WIRE_SYNDROME_NAK | WIRE_NAK_REMOTE_OPERATION;
    }
}

/* What a request's first packet says of memory; of a READ that is asked for again, what is missing. */
static void describe_request(const struct item *item, const struct message *message, struct tap_frame *frame)
{
    uint32_t offset = message_is_answered(message) ? item->offset : 0;
    frame->ack_request = item->ack_request;
    frame->again = item->again;
    frame->solicited = item->last && message->solicited;
    frame->immediate = message->immediate;
    frame->address = message->remote_address + offset;
    frame->rkey = message->rkey;
    frame->dma_bytes = message->length_bytes - offset;
}

static int is_cnp(const struct item *item)
{
    return item->kind == ITEM_ACK && item->status == MESSAGE_CNP;
}

static unsigned transport_of(const struct rnic *rnic, const struct item *item, const struct qp *sender)
{
    static const uint8_t transport[] = {[QP_RC] = WIRE_RC, [QP_UC] = WIRE_UC, [QP_UD] = WIRE_UD, [QP_XRC] = WIRE_XRC};
    if (sender->transport == QP_RC && rnic->completes_when_sent && item->kind == ITEM_DATA)
        return WIRE_UC;
    return transport[sender->transport];
}

/* Packets with data say whether they can be marked, and all whether they are (RFC 3168). */
static uint8_t ecn_of(const struct rnic *rnic, const struct item *item)
{
    return item->ce ? 3 : rnic->congestion.on && item->kind != ITEM_ACK ? 2 : 0;
}

/* Seen from `rnic`, which sends it. */
static struct tap_frame describe(const struct rnic *rnic, const struct item *item, uint32_t bytes)
{
    const struct message *message = item->kind == ITEM_ACK ? 0 : rnic_message(rnic, item->message);
    const struct qp *qp = &rnic->qp[item->kind == ITEM_DATA ? message->qp : rnic->peer->qp[item->qp].peer];
    unsigned transport = transport_of(rnic, item, qp);
    unsigned operation = item->kind == ITEM_ACK      ? WIRE_ACKNOWLEDGE
                         : item->kind == ITEM_ANSWER ? answer_operation(item, message)
                                                     : request_operation(item, message);
    struct tap_frame frame = {.is_bad = item->bad != 0,
                              .opcode = is_cnp(item) ? WIRE_OPCODE_CNP : (uint8_t)(transport | operation),
                              .ecn = ecn_of(rnic, item),
                              .again = item->kind == ITEM_ANSWER && item->again,
                              .syndrome = syndrome_of(rnic, item),
                              .service_level = qp->service_level,
                              .bytes = bytes,
                              .payload_bytes = item->payload_bytes,
                              .source_qpn = qp->qpn,
                              .destination_qpn = rnic->peer->qp[item->qp].qpn,
                              .psn = item->psn,
                              .msn = item->msn};
    if (item->kind == ITEM_ANSWER && message_is_atomic(message))
        frame.payload_bytes = 0; /* its value stands in a header */
    if (item->kind == ITEM_DATA)
        describe_request(item, message, &frame);
    if (qp->transport == QP_UD && item->kind == ITEM_DATA)
        frame.qkey = message->qkey;
    if (qp->transport == QP_XRC && item->kind == ITEM_DATA && message_is_received(message))
        frame.srqn = rnic->peer->srqs.srq[message->to]->srqn;
    return frame;
}

static void describe_content(const struct rnic *rnic, uint32_t ref, struct tap_frame *frame)
{
    struct contents *contents = rnic->setup.contents;
    const struct item *item = rnic_item(rnic, ref);
    frame->block = POOL_NONE;
    if (!contents || item->kind == ITEM_ACK)
        return;
    if (item->payload_bytes > 0)
        frame->block = content_hold(contents, ref);
    frame->compare = contents->of_message[item->message].compare;
    frame->swap_or_add = contents->of_message[item->message].swap_or_add;
}

static void keep(struct rnic *rnic, uint32_t item, struct tap_frame frame, int64_t at_cyc, int is_sent)
{
    struct tap *tap = rnic->tap;
    frame.at_ps = clk_edge(&rnic->line.clk, at_cyc);
    frame.host = (uint32_t)(is_sent ? rnic->setup.entity : rnic->peer->setup.entity);
    frame.is_sent = (uint8_t)is_sent;
    describe_content(rnic, item, &frame);
    uint64_t order = (uint64_t)frame.host << 62 | (uint64_t)(is_sent == 0) << 61 | tap->count[frame.host][is_sent]++;
    uint32_t ref = pool_take(&tap->seen);
    model_assert(rnic->sim, ref != POOL_NONE && heap_put(&tap->waiting, frame.at_ps, order, ref) == 0, "out of memory");
    ((struct tap_frame *)tap->seen.slot)[ref] = frame;
}

void tap_sent(struct rnic *rnic, uint32_t item, uint32_t bytes, int64_t start_cyc)
{
    keep(rnic, item, describe(rnic, rnic_item(rnic, item), bytes), start_cyc, 1);
}

void tap_received(struct rnic *rnic, uint32_t item, uint32_t bytes, int64_t last_cyc)
{
    keep(rnic, item, describe(rnic, rnic_item(rnic, item), bytes), line_first_cyc(&rnic->line, bytes, last_cyc), 0);
}

int tap_take(struct tap *tap, int64_t now_ps, struct tap_frame *out)
{
    const struct heap_entry *first = tap->on ? heap_first(&tap->waiting) : 0;
    if (!first || first->at > now_ps)
        return 0;
    uint32_t ref = (uint32_t)heap_take(&tap->waiting).ref;
    *out = ((struct tap_frame *)tap->seen.slot)[ref];
    pool_give(&tap->seen, ref);
    return 1;
}
