/* Read requests that can fail, tags that retire in order, and completions that come in flits: the careful way.
 *
 * A request that the host refuses (UR, CA) is answered by a completion without data, which frees its tag like any other. One that is not
 * completed within pcie.completion_timeout fails then; its tag and its space stay in quarantine until the late completion is in, for
 * good when there is none: it must not hit another request's tag (PCIe Base Spec 3.0, 2.3.2, 2.8). */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

#include <stdlib.h>

#define PPM_WHOLE 1000000000ull /* in 0.001 ppm */

#define TIMEOUT_USUAL_PS 10000000000 /* 10 ms or more is recommended (Base Spec 3.0, 2.8) */

#define TIMEOUT (UINT64_C(1) << 32) /* at the host's agenda, beside a request: not its completion */

enum fate { FATE_GOOD, FATE_REFUSED, FATE_LOST, FATE_LATE, FATE_ARRIVED_LATE };

static int64_t most_ps(const struct param_dist *dist)
{
    return dist->point[dist->count - 1].ps;
}

/* Of those at the host; how long a completion waits for the link has no limit, but does not come near the usual timeout. */
static int64_t longest_read_ps(const struct pcie_params *p)
{
    return most_ps(&p->host_read) + most_ps(&p->host_wake) + most_ps(&p->host_stall);
}

int pcie_retire_init(struct pcie *pcie, uint64_t stream)
{
    const struct pcie_params *p = pcie->params;
    struct retire retire = {.in_order = p->retire == PCIE_RETIRE_IN_ORDER,
                            .stream = stream,
                            .refused_share = ((uint64_t)p->refused_reads << 32) / PPM_WHOLE,
                            .lost_share = ((uint64_t)p->lost_completions << 32) / PPM_WHOLE};
    retire.may_fail = retire.refused_share + retire.lost_share > 0 || p->completion_timeout < TIMEOUT_USUAL_PS ||
                      longest_read_ps(p) > p->completion_timeout;
    if (!retire.may_fail && !retire.in_order && pcie->flit_cyc == 0)
        return 0;
    uint32_t ring = 1;
    while (ring < p->tags)
        ring *= 2;
    retire.mask = ring - 1;
    retire.tag = calloc((size_t)p->tags, sizeof *retire.tag);
    retire.order = malloc(ring * sizeof *retire.order);
    pcie->retire = malloc(sizeof *pcie->retire);
    if (!retire.tag || !retire.order || !pcie->retire) {
        free(retire.tag);
        free(retire.order);
        return -1;
    }
    *pcie->retire = retire;
    return 0;
}

void pcie_retire_free(struct pcie *pcie)
{
    if (!pcie->retire)
        return;
    free(pcie->retire->tag);
    free(pcie->retire->order);
    free(pcie->retire);
}

static enum fate draw_fate(struct retire *retire)
{
    uint64_t draw = rnd_draw(retire->stream, retire->requests++, 0) >> 32;
    return draw < retire->refused_share                        ? FATE_REFUSED
           : draw - retire->refused_share < retire->lost_share ? FATE_LOST
                                                               : FATE_GOOD;
}

int64_t pcie_retire_sent(struct pcie *pcie, uint32_t request, int64_t sent_ps, int64_t ready_ps)
{
    struct retire *retire = pcie->retire;
    enum fate fate = draw_fate(retire);
    int64_t timeout_ps = sent_ps + pcie->params->completion_timeout;
    uint8_t is_refused = fate == FATE_REFUSED;
    if (fate != FATE_LOST && ready_ps > timeout_ps)
        fate = FATE_LATE;
    retire->tag[request] = (struct retire_tag){(uint16_t)fate, is_refused, 0, timeout_ps, 0};
    if (retire->in_order)
        retire->order[retire->next++ & retire->mask] = request;
    if (fate == FATE_LATE) /* its completion keeps its place at the host */
        model_assert(pcie->sim, agenda_put(&pcie->at_host, timeout_ps, 0, TIMEOUT | request) == 0, "out of memory");
    return fate == FATE_LOST ? timeout_ps : ready_ps;
}

static void give(struct pcie *pcie, uint32_t index, int64_t at_ps)
{
    const struct pcie_request *request = &pcie->request[index];
    struct reserve *reserve = &pcie->reserve;
    reserve_give(reserve, RESERVE_HEADERS, tlp_blocks(request->address, request->bytes, (uint32_t)pcie->params->rcb),
                 at_ps);
    if (reserve->counts_data)
        reserve_give(reserve, RESERVE_DATA, tlp_blocks(request->address, request->bytes, TLP_CREDIT_BYTES), at_ps);
    reserve->given++;
    pcie->request_free[pcie->request_free_count++] = index;
}

