/* A flow's requests: their PSNs, and the messages that their packets make. */
#include <stdlib.h>
#include <string.h>

#include "traces/flow.h"
#include "transport/psn.h"

#define SLOTS_MOST (1u << 20) /* packets that nothing acknowledges: older ones are forgotten */
#define STEP_MOST (1 << 16)   /* PSNs: a larger one begins a connection anew */

static const uint32_t mtus[] = {4096, 2048, 1024, 512, 256};
#define MTUS (sizeof mtus / sizeof *mtus)

static uint32_t packets_of(uint32_t bytes, uint32_t mtu_bytes)
{
    return bytes == 0 ? 1 : (bytes - 1) / mtu_bytes + 1;
}

/* The last request was a READ while the path MTU was unknown: so many PSNs are its own. */
static void correct_read(struct flow *flow, uint32_t mtu_bytes)
{
    struct flow_slot *last = flow->slots > 0 ? &flow->slot[flow->slots - 1] : NULL;
    if (last == NULL || (last->opcode & WIRE_OPERATION_MASK) != WIRE_READ_REQUEST)
        return;
    last->psns = packets_of(last->dma_bytes, mtu_bytes);
    flow->psn_next = psn_add(last->psn, last->psns);
}

void flow_learn_mtu(struct flows *flows, struct flow *flow, uint32_t payload_bytes)
{
    if (flow->mtu_bytes == payload_bytes)
        return;
    int is_allowed = 0;
    for (size_t i = 0; i < MTUS; i++)
        is_allowed |= payload_bytes == mtus[i];
    if (!is_allowed)
        flow_complain(flows, "%u bytes of payload in a FIRST or MIDDLE; a path MTU of 256 to 4096 is allowed",
                      payload_bytes);
    else if (flow->mtu_bytes != 0)
        flow_complain(flows, "%u bytes of payload in a FIRST or MIDDLE; the path MTU is %u", payload_bytes,
                      flow->mtu_bytes);
    if (!is_allowed || flow->mtu_bytes != 0)
        return;
    flow->mtu_bytes = payload_bytes;
    if (flow->peer == FLOW_NONE)
        return;
    flows->flow[flow->peer]->mtu_bytes = payload_bytes;
    correct_read(flows->flow[flow->peer], payload_bytes);
}

/* ---- slots ---- */

struct flow_slot *flow_find(struct flow *flow, uint32_t psn)
{
    size_t low = 0, high = flow->slots;
    while (low < high) { /* the first slot that ends behind it */
        size_t middle = (low + high) / 2;
        if (psn_difference(psn_add(flow->slot[middle].psn, flow->slot[middle].psns), psn) > 0)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == flow->slots || psn_difference(psn, flow->slot[low].psn) < 0)
        return NULL;
    return &flow->slot[low];
}

static void forget(struct flow *flow, size_t count)
{
    if (count == 0)
        return;
    memmove(flow->slot, flow->slot + count, (flow->slots - count) * sizeof *flow->slot);
    flow->slots -= count;
    flow->drained -= count < flow->drained ? count : flow->drained;
}

/* Puts `count` unset slots in front of the one at `at`. -1 without memory. */
static int insert(struct flow *flow, size_t at, size_t count)
{
    if (flow->slots + count > flow->room) {
        size_t room = flow->room == 0 ? 64 : 2 * flow->room;
        struct flow_slot *larger = realloc(flow->slot, room * sizeof *larger);
        if (larger == NULL)
            return -1;
        flow->slot = larger;
        flow->room = room;
    }
    memmove(flow->slot + at + count, flow->slot + at, (flow->slots - at) * sizeof *flow->slot);
    flow->slots += count;
    return 0;
}

static struct flow_slot slot_of(const struct flow *flow, const struct capture_packet *packet)
{
    const struct wire_packet *wire = &packet->wire;
    int is_read = (wire->opcode & WIRE_OPERATION_MASK) == WIRE_READ_REQUEST;
    uint32_t mtu_bytes = flow->mtu_bytes != 0 ? flow->mtu_bytes : mtus[0]; /* corrected when more is known */
    return (struct flow_slot){.psn = wire->psn,
                              .psns = is_read ? packets_of(wire->dma_bytes, mtu_bytes) : 1,
                              .opcode = wire->opcode,
                              .solicited = wire->solicited,
                              .payload_bytes = wire->payload_bytes,
                              .dma_bytes = wire->dma_bytes,
                              .rkey = wire->rkey,
                              .immediate = wire_opcode(wire->opcode).headers & WIRE_IETH ? wire->invalidated_rkey
                                                                                         : wire->immediate,
                              .address = wire->address,
                              .swap = wire->swap,
                              .compare = wire->compare,
                              .at_ns = packet->at_ns,
                              .packet = packet->number};
}

