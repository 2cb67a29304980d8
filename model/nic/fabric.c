#include "nic/fabric.h"

#include "config/param_dist.h"
#include "nic/rnic.h"

#include <stdio.h>

#define FABRIC_ENTITY 256u /* of its random stream, apart from the NICs' own */

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int init_memory(struct fabric *fabric, const struct rnic *rnic)
{
    fabric->memory_stream = rnd_stream(rnic->sim->seed, rnic->setup.entity + FABRIC_ENTITY);
    return param_dist_table(&rnic->params->fabric_memory, &fabric->memory);
}

int fabric_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct fabric *fabric = &rnic->fabric;
    snprintf(error, error_bytes, "nic.fabric with data in payload: allowed is off, as user logic has no memory");
    if (rnic->setup.contents && rnic->fabric_source != NIC_FABRIC_OFF)
        return -1;
    snprintf(error, error_bytes, "nic.fabric_clock: the period has no exact form, allowed: another frequency");
    if (clk_init_hz(&fabric->clk, rnic->params->fabric_clock, 0, rnic->setup.phase_ps))
        return -1;
    fabric->flops = clk_same(&fabric->clk, &rnic->user_clk) ? 0 : 2;
    snprintf(error, error_bytes, "out of memory");
    return init_memory(fabric, rnic) || agenda_init(&fabric->posts, 64) || agenda_init(&fabric->messages, 64) ||
                   pool_init(&fabric->staged, sizeof(struct fabric_packet), 64)
               ? -1
               : 0;
}

void fabric_free(struct rnic *rnic)
{
    agenda_free(&rnic->fabric.posts);
    agenda_free(&rnic->fabric.messages);
    pool_free(&rnic->fabric.staged);
}

int64_t fabric_least_ps(const struct rnic *rnic)
{
    return rnic->params->fabric_latency * rnic->user_clk.whole;
}

static uint32_t beats(const struct rnic *rnic, uint32_t bytes)
{
    uint32_t width = (uint32_t)rnic->params->fabric_width / 8;
    return bytes == 0 ? 1 : (bytes + width - 1) / width;
}

int fabric_post(struct rnic *rnic, uint32_t index, uint32_t count, int64_t at_ps)
{
    struct fabric *fabric = &rnic->fabric;
    struct qp *qp = &rnic->qp[index];
    int64_t edge = clk_at_or_after(&fabric->clk, at_ps);
    int64_t seen = clk_cross(&fabric->clk, edge, &rnic->user_clk, fabric->flops) + rnic->params->fabric_latency;
    if (agenda_put(&fabric->posts, seen, 0, (uint64_t)index << 32 | count))
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ref = qp->send[(qp->posted + i) & qp->send_mask];
        struct message *message = rnic_message(rnic, ref);
        if (message->stamp_ps[MESSAGE_AT_ARRIVAL] == SIM_NEVER)
            message->stamp_ps[MESSAGE_AT_ARRIVAL] = at_ps;
        message->stamp_ps[MESSAGE_AT_POST] = message->stamp_ps[MESSAGE_AT_MMIO] = at_ps;
        if (rnic->fabric_source == NIC_FABRIC_STREAM && agenda_put(&fabric->messages, edge, 0, ref))
            return -1;
    }
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, seen));
    return 0;
}

int64_t fabric_take_posts(struct rnic *rnic, int64_t now_cyc)
{
    struct agenda *posts = &rnic->fabric.posts;
    const struct agenda_entry *first;
    while ((first = agenda_first(posts)) != 0 && agenda_at(first) <= now_cyc) {
        uint32_t index = (uint32_t)(first->ref >> 32), count = (uint32_t)first->ref;
        struct qp *qp = &rnic->qp[index];
        agenda_drop_first(posts);
        for (uint32_t i = 0; i < count; i++)
            rnic_message(rnic, qp->send[(qp->known + i) & qp->send_mask])->stamp_ps[MESSAGE_AT_DOORBELL] =
                rnic->sim->now;
        qp->known += count;
        qp->asked = qp->fetched += count; /* the request is here whole */
        if (qp->failed)
            errors_go_on(rnic, index, now_cyc);
        else
            scheduler_kick(rnic, index, now_cyc, QP_WAIT_POST);
    }
    return first ? agenda_at(first) : SIM_NEVER;
}

