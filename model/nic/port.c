/* The way out: payload in the order of its operations, the transmit port, the line. */
#include "nic/rnic.h"

#include <stdio.h>

enum { PORT_IN_ACK, PORT_IN_DATA };

/* A packet without its payload goes out with a wrong FCS, as one that runs dry does, and fails its QP. */
static void fail_packet(struct rnic *rnic, struct item *item, int64_t at_cyc)
{
    uint32_t index = rnic_message(rnic, item->message)->qp;
    const struct qp *qp = &rnic->qp[index];
    uint32_t request = qp->retired;
    item->bad |= ITEM_NOT_READ;
    if (qp->failed) /* its requests are flushed already */
        return;
    while (request != qp->posted && qp->send[request & qp->send_mask] != item->message)
        request++;
    if (request == qp->posted) /* it is acknowledged, and was sent again in vain */
        return;
    errors_of_request(rnic, index, request, at_cyc);
}

/* The data of an answer's packet is there, or that of any packet could not be read. */
static __attribute__((noinline, cold)) void forward_other(struct rnic *rnic, struct item *item, int failed,
                                                          int64_t at_cyc)
{
    if (item->kind != ITEM_ANSWER) {
        if (item->kind == ITEM_DATA)
            fail_packet(rnic, item, at_cyc);
        return;
    }
    if (item->last)
        rnic_stamps(rnic, item)[MESSAGE_AT_RESPONDED] = rnic_ps(rnic, at_cyc);
    if (message_is_atomic(rnic_message(rnic, item->message)) && !item->again)
        atomics_value_is_here(rnic, item, failed, at_cyc);
    if (failed)
        answers_fail(rnic, item);
}

/* When a packet can go on that comes out of the buffer at half the rate, or is built after the one before. */
static __attribute__((noinline, cold)) int64_t slow_cyc(struct rnic *rnic, const struct item *item, int64_t done_cyc)
{
    int64_t cyc = rnic->lookup.on ? lookup_build_cyc(rnic, item->payload_bytes) : rnic->payload_last_cyc;
    int64_t ram_cyc =
        rnic->payload.is_slow && item->kind == ITEM_DATA ? payload_through_ram(rnic, item->payload_bytes, done_cyc) : 0;
    return ram_cyc > cyc ? ram_cyc : cyc;
}

void port_forward_payload(struct rnic *rnic)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_PAYLOAD]);
    rnic->payload_waits = 0;
    while (rnic->order_first != rnic->order_next) {
        uint32_t read = rnic->order[rnic->order_first & rnic->order_mask];
        struct pcie_read *operation = &rnic->pcie.read[read];
        if (operation->done_cyc == 0)
            return;
        struct item *item = rnic_item(rnic, operation->ref);
        if (rnic->fabric_source == NIC_FABRIC_MEMORY && rnic->fabric.memory_asked == rnic->order_first) {
            if (item->kind == ITEM_DATA) /* what is answered lies in the host's memory */
                operation->done_cyc = fabric_read_cyc(rnic, operation->done_cyc, item->payload_bytes);
            rnic->fabric.memory_asked++;
        }
        int64_t space_at = fifo_space_at(entry, item->bytes);
        if (space_at == SIM_NEVER) {
            rnic->payload_waits = entry->writer_waits = 1;
            return;
        }
        int64_t free_cyc = rnic->payload_last_cyc;
        if (__builtin_expect(rnic->forwards_slowly, 0))
            free_cyc = slow_cyc(rnic, item, operation->done_cyc);
        int64_t at = operation->done_cyc > free_cyc ? operation->done_cyc : free_cyc;
        if (space_at > at)
            at = space_at;
        rnic->payload_last_cyc = at;
        if (__builtin_expect((item->kind == ITEM_ANSWER) | operation->failed, 0))
            forward_other(rnic, item, operation->failed, at);
        if (item->kind == ITEM_DATA && item->last) {
            int64_t *stamp_ps = rnic_stamps(rnic, item);
            stamp_ps[MESSAGE_AT_PACKET] = rnic_ps(rnic, operation->begun_cyc);
            stamp_ps[MESSAGE_AT_PAYLOAD] = rnic_ps(rnic, at);
        }
        if (__builtin_expect(rnic->setup.contents != 0, 0) && !operation->failed)
            content_sent(rnic, operation->ref, at);
        rnic_forward(entry, at, item->bytes, operation->ref);
        rnic->order_first++;
        pcie_read_end(&rnic->pcie, read, at);
        rnic_wake_scheduler(rnic, rnic->waits_for_read, at + 1);
    }
}

