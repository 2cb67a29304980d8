/* A frame is taken or dropped when it arrives. */
#include "nic/rnic.h"

void receive_drop(struct rnic *rnic, uint32_t ref)
{
    const struct item *item = rnic_item(rnic, ref);
    if (item->kind != ITEM_ACK)
        message_end(rnic->setup.messages, item->message);
    if (item->trip > 0)
        pool_give(rnic->setup.trips, item->trip - 1);
    pool_give(rnic->setup.items, ref);
}

void receive_drop_bad(struct rnic *rnic, uint32_t ref)
{
    unsigned bad = rnic_item(rnic, ref)->bad;
    if (bad & ITEM_NOT_READ)
        rnic->drops_not_read++;
    else if (bad & ITEM_UNDERRUN)
        rnic->drops_underrun++;
    else
        rnic->drops_damaged++;
    receive_drop(rnic, ref);
}

/* The receive FIFO has become fuller. */
static void look_for_pause(struct rnic *rnic)
{
    int64_t at = pause_look(rnic, rnic->sim->now);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->pause.look, at);
}

/* Admission (R10): a frame that does not fit in the receive FIFO at its arrival is dropped whole. Space that is known now is there
 * then, since only frames take it, and in order; without it the arrival instant decides. Returns when that is. */
static int64_t admit(struct rnic *rnic)
{
    struct fifo *in = &rnic->path[RNIC_MAC_RX].end;
    struct fifo *out = path_entry(&rnic->path[RNIC_RX]);
    const struct fifo_slot *next;
    while ((next = fifo_next(in)) != 0) {
        int64_t head_cyc = next->head_cyc;
        int fits = fifo_space_at(out, next->bytes) <= head_cyc;
        if ((!fits || rnic->pause.on) && clk_edge(&rnic->mac_clk, head_cyc) > rnic->sim->now) {
            fifo_keep(in);
            return clk_edge(&rnic->mac_clk, head_cyc);
        }
        struct fifo_slot slot = fifo_take_next(in, head_cyc, next->tail_cyc);
        if (fits) {
            fifo_push(out, slot.head_cyc, slot.head_cyc + 1, slot.tail_cyc + 1, slot.bytes, slot.ref);
            receive_dispatch_certain(rnic);
            if (rnic->pause.on)
                look_for_pause(rnic);
            continue;
        }
        out->drops++;
        rnic->drops_full++;
        receive_drop(rnic, slot.ref);
    }
    return SIM_NEVER;
}

static int64_t decide_arrival(void *self, int64_t now)
{
    (void)now;
    return admit(self);
}

void receive_arrivals(struct rnic *rnic)
{
    int64_t at = admit(rnic);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->arrival, at);
}

int receive_arrive_init(struct rnic *rnic)
{
    rnic->arrival = sim_add(rnic->sim, decide_arrival, rnic, "arrival", rnic->mac_clk.whole);
    return rnic->arrival;
}
