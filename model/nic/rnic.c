#include "nic/rnic.h"

#include "transport/frame.h"

#include <stdio.h>
#include <stdlib.h>

const char *const rnic_path_name[RNIC_PATHS] = {"doorbell", "sched", "wqe",     "payload", "ack", "tx",
                                                "mac_rx",   "rx",    "respond", "retire",  "cqe"};

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

void rnic_forward(struct fifo *fifo, int64_t start_cyc, uint32_t bytes, uint32_t ref)
{
    fifo_push(fifo, start_cyc, start_cyc + 1, start_cyc + 1, 0, bytes, ref);
}

void rnic_free_payload(struct rnic *rnic, uint32_t payload_bytes, int64_t at_cyc)
{
    uint32_t units = (payload_bytes + 63) / 64;
    if (units == 0)
        return; /* held none */
    space_give(&rnic->payload_space, units, at_cyc + 1);
    level_out(&rnic->payload_level, at_cyc, units);
}

int64_t rnic_horizon(const struct rnic *rnic, int decider, enum rnic_path freed, enum rnic_path also_freed)
{
    if (path_waits(&rnic->path[freed]) || path_waits(&rnic->path[also_freed]))
        return rnic->sim->now;
    return sim_horizon(rnic->sim, decider);
}

/* ---- the PCIe deciders ---- */

/* The host's store goes to the doorbell path; 0: that has no space, and wakes me when it is told. */
static int take_store(struct rnic *rnic, uint32_t ref)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_DOORBELL]);
    int64_t from_cyc = fifo_space_at(entry, 1);
    if (from_cyc == SIM_NEVER) {
        entry->writer_waits = 1;
        return 0;
    }
    int64_t at_cyc = pcie_down_take_store(&rnic->pcie, from_cyc);
    if (ref != HOST_STORE_PART)
        rnic_forward(entry, at_cyc, 1, ref);
    return 1;
}

static int64_t decide_down(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t horizon = sim_horizon(rnic->sim, rnic->pcie.down_decider), wake_at;
    for (;;) {
        struct pcie_down down = pcie_down_next(&rnic->pcie, horizon, &wake_at);
        if (down.event == PCIE_DOWN_NOTHING)
            break;
        if (down.event == PCIE_DOWN_STORE) {
            if (take_store(rnic, down.ref))
                continue;
            wake_at = wake_at <= now ? SIM_NEVER : wake_at;
            break;
        }
        if (rnic->pcie.read[down.ref].kind == PCIE_WQE_READ) {
            const struct pcie_read *read = &rnic->pcie.read[down.ref];
            rnic_forward(path_entry(&rnic->path[RNIC_WQE]), down.at_cyc, read->bytes, read->ref);
            pcie_read_end(&rnic->pcie, down.ref, down.at_cyc);
            rnic_wake_scheduler(rnic, rnic->waits_for_read, down.at_cyc + 1);
        } else {
            port_forward_payload(rnic);
        }
    }
    rnic_run_reads(rnic); /* with the tags and the space that came back */
    return wake_at;
}

void rnic_run_reads(struct rnic *rnic)
{
    if (pcie_read_run(&rnic->pcie))
        port_forward_payload(rnic);
}

static void describe(void *context, int input, uint32_t ref, struct pcie_write *write)
{
    const struct rnic *rnic = context;
    uint32_t cqe_bytes = (uint32_t)rnic->params->cqe_bytes;
    if (input == PCIE_IN_CQE) {
        *write = (struct pcie_write){.cqe_bytes = cqe_bytes};
        return;
    }
    const struct item *item = rnic_item(rnic, ref);
    const struct message *message = rnic_message(rnic, item->message);
    *write = (struct pcie_write){.address = message->remote_address + item->offset,
                                 .bytes = item->payload_bytes,
                                 .cqe_bytes = item->last && message_is_received(message) ? cqe_bytes : 0,
                                 .kind = PCIE_PAYLOAD_WRITE};
}

