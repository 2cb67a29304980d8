/* A flow's answers: what they acknowledge, and what an ACK may say. */
#include "traces/flow.h"
#include "transport/psn.h"

#define PS_PER_NS 1000

/* Whether requests that are answered by data are under way behind a PSN: such count in the MSN when they are accepted, before what is
 * acknowledged here. */
static int has_answered_behind(const struct flow *requests, const struct flow_slot *from)
{
    for (const struct flow_slot *slot = from; slot < requests->slot + requests->slots; slot++) {
        unsigned operation = slot->opcode & WIRE_OPERATION_MASK;
        if (!slot->is_hole && (operation == WIRE_READ_REQUEST || operation == WIRE_COMPARE_SWAP ||
                               operation == WIRE_FETCH_ADD || operation >= WIRE_FLUSH))
            return 1;
    }
    return 0;
}

/* The MSN counts messages that are complete (IBTA vol. 1, 9.7.7.1); where it began is known from the first one. */
static void check_msn(const struct flows *flows, struct flow *flow, const struct flow *requests,
                      const struct flow_slot *slot, const struct wire_packet *wire)
{
    if (slot->is_hole || slot >= requests->slot + requests->drained)
        return;
    if (!flow->msn_known) {
        flow->msn_base = (wire->msn - slot->messages) & PSN_MASK;
        flow->msn_known = 1;
        return;
    }
    uint32_t due = psn_add(flow->msn_base, slot->messages);
    int32_t more = psn_difference(wire->msn, due);
    int may_be_more = !flow_is_ack(wire->opcode) || has_answered_behind(requests, slot);
    if (more == 0 || (may_be_more && more > 0 && (uint64_t)more <= requests->messages - slot->messages))
        return;
    flow_complain(flows, "MSN %u with PSN %u; %u messages are complete with it", wire->msn, wire->psn, due);
}

static void take_rtt(struct flows *flows, struct flow *flow, struct flow_slot *slot,
                     const struct capture_packet *packet)
{
    int64_t ns = packet->at_ns - slot->at_ns;
    if (slot->is_hole || slot->again) /* which of them is answered is not told */
        return;
    if (ns < 0 || ns > RNICSIM_TIME_MAX / PS_PER_NS) /* the capture's clock was set in between */
        return;
    if (rnicsim_hist_add(flow->rtt, ns * PS_PER_NS) != 0)
        flows->has_failed = 1;
}

/* A positive ACK, or data that acknowledges. */
static void acknowledge(struct flows *flows, struct flow *flow, struct flow *requests,
                        const struct capture_packet *packet)
{
    const struct wire_packet *wire = &packet->wire;
    int has_aeth = (wire_opcode(wire->opcode).headers & WIRE_AETH) != 0;
    int32_t step = flow->has_acked ? psn_difference(wire->psn, flow->acked_psn) : 1;
    if (step < 0 && flow_is_ack(wire->opcode))
        flow_complain(flows, "ACK of PSN %u after PSN %u was acknowledged; an ACK never goes back", wire->psn,
                      flow->acked_psn);
    if (step == 0 && flow_is_ack(wire->opcode) && flow->msn_known && wire->msn != flow->acked_msn)
        flow_complain(flows, "MSN %u with PSN %u; MSN %u was told with it before", wire->msn, wire->psn,
                      flow->acked_msn);
    if (step <= 0)
        return;
    flow_drain(flows, requests, 1, wire->psn);
    struct flow_slot *slot = flow_find(requests, wire->psn);
    flow->unseen += (uint64_t)(slot == NULL);
    if (slot != NULL) {
        if (has_aeth)
            check_msn(flows, flow, requests, slot, wire);
        take_rtt(flows, flow, slot, packet);
    }
    flow->has_acked = 1;
    flow->acked_psn = wire->psn;
    flow->acked_msn = has_aeth ? wire->msn : flow->acked_msn;
    flow_acked(flows, requests, wire->psn);
}

/* A NAK of PSN n acknowledges all before it. One is sent for a gap, and another when a duplicate has come between. */
static void refuse(struct flows *flows, struct flow *flow, struct flow *requests, const struct wire_packet *wire)
{
    uint32_t before = psn_add(wire->psn, UINT32_MAX);
    int is_rnr = (wire->syndrome & WIRE_SYNDROME_KIND) == WIRE_SYNDROME_RNR;
    flow->rnr += (uint64_t)(is_rnr != 0);
    if (!is_rnr) {
        unsigned code = wire->syndrome & 0x1f;
        flow->naks[code]++;
        if (code == WIRE_NAK_SEQUENCE && flow->has_nak && flow->nak_psn == wire->psn && requests->again_since_nak == 0)
            flow_complain(flows, "a second NAK of PSN %u; one is allowed until that PSN comes", wire->psn);
        flow->has_nak = code == WIRE_NAK_SEQUENCE;
        flow->nak_psn = wire->psn;
        requests->again_since_nak = 0;
    }
    if (flow->has_acked && psn_difference(before, flow->acked_psn) <= 0)
        return;
    flow->has_acked = 1;
    flow->acked_psn = before;
    flow->acked_msn = wire->msn;
    flow_acked(flows, requests, before);
}

/* Of answers' packets which are missing can be told only within one: others have PSNs of their own between. */
static void count_response(struct flows *flows, struct flow *flow, const struct wire_packet *wire)
{
    unsigned operation = wire->opcode & WIRE_OPERATION_MASK;
    int follows = operation == WIRE_READ_RESPONSE_MIDDLE || operation == WIRE_READ_RESPONSE_LAST;
    int32_t step = flow->has_answered ? psn_difference(wire->psn, flow->answered_psn) : 1;
    flow->responses++;
    flow->responses_again += (uint64_t)(step <= 0);
    if (follows && step > 1)
        flow->responses_missing += (uint32_t)step - 1;
    if (operation == WIRE_READ_RESPONSE_FIRST || operation == WIRE_READ_RESPONSE_MIDDLE)
        flow_learn_mtu(flows, flow, wire->payload_bytes);
    flow->has_answered = 1;
    if (step > 0 || operation == WIRE_READ_RESPONSE_FIRST || operation == WIRE_READ_RESPONSE_ONLY)
        flow->answered_psn = wire->psn;
}

void flow_take_answer(struct flows *flows, struct flow *flow, struct flow *requests,
                      const struct capture_packet *packet)
{
    const struct wire_packet *wire = &packet->wire;
    int is_ack = flow_is_ack(wire->opcode);
    int is_refusal = is_ack && (wire->syndrome & WIRE_SYNDROME_KIND) != WIRE_SYNDROME_ACK;
    if (!is_ack)
        count_response(flows, flow, wire);
    else if (!is_refusal)
        flow->acks++;
    if (requests == NULL) {
        flow->unseen++;
        return;
    }
    if (is_refusal)
        refuse(flows, flow, requests, wire);
    else
        acknowledge(flows, flow, requests, packet);
}
