#include "nic/faults.h"

#include "kernel/rnd.h"
#include "nic/rnic.h"

#include <stdlib.h>

#define ENTITY_OF_FAULTS UINT64_C(0xfa0175) /* apart from those of NICs and their PCIe */

int faults_add(struct rnic *rnic, const struct fault *fault)
{
    struct faults *faults = &rnic->faults;
    if (faults->count == faults->room) {
        uint32_t room = faults->room == 0 ? 8 : 2 * faults->room;
        struct fault *larger = realloc(faults->plan, room * sizeof *larger);
        if (!larger)
            return -1;
        faults->plan = larger;
        faults->room = room;
    }
    if (faults->count == 0) {
        if (heap_init(&faults->waiting, 16))
            return -1;
        int64_t ahead_ps = rnic->params->port_latency * rnic->user_clk.whole + path_least_ps(&rnic->path[RNIC_TX]);
        faults->ahead_cyc = ahead_ps / (rnic->line.clk.whole + 1) - 2; /* at most so many */
        if (rnic->pause.on) /* the line decides for itself when a frame begins */
            faults->ahead_cyc = 0;
        faults->ahead_cyc = faults->ahead_cyc > 0 ? faults->ahead_cyc : 0;
        port_send_by_plan(rnic);
    }
    faults->plan[faults->count++] = *fault;
    return 0;
}

void faults_free(struct rnic *rnic)
{
    free(rnic->faults.plan);
    free(rnic->faults.held);
    heap_free(&rnic->faults.waiting);
}

/* ---- which frames ---- */

static unsigned kind_of(const struct rnic *rnic, const struct item *item)
{
    if (item->kind == ITEM_ACK)
        return item->status == MESSAGE_OK ? FAULT_ACK : item->status == MESSAGE_CNP ? FAULT_CNP : FAULT_NAK;
    if (item->kind == ITEM_ANSWER)
        return FAULT_ANSWER;
    const struct message *message = rnic_message(rnic, item->message);
    return message_is_send(message)                                                ? FAULT_SEND
           : message_is_atomic(message) || message->opcode == MESSAGE_ATOMIC_WRITE ? FAULT_ATOMIC_REQUEST
           : message_is_answered(message)                                          ? FAULT_READ_REQUEST
                                                                                   : FAULT_WRITE;
}

/* An ACK is of the request whose packet it answers. */
static int is_of_request(const struct rnic *rnic, const struct fault *fault, const struct item *item)
{
    if (fault->request == 0)
        return 1;
    const struct message *message = rnic_message(rnic, item->message);
    if (message->ordinal != fault->request)
        return 0;
    return !fault->is_end || (item->kind == ITEM_ACK ? message->cut && item->psn == message->last_psn : item->last);
}

/* The QP at the sending end. */
static uint32_t sender_of(const struct rnic *rnic, const struct item *item)
{
    return item->kind == ITEM_DATA ? rnic->qp[rnic_message(rnic, item->message)->qp].qpn
                                   : rnic->peer->qp[item->qp].peer_qpn;
}

static int fits(const struct rnic *rnic, const struct fault *fault, const struct item *item, int64_t start_ps)
{
    return (fault->frames & kind_of(rnic, item)) != 0 &&
           (fault->from == FAULT_ANY || fault->from == (uint32_t)rnic->setup.entity) &&
           (fault->qpn == 0 || fault->qpn == sender_of(rnic, item)) &&
           (fault->psn == FAULT_ANY || fault->psn == item->psn) &&
           (fault->times == FAULT_ANY_TIME || (fault->times == FAULT_AGAIN) == (item->again != 0)) &&
           start_ps >= fault->from_ps && start_ps < fault->to_ps && is_of_request(rnic, fault, item);
}

/* Of the frames that fit, whether this one. */
static int acts(struct rnic *rnic, struct fault *fault, uint32_t index)
{
    uint64_t ordinal = fault->seen++;
    if ((fault->most != 0 && fault->done >= fault->most) || (fault->nth != 0 && ordinal + 1 != fault->nth) ||
        (fault->every != 0 && (ordinal + 1) % fault->every != 0))
        return 0;
    if (fault->probability_ppb != 0) {
        uint64_t draw = rnd_u64(rnic->sim->seed, ENTITY_OF_FAULTS + rnic->setup.entity, ordinal, index);
        if ((draw >> 32) * 1000000000 >> 32 >= fault->probability_ppb)
            return 0;
    }
    fault->done++;
    return 1;
}

/* The first of the plan that acts on the frame; all that it fits count it. NULL: none. */
static struct fault *fault_of(struct rnic *rnic, const struct item *item, int64_t start_ps)
{
    struct fault *found = 0;
    for (uint32_t i = 0; i < rnic->faults.count; i++) {
        struct fault *fault = &rnic->faults.plan[i];
        if (fits(rnic, fault, item, start_ps) && acts(rnic, fault, i) && !found)
            found = fault;
    }
    return found;
}

/* ---- what happens to them ---- */

