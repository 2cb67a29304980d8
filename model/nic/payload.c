#include "nic/payload.h"

#include "nic/rnic.h"

#include <stdio.h>

#define PLAIN_SHIFT 6            /* 64 B */
#define LONG_AGO (INT64_MIN / 4) /* nothing was granted yet */

static int init_table(struct rnic *rnic)
{
    struct payload *payload = &rnic->payload;
    uint32_t entries = (uint32_t)rnic->params->retransmit_entries;
    if (entries == 0)
        return 0;
    if (space_init(&payload->entries, rnic->sim, "retransmit table", entries) ||
        level_init(&payload->entries_level, entries, 0))
        return -1;
    level_set_clocks(&payload->entries_level, &rnic->user_clk, &rnic->user_clk);
    payload->is_gated = payload->is_kept = 1;
    return 0;
}

int payload_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct payload *payload = &rnic->payload;
    const struct nic_params *p = rnic->params;
    if (rnic->lookup.on && p->retransmit_entries > 0) {
        snprintf(error, error_bytes,
                 "nic.retransmit_entries with nic.context_unit: allowed is 0, nic.unacked bounds them");
        return -1;
    }
    *payload = (struct payload){.waits_for = RNIC_WAIT_BUFFER, .granted_cyc = LONG_AGO, .shift = PLAIN_SHIFT};
    while (INT64_C(1) << payload->shift < p->payload_chunk)
        payload->shift++;
    payload->is_gated =
        rnic->fabric_source == NIC_FABRIC_STREAM || payload->shift != PLAIN_SHIFT || p->payload_free_list > 0;
    payload->is_kept = rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER;
    payload->is_slow = p->payload_banks * p->payload_ports == 1;
    uint32_t chunks = (uint32_t)(p->payload_buffer >> payload->shift);
    snprintf(error, error_bytes, "out of memory");
    if (space_init(&rnic->payload_space, rnic->sim, "payload buffer", chunks) ||
        level_init(&rnic->payload_level, chunks, 0) || init_table(rnic))
        return -1;
    level_set_clocks(&rnic->payload_level, &rnic->user_clk, &rnic->user_clk);
    return 0;
}

void payload_free(struct rnic *rnic)
{
    space_free(&rnic->payload_space);
    level_free(&rnic->payload_level);
    space_free(&rnic->payload.entries);
    level_free(&rnic->payload.entries_level);
}

static uint32_t chunks_of(const struct rnic *rnic, uint32_t bytes)
{
    int shift = rnic->payload.shift;
    return (bytes + (1u << shift) - 1) >> shift;
}

int64_t payload_chunks_when(struct rnic *rnic, uint32_t bytes)
{
    const struct payload *payload = &rnic->payload;
    uint32_t chunks = chunks_of(rnic, bytes);
    int64_t space_at = space_when(&rnic->payload_space, chunks);
    if (chunks == 0 || rnic->params->payload_free_list == 0)
        return space_at;
    int64_t list_at = payload->granted_cyc + chunks * rnic->params->payload_free_list;
    return space_at > list_at ? space_at : list_at;
}

int64_t payload_packet_when(struct rnic *rnic, const struct qp *qp)
{
    struct payload *payload = &rnic->payload;
    int64_t at =
        rnic->fabric_source == NIC_FABRIC_STREAM ? 0 : payload_chunks_when(rnic, rnic_next_payload_bytes(rnic, qp));
    int64_t entry_at = payload->entries.depth > 0 ? space_when(&payload->entries, 1) : 0;
    payload->waits_for = entry_at > at ? RNIC_WAIT_RETRANSMIT : RNIC_WAIT_BUFFER;
    return entry_at > at ? entry_at : at;
}

void payload_take(struct rnic *rnic, uint32_t bytes, int64_t cyc)
{
    struct payload *payload = &rnic->payload;
    uint32_t chunks = chunks_of(rnic, bytes);
    space_take(&rnic->payload_space, chunks);
    level_in(&rnic->payload_level, cyc, chunks);
    if (chunks == 0)
        return;
    payload->granted_cyc = cyc;
    payload->allocations++;
    payload->list_work_cyc += chunks * rnic->params->payload_free_list;
    payload->asked_bytes += bytes;
    payload->held_bytes += (uint64_t)chunks << payload->shift;
}

void payload_give(struct rnic *rnic, uint32_t bytes, int64_t cyc)
{
    struct payload *payload = &rnic->payload;
    uint32_t chunks = chunks_of(rnic, bytes);
    if (chunks == 0)
        return; /* held none */
    if (rnic->params->payload_free_list > 0) {
        cyc = cyc > payload->returned_cyc ? cyc : payload->returned_cyc;
        payload->returned_cyc = cyc += chunks * rnic->params->payload_free_list;
    }
    space_give(&rnic->payload_space, chunks, cyc + 1);
    level_out(&rnic->payload_level, cyc, chunks);
    if (rnic->fabric.waits_for_space)
        fabric_stream(rnic);
}

int payload_is_last(const struct rnic *rnic, const struct qp *qp)
{
    const struct payload *payload = &rnic->payload;
    uint64_t chunk = UINT64_C(1) << payload->shift;
    uint64_t left = rnic->payload_space.depth - space_away(&rnic->payload_space);
    int is_kept = rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER;
    return (is_kept && left < 2 * (qp->mtu_bytes + chunk - 1) / chunk) ||
           (payload->entries.depth > 0 && payload->entries.depth - space_away(&payload->entries) < 2);
}

void payload_keep(struct rnic *rnic, int64_t cyc)
{
    if (rnic->payload.entries.depth == 0)
        return;
    space_take(&rnic->payload.entries, 1);
    level_in(&rnic->payload.entries_level, cyc, 1);
}

void payload_forget(struct rnic *rnic, uint32_t packets, int64_t cyc)
{
    struct payload *payload = &rnic->payload;
    if (payload->entries.depth == 0 || packets == 0)
        return;
    space_give(&payload->entries, packets, cyc + 1);
    for (uint32_t i = 0; i < packets; i++) /* each has come in by itself */
        level_out(&payload->entries_level, cyc, 1);
}

int64_t payload_through_ram(struct rnic *rnic, uint32_t bytes, int64_t done_cyc)
{
    struct payload *payload = &rnic->payload;
    uint32_t beat_bytes = (uint32_t)rnic->params->port_width / 8;
    int64_t beats = (bytes + beat_bytes - 1) / beat_bytes;
    int64_t written_cyc = payload->written_cyc + 2 * beats;
    payload->written_cyc = written_cyc > done_cyc ? written_cyc : done_cyc;
    int64_t begun_cyc = payload->written_cyc > payload->read_cyc ? payload->written_cyc : payload->read_cyc;
    payload->read_cyc = begun_cyc + 2 * beats;
    payload->packets += beats > 0;
    payload->ram_work_cyc += 2 * beats;
    return begun_cyc + beats; /* the rest comes as fast as it is sent */
}