/* The same where no answer has told the path MTU: where the next packet begins does. */
static void learn_from_read(struct flow *flow, uint32_t psn)
{
    const struct flow_slot *last = flow->slots > 0 ? &flow->slot[flow->slots - 1] : NULL;
    if (last == NULL || flow->mtu_bytes != 0 || (last->opcode & WIRE_OPERATION_MASK) != WIRE_READ_REQUEST ||
        last->dma_bytes <= mtus[MTUS - 1])
        return;
    for (size_t i = 0; i < MTUS; i++)
        if (psn_add(last->psn, packets_of(last->dma_bytes, mtus[i])) == psn) {
            flow->mtu_bytes = packets_of(last->dma_bytes, mtus[i]) > 1 ? mtus[i] : 0;
            correct_read(flow, mtus[i]);
            return;
        }
}

/* A packet behind all others; what is missing before it is a hole. */
static int append(struct flow *flow, const struct capture_packet *packet, int32_t ahead)
{
    if (flow->slots >= SLOTS_MOST)
        forget(flow, flow->slots / 2);
    if (insert(flow, flow->slots, ahead > 0 ? 2 : 1) != 0)
        return -1;
    if (ahead > 0) {
        flow->slot[flow->slots - 2] = (struct flow_slot){.psn = flow->psn_next, .psns = (uint32_t)ahead, .is_hole = 1};
        flow->gaps++;
        flow->missing += (uint32_t)ahead;
    }
    struct flow_slot *slot = &flow->slot[flow->slots - 1];
    *slot = slot_of(flow, packet);
    flow->psn_next = psn_add(slot->psn, slot->psns);
    return 0;
}

/* A packet of a hole has come: before and behind it holes are left, or not. */
static int fill(struct flow *flow, struct flow_slot *hole, const struct capture_packet *packet)
{
    size_t at = (size_t)(hole - flow->slot);
    uint32_t before = (packet->wire.psn - hole->psn) & PSN_MASK;
    struct flow_slot slot = slot_of(flow, packet);
    uint32_t takes = slot.psns < hole->psns - before ? slot.psns : hole->psns - before;
    uint32_t behind = hole->psns - before - takes;
    slot.psns = takes;
    if (insert(flow, at, (size_t)(before > 0) + (size_t)(behind > 0)) != 0)
        return -1;
    if (before > 0)
        flow->slot[at++] = (struct flow_slot){.psn = psn_add(slot.psn, -before), .psns = before, .is_hole = 1};
    flow->slot[at++] = slot;
    if (behind > 0)
        flow->slot[at] = (struct flow_slot){.psn = psn_add(slot.psn, takes), .psns = behind, .is_hole = 1};
    flow->came_later += takes;
    return 0;
}

/* A packet that was seen before. */
static void repeat(struct flow *flow, struct flow_slot *slot, const struct capture_packet *packet)
{
    int is_copy = packet->wire.psn == flow->last_psn && packet->at_ns - flow->last_at_ns < FLOW_TIMER_LEAST_NS;
    flow->duplicates += (uint64_t)(is_copy != 0);
    flow->again += (uint64_t)(is_copy == 0);
    flow->again_since_nak++;
    if (slot != NULL)
        slot->again = 1;
}

/* The QP serves another connection, or the capture has lost sight of it. */
static void begin_anew(struct flows *flows, struct flow *flow, uint32_t psn)
{
    flow_drain(flows, flow, 1, psn_add(flow->psn_next, UINT32_MAX));
    flow->incomplete += (uint64_t)(flow->is_open != 0);
    flow->acked_messages = flow->messages;
    flow->is_open = flow->is_in_step = 0;
    flow->slots = flow->drained = 0;
    flow->psn_next = psn;
    flow->begun_anew++;
    if (flow->peer != FLOW_NONE)
        flows->flow[flow->peer]->msn_known = flows->flow[flow->peer]->has_acked = 0;
}

void flow_take_request(struct flows *flows, struct flow *flow, const struct capture_packet *packet)
{
    uint32_t psn = packet->wire.psn;
    if (flow->packets++ == 0)
        flow->psn_next = psn;
    learn_from_read(flow, psn);
    int32_t ahead = psn_difference(psn, flow->psn_next);
    if (ahead > STEP_MOST || ahead < -STEP_MOST) {
        begin_anew(flows, flow, psn);
        ahead = 0;
    }
    struct flow_slot *slot = ahead < 0 ? flow_find(flow, psn) : NULL;
    int failed = 0;
    if (ahead >= 0)
        failed = append(flow, packet, ahead);
    else if (slot != NULL && slot->is_hole)
        failed = fill(flow, slot, packet);
    else
        repeat(flow, slot, packet);
    flow->last_psn = psn;
    flow->last_at_ns = packet->at_ns;
    flows->has_failed |= failed;
    if (!failed) /* UC sends nothing again: what is missing is lost */
        flow_drain(flows, flow, !flow_is_reliable(flow), psn);
}

/* ---- messages ---- */