/* A frame that begins at start_cyc, or when the receiver's line is free. */
static void deliver(struct rnic *rnic, uint32_t ref, uint32_t bytes, int64_t start_cyc, const struct held_frame *frame)
{
    struct faults *faults = &rnic->faults;
    if (start_cyc < faults->free_cyc)
        start_cyc = faults->free_cyc;
    faults->free_cyc = start_cyc + frame->takes_cyc;
    port_deliver(rnic, ref, bytes, start_cyc + frame->word_cyc, start_cyc + frame->last_cyc);
}

static void hold(struct rnic *rnic, int64_t from_cyc, const struct held_frame *frame)
{
    struct faults *faults = &rnic->faults;
    uint32_t place = 0;
    while (place < faults->held_room && faults->held[place].bytes != 0)
        place++;
    if (place == faults->held_room) {
        uint32_t room = faults->held_room == 0 ? 8 : 2 * faults->held_room;
        struct held_frame *larger = realloc(faults->held, room * sizeof *larger);
        model_assert(rnic->sim, larger != 0, "out of memory");
        faults->held = larger;
        for (uint32_t i = faults->held_room; i < room; i++)
            faults->held[i].bytes = 0;
        faults->held_room = room;
    }
    faults->held[place] = *frame;
    model_assert(rnic->sim, heap_put(&faults->waiting, from_cyc, faults->order++, place) == 0, "out of memory");
    int64_t wake_ps = clk_edge(&rnic->line.clk, from_cyc - faults->ahead_cyc);
    sim_wake(rnic->sim, rnic->port.decider, wake_ps > rnic->sim->now ? wake_ps : rnic->sim->now + 1);
}

/* Those that begin by then, in order. */
static void release_until(struct rnic *rnic, int64_t cyc)
{
    struct faults *faults = &rnic->faults;
    const struct heap_entry *first;
    while ((first = heap_first(&faults->waiting)) != 0 && first->at <= cyc) {
        struct heap_entry entry = heap_take(&faults->waiting);
        struct held_frame frame = faults->held[entry.ref];
        faults->held[entry.ref].bytes = 0;
        deliver(rnic, frame.ref, frame.bytes, entry.at, &frame);
    }
}

/* The same frame once more. */
static uint32_t copy(struct rnic *rnic, uint32_t ref)
{
    struct item same = *rnic_item(rnic, ref);
    uint32_t other = item_new(rnic->setup.items); /* the pool may move */
    model_assert(rnic->sim, other != POOL_NONE, "out of memory");
    same.trip = 0; /* the first one's */
    if (same.kind != ITEM_ACK)
        message_hold(rnic->setup.messages, same.message);
    *rnic_item(rnic, other) = same;
    if (rnic->setup.contents)
        content_doubled(rnic, ref, other);
    return other;
}

void faults_take(struct rnic *rnic, uint32_t ref, uint32_t bytes, const struct line_frame *frame)
{
    struct item *item = rnic_item(rnic, ref);
    struct fault *fault = fault_of(rnic, item, clk_edge(&rnic->line.clk, frame->start_cyc));
    struct held_frame parts = {.ref = ref,
                               .bytes = bytes,
                               .word_cyc = frame->word_at_cyc - frame->start_cyc,
                               .last_cyc = frame->last_at_cyc - frame->start_cyc,
                               .takes_cyc = rnic->line.free_cyc - frame->start_cyc};
    int64_t start_cyc = frame->start_cyc;
    release_until(rnic, start_cyc);
    if (fault && fault->action == FAULT_DROP) {
        rnic->peer->drops_planned++;
        receive_drop(rnic->peer, ref);
        return;
    }
    if (fault && fault->action == FAULT_DELAY) {
        hold(rnic, start_cyc + (fault->delay_ps + rnic->line.clk.whole - 1) / rnic->line.clk.whole, &parts);
        return;
    }
    if (fault && fault->action == FAULT_CORRUPT)
        item->bad |= ITEM_DAMAGED;
    if (fault && fault->action == FAULT_MARK)
        item->ce = 1;
    else if (fault && item->kind == ITEM_DATA && fault->action >= FAULT_NOT_READY)
        item->status = fault->action == FAULT_NOT_READY ? MESSAGE_RNR_EXCEEDED : MESSAGE_REMOTE_ACCESS;
    uint32_t twin = fault && fault->action == FAULT_DUPLICATE ? copy(rnic, ref) : POOL_NONE;
    deliver(rnic, ref, bytes, start_cyc, &parts);
    if (twin != POOL_NONE)
        deliver(rnic, twin, bytes, start_cyc + parts.takes_cyc, &parts);
}

int64_t faults_release(struct rnic *rnic, int64_t now)
{
    struct faults *faults = &rnic->faults;
    release_until(rnic, clk_at_or_after(&rnic->line.clk, now) + faults->ahead_cyc);
    const struct heap_entry *first = heap_first(&faults->waiting);
    return first ? clk_edge(&rnic->line.clk, first->at - faults->ahead_cyc) : SIM_NEVER;
}
