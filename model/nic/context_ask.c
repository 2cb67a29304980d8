/* Who asks for contexts: grants of the scheduler, and packets received. */
#include "nic/context_ask.h"

#define LEVEL_BITS 9 /* 512 entries of 8 bytes: a table of the next level fills 4 KiB */
#define MTT_ENTRY_BYTES 8u

/* ---- what a request needs ---- */

static uint64_t mtt_key(const struct rnic *rnic, uint64_t page, unsigned level)
{
    uint64_t entry = level * LEVEL_BITS < 64 ? page >> level * LEVEL_BITS : 0;
    return (uint64_t)level << CONTEXT_LEVEL_SHIFT | entry / (rnic->contexts.table[CONTEXT_MTT].bytes / MTT_ENTRY_BYTES);
}

uint64_t context_next_key(const struct rnic *rnic, struct context_request *request)
{
    enum context_kind kind = context_next_kind(request);
    if (kind == CONTEXT_MPT)
        return request->region;
    if (kind == CONTEXT_EQC)
        return 0; /* one event queue */
    if (kind == CONTEXT_SRQC)
        return rnic->qp[request->qp].srq;
    if (kind == CONTEXT_RQE)
        return request->block;
    if (kind != CONTEXT_MTT)
        return request->qp;
    if (request->level == CONTEXT_WALK_BEGINS) {
        const struct context_cache *cache = &rnic->contexts.table[CONTEXT_MTT].cache;
        unsigned level = 0;
        while (level + 1 < rnic->params->mtt_levels &&
               context_cache_find(cache, mtt_key(rnic, request->page, level)) == CONTEXT_CACHE_NONE)
            level++;
        request->level = (uint8_t)level;
    }
    return mtt_key(rnic, request->page, request->level);
}

void context_advance(struct context_request *request)
{
    enum context_kind kind = context_next_kind(request);
    if (kind == CONTEXT_MTT) {
        if (request->level > 0) {
            request->level--;
            return;
        }
        request->level = CONTEXT_WALK_BEGINS;
        request->page++;
        if (--request->pages_left > 0)
            return;
    }
    request->wants &= (uint8_t) ~(1u << kind);
}

/* Leaves those that can be missing. */
void context_want(const struct rnic *rnic, struct context_request *request, unsigned kinds)
{
    for (unsigned kind = 0; kind < CONTEXT_KINDS; kind++)
        if (!rnic->contexts.table[kind].on)
            kinds &= ~(1u << kind);
    request->wants = (uint8_t)kinds;
}

/* The pages of [address, address + bytes), bytes >= 1. */
void context_translate(const struct rnic *rnic, struct context_request *request, uint64_t region, uint64_t address,
                       uint32_t bytes)
{
    int shift = rnic->contexts.page_shift;
    request->region = region;
    request->page = address >> shift;
    request->pages_left = ((address + bytes - 1) >> shift) - request->page + 1;
    request->level = CONTEXT_WALK_BEGINS;
}

/* ---- the scheduler ---- */

static struct context_request of_grant(const struct rnic *rnic, uint32_t index, int is_packet)
{
    const struct qp *qp = &rnic->qp[index];
    struct context_request request = {.qp = index, .who = CONTEXT_OF_SCHEDULER};
    unsigned kinds = CONTEXT_BIT(CONTEXT_QPC);
    if (is_packet && rnic->fabric_source == NIC_FABRIC_OFF) {
        const struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
        uint32_t left = message->request_bytes - qp->offset_bytes;
        uint32_t bytes = left < qp->mtu_bytes ? left : qp->mtu_bytes;
        if (bytes > 0 && !message->has_inline) {
            context_translate(rnic, &request, message->lkey, message->local_address + qp->offset_bytes, bytes);
            kinds |= CONTEXT_TRANSLATION;
            request.has_payload = 1;
        }
    }
    context_want(rnic, &request, kinds);
    return request;
}

/* A fetch that has brought all to the QP, whatever was thrown out since. */
static int has_brought(const struct rnic *rnic, const struct context_request *request)
{
    return rnic->qp[request->qp].has_context > request->has_payload;
}

/* Goes through what is there; leaves `request` at the first that is not, with its entry if it is on its way. 1: all is there. */
static int skip_present(const struct rnic *rnic, struct context_request *request, uint32_t *entry)
{
    while (request->wants) {
        const struct context_cache *cache = &rnic->contexts.table[context_next_kind(request)].cache;
        *entry = context_cache_find(cache, context_next_key(rnic, request));
        if (*entry == CONTEXT_CACHE_NONE || cache->entry[*entry].fetch != CONTEXT_CACHE_NONE)
            return 0;
        context_advance(request);
    }
    return 1;
}

