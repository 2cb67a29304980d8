#include "pcie/pcie.h"

#include "pcie/tlp.h"

#include <stdio.h>
#include <stdlib.h>

/* Random streams of one link, behind the host's own: the entity's, from its top on. */
enum { STREAM_SKIPS = 1, STREAM_UP, STREAM_DOWN, STREAM_FATES, STREAM_OTHERS_UP, STREAM_OTHERS_DOWN };

int pcie_check(const struct pcie_params *p, char *error, size_t error_bytes)
{
    int64_t scale = p->scaled_credits == PCIE_SCALED_1 ? 1 : p->scaled_credits == PCIE_SCALED_4 ? 4 : 16;
    if (p->completion_buffer < p->mrrs + TLP_CREDIT_BYTES)
        snprintf(
            error, error_bytes,
            "pcie.completion_buffer is smaller than one request: allowed from pcie.mrrs and one credit of 16 B on");
    else if (p->completion_headers < p->mrrs / p->rcb + 1)
        snprintf(
            error, error_bytes,
            "pcie.completion_headers are fewer than one request can take: allowed from pcie.mrrs / pcie.rcb + 1 on");
    else if (p->ats && !p->iommu)
        snprintf(error, error_bytes, "pcie.ats is on and pcie.iommu off: allowed with an IOMMU, which translates");
    else if (p->straddle == PCIE_STRADDLE_ON && p->user_width < 256)
        snprintf(error, error_bytes, "pcie.straddle is on and pcie.user_width below 256 bit: allowed from 256 bit on");
    else if (p->posted_data < p->mps + TLP_CREDIT_BYTES)
        snprintf(error, error_bytes,
                 "pcie.posted_data is smaller than one TLP: allowed from pcie.mps and one credit of 16 B on");
    else if (p->endpoint_posted_data < p->mps)
        snprintf(error, error_bytes, "pcie.endpoint_posted_data is smaller than one TLP: allowed from pcie.mps on");
    else if (p->replay_buffer < p->mps + 32) /* header, ECRC, framing, and a double word when it is unaligned */
        snprintf(error, error_bytes, "pcie.replay_buffer is smaller than one TLP: allowed from pcie.mps and 32 B on");
    else if (p->host_write_lines != 0 && p->host_write_lines < p->mps / TLP_LINE_BYTES + 1)
        snprintf(error, error_bytes,
                 "pcie.host_write_lines are fewer than one TLP can touch: allowed are 0 and from pcie.mps / 64 + 1 on");
    else if (p->posted_headers > 127 * scale || p->posted_data > 2047 * scale * (int64_t)TLP_CREDIT_BYTES ||
             p->nonposted_headers > 127 * scale)
        snprintf(error, error_bytes,
                 "pcie.posted_headers, posted_data or nonposted_headers are above what can be unused at once: allowed "
                 "up to 127, 2047 x 16 B and 127, times pcie.scaled_credits");
    else if (p->scaled_credits != PCIE_SCALED_1 && p->generation < 4)
        snprintf(error, error_bytes, "pcie.scaled_credits needs pcie.generation 4 or later: allowed before it is 1");
    else
        return 0;
    return -1;
}

static int64_t link_cycles(const struct pcie *pcie, int64_t time_ps)
{
    return clk_at_or_after(&pcie->link_clk, clk_edge(&pcie->link_clk, 0) + time_ps);
}

static uint64_t stream_of(const struct pcie *pcie, uint64_t entity, uint64_t which)
{
    return rnd_stream(pcie->sim->seed, entity | which << 32);
}

/* An Ack is back after its latency limit and the way there and back, a Nak after the way and its 8 bytes. */
static int init_replay(struct pcie *pcie, uint64_t entity)
{
    const struct pcie_params *p = pcie->params;
    int64_t limit_cyc = link_ack_symbols(p) * p->lanes, way_cyc = link_cycles(pcie, 2 * p->link_latency);
    struct replay_times times = {way_cyc + limit_cyc, way_cyc + 8, 3 * limit_cyc, link_cycles(pcie, p->retrain)};
    if (times.timer < times.ack)
        times.timer = times.ack; /* it includes the way, whatever that takes here */
    return replay_init(&pcie->replay[PCIE_UP], p, (uint64_t)p->replay_buffer, stream_of(pcie, entity, STREAM_UP),
                       times) ||
           replay_init(&pcie->replay[PCIE_DOWN], p, 0, stream_of(pcie, entity, STREAM_DOWN), times);
}

