#include "nic/rnic.h"

#include "transport/frame.h"

#include <stdio.h>
#include <stdlib.h>

#define HOST_ENTITY (UINT64_C(1) << 40) /* of the host's random stream, beside the NIC's own */
#define LINE_ENTITY (UINT64_C(1) << 41)

const char *const rnic_path_name[RNIC_PATHS] = {"doorbell", "sched", "wqe",     "payload", "ack", "tx",
                                                "mac_rx",   "rx",    "respond", "retire",  "cqe", "fetch"};

int rnic_blocked(struct rnic *rnic, struct fifo *fifo, uint32_t bytes, int64_t start_cyc, int64_t *wake_at)
{
    int64_t space_at = fifo_space_at(fifo, bytes);
    if (space_at <= start_cyc)
        return 0;
    *wake_at = SIM_NEVER;
    if (space_at == SIM_NEVER)
        fifo->writer_waits = 1;
    else
        *wake_at = rnic_ps(rnic, space_at);
    return 1;
}

void rnic_free_payload(struct rnic *rnic, uint32_t payload_bytes, int64_t at_cyc)
{
    uint32_t units = rnic_payload_units(payload_bytes);
    if (units == 0)
        return; /* held none */
    if (__builtin_expect(rnic->payload.is_gated, 0)) {
        payload_give(rnic, payload_bytes, at_cyc);
        return;
    }
    space_give(&rnic->payload_space, units, at_cyc + 1);
    level_out(&rnic->payload_level, at_cyc, units);
}

int64_t rnic_horizon(const struct rnic *rnic, int decider, enum rnic_path freed, enum rnic_path also_freed)
{
    if (path_waits(&rnic->path[freed]) || path_waits(&rnic->path[also_freed]))
        return rnic->sim->now;
    return sim_horizon(rnic->sim, decider);
}

/* Frames that can have left the port and not have arrived: on the cable, in the smallest size; in the transmit path; and what the
 * port commits ahead, at most what its inputs hold. */
static uint32_t frames_under_way(const struct rnic *sender)
{
    const struct nic_params *p = sender->params;
    int64_t frames =
        line_way_cyc(&sender->line) / 84 + (p->line_fifo + p->data_fifo) / (p->port_width / 8) + p->ack_fifo;
    for (int i = 0; i < sender->setup.stages[RNIC_TX]; i++)
        frames += sender->setup.stage[RNIC_TX][i].depth;
    return (uint32_t)frames + 256;
}

/* The FIFO at the end of each path, in front of its decision point. */
static struct fifo_shape end_shape(const struct rnic *rnic, enum rnic_path path)
{
    const struct nic_params *p = rnic->params;
    uint32_t user_bytes = (uint32_t)p->port_width / 8;
    struct fifo_shape shape = {.read_clk = &rnic->user_clk, .flops = 2, .return_cyc = 1, .read_bytes = user_bytes};
    switch (path) {
    case RNIC_DOORBELL:
        shape.name = "doorbell_fifo", shape.depth = (uint32_t)p->doorbell_fifo;
        break;
    case RNIC_SCHED:
        shape.name = "operation_fifo", shape.depth = (uint32_t)p->operation_fifo;
        break;
    case RNIC_WQE:
        shape.name = "wqe_fifo", shape.depth = (uint32_t)(p->wqe_reads + p->receive_reads);
        break;
    case RNIC_PAYLOAD:
        shape.name = "data_fifo", shape.depth = (uint32_t)p->data_fifo / user_bytes, shape.in_beats = 1;
        break;
    case RNIC_ACK:
        shape.name = "ack_fifo", shape.depth = (uint32_t)p->ack_fifo;
        break;
    case RNIC_TX:
        shape.name = "line_fifo", shape.depth = (uint32_t)p->line_fifo / user_bytes, shape.in_beats = 1;
        shape.read_clk = &rnic->line.clk, shape.flops = 1;
        break;
    case RNIC_MAC_RX:
        shape.name = "arrival", shape.depth = frames_under_way(rnic->peer), shape.read_clk = &rnic->mac_clk;
        break;
    case RNIC_RX:
        shape.name = "dispatch_fifo", shape.depth = (uint32_t)p->dispatch_fifo;
        shape.return_cyc = p->dispatch_return;
        break;
    case RNIC_RESPOND:
        shape.name = "write_fifo", shape.depth = (uint32_t)p->write_fifo / user_bytes, shape.in_beats = 1;
        shape.read_clk = &rnic->pcie.link_clk, shape.flops = 1;
        if (rnic->staging.on) {
            shape.name = "staging_fifo", shape.depth = (uint32_t)p->staging_fifo / user_bytes;
            shape.read_clk = &rnic->user_clk;
        }
        break;
    case RNIC_RETIRE:
        shape.name = "retire_fifo", shape.depth = (uint32_t)p->retire_fifo;
        break;
    case RNIC_FETCH:
        shape.name = "fetch_fifo", shape.depth = (uint32_t)(p->wqe_reads + p->receive_reads);
        break;
    default:
        shape.name = "cqe_fifo", shape.depth = (uint32_t)p->cqe_fifo;
        shape.read_clk = &rnic->pcie.link_clk, shape.flops = 1;
        break;
    }
    return shape;
}

