/* Stations and units: what they are built from, and what they cannot be combined with. See lookup.h. */
#include "nic/lookup.h"

#include "nic/rnic.h"

#include <stdio.h>
#include <stdlib.h>

const char *const lookup_channel_name[LOOKUP_CHANNELS] = {"send_queue", "receive_queue", "payload", "data", "ack"};

/* ---- init ---- */

/* What a visit cannot be combined with; NULL: nothing of it is asked for. */
static const char *wrong_with(const struct rnic *rnic)
{
    const struct nic_params *p = rnic->params;
    if (p->translation_unit == 0)
        return "nic.translation_unit = 0: allowed is 1 cycle or more";
    if (p->scheduler != 0 || p->quantum != 1 || p->quantum_unit != NIC_QUANTUM_UNIT_PACKET || p->classes != 1 ||
        p->class0_rate != 0)
        return "another nic.scheduler: allowed is rr with a quantum of 1 packet and one class without a limit";
    if (p->fabric != NIC_FABRIC_OFF || p->doorbell_record != NIC_DOORBELL_RECORD_OFF)
        return "nic.fabric or nic.doorbell_record: allowed is off";
    if (rnic->setup.transport->recovery != TRANSPORT_RECOVERY_NONE)
        return "transport.recovery: allowed is none";
    if (p->receive_reads != 0)
        return "nic.receive_reads: allowed is 0";
    if (p->dispatch_place != NIC_DISPATCH_PLACE_DISPATCHED)
        return "nic.dispatch_place: allowed is dispatched";
    if (rnic->setup.transport->completion != TRANSPORT_COMPLETION_ACKED)
        return "transport.completion: allowed is acked";
    if (rnic->begun_limited || p->wqe_prefetch != 1)
        return "nic.requests, nic.qp_requests or nic.wqe_prefetch: allowed are their defaults";
    if (p->station_out <= p->station_interval)
        return "nic.station_out: allowed is more than nic.station_interval";
    if (p->unacked > 0 && rnic->setup.transport->ack_request_every != 1)
        return "nic.unacked and transport.ack_request_every: allowed is 1, an ACK a packet";
    return rnic->setup.transport->ack_point != TRANSPORT_ACK_ACCEPTED ? "transport.ack_point: allowed is accepted" : 0;
}

static int init_cells(struct lookup *lookup, const struct nic_params *p)
{
    lookup->cells = (uint32_t)p->wqe_cells;
    if (lookup->cells == 0)
        return 0;
    lookup->cell = malloc(lookup->cells * sizeof *lookup->cell);
    for (uint32_t i = 0; lookup->cell && i < lookup->cells; i++)
        lookup->cell[i] = LOOKUP_NONE;
    return lookup->cell ? 0 : -1;
}

int lookup_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct lookup *lookup = &rnic->lookup;
    const struct nic_params *p = rnic->params;
    if (!lookup->on)
        return 0;
    const char *wrong = wrong_with(rnic);
    if (wrong) {
        snprintf(error, error_bytes, "nic.context_unit with %s", wrong);
        return -1;
    }
    lookup->unit[LOOKUP_CONTEXT] =
        (struct lookup_server){.latency_cyc = p->context_unit, .interval_cyc = p->context_interval};
    lookup->unit[LOOKUP_TRANSLATION] =
        (struct lookup_server){.latency_cyc = p->translation_unit, .interval_cyc = p->translation_interval};
    lookup->wqe_job = lookup->gives_job = lookup->read_ref = lookup->receive_job = LOOKUP_NONE;
    for (int i = 0; i < LOOKUP_CHANNELS * LOOKUP_UNITS; i++) {
        struct lookup_station *station = &lookup->station[i];
        station->waits_first = station->asks = station->found_first = station->leaves = LOOKUP_NONE;
        station->parked_first = LOOKUP_NONE;
    }
    snprintf(error, error_bytes, "out of memory");
    return pool_init(&lookup->jobs, sizeof(struct lookup_job), 64) || heap_init(&lookup->events, 64) ||
                   init_cells(lookup, p) ||
                   (p->unacked > 0 && space_init(&lookup->unacked, rnic->sim, "unacked", (uint32_t)p->unacked))
               ? -1
               : 0;
}

void lookup_free(struct rnic *rnic)
{
    pool_free(&rnic->lookup.jobs);
    heap_free(&rnic->lookup.events);
    space_free(&rnic->lookup.unacked);
    free(rnic->lookup.cell);
    free(rnic->lookup.record);
}

void lookup_add_rings(struct rnic *rnic, uint32_t index)
{
    struct qp *qp = &rnic->qp[index];
    qp->rings_offset = rnic->lookup.rings_bytes;
    rnic->lookup.rings_bytes += lookup_ring_bytes(qp->send_mask, 64) + lookup_ring_bytes(qp->receives->mask, 64) +
                                lookup_ring_bytes(qp->send_mask, (uint64_t)rnic->params->cqe_bytes);
}

int lookup_watch(struct rnic *rnic, uint32_t room)
{
    rnic->lookup.record = calloc(room, sizeof *rnic->lookup.record);
    rnic->lookup.records_room = rnic->lookup.record ? room : 0;
    return rnic->lookup.record ? 0 : -1;
}
