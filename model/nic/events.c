/* Events: a program that sleeps learns of its CQEs by an EQE and an MSI-X, which the PCIe link puts behind them; with moderation one event
 * tells of several (Mellanox adapters PRM, MODIFY_CQ: after so many CQEs, or so long after the first). An SRQ that falls below its limit
 * raises one at once, whether the program sleeps or not. */
#include "nic/rnic.h"

#include <stdio.h>

int events_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct rnic_events *events = &rnic->events;
    events->on = rnic->host.params->completion == HOST_COMPLETION_INTERRUPT;
    if (rnic->params->moderation_count > 1 && rnic->params->moderation_time == 0) {
        snprintf(error, error_bytes,
                 "nic.moderation_count above 1 without nic.moderation_time: allowed with one, or the last CQEs would "
                 "never be told of");
        return -1;
    }
    snprintf(error, error_bytes, "out of memory");
    return agenda_init(&events->pending, 16) || agenda_init(&events->limits, 16) ? -1 : 0;
}

void events_free(struct rnic *rnic)
{
    agenda_free(&rnic->events.pending);
    agenda_free(&rnic->events.limits);
}

static void raise_limits(struct rnic *rnic, int64_t at_ps)
{
    pcie_raise(&rnic->pcie, at_ps, (uint32_t)rnic->params->eqe_bytes);
}

void events_srq_limit(struct rnic *rnic, uint32_t srq)
{
    int64_t at_ps = rnic_ps(rnic, rnic_cycle(rnic, rnic->sim->now) + 1 + rnic->params->event_latency);
    model_assert(rnic->sim, agenda_put(&rnic->events.limits, at_ps, 0, srq) == 0, "out of memory");
    raise_limits(rnic, at_ps);
    sim_wake(rnic->sim, rnic->pcie.up_decider, at_ps);
}

/* An event tells of the SRQs that fell below their limits before its MSI-X began; for the others there is another. */
static void tell_limits(struct rnic *rnic, const struct pcie_up *up, int64_t seen_ps)
{
    struct agenda *limits = &rnic->events.limits;
    const struct agenda_entry *first;
    int64_t begun_ps = dma_begun_ps(rnic, up);
    while ((first = agenda_first(limits)) != 0 && agenda_at(first) < begun_ps) {
        outbox_put(rnic->setup.outbox, seen_ps, OUTBOX_SRQ_LIMIT, (uint32_t)rnic->setup.entity, (uint32_t)first->ref);
        agenda_drop_first(limits);
    }
    if (first)
        raise_limits(rnic, agenda_at(first) > up->sent_at_ps ? agenda_at(first) : up->sent_at_ps);
}

void events_cqe_written(struct rnic *rnic, enum outbox_kind kind, uint32_t message, const struct pcie_up *up)
{
    struct rnic_events *events = &rnic->events;
    uint64_t ref = (uint64_t)kind << 32 | message;
    model_assert(rnic->sim, agenda_put(&events->pending, up->visible_at_ps, 0, ref) == 0, "out of memory");
    int at_once = ++events->untold >= (uint64_t)rnic->params->moderation_count;
    pcie_raise(&rnic->pcie,
               up->sent_at_ps + (at_once ? 0 : rnic->params->moderation_time) +
                   rnic->params->event_latency * rnic->user_clk.whole,
               (uint32_t)rnic->params->eqe_bytes);
}

void events_raised(struct rnic *rnic, const struct pcie_up *up)
{
    struct rnic_events *events = &rnic->events;
    uint32_t host = (uint32_t)rnic->setup.entity;
    int64_t seen_ps = host_is_woken(&rnic->host, up->visible_at_ps, events->raised++);
    events->untold = 0;
    const struct agenda_entry *first;
    while ((first = agenda_first(&events->pending)) != 0) {
        enum outbox_kind kind = (enum outbox_kind)(first->ref >> 32);
        uint32_t message = (uint32_t)first->ref;
        model_assert(rnic->sim, agenda_at(first) <= up->visible_at_ps, "%s: an MSI-X is seen before a CQE",
                     rnic->setup.name);
        if (kind == OUTBOX_SEND_DONE)
            rnic_message(rnic, message)->stamp_ps[MESSAGE_AT_SEEN] = seen_ps;
        outbox_put(rnic->setup.outbox, seen_ps, kind, host, message);
        agenda_drop_first(&events->pending);
    }
    if (agenda_first(&events->limits))
        tell_limits(rnic, up, seen_ps);
}