/* A data packet's payload is written: it may be the one that delivers its message, and the one that is acknowledged now. */
static void payload_written(struct rnic *rnic, const struct pcie_up *up)
{
    struct item *item = rnic_item(rnic, up->ref);
    struct message *message = rnic_message(rnic, item->message);
    uint32_t host = (uint32_t)rnic->setup.entity;
    int64_t ack_point = rnic->setup.transport->ack_point;
    int64_t from_ps = ack_point == TRANSPORT_ACK_VISIBLE ? up->visible_at_ps : up->sent_at_ps;
    int64_t from_cyc = clk_after(&rnic->user_clk, from_ps);
    rnic->payload_bytes += item->payload_bytes;
    if (item->last) {
        message->delivered_at_ps = up->visible_at_ps;
        rnic->receives += (uint64_t)message_is_received(message);
        if (ack_point != TRANSPORT_ACK_ACCEPTED)
            message->stamp_ps[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, from_cyc);
        outbox_put(rnic->setup.outbox, host_sees(&rnic->host, up->visible_at_ps),
                   message_is_received(message) ? OUTBOX_RECV_DONE : OUTBOX_WRITE_VISIBLE, host, item->message);
    }
    if (!item->ack_request || ack_point == TRANSPORT_ACK_ACCEPTED) {
        item_end(rnic->setup.items, up->ref);
        return;
    }
    struct item data = *item;
    item_end(rnic->setup.items, up->ref); /* before the ACK, which takes its place in the pool */
    receive_acknowledge(rnic, &data, MESSAGE_OK, from_cyc);
}

static void cqe_written(struct rnic *rnic, const struct pcie_up *up)
{
    struct message *message = rnic_message(rnic, up->ref);
    message->stamp_ps[MESSAGE_AT_CQE] = up->visible_at_ps;
    message->stamp_ps[MESSAGE_AT_SEEN] = host_sees(&rnic->host, up->visible_at_ps);
    rnic->completions++;
    outbox_put(rnic->setup.outbox, message->stamp_ps[MESSAGE_AT_SEEN], OUTBOX_SEND_DONE, (uint32_t)rnic->setup.entity,
               up->ref);
}

/* Where a written packet is acknowledged, the ACK must find space: until then nothing more is written. */
static int ack_has_no_space(struct rnic *rnic)
{
    struct fifo *ack = path_entry(&rnic->path[RNIC_ACK]);
    if (rnic->setup.transport->ack_point == TRANSPORT_ACK_ACCEPTED || fifo_space_at(ack, FRAME_ACK_BYTES) != SIM_NEVER)
        return 0;
    ack->writer_waits = 1;
    return 1;
}

static int64_t decide_up(void *self, int64_t now)
{
    struct rnic *rnic = self;
    pcie_up_begin(&rnic->pcie, now, rnic_horizon(rnic, rnic->pcie.up_decider, RNIC_RESPOND, RNIC_CQE));
    for (;;) {
        int64_t wake_at;
        if (ack_has_no_space(rnic))
            return SIM_NEVER;
        struct pcie_up up = pcie_up_next(&rnic->pcie, &wake_at);
        if (up.event == PCIE_UP_NOTHING)
            return wake_at;
        if (up.input == PCIE_IN_CQE)
            cqe_written(rnic, &up);
        else
            payload_written(rnic, &up);
    }
}

/* ---- the host's doorbell ---- */

static int doorbells_grow(struct rnic *rnic)
{
    uint32_t from = rnic->doorbell_room, room = from ? 2 * from : 64;
    struct rnic_doorbell *more = realloc(rnic->doorbell, room * sizeof *more);
    if (!more)
        return -1;
    for (uint32_t i = from; i < room; i++)
        more[i].next_free = i + 1 < room ? i + 1 : ITEM_NONE;
    rnic->doorbell = more;
    rnic->doorbell_free = from;
    rnic->doorbell_room = room;
    return 0;
}

