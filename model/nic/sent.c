/* Requests that nobody acknowledges: complete when the last frame has left the MAC, whatever becomes of it (UC, UD; of any QP with
 * transport.completion = sent). What the MAC tells takes the place of an ACK, so that all behind it is the same: through path retire where no
 * ACKs are, else at retire itself, when it would have come through the empty path. It makes no choice: it runs inside the port. */
#include "nic/rnic.h"
#include "transport/frame.h"

int sent_init(struct rnic *rnic)
{
    rnic->completes_when_sent = rnic->setup.transport->completion == TRANSPORT_COMPLETION_SENT;
    rnic->tells_when_sent = rnic->completes_when_sent;
    if (!rnic->completes_when_sent)
        return 0;
    path_entry(&rnic->path[RNIC_RETIRE])->write_decider = rnic->port.decider;
    return agenda_init(&rnic->sent, 64);
}

/* What tells of the packet in place of an ACK. */
static uint32_t news_of(struct rnic *rnic, uint32_t packet, int64_t at_ps)
{
    struct item news = *rnic_item(rnic, packet);
    news.qp = rnic_message(rnic, news.message)->qp;
    news.kind = ITEM_ACK;
    news.bytes = FRAME_ACK_BYTES;
    news.wire_at_ps = at_ps;
    uint32_t ref = item_new(rnic->setup.items); /* the pool may move */
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    *rnic_item(rnic, ref) = news;
    return ref;
}

void sent_frame(struct rnic *rnic, uint32_t packet, int64_t at_ps)
{
    struct item *item = rnic_item(rnic, packet);
    if (!rnic->qp[rnic_message(rnic, item->message)->qp].is_unreliable || item->kind != ITEM_DATA)
        return;
    int is_told = item->ack_request && !(item->bad & ITEM_NOT_READ); /* else its QP fails */
    item->ack_request = 0;                                           /* the receiver has nothing to say */
    if (!is_told)
        return;
    int64_t cyc = clk_after(&rnic->user_clk, at_ps) + rnic->params->sent_latency - 1;
    uint32_t ref = news_of(rnic, packet, at_ps);
    rnic_item(rnic, ref)->judged_at_ps = rnic_ps(rnic, cyc);
    if (!rnic->completes_when_sent)
        cyc = clk_after(&rnic->user_clk, rnic_ps(rnic, cyc) + path_least_ps(&rnic->path[RNIC_RETIRE]));
    model_assert(rnic->sim, agenda_put(&rnic->sent, cyc, 0, ref) == 0, "out of memory");
    if (rnic->completes_when_sent)
        sent_forward(rnic);
    else
        rnic_wake_retire(rnic, cyc);
}

void sent_forward(struct rnic *rnic)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_RETIRE]);
    const struct agenda_entry *first;
    rnic->sent_waits = 0;
    while ((first = agenda_first(&rnic->sent)) != 0) {
        int64_t space_at = fifo_space_at(entry, FRAME_ACK_BYTES), at = agenda_at(first);
        if (space_at == SIM_NEVER) {
            rnic->sent_waits = entry->writer_waits = 1;
            return;
        }
        rnic_forward(entry, space_at > at ? space_at : at, FRAME_ACK_BYTES, (uint32_t)first->ref);
        agenda_drop_first(&rnic->sent);
    }
}
