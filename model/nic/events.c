/* Events: a program that sleeps learns of its CQEs by an EQE and an MSI-X, which the PCIe link puts behind them; with moderation one event
 * tells of several (Mellanox adapters PRM, MODIFY_CQ: after so many CQEs, or so long after the first). */
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
    return events->on ? agenda_init(&events->pending, 64) : 0;
}

void events_free(struct rnic *rnic)
{
    agenda_free(&rnic->events.pending);
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
}
