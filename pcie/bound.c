#include "pcie/bound.h"

#include "pcie/link.h"
#include "pcie/tlp.h"

#define PS_PER_S INT64_C(1000000000000)
#define REQUEST_PARTS 2u /* with straddle: places in a beat where a TLP may begin (pcie/interface.h) */
#define COMPLETION_PARTS 4u

/* TLPs one after the other, in one direction. */
struct load {
    uint32_t overhead_bytes;               /* of each on the link, */
    uint32_t descriptor_bytes, slot_bytes; /* and on the user interface, which is filled in such steps */
    uint64_t link_bytes, slots;
};

static struct load load_of(const struct pcie_params *params, enum tlp_kind kind)
{
    int is_request = kind != TLP_CPLD, straddle = params->straddle == PCIE_STRADDLE_ON;
    uint32_t parts = !straddle ? 1 : is_request ? REQUEST_PARTS : COMPLETION_PARTS;
    return (struct load){
        .overhead_bytes = tlp_overhead_bytes(kind, params->header == PCIE_HEADER_4DW, (int)params->ecrc) -
                          (params->generation == LINK_FLITS ? TLP_FRAMING_BYTES : 0),
        .descriptor_bytes = (uint32_t)(is_request ? params->request_descriptor : params->completion_descriptor),
        .slot_bytes = (uint32_t)params->user_width / 8 / parts};
}

static void add(struct load *load, uint32_t payload_bytes)
{
    load->link_bytes += load->overhead_bytes + payload_bytes;
    load->slots += (load->descriptor_bytes + payload_bytes + load->slot_bytes - 1) / load->slot_bytes;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Takes the load of a transfer of so many bytes into the limits of link and user interface. */
static void limit(struct bound *bound, const struct pcie_params *params, int64_t clock_hz, const struct load *load,
                  uint32_t bytes)
{
    struct link_symbol symbol = link_symbol_ps(params->generation);
    struct clk clk;
    struct link_skips skips;
    __int128 bits = (__int128)bytes * 8;
    __int128 raw = bits * PS_PER_S * params->lanes * symbol.den / ((__int128)load->link_bytes * symbol.num);
    bound->raw_bps = least(bound->raw_bps, (int64_t)raw);
    if (link_init(params, 0, &clk, &skips) == 0) {
        int64_t left = params->skips == PCIE_SKIPS_ON ? skips.every_cyc - skips.took_cyc : skips.every_cyc;
        __int128 link = bits * PS_PER_S * clk.den / ((__int128)load->link_bytes * clk.num) * left / skips.every_cyc;
        bound->bps[BOUND_LINK] = least(bound->bps[BOUND_LINK], (int64_t)link);
    }
    if (load->slots == 0) /* no descriptor, no payload: requests that do not show on it */
        return;
    __int128 in_user = bits * params->user_width / 8 * clock_hz / ((__int128)load->slots * load->slot_bytes);
    bound->bps[BOUND_USER] = least(bound->bps[BOUND_USER], (int64_t)in_user);
}

static struct bound unlimited(void)
{
    struct bound bound = {.raw_bps = INT64_MAX};
    for (int i = 0; i < BOUND_LIMITS; i++)
        bound.bps[i] = INT64_MAX;
    return bound;
}

static void find_binding(struct bound *bound)
{
    for (int i = 0; i < BOUND_LIMITS; i++)
        if (bound->bps[i] < bound->bps[bound->binds])
            bound->binds = (enum bound_limit)i;
}

struct bound bound_write(const struct pcie_params *params, int64_t clock_hz, uint32_t bytes)
{
    struct load load = load_of(params, TLP_MWR);
    struct bound bound = unlimited();
    int aligned = params->writes == PCIE_WRITES_ALIGNED;
    for (uint32_t at = 0, piece; at < bytes; at += piece) {
        piece = tlp_write_piece(at, bytes - at, (uint32_t)params->mps, aligned);
        add(&load, tlp_payload_bytes(at, piece));
    }
    limit(&bound, params, clock_hz, &load, bytes);
    find_binding(&bound);
    return bound;
}

/* Link and user interface. Returns the number of requests. */
static uint32_t limit_read(struct bound *bound, const struct pcie_params *params, int64_t clock_hz, uint32_t bytes)
{
    struct load up = load_of(params, TLP_MRD), down = load_of(params, TLP_CPLD);
    int each_block = params->completions == PCIE_COMPLETIONS_RCB;
    uint32_t requests = 0;
    for (uint32_t at = 0, request; at < bytes; at += request, requests++) {
        request = tlp_piece(at, bytes - at, (uint32_t)params->mrrs);
        add(&up, 0);
        for (uint32_t in = at, end = at + request, piece; in < end; in += piece) {
            piece = tlp_completion(in, end - in, (uint32_t)params->mps, (uint32_t)params->rcb, each_block);
            add(&down, tlp_payload_bytes(in, piece));
        }
    }
    limit(bound, params, clock_hz, &up, bytes);
    limit(bound, params, clock_hz, &down, bytes);
    return requests;
}

/* Requests in flight that each limit allows, where a request is the largest piece of the transfer. */
static void in_flight(const struct pcie_params *params, uint32_t bytes, int64_t requests[BOUND_LIMITS])
{
    uint32_t most = tlp_piece(0, bytes, (uint32_t)params->mrrs);
    requests[BOUND_TAGS] = params->tags;
    requests[BOUND_HEADERS] = params->completion_headers / tlp_blocks(0, most, (uint32_t)params->rcb);
    requests[BOUND_DATA] = params->completion_buffer / TLP_CREDIT_BYTES / tlp_blocks(0, most, TLP_CREDIT_BYTES);
}

struct bound bound_read(const struct pcie_params *params, int64_t clock_hz, uint32_t bytes, int64_t latency_ps)
{
    struct bound bound = unlimited();
    int64_t flying[BOUND_LIMITS];
    uint32_t requests = limit_read(&bound, params, clock_hz, bytes);
    in_flight(params, bytes, flying);
    for (int i = BOUND_TAGS; i <= BOUND_DATA; i++) {
        __int128 bits = (__int128)flying[i] * bytes * 8;
        bound.bps[i] = (int64_t)(bits * PS_PER_S / ((__int128)requests * latency_ps));
    }
    find_binding(&bound);
    return bound;
}

int64_t bound_latency_most_ps(const struct pcie_params *params, int64_t clock_hz, uint32_t bytes, int64_t rate_bps)
{
    struct bound bound = unlimited();
    int64_t flying[BOUND_LIMITS], most_ps = INT64_MAX;
    uint32_t requests = limit_read(&bound, params, clock_hz, bytes);
    if (bound.bps[BOUND_LINK] < rate_bps || bound.bps[BOUND_USER] < rate_bps)
        return 0;
    in_flight(params, bytes, flying);
    for (int i = BOUND_TAGS; i <= BOUND_DATA; i++) {
        __int128 bits = (__int128)flying[i] * bytes * 8;
        most_ps = least(most_ps, (int64_t)(bits * PS_PER_S / ((__int128)requests * rate_bps)));
    }
    return most_ps;
}
