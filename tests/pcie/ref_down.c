/* The reference's link towards the endpoint, in one cycle of it: completions, one after the other, and the host's stores. */
#include "pcie/tlp.h"
#include "tests/pcie/ref_parts.h"

enum { SENDS_NOTHING, SENDS_COMPLETION, SENDS_STORE };

static int64_t took_cyc(const struct ref *ref, uint32_t link_bytes, uint32_t payload_bytes)
{
    uint32_t parts = ref->p->straddle == PCIE_STRADDLE_ON ? 4 : 1;
    return ref_tlp_cyc(ref, link_bytes, payload_bytes, (uint32_t)ref->p->completion_descriptor, parts);
}

static void send_refusal(struct ref *ref)
{
    uint32_t link_bytes = tlp_overhead_bytes(TLP_CPL, 0, (int)ref->p->ecrc);
    ref->answer_bytes = 0;
    ref_wire_send(&ref->wire[REF_DOWN], took_cyc(ref, link_bytes, 0));
    ref_count(ref, REF_DOWN, ref->system->load[ref->answering->load].kind, 0, link_bytes);
}

/* The next completion of the request that is being answered. */
static void send_completion(struct ref *ref)
{
    const struct pcie_params *p = ref->p;
    if (ref->answering->is_refused) {
        send_refusal(ref);
        return;
    }
    uint32_t rcb = (uint32_t)p->rcb, bytes = tlp_completion(ref->answer_address, ref->answer_bytes, (uint32_t)p->mps,
                                                            rcb, p->completions == PCIE_COMPLETIONS_RCB);
    uint32_t in_last_block = (uint32_t)((ref->answer_address + bytes) % rcb);
    if (p->partial_line == PCIE_PARTIAL_APART && bytes == ref->answer_bytes && in_last_block < bytes)
        bytes -= in_last_block;
    uint32_t payload = tlp_payload_bytes(ref->answer_address, bytes);
    uint32_t link_bytes = payload + tlp_overhead_bytes(TLP_CPLD, 0, (int)p->ecrc);
    ref_wrong(ref, bytes > 0 && payload <= p->mps + 4, "a completion is empty or above MPS");
    ref->answer_address += bytes;
    ref->answer_bytes -= bytes;
    ref_wire_send(&ref->wire[REF_DOWN], took_cyc(ref, link_bytes, payload));
    ref_count(ref, REF_DOWN, ref->system->load[ref->answering->load].kind, payload, link_bytes);
}

/* The host's next store, when its credits are there. */
static void send_store(struct ref *ref)
{
    const struct ref_pcie_load *load = &ref->system->load[ref->next_store];
    int64_t data = (load->bytes + TLP_CREDIT_BYTES - 1) / TLP_CREDIT_BYTES;
    if (ref->free_store_headers < 1 || ref->free_store_data < data)
        return;
    ref->free_store_headers--;
    ref->free_store_data -= data;
    uint32_t link_bytes =
        load->bytes + tlp_overhead_bytes(TLP_MWR, ref->p->header == PCIE_HEADER_4DW, (int)ref->p->ecrc);
    ref->down_kind = SENDS_STORE;
    ref->down_store = ref->next_store++;
    ref_wire_send(&ref->wire[REF_DOWN], took_cyc(ref, link_bytes, load->bytes));
    ref_count(ref, REF_DOWN, REF_STORE, load->bytes, link_bytes);
}

static void end_tlp(struct ref *ref)
{
    if (ref->down_kind == SENDS_STORE) {
        ref_delay(&ref->stores, ref->now_ps + ref->p->link_latency, ref->down_store, 0);
        ref->down_kind = SENDS_NOTHING;
        return;
    }
    if (ref->answer_bytes > 0)
        return;
    ref_delay(&ref->returned, ref->now_ps + ref->p->link_latency, (uint32_t)(ref->answering - ref->request), 0);
    ref->down_kind = SENDS_NOTHING;
}

/* The place in `ready` of the request whose data was there first; of those at one instant, the one that was sent first. */
static uint32_t first_ready(const struct ref *ref)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < ref->ready_count; i++) {
        const struct ref_request *a = &ref->request[ref->ready[i]], *b = &ref->request[ref->ready[first]];
        if (a->ready_ps < b->ready_ps || (a->ready_ps == b->ready_ps && a->ordinal < b->ordinal))
            first = i;
    }
    return first;
}

static void choose(struct ref *ref)
{
    const struct ref_pcie_system *system = ref->system;
    while (ref->next_store < system->loads && system->load[ref->next_store].kind != REF_STORE)
        ref->next_store++;
    int64_t store_ps =
        ref->next_store < system->loads ? clk_edge(&system->user, system->load[ref->next_store].at_cyc) : SIM_NEVER;
    uint32_t place = first_ready(ref);
    int64_t ready_ps = ref->ready_count > 0 ? ref->request[ref->ready[place]].ready_ps : SIM_NEVER;
    if (store_ps <= ref->now_ps && store_ps <= ready_ps) {
        send_store(ref);
    } else if (ready_ps <= ref->now_ps) {
        ref->answering = &ref->request[ref->ready[place]];
        ref->ready[place] = ref->ready[--ref->ready_count];
        ref->answer_address = ref->answering->address;
        ref->answer_bytes = ref->answering->bytes;
        ref->down_kind = SENDS_COMPLETION;
        send_completion(ref);
    }
}

void ref_down_cycle(struct ref *ref)
{
    if (ref_wire_cycle(ref, &ref->wire[REF_DOWN]))
        end_tlp(ref);
    const struct ref_delayed *due;
    while ((due = ref_due(&ref->store_updates, ref->now_ps)) != 0) {
        ref->free_store_headers++;
        ref->free_store_data += due->a;
        ref->store_updates.first++;
    }
    if (ref->wire[REF_DOWN].busy_cyc > 0)
        return;
    if (ref->down_kind == SENDS_COMPLETION)
        send_completion(ref);
    else
        choose(ref);
}