uint32_t rnic_largest_item_bytes(const struct rnic *rnic, enum rnic_path path)
{
    switch (path) {
    case RNIC_PAYLOAD:
    case RNIC_TX:
    case RNIC_MAC_RX:
    case RNIC_RX:
    case RNIC_RESPOND:
        return RNIC_FRAME_BYTES_MAX;
    case RNIC_WQE:
        return (uint32_t)rnic->params->wqe_fetch_most * 64;
    default:
        return FRAME_ACK_BYTES; /* an ACK, or a descriptor */
    }
}

static int init_path(struct rnic *rnic, enum rnic_path path, char *error, size_t error_bytes)
{
    struct path_stage *stages = rnic->setup.stage[path];
    int count = rnic->setup.stages[path], which;
    for (int i = 0; i < count; i++)
        stages[i].clk = rnic->setup.on_mac_clock[path][i] ? &rnic->mac_clk : &rnic->user_clk;
    /* a path that arrives from the line is written in the other NIC's line clock: set when they are connected */
    const struct clk *write_clk = path == RNIC_MAC_RX ? &rnic->peer->line.clk
                                  : path == RNIC_RX   ? &rnic->mac_clk
                                                      : &rnic->user_clk;
    uint32_t write_bytes = (uint32_t)rnic->params->port_width / 8;
    if (path == RNIC_MAC_RX && count > 0)
        write_bytes = stages[0].width_bytes;
    if (path == RNIC_RX && rnic->setup.stages[RNIC_MAC_RX] > 0)
        write_bytes = rnic->setup.stage[RNIC_MAC_RX][rnic->setup.stages[RNIC_MAC_RX] - 1].width_bytes;
    struct fifo_shape end = end_shape(rnic, path);
    int failed = path_init(&rnic->path[path], rnic->sim, rnic_path_name[path], write_clk, write_bytes, stages, count,
                           &end, rnic_largest_item_bytes(rnic, path), &which);
    if (failed == 0)
        return 0;
    const char *name = which < count ? stages[which].name : end.name;
    snprintf(error, error_bytes, "stage %s.%s: %s", rnic_path_name[path], name,
             failed == -2 ? "its FIFO could never hold the largest item of its path: allowed is a greater depth"
             : failed == -3
                 ? "more than 1024 beats in the largest frame where every beat must be kept (a cut-through stretch "
                   "that crosses "
                   "clocks twice, or has start_beats): allowed with wider stages, or a store-and-forward stage between"
                 : "impossible numbers: widths must be powers of two from 8 bit, intervals and latencies >= 1");
    return -1;
}

static int64_t draw_phase(const struct clk *clk, uint64_t stream, uint64_t ordinal)
{
    return (int64_t)(rnd_draw(stream, ordinal + 1, 0) % (uint64_t)clk->whole);
}

static int init_clocks(struct rnic *rnic, char *error, size_t error_bytes)
{
    const struct nic_params *p = rnic->params;
    int64_t phase = rnic->setup.phase_ps, off = rnic->setup.off_ppb;
    uint64_t stream = rnd_stream(rnic->sim->seed, rnic->setup.entity + LINE_ENTITY);
    snprintf(error, error_bytes,
             "nic.user_clock with nic.user_offset, or nic.mac_clock with nic.mac_offset, and nic.peer_offset: the "
             "period has no exact form, "
             "allowed: another "
             "frequency or offset");
    if (clk_init_hz(&rnic->user_clk, p->user_clock, p->user_offset + off, phase + p->user_phase) ||
        clk_init_hz(&rnic->mac_clk, p->mac_clock, p->mac_offset + off, phase + p->mac_phase))
        return -1;
    if (p->phases == NIC_PHASES_DRAWN) { /* another one at each link-up */
        rnic->user_clk.phase_ps += draw_phase(&rnic->user_clk, stream, 0);
        rnic->mac_clk.phase_ps += draw_phase(&rnic->mac_clk, stream, 1);
    }
    return line_init(&rnic->line, rnic->setup.mac, p->mac_offset + off, phase, stream, error, error_bytes);
}