static int init_link(struct pcie *pcie, int64_t phase_ps, uint64_t entity)
{
    const struct pcie_params *p = pcie->params;
    struct link_skips skips;
    if (link_init(p, phase_ps, &pcie->link_clk, &skips))
        return -1;
    for (int direction = 0; direction < PCIE_DIRECTION_COUNT; direction++) {
        int is_up = direction == PCIE_UP;
        if (p->skips == PCIE_SKIPS_ON) /* each side's begin when they happen to */
            link_skips_begin(&skips, rnd_draw(stream_of(pcie, entity, STREAM_SKIPS), (uint64_t)direction, 0));
        stops_init(&pcie->stops[direction], &skips, p->mps + (is_up ? pcie->request_bytes : pcie->completion_bytes),
                   is_up ? p->other_up : p->other_down,
                   stream_of(pcie, entity, is_up ? STREAM_OTHERS_UP : STREAM_OTHERS_DOWN));
    }
    return init_replay(pcie, entity);
}

static int init_ats(struct pcie *pcie)
{
    struct pcie_params cache = *pcie->params;
    pcie->ats = cache.ats != 0;
    cache.iommu_entries = cache.atc_entries;
    return pcie->ats ? iommu_init(&pcie->atc, &cache) : 0;
}

static int init_flow(struct pcie *pcie)
{
    const struct pcie_params *p = pcie->params;
    pcie->np_blocks = p->np_blocks == PCIE_NP_BLOCKS_ON;
    pcie->relaxed[PCIE_PAYLOAD_WRITE] = p->relaxed_ordering != PCIE_RELAXED_OFF;
    pcie->relaxed[PCIE_CQE_WRITE] = p->relaxed_ordering == PCIE_RELAXED_ALL;
    for (int which = 0; which < PCIE_INPUTS - 1; which++)
        pcie->writing[which].lack_from_cyc = SIM_NEVER;
    return flow_init(&pcie->flow, p, link_cycles(pcie, 2 * p->link_latency + p->update_fc),
                     link_cycles(pcie, root_line_ps(p)), link_cycles(pcie, p->host_write_order));
}

static int init_requests(struct pcie *pcie)
{
    uint32_t tags = (uint32_t)pcie->params->tags, ring = 1;
    pcie->read_credits = (uint32_t)pcie->params->nonposted_headers;
    pcie->read_back_cyc = pcie->flow.headers.back_cyc;
    while (ring < tags + pcie->read_credits)
        ring *= 2;
    pcie->request = calloc(tags, sizeof *pcie->request);
    pcie->request_free = malloc(tags * sizeof *pcie->request_free);
    pcie->queue = malloc(ring * sizeof *pcie->queue);
    if (!pcie->request || !pcie->request_free || !pcie->queue)
        return -1;
    pcie->queue_mask = ring - 1;
    for (uint32_t i = 0; i < ring; i++)
        pcie->queue[i].at_cyc = INT64_MIN / 2; /* credits that were never away */
    for (uint32_t i = 0; i < tags; i++)
        pcie->request_free[pcie->request_free_count++] = tags - 1 - i;
    const struct pcie_params *p = pcie->params;
    uint32_t depth[RESERVE_KINDS] = {(uint32_t)p->completion_headers,
                                     (uint32_t)(p->completion_buffer / TLP_CREDIT_BYTES)};
    uint32_t most[RESERVE_KINDS] = {(uint32_t)(p->mrrs / p->rcb) + 1, (uint32_t)(p->mrrs / TLP_CREDIT_BYTES) + 1};
    int counts_data = p->completion_headers * p->rcb > p->completion_buffer; /* a header stands for at most RCB bytes */
    return reserve_init(&pcie->reserve, pcie->sim, tags, depth, most, counts_data);
}

static void init_interfaces(struct pcie *pcie)
{
    const struct pcie_params *p = pcie->params;
    uint32_t width = (uint32_t)p->user_width / 8;
    int straddle = p->straddle == PCIE_STRADDLE_ON;
    interface_init(&pcie->requests_side, width, straddle ? 2 : 1, (uint32_t)p->request_descriptor, pcie->user_clk,
                   &pcie->link_clk);
    interface_init(&pcie->completions_side, width, straddle ? 4 : 1, (uint32_t)p->completion_descriptor, pcie->user_clk,
                   &pcie->link_clk);
}