int rnic_ring(struct rnic *rnic, uint32_t index, uint32_t count, int64_t at_ps)
{
    struct qp *qp = &rnic->qp[index];
    if (rnic->doorbell_free == ITEM_NONE && doorbells_grow(rnic))
        return -1;
    int64_t begin_ps;
    int64_t store_at = host_post(&rnic->host, at_ps, count, &begin_ps);
    for (uint32_t i = 0; i < count; i++) {
        struct message *message = rnic_message(rnic, qp->send[(qp->posted + i) & qp->send_mask]);
        message->stamp_ps[MESSAGE_AT_POST] = begin_ps;
        message->stamp_ps[MESSAGE_AT_MMIO] = store_at;
    }
    const struct message *first = rnic_message(rnic, qp->send[qp->posted & qp->send_mask]);
    uint32_t wqe_bytes = host_wqe_bytes(!message_is_send(first), first->has_inline, first->length_bytes);
    int pushed = count == 1 && rnic->host.params->push == HOST_PUSH_ON && wqe_bytes <= rnic->host.params->push_limit;
    uint32_t ref = rnic->doorbell_free;
    rnic->doorbell_free = rnic->doorbell[ref].next_free;
    rnic->doorbell[ref] = (struct rnic_doorbell){.qp = index, .count = count, .pushed = pushed};
    qp->posted += count;
    rnic->requests += count;
    int64_t root_at = store_at + rnic->host.params->store_latency;
    for (uint32_t sent = HOST_PUSH_BYTES; pushed && sent < wqe_bytes; sent += HOST_PUSH_BYTES)
        pcie_store(&rnic->pcie, root_at, HOST_PUSH_BYTES, HOST_STORE_PART);
    pcie_store(&rnic->pcie, root_at, pushed ? HOST_PUSH_BYTES : HOST_DOORBELL_BYTES, ref);
    return 0;
}

/* ---- building ---- */

/* The FIFO at the end of each path, in front of its decision point. */
static struct fifo_shape end_shape(const struct rnic *rnic, enum rnic_path path)
{
    const struct nic_params *p = rnic->params;
    uint32_t user_bytes = (uint32_t)p->port_width / 8;
    /* what can be under way on the cable, in the smallest frames, and the same again for what is committed ahead */
    int64_t on_cable = rnic->line.delay_cyc / 84 * 2 + 256;
    struct fifo_shape shape = {.read_clk = &rnic->user_clk, .flops = 2, .return_cyc = 1, .read_bytes = user_bytes};
    switch (path) {
    case RNIC_DOORBELL:
        shape.name = "doorbell_fifo", shape.depth = (uint32_t)p->doorbell_fifo;
        break;
    case RNIC_SCHED:
        shape.name = "operation_fifo", shape.depth = (uint32_t)p->operation_fifo;
        break;
    case RNIC_WQE:
        shape.name = "wqe_fifo", shape.depth = (uint32_t)p->wqe_reads;
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
        shape.name = "arrival", shape.depth = (uint32_t)on_cable, shape.read_clk = &rnic->mac_clk;
        break;
    case RNIC_RX:
        shape.name = "dispatch_fifo", shape.depth = (uint32_t)p->dispatch_fifo;
        break;
    case RNIC_RESPOND:
        shape.name = "write_fifo", shape.depth = (uint32_t)p->write_fifo / user_bytes, shape.in_beats = 1;
        shape.read_clk = &rnic->pcie.link_clk, shape.flops = 1;
        break;
    case RNIC_RETIRE:
        shape.name = "retire_fifo", shape.depth = (uint32_t)p->retire_fifo;
        break;
    default:
        shape.name = "cqe_fifo", shape.depth = (uint32_t)p->cqe_fifo;
        shape.read_clk = &rnic->pcie.link_clk, shape.flops = 1;
        break;
    }
    return shape;
}

/* The largest item that a path carries. */
static uint32_t largest_item_bytes(const struct rnic *rnic, enum rnic_path path)
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
                           &end, largest_item_bytes(rnic, path), &which);
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