/* A request's last completion is in at at_ps, or it never comes (quarantine, which holds nobody up). */
static void is_over(struct pcie *pcie, uint32_t index, int64_t at_ps, int quarantine)
{
    struct retire *retire = pcie->retire;
    if (!retire->in_order) {
        if (!quarantine)
            give(pcie, index, at_ps);
        return;
    }
    retire->tag[index].is_over = 1;
    retire->tag[index].over_ps = at_ps;
    for (; retire->first != retire->next; retire->first++) {
        uint32_t oldest = retire->order[retire->first & retire->mask];
        if (!retire->tag[oldest].is_over)
            return;
        enum fate fate = (enum fate)retire->tag[oldest].fate;
        if (retire->tag[oldest].over_ps > retire->given_ps)
            retire->given_ps = retire->tag[oldest].over_ps;
        if (fate == FATE_GOOD || fate == FATE_REFUSED)
            give(pcie, oldest, retire->given_ps);
    }
}

/* The request of the read has failed or is done at at_ps; 1 when the whole operation is done with it. */
static int one_less(struct pcie *pcie, uint32_t index, int64_t at_ps, int failed)
{
    struct pcie_read *read = &pcie->read[pcie->request[index].read];
    read->failed |= (uint8_t)failed;
    if (at_ps > read->over_ps) /* a completion is known before it is in, a timeout when it is due */
        read->over_ps = at_ps;
    if (--read->in_flight > 0 || !read->sent)
        return 0;
    read->done_cyc = clk_after(pcie->user_clk, read->over_ps);
    return 1;
}

static int times_out(struct pcie *pcie, uint32_t index, int64_t at_ps)
{
    struct retire_tag *tag = &pcie->retire->tag[index];
    pcie->retire->timed_out++;
    pcie->retire->quarantined++;
    is_over(pcie, index, at_ps, 1);
    tag->fate = tag->fate == FATE_LATE ? FATE_ARRIVED_LATE : FATE_LOST;
    return one_less(pcie, index, at_ps, 1);
}

/* The completions of a request, or the one that refuses it, go down the link from ready_ps on; returns when the last is in. */
static int64_t send_down(struct pcie *pcie, uint32_t index, int64_t ready_ps)
{
    const struct pcie_request *request = &pcie->request[index];
    int refused = pcie->retire->tag[index].is_refused;
    struct pcie_tlps what = {1, 0, pcie->completion_bytes, 0};
    what.took_cyc = interface_occupancy_cyc(&pcie->completions_side, 0, what.link_bytes);
    if (!refused)
        what = pcie_completions_of(pcie, request->address, request->bytes);
    pcie_count_down(pcie, (enum pcie_kind)request->kind, &what, 1);
    int64_t start_cyc = clk_at_or_after(&pcie->link_clk, ready_ps), free_cyc = pcie->down_free_cyc;
    start_cyc = start_cyc > free_cyc ? start_cyc : free_cyc;
    pcie->down_free_cyc = refused
                              ? pcie_deliver(pcie, what.link_bytes, what.took_cyc, start_cyc, free_cyc)
                              : pcie_deliver_completions(pcie, request->address, request->bytes, start_cyc, free_cyc);
    return pcie_arrival_ps(pcie, pcie->down_free_cyc);
}

static int arrives(struct pcie *pcie, uint32_t index, int64_t ready_ps)
{
    struct retire *retire = pcie->retire;
    enum fate fate = (enum fate)retire->tag[index].fate;
    int64_t deadline_ps = retire->tag[index].deadline_ps, at_ps = send_down(pcie, index, ready_ps);
    if (fate == FATE_ARRIVED_LATE) { /* the operation has failed long ago; now its tag is safe again */
        retire->quarantined--;
        retire->given_ps = at_ps > retire->given_ps ? at_ps : retire->given_ps;
        give(pcie, index, retire->given_ps);
        return 0;
    }
    is_over(pcie, index, at_ps, 0);
    if (at_ps > deadline_ps) { /* ready in time, but not in */
        retire->timed_out++;
        if (deadline_ps < pcie->sim->now) /* it was held up by a store without credits: told late */
            deadline_ps = pcie->sim->now;
        return one_less(pcie, index, deadline_ps, 1);
    }
    retire->refused += fate == FATE_REFUSED;
    return one_less(pcie, index, at_ps, fate == FATE_REFUSED);
}

uint32_t pcie_retire_reads(struct pcie *pcie, int64_t last_ps)
{
    const struct agenda_entry *first;
    while ((first = agenda_first(&pcie->at_host)) != 0 && agenda_at(first) <= last_ps) {
        uint32_t index = (uint32_t)first->ref;
        int is_timeout = first->ref >= TIMEOUT || pcie->retire->tag[index].fate == FATE_LOST;
        int64_t at_ps = agenda_at(first);
        agenda_drop_first(&pcie->at_host);
        uint32_t read = pcie->request[index].read;
        if (is_timeout ? times_out(pcie, index, at_ps) : arrives(pcie, index, at_ps))
            return read;
    }
    return PCIE_NO_READ;
}