/* Payload leaves its buffer at the MAC, if it would be fetched again for a retransmission. */
static void free_payload(struct rnic *rnic, const struct item *item, int64_t end_cyc)
{
    rnic_free_payload(rnic, item->payload_bytes, end_cyc);
    rnic_wake_scheduler(rnic, rnic->waits_for_space, end_cyc + 1);
}

/* The receiver's first FIFO must have room for a frame before it is begun (mac.back_pressure): from which cycle of
 * the line on that is so; SIM_NEVER: the port is woken. */
static __attribute__((noinline, cold)) int64_t held_up_until(struct rnic *rnic, uint32_t bytes, int64_t head_cyc)
{
    struct rnic *peer = rnic->peer;
    struct fifo *in = path_entry(&peer->path[RNIC_RX]);
    const struct fifo *arriving = &peer->path[RNIC_MAC_RX].end;
    uint32_t units = fifo_units(in, bytes);
    for (uint32_t i = arriving->first; i != arriving->next; i++) /* those before it will have taken theirs */
        units += fifo_units(in, arriving->slot[i & arriving->mask].bytes);
    int64_t space_at = fifo_units_at(in, units);
    if (space_at == SIM_NEVER) {
        in->writer_waits = 1;
        return SIM_NEVER;
    }
    int64_t at_ps = clk_edge(&peer->mac_clk, space_at);
    int64_t line_cyc = clk_at_or_after(&rnic->line.clk, at_ps);
    return space_at > 0 && line_cyc > head_cyc ? line_cyc : head_cyc;
}

/* The receiver's MAC has a frame's first word, and its last byte, at these cycles of the line. */
static inline __attribute__((always_inline)) void deliver(struct rnic *rnic, uint32_t ref, uint32_t bytes,
                                                          int64_t word_at_cyc, int64_t last_at_cyc)
{
    struct fifo *out = path_entry(&rnic->peer->path[RNIC_MAC_RX]);
    const struct item *item = rnic_item(rnic, ref);
    if (item->kind == ITEM_DATA && item->last)
        rnic_stamps(rnic, item)[MESSAGE_AT_RECEIVED] = clk_edge(&rnic->line.clk, last_at_cyc);
    int64_t space_at = fifo_space_at(out, bytes);
    model_assert(rnic->sim, space_at != SIM_NEVER, "%s: more frames committed ahead than \"arrival\" holds",
                 rnic->peer->setup.name);
    if (space_at <= word_at_cyc - 1) {
        fifo_push(out, word_at_cyc - 1, word_at_cyc, last_at_cyc, bytes, ref);
        receive_arrivals(rnic->peer);
        return;
    }
    out->drops++; /* the receiver's MAC is slower than the line */
    rnic->peer->drops_full++;
    receive_drop(rnic->peer, ref);
}

void port_deliver(struct rnic *rnic, uint32_t ref, uint32_t bytes, int64_t word_at_cyc, int64_t last_at_cyc)
{
    if (rnic->tap)
        tap_received(rnic, ref, bytes, last_at_cyc);
    deliver(rnic, ref, bytes, word_at_cyc, last_at_cyc);
}

/* Somebody has to do with frames on the line: who listens, or the plan of faults. */
static __attribute__((noinline, cold)) void hand_over(struct rnic *rnic, uint32_t ref, uint32_t bytes,
                                                      const struct line_frame *frame)
{
    if (rnic->tap)
        tap_sent(rnic, ref, bytes, frame->start_cyc);
    if (rnic->faults.count > 0)
        faults_take(rnic, ref, bytes, frame);
    else
        port_deliver(rnic, ref, bytes, frame->word_at_cyc, frame->last_at_cyc);
}