int rnic_init(struct rnic *rnic, const struct rnic_setup *setup, struct rnic *peer, char *error, size_t error_bytes)
{
    *rnic = (struct rnic){
        .setup = *setup, .sim = setup->sim, .params = setup->nic, .peer = peer, .scheduler_wake_ps = SIM_NEVER};
    if (host_init(&rnic->host, setup->host, setup->host_shift_ps,
                  rnd_stream(setup->sim->seed, setup->entity + HOST_ENTITY), error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    if (pool_init(&rnic->doorbells, sizeof(struct rnic_doorbell), 64))
        return -1;
    rnic->receives_fetched.on = setup->nic->receive_reads > 0;
    rnic->line_holds = setup->mac->back_pressure == MAC_BACK_PRESSURE_ON;
    rnic->lookup.on = setup->nic->context_unit > 0;
    rnic->fabric_source = setup->posts_from_fabric ? (enum nic_fabric)setup->nic->fabric : NIC_FABRIC_OFF;
    return init_clocks(rnic, error, error_bytes) || events_init(rnic, error, error_bytes) ||
                   fabric_init(rnic, error, error_bytes) || dma_init(rnic, error, error_bytes) ||
                   context_init(rnic, error, error_bytes) || answers_init(rnic, error, error_bytes) ||
                   staging_init(rnic, error, error_bytes)
               ? -1
           : rnic->receives_fetched.on
               ? pcie_more_reads(&rnic->pcie, PCIE_RECEIVE_READ, (uint32_t)setup->nic->receive_reads)
               : 0;
}

int rnic_build(struct rnic *rnic, char *error, size_t error_bytes)
{
    for (int path = 0; path < RNIC_PATHS; path++)
        if (init_path(rnic, (enum rnic_path)path, error, error_bytes))
            return -1;
    dma_join(rnic);
    rnic->place_until_written = rnic->params->dispatch_place == NIC_DISPATCH_PLACE_WRITTEN;
    rnic->receive_cqe_apart = rnic->params->receive_cqe == NIC_RECEIVE_CQE_WHEN_WRITTEN;
    rnic->pcie.msix_gap_cyc =
        clk_at_or_after(&rnic->pcie.link_clk,
                        clk_edge(&rnic->pcie.link_clk, 0) + rnic->params->interrupt_latency * rnic->user_clk.whole);
    snprintf(error, error_bytes, "out of memory");
    if (rnic->receives_fetched.on && receive_wqe_init(rnic))
        return -1;
    if (congestion_check(rnic, error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    return scheduler_init(rnic, error, error_bytes) || port_init(rnic, error, error_bytes) ||
                   receive_init(rnic, error, error_bytes) || pause_init(rnic, error, error_bytes) ||
                   retire_init(rnic, error, error_bytes) || lookup_init(rnic, error, error_bytes) ||
                   context_join(rnic) || sent_init(rnic) || staging_join(rnic)
               ? -1
               : 0;
}

void rnic_free(struct rnic *rnic)
{
    for (int path = 0; path < RNIC_PATHS; path++)
        path_free(&rnic->path[path]);
    for (uint32_t i = 0; i < rnic->qps; i++)
        qp_free(&rnic->qp[i]);
    free(rnic->qp);
    free(rnic->by_number.entry);
    pool_free(&rnic->doorbells);
    fabric_free(rnic);
    events_free(rnic);
    agenda_free(&rnic->follow.wqes);
    agenda_free(&rnic->received);
    agenda_free(&rnic->commits);
    receive_wqe_free(rnic);
    srq_free(rnic);
    agenda_free(&rnic->sent);
    context_free(rnic);
    lookup_free(rnic);
    answers_free(rnic);
    atomics_free(rnic);
    staging_free(rnic);
    free(rnic->order);
    free(rnic->places.free_cyc);
    pcie_free(&rnic->pcie);
    payload_free(rnic);
    space_free(&rnic->begun);
    heap_free(&rnic->eligible);
    ready_free(&rnic->ready);
    keys_free(&rnic->keys);
    heap_free(&rnic->flush);
    heap_free(&rnic->failing);
    heap_free(&rnic->returned);
    recover_free(rnic);
    congestion_free(rnic);
    faults_free(rnic);
}
