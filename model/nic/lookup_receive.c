/* Received frames and the lookups: into their channels, and out to the write engine or to retire. See lookup.h. */
#include "nic/lookup.h"
#include "nic/rnic.h"

void lookup_frame_came(struct rnic *rnic)
{
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    if (fifo_empty(in))
        return;
    int64_t at = rnic_ps(rnic, fifo_front(in)->tail_cyc);
    if (at > rnic->sim->now) /* else it waits for a station */
        sim_wake(rnic->sim, rnic->scheduler, at);
}

int64_t lookup_take_frames(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    while (!fifo_empty(in)) {
        if (fifo_front(in)->tail_cyc > now_cyc)
            return fifo_front(in)->tail_cyc;
        struct item *item = rnic_item(rnic, fifo_front(in)->ref);
        enum lookup_channel channel = item->kind == ITEM_DATA ? LOOKUP_DATA : LOOKUP_ACK;
        if (!item->bad && !lookup_has_room(&rnic->lookup, channel, LOOKUP_CONTEXT))
            return SIM_NEVER;
        struct fifo_slot slot = fifo_take(in);
        item->judged_at_ps = rnic_ps(rnic, slot.tail_cyc);
        if (item->bad)
            receive_drop_bad(rnic, slot.ref);
        else
            lookup_enter(rnic, channel, item->qp, slot.ref, item->kind == ITEM_DATA && item->ack_request ? 2 : 1,
                         now_cyc + rnic->params->receive_begin);
        fifo_release(in, slot.bytes, now_cyc, now_cyc);
    }
    return SIM_NEVER;
}

/* 0, or it cannot be taken before *again_cyc. */
static int must_wait(int64_t at_cyc, int64_t now_cyc, int64_t *again_cyc)
{
    *again_cyc = at_cyc;
    return at_cyc > now_cyc;
}

static int64_t drop_failed(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    rnic_item(rnic, ref)->bad |= ITEM_NOT_READ;
    receive_drop_bad(rnic, ref);
    return now_cyc;
}

/* The payload goes to the write engine beat by beat; then the ACK, which has come out of the station behind it, is made. */
int64_t lookup_to_write(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    const struct nic_params *p = rnic->params;
    const struct item *item = rnic_item(rnic, job->ref);
    if (job->failed)
        return drop_failed(rnic, job->ref, now_cyc);
    if (must_wait(lookup->scatter_free_cyc, now_cyc, again_cyc) ||
        must_wait(receive_room_at(rnic, item), now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    int64_t last_cyc = now_cyc + p->receive_scatter + lookup_beats(p, item->payload_bytes);
    int64_t ack_cyc = now_cyc + p->station_interval;
    ack_cyc = ack_cyc > last_cyc ? ack_cyc : last_cyc;
    rnic->dispatching.items++;
    rnic->dispatching.work_cyc += last_cyc - now_cyc;
    receive_take(rnic, job->ref, now_cyc, ack_cyc);
    lookup->scatter_free_cyc = job->entries > 1 ? ack_cyc + p->receive_ack : last_cyc;
    return job->entries > 1 ? ack_cyc : now_cyc;
}

int64_t lookup_to_retire(struct rnic *rnic, const struct lookup_job *job, int64_t now_cyc, int64_t *again_cyc)
{
    const struct item *item = rnic_item(rnic, job->ref);
    if (job->failed)
        return drop_failed(rnic, job->ref, now_cyc);
    if (must_wait(receive_room_at(rnic, item), now_cyc, again_cyc))
        return LOOKUP_NOT_TAKEN;
    rnic->dispatching.items++;
    rnic->dispatching.work_cyc++;
    rnic_forward(path_entry(&rnic->path[RNIC_RETIRE]), now_cyc, item->bytes, job->ref);
    return now_cyc;
}