/* Sends the next frame of the transmit path. */
static inline __attribute__((always_inline)) void send_next(struct rnic *rnic, struct fifo *in,
                                                            const struct fifo_slot *next, int64_t head_cyc)
{
    uint32_t word_bytes = path_entry(&rnic->peer->path[RNIC_MAC_RX])->shape.write_bytes;
    struct line_frame frame = line_send(&rnic->line, next->bytes, head_cyc, next->tail_cyc, word_bytes);
    struct fifo_slot slot = fifo_take_next(in, frame.start_cyc, frame.start_cyc + next->bytes);
    struct item *item = rnic_item(rnic, slot.ref);
    item->bad |= (uint8_t)frame.bad;
    rnic->data_packets += item->kind != ITEM_ACK;
    if (item->kind != ITEM_DATA)
        item->wire_at_ps = clk_edge(&rnic->line.clk, frame.start_cyc);
    else if (item->last)
        rnic_stamps(rnic, item)[MESSAGE_AT_WIRE] = clk_edge(&rnic->line.clk, frame.start_cyc);
    if (__builtin_expect(rnic->tells_when_sent, 0))
        sent_frame(rnic, slot.ref, clk_edge(&rnic->line.clk, rnic->line.free_cyc - rnic->line.params->gap - 1));
    if (__builtin_expect(rnic->hands_over, 0))
        hand_over(rnic, slot.ref, slot.bytes, &frame);
    else
        deliver(rnic, slot.ref, slot.bytes, frame.word_at_cyc, frame.last_at_cyc);
}

/* Who sends what the transmit path has brought to the line. */
enum line_mode {
    LINE_AT_ONCE, /* it serves in order and never stops a frame: no choice, so it runs inside the port, the only one who puts frames there */
    LINE_HOLDS,   /* the same, but a frame waits for room at the receiver */
    LINE_DECIDES  /* it may be paused: a decider of its own (pause.c) */
};

static inline __attribute__((always_inline)) void send_frames(struct rnic *rnic, enum line_mode mode)
{
    struct fifo *in = &rnic->path[RNIC_TX].end;
    const struct fifo_slot *next;
    while (mode != LINE_DECIDES && (next = fifo_next(in)) != 0) {
        int64_t head_cyc = next->head_cyc;
        if (mode == LINE_HOLDS) {
            head_cyc = held_up_until(rnic, next->bytes, head_cyc);
            if (head_cyc == SIM_NEVER) {
                fifo_keep(in);
                return;
            }
        }
        send_next(rnic, in, next, head_cyc);
    }
}

int64_t port_ready_ps(const struct rnic *rnic)
{
    const struct fifo_slot *next = fifo_next(&rnic->path[RNIC_TX].end);
    return next ? clk_edge(&rnic->line.clk, next->head_cyc) : SIM_NEVER;
}

void port_send(struct rnic *rnic, int64_t now)
{
    struct fifo *in = &rnic->path[RNIC_TX].end;
    const struct fifo_slot *next = fifo_next(in);
    int64_t now_cyc = clk_at_or_after(&rnic->line.clk, now);
    send_next(rnic, in, next, next->head_cyc > now_cyc ? next->head_cyc : now_cyc);
}

/* The item that is granted leaves what it held. */
static inline void leave(struct rnic *rnic, const struct item *item, const struct arb_grant *grant)
{
    if (item->kind == ITEM_DATA) {
        if (item->last) /* which stands for its message */
            rnic_stamps(rnic, item)[MESSAGE_AT_PORT] = rnic_ps(rnic, grant->start_cyc);
        if (rnic->setup.transport->retx_source == TRANSPORT_RETX_HOST)
            free_payload(rnic, item, grant->end_cyc);
        return;
    }
    rnic->ack_packets += item->kind == ITEM_ACK;
    if (grant->input == PORT_IN_DATA)
        answers_sent(rnic, item, grant->end_cyc);
}

/* mode: a constant, so that a line that never holds up a frame costs nothing. */
static inline __attribute__((always_inline)) int64_t run_port(struct rnic *rnic, int64_t now, enum line_mode mode)
{
    int64_t horizon = rnic_horizon(rnic, rnic->port.decider, RNIC_PAYLOAD, RNIC_ACK);
    if (mode == LINE_HOLDS)
        send_frames(rnic, mode); /* what was held up */
    for (;;) {
        struct arb_grant grant;
        int64_t wake_at;
        if (!arb_next(&rnic->port, now, horizon, &grant, &wake_at))
            return wake_at;
        leave(rnic, rnic_item(rnic, grant.ref), &grant);
        send_frames(rnic, mode);
        if (rnic->payload_waits && !path_entry(&rnic->path[RNIC_PAYLOAD])->writer_waits)
            port_forward_payload(rnic); /* the grant has made room for it */
    }
}