int context_is_here(const struct rnic *rnic, uint32_t qp, int is_packet)
{
    if (rnic->lookup.on) /* whatever is there, a visit asks for it */
        return 0;
    struct context_request request = of_grant(rnic, qp, is_packet);
    uint32_t entry;
    return has_brought(rnic, &request) || skip_present(rnic, &request, &entry);
}

/* When a fetch for the first that is missing can begin: 0, or SIM_NEVER: when another is over. */
static int64_t fetch_when(const struct rnic *rnic, uint32_t qp, int is_packet)
{
    struct context_request request = of_grant(rnic, qp, is_packet);
    uint32_t entry = CONTEXT_CACHE_NONE;
    if (skip_present(rnic, &request, &entry) || entry != CONTEXT_CACHE_NONE)
        return 0;
    const struct context_table *table = &rnic->contexts.table[context_next_kind(&request)];
    return table->waits_first != CONTEXT_NONE || table->fetches == table->fetches_most ? SIM_NEVER : 0;
}

int64_t context_grant_at(struct rnic *rnic, uint32_t qp, int is_packet, int64_t at_cyc)
{
    if (rnic->lookup.on)
        return visit_grant_at(rnic, at_cyc);
    struct fifo *entry = path_entry(&rnic->path[RNIC_SCHED]);
    int64_t path_at = fifo_space_at(entry, RNIC_OPERATION_BYTES), fetch_at = fetch_when(rnic, qp, is_packet);
    int64_t latest = path_at > fetch_at ? path_at : fetch_at;
    entry->writer_waits |= path_at == SIM_NEVER;
    rnic->waits_for_read = rnic->waits_for_space = 0;
    if (latest <= at_cyc)
        return at_cyc;
    rnic->scheduler_blocked_by = fetch_at > at_cyc ? RNIC_WAIT_CONTEXT_MISS : RNIC_WAIT_DOWNSTREAM;
    return latest;
}

uint32_t context_keep(struct rnic *rnic, const struct context_request *request)
{
    uint32_t index = pool_take(&rnic->contexts.requests);
    model_assert(rnic->sim, index != POOL_NONE, "out of memory");
    *context_request_at(&rnic->contexts, index) = *request;
    return index;
}

void context_grant(struct rnic *rnic, uint32_t qp, int is_packet, int64_t now_cyc)
{
    if (rnic->lookup.on) {
        visit_begin(rnic, qp, now_cyc);
        return;
    }
    if (rnic->ready.in_order)
        heap_take(&rnic->eligible);
    else
        ready_served(&rnic->ready, qp, 0, 0, 0, 1, now_cyc);
    struct context_request request = of_grant(rnic, qp, is_packet);
    uint32_t index = context_keep(rnic, &request);
    if (context_go_on(rnic, index, now_cyc, 1))
        context_complete(rnic, index, now_cyc);
}

void context_use(struct rnic *rnic, uint32_t qp, int is_packet)
{
    struct context_request request = of_grant(rnic, qp, is_packet);
    if (has_brought(rnic, &request))
        request.wants = 0;
    rnic->qp[qp].has_context = 0;
    while (request.wants) {
        enum context_kind kind = context_next_kind(&request);
        struct context_table *table = &rnic->contexts.table[kind];
        context_touch(table, kind, context_cache_find(&table->cache, context_next_key(rnic, &request)));
        context_advance(&request);
    }
}

/* Back to the scheduler. A context that cannot be read fails its QP, which is never granted again. */
static void return_to_scheduler(struct rnic *rnic, const struct context_request *request, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[request->qp];
    if (request->failed) {
        if (!qp->failed)
            errors_of_request(rnic, request->qp, qp->cut, now_cyc);
    } else {
        qp->has_context = 1 + request->has_payload;
        qp->queued = 0;
        scheduler_kick(rnic, request->qp, now_cyc, QP_WAIT_MISS);
    }
    if (request->failed || !qp->queued) /* it has failed: it gives up what it has left of its turn */
        ready_leave(&rnic->ready, request->qp);
}

void context_complete(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct context_request *request = context_request_at(&rnic->contexts, index);
    if (request->who == CONTEXT_OF_DISPATCH) {
        request->done = 1;
        request->since_cyc = now_cyc + 1;
        sim_wake(rnic->sim, rnic->dispatch, rnic_ps(rnic, now_cyc + 1));
        return;
    }
    struct context_request done = *request;
    pool_give(&rnic->contexts.requests, index);
    if (done.who == CONTEXT_OF_LOOKUP) {
        lookup_job(&rnic->lookup, done.job)->misses = done.misses;
        lookup_job(&rnic->lookup, done.job)->parse_cyc = done.block_missed ? rnic->params->receive_parse : 0;
        lookup_found(rnic, done.job, done.failed, now_cyc);
        return;
    }
    return_to_scheduler(rnic, &done, now_cyc);
}

/* ---- dispatch ---- */