int pcie_init(struct pcie *pcie, struct sim *sim, const struct pcie_params *params, const struct clk *user_clk,
              uint64_t entity, uint32_t payload_reads, uint32_t wqe_reads, int64_t phase_ps, char *error,
              size_t error_bytes)
{
    *pcie = (struct pcie){.sim = sim, .path = pcie_params_of_path(params), .user_clk = user_clk};
    pcie->params = params = &pcie->path;
    if (pcie_check(params, error, error_bytes))
        return -1;
    uint32_t framing = params->generation == LINK_FLITS ? TLP_FRAMING_BYTES : 0;
    pcie->request_bytes = tlp_overhead_bytes(TLP_MRD, params->header == PCIE_HEADER_4DW, (int)params->ecrc) - framing;
    pcie->completion_bytes = tlp_overhead_bytes(TLP_CPLD, 0, (int)params->ecrc) - framing;
    pcie->flit_cyc = framing > 0 ? LINK_FLIT_TLP_BYTES : 0;
    snprintf(error, error_bytes, "out of memory");
    uint32_t reads = payload_reads + wqe_reads;
    pcie->read = calloc(reads, sizeof *pcie->read);
    pcie->read_unused = malloc(reads * sizeof *pcie->read_unused);
    if (!pcie->read || !pcie->read_unused || init_link(pcie, phase_ps, entity) ||
        root_init(&pcie->root, sim, params, entity, phase_ps, error, error_bytes) || init_flow(pcie) ||
        init_ats(pcie) || init_requests(pcie) || pcie_retire_init(pcie, stream_of(pcie, entity, STREAM_FATES)) ||
        agenda_init(&pcie->at_host, 1024) || store_init(&pcie->stores, params) ||
        space_init_ones(&pcie->reads[0], sim, "payload reads", payload_reads) ||
        space_init_ones(&pcie->reads[1], sim, "WQE reads", wqe_reads))
        return -1;
    for (uint32_t i = 0; i < reads; i++)
        pcie->read_unused[pcie->read_unused_count++] = reads - 1 - i;
    init_interfaces(pcie);
    pcie->sends_one_by_one = pcie->retire || replay_is_on(&pcie->replay[PCIE_UP]);
    pcie->full = pcie_completions_of(pcie, 0, (uint32_t)params->mrrs);
    pcie->full_headers = tlp_blocks(0, (uint32_t)params->mrrs, (uint32_t)params->rcb);
    pcie->full_misaligned = (uint64_t)(params->completions == PCIE_COMPLETIONS_RCB ? params->rcb : params->mps) - 1;
    return 0;
}

int pcie_more_reads(struct pcie *pcie, uint32_t count)
{
    uint32_t reads = pcie->read_unused_count;
    struct pcie_read *read = realloc(pcie->read, (reads + count) * sizeof *read);
    if (!read)
        return -1;
    pcie->read = read;
    uint32_t *unused = realloc(pcie->read_unused, (reads + count) * sizeof *unused);
    if (!unused)
        return -1;
    pcie->read_unused = unused;
    while (pcie->read_unused_count < reads + count) {
        read[pcie->read_unused_count] = (struct pcie_read){0};
        unused[pcie->read_unused_count] = pcie->read_unused_count;
        pcie->read_unused_count++;
    }
    pcie->full_misaligned |= PCIE_CONTEXTS_ADDRESS; /* none of them is counted among the payload's and the WQEs' */
    return space_init_ones(&pcie->reads[PCIE_CONTEXT_READ], pcie->sim, "context reads", count);
}

void pcie_free(struct pcie *pcie)
{
    free(pcie->read);
    free(pcie->read_unused);
    free(pcie->request);
    free(pcie->request_free);
    free(pcie->queue);
    space_free(&pcie->reads[0]);
    space_free(&pcie->reads[1]);
    space_free(&pcie->reads[2]);
    reserve_free(&pcie->reserve);
    flow_free(&pcie->flow);
    pcie_retire_free(pcie);
    replay_free(&pcie->replay[PCIE_UP]);
    replay_free(&pcie->replay[PCIE_DOWN]);
    root_free(&pcie->root);
    iommu_free(&pcie->atc);
    agenda_free(&pcie->at_host);
    store_free(&pcie->stores);
}

int64_t pcie_up_lookahead_ps(const struct pcie *pcie)
{
    return pcie->params->read_latency * pcie->user_clk->whole;
}

int64_t pcie_down_lookahead_ps(const struct pcie *pcie)
{
    return pcie->params->link_latency + pcie->root.read_least_ps;
}