static int64_t decide_port(void *self, int64_t now)
{
    return run_port(self, now, LINE_AT_ONCE);
}

static int64_t decide_port_of_line(void *self, int64_t now)
{
    return run_port(self, now, LINE_DECIDES);
}

static int64_t decide_port_that_holds(void *self, int64_t now)
{
    return run_port(self, now, LINE_HOLDS);
}

/* Where something else is decided with it. */
static int64_t run_port_of_any_line(struct rnic *rnic, int64_t now)
{
    return rnic->pause.on     ? run_port(rnic, now, LINE_DECIDES)
           : rnic->line_holds ? run_port(rnic, now, LINE_HOLDS)
                              : run_port(rnic, now, LINE_AT_ONCE);
}

static int64_t decide_port_by_plan(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t held_ps = faults_release(rnic, now);
    if (rnic->sent_waits)
        sent_forward(rnic);
    int64_t wake_at = run_port_of_any_line(rnic, now);
    int64_t again_ps = faults_release(rnic, now);
    held_ps = again_ps < held_ps ? again_ps : held_ps;
    return held_ps < wake_at ? held_ps : wake_at;
}

void port_watch(struct rnic *rnic, struct tap *tap)
{
    rnic->tap = tap;
    rnic->hands_over = 1;
}

void port_send_by_plan(struct rnic *rnic)
{
    rnic->hands_over = 1;
    sim_replace(rnic->sim, rnic->port.decider, decide_port_by_plan);
}

static int64_t decide_port_sent(void *self, int64_t now)
{
    struct rnic *rnic = self;
    if (rnic->sent_waits)
        sent_forward(rnic);
    return run_port_of_any_line(rnic, now);
}

/* Frames that cut through from the datapath to the line cross two clocks: there the cycle of every beat is kept, from the packet
 * builder on. */
static int keep_beats_if_cut_through(struct rnic *rnic, char *error, size_t error_bytes)
{
    static const enum rnic_path through[] = {RNIC_PAYLOAD, RNIC_ACK, RNIC_TX};
    int which;
    snprintf(error, error_bytes,
             "path tx cuts through from the user clock to the line with more than 1024 beats in a frame: allowed with "
             "wider stages in paths payload, ack and tx, or with a store-and-forward stage in tx");
    if (path_entry(&rnic->path[RNIC_TX])->stretch_crossings <= 1)
        return 0;
    for (int i = 0; i < 3; i++)
        if (path_keep_beats(&rnic->path[through[i]], RNIC_FRAME_BYTES_MAX, &which))
            return -1;
    return 0;
}

int port_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    rnic->path[RNIC_TX].end.takes_at_once = 1;
    if (keep_beats_if_cut_through(rnic, error, error_bytes))
        return -1;
    rnic->forwards_slowly = rnic->lookup.on || rnic->payload.is_slow;
    struct server server;
    struct fifo *in[2] = {[PORT_IN_ACK] = &rnic->path[RNIC_ACK].end, [PORT_IN_DATA] = &rnic->path[RNIC_PAYLOAD].end};
    int64_t least = path_least_ps(&rnic->path[RNIC_PAYLOAD]);
    if (path_least_ps(&rnic->path[RNIC_ACK]) < least)
        least = path_least_ps(&rnic->path[RNIC_ACK]);
    snprintf(error, error_bytes, "nic.port_width: allowed 64, 128, 256, 512 or 1024 bit");
    return server_init(&server, &rnic->user_clk, 1, rnic->params->port_latency, (uint32_t)rnic->params->port_width / 8,
                       0) ||
                   arb_init(&rnic->port, rnic->sim, "port", &server, in, 2,
                            rnic->params->port_policy == NIC_PORT_ACK_FIRST, path_entry(&rnic->path[RNIC_TX]),
                            least + rnic->user_clk.whole,
                            rnic->setup.transport->completion == TRANSPORT_COMPLETION_SENT ? decide_port_sent
                            : rnic->line_holds                                             ? decide_port_that_holds
                            : rnic->setup.mac->pause != MAC_PAUSE_OFF                      ? decide_port_of_line
                                                                                           : decide_port,
                            rnic)
               ? -1
               : 0;
}