/* Where the payload goes, or what a READ or an atomic asks for, as far as that is known (of a SEND's first packet its receive WQE tells, if
 * there is one); returns the bytes. */
uint32_t context_place_of(const struct rnic *rnic, const struct item *item, uint32_t *region, uint64_t *address)
{
    const struct message *message = rnic_message(rnic, item->message);
    const struct qp *qp = &rnic->qp[item->qp];
    if (item->kind == ITEM_ANSWER) {
        *region = message->lkey;
        *address = message->local_address + item->offset;
        return item->payload_bytes;
    }
    *region = message->rkey;
    *address = message->remote_address + item->offset;
    if (message_is_answered(message)) /* a FLUSH reads a byte */
        return message->opcode == MESSAGE_FLUSH ? 1 : message->length_bytes;
    if (!message_is_send(message) || !item->first)
        return item->payload_bytes;
    const struct qp_receive *receive = receive_queue_first(qp->receives, rnic->sim->now);
    if (!receive)
        return 0;
    *region = receive->lkey;
    *address = receive->address;
    return item->payload_bytes;
}

static struct context_request of_packet(const struct rnic *rnic, const struct item *item)
{
    struct context_request request = {.qp = item->qp, .who = CONTEXT_OF_DISPATCH};
    unsigned kinds = CONTEXT_BIT(CONTEXT_QPC);
    if (item->kind == ITEM_ACK) {
        kinds |= CONTEXT_BIT(CONTEXT_CQC);
    } else {
        uint32_t region, bytes;
        uint64_t address;
        if (srq_takes(rnic, item))
            kinds |= CONTEXT_BIT(CONTEXT_SRQC);
        if (item->last && item->kind == ITEM_DATA && message_is_received(rnic_message(rnic, item->message)))
            kinds |= CONTEXT_BIT(CONTEXT_CQC);
        bytes = context_place_of(rnic, item, &region, &address);
        if (bytes > 0) {
            context_translate(rnic, &request, region, address, bytes);
            kinds |= CONTEXT_TRANSLATION;
        }
    }
    context_want(rnic, &request, kinds);
    return request;
}

/* A SEND's place is known when the packets before it are dispatched. */
static int waits_for_turn(const struct rnic *rnic, const struct item *item)
{
    const struct contexts *contexts = &rnic->contexts;
    return contexts->look_next != rnic->path[RNIC_RX].end.first && item->kind == ITEM_DATA &&
           message_is_send(rnic_message(rnic, item->message)) &&
           (contexts->table[CONTEXT_MPT].on || contexts->table[CONTEXT_MTT].on);
}

int64_t context_look_ahead(struct rnic *rnic, int64_t now_cyc)
{
    struct contexts *contexts = &rnic->contexts;
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    for (; contexts->look_next != in->next; contexts->look_next++) {
        const struct fifo_slot *slot = &in->slot[contexts->look_next & in->mask];
        const struct item *item = rnic_item(rnic, slot->ref);
        if (slot->tail_cyc > now_cyc)
            return slot->tail_cyc;
        if (waits_for_turn(rnic, item))
            return SIM_NEVER;
        uint32_t *look = &contexts->look[contexts->look_next & contexts->look_mask];
        *look = CONTEXT_NONE;
        if (item->bad)
            continue;
        struct context_request request = of_packet(rnic, item);
        *look = context_keep(rnic, &request);
        if (context_go_on(rnic, *look, now_cyc, 0)) {
            context_request_at(contexts, *look)->done = 1;
            context_request_at(contexts, *look)->since_cyc = now_cyc;
        }
    }
    return SIM_NEVER;
}

int64_t context_next_look(const struct rnic *rnic, int64_t now_cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    uint32_t next = rnic->contexts.look_next;
    if (next == in->next || in->slot[next & in->mask].tail_cyc <= now_cyc)
        return SIM_NEVER;
    return in->slot[next & in->mask].tail_cyc;
}

int64_t context_front_cyc(const struct rnic *rnic)
{
    const struct contexts *contexts = &rnic->contexts;
    uint32_t front = rnic->path[RNIC_RX].end.first;
    if (contexts->look_next == front)
        return SIM_NEVER;
    uint32_t look = contexts->look[front & contexts->look_mask];
    if (look == CONTEXT_NONE)
        return 0;
    const struct context_request *request = context_request_at(contexts, look);
    return request->done ? request->since_cyc : SIM_NEVER;
}

int context_front_taken(struct rnic *rnic)
{
    struct contexts *contexts = &rnic->contexts;
    uint32_t look = contexts->look[rnic->path[RNIC_RX].end.first & contexts->look_mask];
    if (look == CONTEXT_NONE)
        return 0;
    int failed = context_request_at(contexts, look)->failed;
    pool_give(&contexts->requests, look);
    return failed;
}