static int init_clocks(struct rnic *rnic, char *error, size_t error_bytes)
{
    const struct nic_params *p = rnic->params;
    int64_t phase = rnic->setup.phase_ps;
    snprintf(error, error_bytes,
             "nic.user_clock with nic.user_offset, or nic.mac_clock with nic.mac_offset: the period has no exact form, "
             "allowed: another "
             "frequency or offset");
    if (clk_init_hz(&rnic->user_clk, p->user_clock, p->user_offset, phase + p->user_phase) ||
        clk_init_hz(&rnic->mac_clk, p->mac_clock, p->mac_offset, phase + p->mac_phase))
        return -1;
    snprintf(error, error_bytes, "mac.rate: allowed are multiples of 8 bit/s whose byte time has an exact form");
    return line_init(&rnic->line, rnic->setup.mac, p->mac_offset, phase);
}

static int init_pcie(struct rnic *rnic, char *error, size_t error_bytes)
{
    if (pcie_init(&rnic->pcie, rnic->sim, rnic->setup.pcie, &rnic->user_clk, rnic->setup.entity,
                  (uint32_t)rnic->params->operations, (uint32_t)rnic->params->wqe_reads, rnic->setup.phase_ps, error,
                  error_bytes))
        return -1;
    rnic->pcie.up_decider = sim_add(rnic->sim, decide_up, rnic, "pcie up", 1);
    rnic->pcie.down_decider = sim_add(rnic->sim, decide_down, rnic, "pcie down", 1);
    uint32_t ring = 1;
    while (ring < rnic->params->operations)
        ring *= 2;
    rnic->order_mask = ring - 1;
    rnic->order = malloc(ring * sizeof *rnic->order);
    snprintf(error, error_bytes, "too many decision points, or out of memory");
    return rnic->pcie.up_decider < 0 || rnic->pcie.down_decider < 0 || !rnic->order ? -1 : 0;
}

static void join_pcie(struct rnic *rnic)
{
    path_entry(&rnic->path[RNIC_DOORBELL])->write_decider = rnic->pcie.down_decider;
    rnic->pcie.operations = &rnic->path[RNIC_SCHED].end;
    rnic->pcie.write_in[PCIE_IN_PAYLOAD - 1] = &rnic->path[RNIC_RESPOND].end;
    rnic->pcie.write_in[PCIE_IN_CQE - 1] = &rnic->path[RNIC_CQE].end;
    rnic->pcie.describe = describe;
    rnic->pcie.describe_context = rnic;
    for (int i = 0; i < 2; i++) {
        rnic->pcie.write_in[i]->read_decider = rnic->pcie.up_decider;
        rnic->pcie.write_in[i]->reader_wants_tail = 1;
    }
}

int rnic_init(struct rnic *rnic, const struct rnic_setup *setup, struct rnic *peer, char *error, size_t error_bytes)
{
    *rnic = (struct rnic){.setup = *setup,
                          .sim = setup->sim,
                          .params = setup->nic,
                          .peer = peer,
                          .doorbell_free = ITEM_NONE,
                          .scheduler_wake_ps = SIM_NEVER};
    rnic->host = (struct host){.params = setup->host, .shift_ps = setup->host_shift_ps};
    return init_clocks(rnic, error, error_bytes) || init_pcie(rnic, error, error_bytes) ? -1 : 0;
}

int rnic_build(struct rnic *rnic, char *error, size_t error_bytes)
{
    for (int path = 0; path < RNIC_PATHS; path++)
        if (init_path(rnic, (enum rnic_path)path, error, error_bytes))
            return -1;
    join_pcie(rnic);
    return scheduler_init(rnic, error, error_bytes) || port_init(rnic, error, error_bytes) ||
                   receive_init(rnic, error, error_bytes) || retire_init(rnic, error, error_bytes)
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
    free(rnic->doorbell);
    free(rnic->order);
    pcie_free(&rnic->pcie);
    space_free(&rnic->payload_space);
    level_free(&rnic->payload_level);
    heap_free(&rnic->eligible);
    heap_free(&rnic->flush);
}