static void begin(struct flow *flow, const struct flow_slot *slot)
{
    flow->open = (struct flow_message){.flow = flow->index,
                                       .opcode = slot->opcode,
                                       .last_opcode = slot->opcode,
                                       .solicited = slot->solicited,
                                       .bytes = slot->dma_bytes,
                                       .rkey = slot->rkey,
                                       .immediate = slot->immediate,
                                       .address = slot->address,
                                       .swap = slot->swap,
                                       .compare = slot->compare,
                                       .at_ns = slot->at_ns};
    flow->open_bytes = 0;
    flow->is_open = 1;
}

void flow_deliver(struct flows *flows, const struct flow_message *message)
{
    if (message->bytes > RNICSIM_MESSAGE_MAX_BYTES)
        flow_complain(flows, "a request for %u bytes; up to %u (2^31) are allowed", message->bytes,
                      RNICSIM_MESSAGE_MAX_BYTES);
    else if (flows->done(flows->context, message) != 0)
        flows->has_failed = 1;
}

/* What a WRITE announces is what it brings; a SEND is as long as its packets; the rest say how much they ask for. */
static void end(struct flows *flows, struct flow *flow, const struct flow_slot *slot)
{
    struct flow_message *message = &flow->open;
    unsigned operation = message->opcode & WIRE_OPERATION_MASK;
    int is_write = operation >= WIRE_WRITE_FIRST && operation <= WIRE_WRITE_ONLY_IMM;
    int is_asked = operation == WIRE_READ_REQUEST || operation == WIRE_FLUSH;
    message->last_opcode = slot->opcode;
    message->immediate = slot->immediate;
    message->solicited = slot->solicited;
    if (is_write && message->bytes != flow->open_bytes)
        flow_complain(flows, "a WRITE of %u bytes ends with %u; as many as its RETH says are allowed", message->bytes,
                      flow->open_bytes);
    if (!is_write && !is_asked)
        message->bytes = operation == WIRE_COMPARE_SWAP || operation == WIRE_FETCH_ADD ? 8 : flow->open_bytes;
    flow->is_open = 0;
    flow->bytes += message->bytes;
    if (message->bytes > flow->largest_bytes)
        flow->largest_bytes = message->bytes;
    flow_deliver(flows, message);
}

/* The next packet in order. */
static void put_together(struct flows *flows, struct flow *flow, struct flow_slot *slot)
{
    enum wire_place place = wire_opcode(slot->opcode).place;
    int begins = place == WIRE_FIRST || place == WIRE_ONLY, ends = place == WIRE_LAST || place == WIRE_ONLY;
    if (place < WIRE_LAST)
        flow_learn_mtu(flows, flow, slot->payload_bytes);
    else if (flow->mtu_bytes != 0 && slot->payload_bytes > flow->mtu_bytes)
        flow_complain(flows, "%u bytes of payload; the path MTU is %u", slot->payload_bytes, flow->mtu_bytes);
    if (begins == flow->is_open && (flow->is_open || flow->is_in_step))
        flow_complain(flows, "%s, while %s message has begun", wire_opcode(slot->opcode).name,
                      flow->is_open ? "another" : "no");
    if (begins) {
        flow->incomplete += (uint64_t)(flow->is_open != 0);
        begin(flow, slot);
    }
    flow->is_in_step |= begins | ends;
    flow->open_bytes += slot->payload_bytes;
    flow->messages += (uint64_t)(ends != 0);
    slot->messages = (uint32_t)flow->messages;
    if (ends && flow->is_open)
        end(flows, flow, slot);
    else if (ends)
        flow->incomplete += (uint64_t)(flow->is_broken == 0); /* its beginning was not seen */
    flow->is_broken &= !begins && !ends;
}

/* Nothing tells what stood there: messages are not counted on. */
static void skip(struct flows *flows, struct flow *flow)
{
    flow->incomplete += (uint64_t)(flow->is_open != 0);
    flow->is_broken |= flow->is_open;
    flow->is_open = flow->is_in_step = 0;
    if (flow->peer != FLOW_NONE)
        flows->flow[flow->peer]->msn_known = 0;
}

void flow_drain(struct flows *flows, struct flow *flow, int gives_up, uint32_t up_to_psn)
{
    for (; flow->drained < flow->slots; flow->drained++) {
        struct flow_slot *slot = &flow->slot[flow->drained];
        if (!slot->is_hole)
            put_together(flows, flow, slot);
        else if (gives_up && psn_difference(slot->psn, up_to_psn) <= 0)
            skip(flows, flow);
        else
            break;
    }
    if (flow->messages - flow->acked_messages > flow->most_outstanding)
        flow->most_outstanding = flow->messages - flow->acked_messages;
    if (!flow_is_reliable(flow))
        forget(flow, flow->drained);
}

void flow_acked(struct flows *flows, struct flow *flow, uint32_t psn)
{
    size_t count = 0;
    flow_drain(flows, flow, 1, psn);
    while (count < flow->drained &&
           psn_difference(psn_add(flow->slot[count].psn, flow->slot[count].psns - 1), psn) <= 0) {
        flow->acked_messages = flow->slot[count].is_hole ? flow->acked_messages : flow->slot[count].messages;
        count++;
    }
    forget(flow, count);
}
