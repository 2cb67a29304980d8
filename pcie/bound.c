#include "pcie/bound.h"

#include "pcie/link.h"
#include "pcie/tlp.h"

#define PS_PER_S INT64_C(1000000000000)
#define REQUEST_START_BYTES 32u    /* PG213, straddle of the RQ and CQ interfaces: a TLP starts at byte 0 or 32 */
#define COMPLETION_START_BYTES 16u /* of the RC interface: at 0, 16, 32 or 48 */

/* TLPs one after the other, in one direction. */
struct load {
    uint32_t overhead_bytes, slot_bytes; /* of each TLP; the user interface is filled in such steps */
    uint64_t link_bytes, slots;
};

static struct load load_of(const struct pcie_params *params, const struct bound_user *user, enum tlp_kind kind)
{
    uint32_t start = kind == TLP_CPLD ? COMPLETION_START_BYTES : REQUEST_START_BYTES;
    uint32_t width = (uint32_t)params->user_width / 8;
    return (struct load){.overhead_bytes =
                             tlp_overhead_bytes(kind, params->header == PCIE_HEADER_4DW, (int)params->ecrc),
                         .slot_bytes = user->straddle && start < width ? start : width};
}

static void add(struct load *load, const struct bound_user *user, uint32_t payload_bytes)
{
    uint32_t bytes = user->descriptor_bytes + payload_bytes, slots = (bytes + load->slot_bytes - 1) / load->slot_bytes;
    load->link_bytes += load->overhead_bytes + payload_bytes;
    load->slots += slots > 0 ? slots : 1;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Takes the load of a transfer of so many bytes into the limits of link and user interface. */
static void limit(struct bound *bound, const struct pcie_params *params, const struct bound_user *user,
                  const struct load *load, uint32_t bytes)
{
    struct link_symbol symbol = link_symbol_ps(params->generation);
    struct clk clk;
    __int128 bits = (__int128)bytes * 8;
    __int128 raw = bits * PS_PER_S * params->lanes * symbol.den / ((__int128)load->link_bytes * symbol.num);
    bound->raw_bps = least(bound->raw_bps, (int64_t)raw);
    if (link_clock(params, 0, &clk) == 0) {
        __int128 link = bits * PS_PER_S * clk.den / ((__int128)load->link_bytes * clk.num);
        bound->bps[BOUND_LINK] = least(bound->bps[BOUND_LINK], (int64_t)link);
    }
    __int128 in_user = bits * params->user_width / 8 * user->clock_hz / ((__int128)load->slots * load->slot_bytes);
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

struct bound bound_write(const struct pcie_params *params, const struct bound_user *user, uint32_t bytes)
{
    struct load load = load_of(params, user, TLP_MWR);
    struct bound bound = unlimited();
    int aligned = params->writes == PCIE_WRITES_ALIGNED;
    for (uint32_t at = 0, piece; at < bytes; at += piece) {
        piece = tlp_write_piece(at, bytes - at, (uint32_t)params->mps, aligned);
        add(&load, user, tlp_payload_bytes(at, piece));
    }
    limit(&bound, params, user, &load, bytes);
    find_binding(&bound);
    return bound;
}

/* Link and user interface. Returns the number of requests. */
static uint32_t limit_read(struct bound *bound, const struct pcie_params *params, const struct bound_user *user,
                           uint32_t bytes)
{
    struct load up = load_of(params, user, TLP_MRD), down = load_of(params, user, TLP_CPLD);
    int each_block = params->completions == PCIE_COMPLETIONS_RCB;
    uint32_t requests = 0;
    for (uint32_t at = 0, request; at < bytes; at += request, requests++) {
        request = tlp_piece(at, bytes - at, (uint32_t)params->mrrs);
        add(&up, user, 0);
        for (uint32_t in = at, end = at + request, piece; in < end; in += piece) {
            piece = tlp_completion(in, end - in, (uint32_t)params->mps, (uint32_t)params->rcb, each_block);
            add(&down, user, tlp_payload_bytes(in, piece));
        }
    }
    limit(bound, params, user, &up, bytes);
    limit(bound, params, user, &down, bytes);
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

struct bound bound_read(const struct pcie_params *params, const struct bound_user *user, uint32_t bytes,
                        int64_t latency_ps)
{
    struct bound bound = unlimited();
    int64_t flying[BOUND_LIMITS];
    uint32_t requests = limit_read(&bound, params, user, bytes);
    in_flight(params, bytes, flying);
    for (int i = BOUND_TAGS; i <= BOUND_DATA; i++) {
        __int128 bits = (__int128)flying[i] * bytes * 8;
        bound.bps[i] = (int64_t)(bits * PS_PER_S / ((__int128)requests * latency_ps));
    }
    find_binding(&bound);
    return bound;
}

int64_t bound_latency_most_ps(const struct pcie_params *params, const struct bound_user *user, uint32_t bytes,
                              int64_t rate_bps)
{
    struct bound bound = unlimited();
    int64_t flying[BOUND_LIMITS], most_ps = INT64_MAX;
    uint32_t requests = limit_read(&bound, params, user, bytes);
    if (bound.bps[BOUND_LINK] < rate_bps || bound.bps[BOUND_USER] < rate_bps)
        return 0;
    in_flight(params, bytes, flying);
    for (int i = BOUND_TAGS; i <= BOUND_DATA; i++) {
        __int128 bits = (__int128)flying[i] * bytes * 8;
        most_ps = least(most_ps, (int64_t)(bits * PS_PER_S / ((__int128)requests * rate_bps)));
    }
    return most_ps;
}
