#include "tests/pcie/ref_pcie.h"

#include "config/param_dist.h"
#include "pcie/tlp.h"
#include "tests/pcie/ref_parts.h"

#include <string.h>

#define CYCLES_MAX 400000000

void ref_wrong(struct ref *ref, int is_right, const char *what)
{
    if (!is_right && !ref->wrong)
        ref->wrong = what;
}

void ref_count(struct ref *ref, int direction, enum ref_pcie_kind kind, uint32_t payload_bytes, uint32_t link_bytes)
{
    struct ref_pcie_count *count = &ref->log->count[direction][kind];
    count->tlps++;
    count->payload_bytes += payload_bytes;
    count->link_bytes += link_bytes;
}

/* ---- the wire ---- */

void ref_wire_send(struct ref_wire *wire, int64_t took_cyc)
{
    wire->busy_cyc = wire->took_cyc = took_cyc;
}

/* The TLP has come over; 0: damaged, or lost with what would tell. Then it is sent again when the sender knows. */
static int is_good(struct ref *ref, struct ref_wire *wire)
{
    uint64_t draw = rnd_draw(wire->stream, wire->tlps, wire->attempts) >> 32, whole = 1000000000; /* 0.001 ppm */
    uint64_t damaged = ((uint64_t)ref->p->damaged_tlps << 32) / whole;
    uint64_t lost = ((uint64_t)ref->p->lost_acks << 32) / whole;
    if (draw >= damaged + lost) {
        wire->tlps++;
        wire->attempts = 0;
        return 1;
    }
    wire->busy_cyc = wire->took_cyc + (draw < damaged ? ref->nak_cyc : ref->timer_cyc);
    if (++wire->attempts % 4 == 0)
        wire->busy_cyc += ref->retrain_cyc;
    return 0;
}

int ref_wire_cycle(struct ref *ref, struct ref_wire *wire)
{
    int ends = 0;
    if (wire->busy_cyc > 0 && --wire->busy_cyc == 0) {
        ends = !wire->is_skipping && is_good(ref, wire);
        wire->is_skipping = 0;
    }
    if (ref->p->skips == PCIE_SKIPS_ON && wire->until_skip_cyc-- == 0) {
        wire->skips_waiting++;
        wire->until_skip_cyc = ref->skip_every_cyc - 1;
    }
    if (wire->busy_cyc == 0 && wire->skips_waiting > 0) {
        wire->skips_waiting--;
        wire->is_skipping = 1;
        wire->busy_cyc = ref->skip_took_cyc;
    }
    return ends;
}

int64_t ref_tlp_cyc(const struct ref *ref, uint32_t link_bytes, uint32_t payload_bytes, uint32_t descriptor_bytes,
                    uint32_t parts)
{
    const struct clk *user = &ref->system->user, *link = &ref->link;
    int64_t slot_bytes = ref->p->user_width / 8 / parts, cyc = link_bytes;
    int64_t slots = ((int64_t)descriptor_bytes + payload_bytes + slot_bytes - 1) / slot_bytes;
    /* the interface is through when so many bytes' times are no less than the slots' */
    __int128 all = (__int128)slots * user->num * link->den, byte = (__int128)parts * user->den * link->num;
    while (cyc * byte < all)
        cyc++;
    return cyc;
}

/* ---- building ---- */

/* Cycles until an edge that is `ps` or more behind edge 0. */
static int64_t cycles_of(const struct ref *ref, int64_t ps)
{
    int64_t cyc = 0, step = ps / (ref->link.whole + 1);
    while (clk_edge(&ref->link, cyc + step) - clk_edge(&ref->link, 0) < ps)
        cyc++;
    return cyc + step;
}

/* A byte on all lanes. Of the time between two Acks, skips take their share and two DLLPs of 8 bytes another; a skip stops the clock, so
 * only the DLLPs make bytes longer. */
static int init_link(struct ref *ref)
{
    const struct pcie_params *p = ref->p;
    int old = p->generation <= 2;
    int64_t num = old ? 4000 >> (p->generation - 1) : 8125, den = old ? 1 : 8 << (p->generation - 3);
    int64_t factor = p->mps > 256 ? (p->lanes == 16 ? 20 : 10) : p->lanes <= 4 ? 14 : p->lanes == 8 ? 25 : 30;
    int64_t internal = p->generation == 1 ? 19 : p->generation == 2 ? 70 : 115;
    int64_t interval = ((p->mps + 28) * factor / 10 / p->lanes + internal) * p->lanes;
    int64_t period = old ? 1184 : 371, skip = old ? 4 : 1, symbols = old ? 4 : 16;
    int64_t without_skips = interval * (period - skip), without_dllps = without_skips - 16 * period;
    if (clk_init(&ref->link, num * without_skips, den * p->lanes * without_dllps, 0))
        return -1;
    ref->skip_took_cyc = (2 * symbols * p->lanes * without_dllps + without_skips) / (2 * without_skips);
    ref->skip_every_cyc = ref->skip_took_cyc * period / skip;
    ref->ack_cyc = interval;
    uint64_t stream = rnd_stream(ref->system->seed, UINT64_C(1) << 32);
    for (int i = 0; i < REF_DIRECTIONS; i++) {
        unsigned __int128 share = rnd_draw(stream, (uint64_t)i, 0);
        ref->wire[i].until_skip_cyc = (int64_t)(share * (uint64_t)ref->skip_every_cyc >> 64);
    }
    return 0;
}