/* ---- stream ---- */

static void stage_packet(struct rnic *rnic, struct qp *qp, int64_t visible_cyc)
{
    struct pool *staged = &rnic->fabric.staged;
    uint32_t ref = pool_take(staged);
    model_assert(rnic->sim, ref != POOL_NONE, "out of memory");
    struct fabric_packet *packet = staged->slot;
    packet[ref] = (struct fabric_packet){visible_cyc, POOL_NONE};
    if (qp->staged_first == POOL_NONE)
        qp->staged_first = ref;
    else
        packet[qp->staged_last].next = ref;
    qp->staged_last = ref;
    scheduler_kick(rnic, rnic_qp_index(rnic, qp), visible_cyc, QP_WAIT_POST);
}

/* Streams one packet of the message; 0: its space is not decided yet. */
static int stream_packet(struct rnic *rnic, const struct message *message, int64_t posted_cyc)
{
    struct fabric *fabric = &rnic->fabric;
    struct qp *qp = &rnic->qp[message->qp];
    uint32_t left = message->request_bytes - fabric->offset_bytes, bytes = left < qp->mtu_bytes ? left : qp->mtu_bytes;
    int64_t space_at = payload_chunks_when(rnic, bytes), start = max2(posted_cyc, fabric->free_cyc);
    if (space_at == SIM_NEVER)
        return 0;
    if (space_at > 0)
        space_at = clk_cross(&rnic->user_clk, space_at, &fabric->clk, fabric->flops);
    if (space_at > start) {
        fabric->wait_cyc += space_at - start;
        start = space_at;
    }
    int64_t end = start + (beats(rnic, bytes) - 1) * rnic->params->fabric_interval;
    payload_take(rnic, bytes, clk_at_or_after(&rnic->user_clk, clk_edge(&fabric->clk, start)));
    fabric->work_cyc += end + rnic->params->fabric_interval - start;
    fabric->free_cyc = end + rnic->params->fabric_interval + (bytes == left ? rnic->params->fabric_gap : 0);
    fabric->packets++;
    fabric->offset_bytes = bytes == left ? 0 : fabric->offset_bytes + bytes;
    stage_packet(rnic, qp, clk_cross(&fabric->clk, end + 1, &rnic->user_clk, fabric->flops));
    return 1;
}

void fabric_stream(struct rnic *rnic)
{
    struct fabric *fabric = &rnic->fabric;
    const struct agenda_entry *first;
    fabric->waits_for_space = 0;
    while ((first = agenda_first(&fabric->messages)) != 0) {
        if (!stream_packet(rnic, rnic_message(rnic, (uint32_t)first->ref), agenda_at(first))) {
            fabric->waits_for_space = 1;
            return;
        }
        if (fabric->offset_bytes == 0)
            agenda_drop_first(&fabric->messages);
    }
}

int64_t fabric_ready_cyc(const struct rnic *rnic, const struct qp *qp)
{
    const struct fabric_packet *packet = rnic->fabric.staged.slot;
    return qp->staged_first == POOL_NONE ? SIM_NEVER : packet[qp->staged_first].visible_cyc;
}

void fabric_take_packet(struct rnic *rnic, struct qp *qp)
{
    const struct fabric_packet *packet = rnic->fabric.staged.slot;
    uint32_t ref = qp->staged_first;
    qp->staged_first = packet[ref].next;
    pool_give(&rnic->fabric.staged, ref);
}

/* ---- memory ---- */

int64_t fabric_read_cyc(struct rnic *rnic, int64_t begun_cyc, uint32_t bytes)
{
    struct fabric *fabric = &rnic->fabric;
    if (bytes == 0)
        return begun_cyc;
    int64_t asked_ps = rnic_ps(rnic, begun_cyc) +
                       rnd_table_draw(&fabric->memory, rnd_draw(fabric->memory_stream, fabric->memory_reads++, 0));
    int64_t start = max2(clk_after(&fabric->clk, asked_ps), fabric->memory_free_cyc);
    fabric->memory_free_cyc = start + beats(rnic, bytes);
    fabric->work_cyc += beats(rnic, bytes);
    fabric->packets++;
    return clk_cross(&fabric->clk, fabric->memory_free_cyc, &rnic->user_clk, fabric->flops);
}
