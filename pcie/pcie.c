#include "pcie/pcie.h"

#include "pcie/link.h"
#include "pcie/tlp.h"

#include <stdio.h>
#include <stdlib.h>

/* The ranges are the table's; this is what two values must hold together. */
static int check(const struct pcie_params *p, char *error, size_t error_bytes)
{
    if (p->completion_buffer < p->mrrs + TLP_CREDIT_BYTES)
        snprintf(
            error, error_bytes,
            "pcie.completion_buffer is smaller than one request: allowed from pcie.mrrs and one credit of 16 B on");
    else if (p->completion_headers < p->mrrs / p->rcb + 1)
        snprintf(
            error, error_bytes,
            "pcie.completion_headers are fewer than one request can take: allowed from pcie.mrrs / pcie.rcb + 1 on");
    else
        return 0;
    return -1;
}

static int init_requests(struct pcie *pcie)
{
    uint32_t tags = (uint32_t)pcie->params->tags, ring = 1;
    while (ring < tags)
        ring *= 2;
    pcie->request = calloc(tags, sizeof *pcie->request);
    pcie->request_free = malloc(tags * sizeof *pcie->request_free);
    pcie->queue = malloc(ring * sizeof *pcie->queue);
    if (!pcie->request || !pcie->request_free || !pcie->queue)
        return -1;
    pcie->queue_mask = ring - 1;
    for (uint32_t i = 0; i < tags; i++)
        pcie->request_free[pcie->request_free_count++] = tags - 1 - i;
    const struct pcie_params *p = pcie->params;
    uint32_t depth[RESERVE_KINDS] = {(uint32_t)p->completion_headers,
                                     (uint32_t)(p->completion_buffer / TLP_CREDIT_BYTES)};
    uint32_t most[RESERVE_KINDS] = {(uint32_t)(p->mrrs / p->rcb) + 1, (uint32_t)(p->mrrs / TLP_CREDIT_BYTES) + 1};
    int counts_data = p->completion_headers * p->rcb > p->completion_buffer; /* a header stands for at most RCB bytes */
    return reserve_init(&pcie->reserve, pcie->sim, tags, depth, most, counts_data);
}

static void init_beats(struct pcie *pcie)
{
    while ((8 << pcie->user_shift) < pcie->params->user_width)
        pcie->user_shift++;
    for (uint32_t beats = 1; beats <= PCIE_BEATS_MAX; beats++) {
        /* ceil(beats * user period / byte period) */
        __int128 num = (__int128)beats * pcie->user_clk->num * pcie->link_clk.den;
        __int128 den = (__int128)pcie->user_clk->den * pcie->link_clk.num;
        pcie->beats_cyc[beats] = (uint32_t)((num + den - 1) / den);
    }
}

int pcie_init(struct pcie *pcie, struct sim *sim, const struct pcie_params *params, const struct clk *user_clk,
              uint64_t entity, uint32_t payload_reads, uint32_t wqe_reads, int64_t phase_ps, char *error,
              size_t error_bytes)
{
    *pcie = (struct pcie){.sim = sim, .params = params, .user_clk = user_clk};
    if (check(params, error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    uint32_t reads = payload_reads + wqe_reads;
    pcie->read = calloc(reads, sizeof *pcie->read);
    pcie->read_unused = malloc(reads * sizeof *pcie->read_unused);
    if (!pcie->read || !pcie->read_unused || link_clock(params, phase_ps, &pcie->link_clk) ||
        root_init(&pcie->root, sim, params, entity, phase_ps, error, error_bytes) || init_requests(pcie) ||
        agenda_init(&pcie->at_host, 1024) || agenda_init(&pcie->stores, 64) ||
        space_init_ones(&pcie->reads[0], sim, "payload reads", payload_reads) ||
        space_init_ones(&pcie->reads[1], sim, "WQE reads", wqe_reads))
        return -1;
    for (uint32_t i = 0; i < reads; i++)
        pcie->read_unused[pcie->read_unused_count++] = reads - 1 - i;
    init_beats(pcie);
    pcie->full = pcie_completions_of(pcie, 0, (uint32_t)params->mrrs);
    pcie->full_headers = tlp_blocks(0, (uint32_t)params->mrrs, (uint32_t)params->rcb);
    pcie->full_misaligned = (uint64_t)(params->completions == PCIE_COMPLETIONS_RCB ? params->rcb : params->mps) - 1;
    return 0;
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
    reserve_free(&pcie->reserve);
    root_free(&pcie->root);
    agenda_free(&pcie->at_host);
    agenda_free(&pcie->stores);
}

int64_t pcie_up_lookahead_ps(const struct pcie *pcie)
{
    return pcie->params->read_latency * pcie->user_clk->whole;
}

int64_t pcie_down_lookahead_ps(const struct pcie *pcie)
{
    return pcie->params->link_latency + pcie->root.read_least_ps;
}