static void init_replay(struct ref *ref)
{
    int64_t limit_cyc = ref->ack_cyc, way_cyc = cycles_of(ref, 2 * ref->p->link_latency);
    ref->ack_cyc = limit_cyc + way_cyc;
    ref->nak_cyc = way_cyc + 8;
    ref->timer_cyc = 3 * limit_cyc > ref->ack_cyc ? 3 * limit_cyc : ref->ack_cyc;
    ref->retrain_cyc = cycles_of(ref, ref->p->retrain);
    for (uint64_t i = 0; i < REF_DIRECTIONS; i++)
        ref->wire[i].stream = rnd_stream(ref->system->seed, (2 + i) << 32);
}

static int init(struct ref *ref, const struct ref_pcie_system *system, struct ref_pcie_log *log)
{
    const struct pcie_params *p = &system->params;
    memset(ref, 0, sizeof *ref);
    memset(log, 0, sizeof *log);
    ref->system = system;
    ref->p = p;
    ref->log = log;
    if (init_link(ref) || param_dist_table(&p->host_read, &ref->host_read) ||
        param_dist_table(&p->host_write, &ref->host_write))
        return -1;
    ref->host_stream = rnd_stream(system->seed, 0);
    ref->fate_stream = rnd_stream(system->seed, UINT64_C(4) << 32);
    init_replay(ref);
    ref->free_replay_bytes = p->replay_buffer;
    ref->update_cyc = cycles_of(ref, 2 * p->link_latency + p->update_fc);
    ref->line_cyc = cycles_of(ref, p->host_write_line);
    ref->order_cyc = cycles_of(ref, p->host_write_order);
    ref->free_tags = p->tags;
    ref->free_headers = p->completion_headers;
    ref->free_data = p->completion_buffer / TLP_CREDIT_BYTES;
    ref->free_ph = p->posted_headers;
    ref->free_pd = p->posted_data / TLP_CREDIT_BYTES;
    ref->free_nph = p->nonposted_headers;
    ref->free_lines = p->host_write_lines;
    ref->free_store_headers = p->endpoint_posted_headers;
    ref->free_store_data = p->endpoint_posted_data / TLP_CREDIT_BYTES;
    ref->last_drained_cyc = -ref->order_cyc;
    ref->user_cyc = ref->link_cyc = -1;
    return 0;
}

/* All is home again. */
static void check_end(struct ref *ref)
{
    const struct pcie_params *p = ref->p;
    int64_t credits = p->posted_data / TLP_CREDIT_BYTES;
    ref_wrong(ref, ref->free_tags + ref->lost == p->tags, "tags are gone");
    ref_wrong(ref, ref->free_headers + ref->lost_headers == p->completion_headers, "completion headers are gone");
    ref_wrong(ref, ref->free_data + ref->lost_data == p->completion_buffer / TLP_CREDIT_BYTES,
              "completion space is gone");
    ref_wrong(ref, ref->free_ph == p->posted_headers && ref->free_pd == credits, "posted credits are gone");
    ref_wrong(ref, ref->free_nph == p->nonposted_headers, "non-posted credits are gone");
    credits = p->endpoint_posted_data / TLP_CREDIT_BYTES;
    ref_wrong(ref, ref->free_store_headers == p->endpoint_posted_headers && ref->free_store_data == credits,
              "the endpoint's posted credits are gone");
}

static int is_home(const struct ref *ref)
{
    return ref->finished == ref->system->loads && ref->updates.first == ref->updates.next &&
           ref->np_updates.first == ref->np_updates.next && ref->store_updates.first == ref->store_updates.next &&
           ref->returned.first == ref->returned.next && ref->ready_count == 0 &&
           ref->arrived_first == ref->arrived_next && ref->down_kind == 0 && ref->usable.first == ref->usable.next;
}

const char *ref_pcie_run(const struct ref_pcie_system *system, struct ref_pcie_log *log)
{
    static struct ref ref;
    if (init(&ref, system, log))
        return "the reference cannot begin";
    for (int64_t cycles = 0; !is_home(&ref) && !ref.wrong; cycles++) {
        int64_t user_ps = clk_edge(&system->user, ref.user_cyc + 1), link_ps = clk_edge(&ref.link, ref.link_cyc + 1);
        if (user_ps <= link_ps) {
            ref.now_ps = user_ps;
            ref.user_cyc++;
            ref_engine_edge(&ref);
        } else {
            ref.now_ps = link_ps;
            ref.link_cyc++;
            ref_up_cycle(&ref);
            ref_down_cycle(&ref);
        }
        ref_wrong(&ref, cycles < CYCLES_MAX, "it does not end");
    }
    if (!ref.wrong)
        check_end(&ref);
    return ref.wrong;
}
