/* Dispatch: what is judged goes on, in order: data to the responder, ACKs and answers to the requester. Most of it makes no choice, and
 * runs ahead where its fate is certain. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>
#include <stdlib.h>

/* Whether the packet takes a receive WQE, if it is accepted, or a place among the QP's answers, or has a key that work requests can take away: then
 * its fate is known at its instant only, as the host may post until then, and answers may end. All else that decides it is the responder's own, in the order of the packets. */
static int is_judged_at_its_instant(const struct rnic *rnic, const struct item *item)
{
    if (item->kind == ITEM_ANSWER) /* of which the requester knows what is missing, at any instant */
        return rnic->recovers;
    if (item->bad || item->kind != ITEM_DATA)
        return 0;
    const struct message *message = rnic_message(rnic, item->message);
    return message->opcode != MESSAGE_WRITE || (message->wrong_keys & MESSAGE_KEYS_LATER);
}

/* When there is space in the path; SIM_NEVER: not decided yet, and I am woken. */
static int64_t room_at(struct rnic *rnic, enum rnic_path path, uint32_t bytes)
{
    struct fifo *entry = path_entry(&rnic->path[path]);
    int64_t at = fifo_space_at(entry, bytes);
    entry->writer_waits |= at == SIM_NEVER;
    return at;
}

int64_t receive_two_acks_at(struct rnic *rnic)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_ACK]);
    int64_t at = fifo_units_at(entry, fifo_units(entry, FRAME_ACK_BYTES) + fifo_units(entry, FRAME_CNP_BYTES));
    entry->writer_waits |= at == SIM_NEVER;
    return at;
}

/* When all that a marked packet needs behind its dispatch is there: there may be a CNP, too. */
static __attribute__((noinline, cold)) int64_t marked_room_at(struct rnic *rnic, const struct item *item)
{
    int64_t respond_at = room_at(rnic, RNIC_RESPOND, item->payload_bytes + rnic->qp[item->qp].grh_bytes);
    int64_t ack_at = receive_acks_on_acceptance(rnic) ? receive_two_acks_at(rnic) : 0;
    return respond_at > ack_at ? respond_at : ack_at;
}

/* When what the packet needs behind its dispatch is there: a place where it goes, and one for the ACK or NAK that it may lead to. */
static inline __attribute__((always_inline)) int64_t all_room_at(struct rnic *rnic, const struct item *item,
                                                                 int has_instant)
{
    if (item->bad)
        return 0;
    if (item->kind == ITEM_ACK)
        return room_at(rnic, RNIC_RETIRE, item->bytes);
    if (__builtin_expect(item->ce, 0) && rnic->congestion.on && item->kind == ITEM_DATA)
        return marked_room_at(rnic, item);
    int64_t respond_at = room_at(rnic, RNIC_RESPOND, item->payload_bytes + rnic->qp[item->qp].grh_bytes);
    if (item->kind == ITEM_ANSWER)
        return respond_at;
    if (!receive_acks_on_acceptance(rnic) || (!item->ack_request && !rnic->selective.on && !has_instant &&
                                              item->psn == rnic->qp[item->qp].responder.psn_expected))
        return respond_at;
    int64_t ack_at = room_at(rnic, RNIC_ACK, FRAME_ACK_BYTES);
    return respond_at > ack_at ? respond_at : ack_at;
}

/* Places are free in the order of their packets. */
static void free_places(struct rnic *rnic)
{
    for (; rnic->places.first != rnic->places.next; rnic->places.first++) {
        int64_t cyc = rnic->places.free_cyc[rnic->places.first & rnic->places.mask];
        if (cyc == SIM_NEVER)
            return;
        cyc = cyc > rnic->places.last_cyc ? cyc : rnic->places.last_cyc;
        rnic->places.last_cyc = cyc;
        fifo_release(&rnic->path[RNIC_RX].end, 1, cyc, cyc);
    }
}

/* A packet is dispatched: its place is free with that, or when it is written. */
static __attribute__((noinline, cold)) void leave_place(struct rnic *rnic, int64_t start_cyc, int goes_to_memory)
{
    rnic->places.free_cyc[rnic->places.next++ & rnic->places.mask] = goes_to_memory ? SIM_NEVER : start_cyc;
    free_places(rnic);
}

int64_t receive_ack_room_at(struct rnic *rnic)
{
    return room_at(rnic, RNIC_ACK, FRAME_ACK_BYTES);
}

int64_t receive_room_at(struct rnic *rnic, const struct item *item)
{
    return all_room_at(rnic, item, is_judged_at_its_instant(rnic, item));
}

/* Whether it is the next packet of the QP's answers. One that has come twice is of no use; behind one that is missing, the requester asks for
 * that again (an implied NAK: IBTA vol. 1, 9.7.5.2.4), or, where it does not recover, does without. */
static int is_next_answer(struct rnic *rnic, const struct item *item, const struct message *message, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[item->qp];
    if (!rnic->recovers)
        return item->offset == message->returned_bytes;
    int32_t ahead = (int32_t)(message->answer - qp->answers_here);
    if (ahead == 0 && item->offset == message->returned_bytes)
        return 1;
    if ((ahead > 0 || (ahead == 0 && item->offset > message->returned_bytes)) && !qp->recovery.is_implied)
        recover_answer_missed(rnic, item->qp, now_cyc);
    return 0;
}

/* A packet of an answer, at the requester. 1: it goes on to the write engine. */
static int take_answer(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    struct item *item = rnic_item(rnic, ref);
    struct message *message = rnic_message(rnic, item->message);
    struct qp *qp = &rnic->qp[item->qp];
    if (!is_next_answer(rnic, item, message, now_cyc)) {
        rnic->drops_sequence++;
        receive_drop(rnic, ref);
        return 0;
    }
    message->returned_bytes += item->payload_bytes;
    if (item->last) {
        message->stamp_ps[MESSAGE_AT_ACK_WIRE] = item->wire_at_ps;
        message->stamp_ps[MESSAGE_AT_ACK_RECEIVED] = item->judged_at_ps;
        message->answered = 1;
        qp->answers_here++;
        if (item->trip > 0)
            receive_end_trip(rnic, item, MESSAGE_AT_RESPONDED, MESSAGE_AT_RESPONDED);
    }
    if (rnic->recovers) {
        qp->recovery.is_implied = 0;
        recover_progress(rnic, qp, now_cyc);
    }
    rnic_forward(path_entry(&rnic->path[RNIC_RESPOND]), now_cyc, item->payload_bytes, ref);
    return 1;
}

void receive_take_answer(struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    take_answer(rnic, ref, now_cyc);
}

/* The front packet leaves its FIFO at start_cyc. */
static inline __attribute__((always_inline)) void dispatch(struct rnic *rnic, int64_t start_cyc, int context_failed)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    struct fifo_slot slot = fifo_take(in);
    struct item *item = rnic_item(rnic, slot.ref);
    item->judged_at_ps = rnic_ps(rnic, slot.tail_cyc);
    if (context_failed)
        item->bad |= ITEM_NOT_READ;
    int goes_to_memory = 0;
    rnic->dispatching.items++;
    rnic->dispatching.work_cyc++;
    rnic->dispatch_free_cyc = start_cyc + 1;
    if (item->bad) {
        receive_drop_bad(rnic, slot.ref);
    } else if (item->kind == ITEM_DATA) {
        goes_to_memory = receive_take(rnic, slot.ref, start_cyc, start_cyc);
    } else if (item->kind == ITEM_ANSWER) {
        goes_to_memory = take_answer(rnic, slot.ref, start_cyc);
    } else {
        rnic_forward(path_entry(&rnic->path[RNIC_RETIRE]), start_cyc, item->bytes, slot.ref);
    }
    if (!__builtin_expect(rnic->place_until_written, 0))
        fifo_release(in, slot.bytes, start_cyc, start_cyc);
    else
        leave_place(rnic, start_cyc, goes_to_memory);
}

/* When its SRQ's context is free, not before the cycle. */
static __attribute__((noinline)) int64_t behind_srq(struct rnic *rnic, const struct item *item, int64_t cyc)
{
    int64_t free_cyc = srq_free_cyc(rnic, item);
    return free_cyc > cyc ? free_cyc : cyc;
}

/* Dispatches what has come, in order, as far as its fate is certain: most of it makes no choice and runs inside whoever brings a frame.
 * What takes a receive WQE is dispatched at its instant, by the decider. Returns that instant. */
static int64_t run_dispatch(struct rnic *rnic, int is_decider)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    while (!fifo_empty(in)) {
        const struct fifo_slot *front = fifo_front(in);
        const struct item *item = rnic_item(rnic, front->ref);
        int64_t ready = front->tail_cyc > rnic->dispatch_free_cyc ? front->tail_cyc : rnic->dispatch_free_cyc;
        int has_instant = is_judged_at_its_instant(rnic, item);
        int64_t start = all_room_at(rnic, item, has_instant);
        if (start == SIM_NEVER)
            return SIM_NEVER;
        if (start < ready)
            start = ready;
        if (has_instant) {
            int64_t from = start;
            start = behind_srq(rnic, item, start);
            if (!is_decider || rnic_ps(rnic, start) > rnic->sim->now)
                return rnic_ps(rnic, start);
            rnic->dispatching.wait_cyc[RNIC_WAIT_SRQ] += start - from;
            ready += start - from;
        }
        rnic->dispatching.wait_cyc[RNIC_WAIT_DOWNSTREAM] += start - ready;
        dispatch(rnic, start, 0);
    }
    return SIM_NEVER;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When all that the front packet needs is there; SIM_NEVER: not known yet. Also what comes last. */
static int64_t front_cyc(const struct rnic *rnic, enum rnic_wait *waits_for)
{
    int64_t context = rnic->contexts.on ? context_front_cyc(rnic) : 0;
    int64_t receive = rnic->receives_fetched.on ? receive_wqe_front_cyc(rnic) : 0;
    *waits_for = context > receive ? RNIC_WAIT_CONTEXT_MISS : RNIC_WAIT_RECEIVE_WQE;
    return context > receive ? context : receive;
}

/* It is to be taken: 1 when something of that could not be read. */
static int front_taken(struct rnic *rnic)
{
    int failed = rnic->receives_fetched.on && receive_wqe_front_taken(rnic);
    return (rnic->contexts.on && context_front_taken(rnic)) || failed;
}

/* With contexts or receive WQEs that can be missing nothing is certain before its instant: the decider looks up what is judged by now,
 * and dispatches what can be. */
static __attribute__((noinline, cold)) int64_t run_and_look_ahead(struct rnic *rnic, int64_t now_cyc)
{
    struct fifo *in = &rnic->path[RNIC_RX].end;
    for (;;) {
        int64_t next = rnic->contexts.on ? context_look_ahead(rnic, now_cyc) : SIM_NEVER;
        next = rnic->receives_fetched.on ? earlier(next, receive_wqe_look(rnic, now_cyc)) : next;
        enum rnic_wait waits_for;
        int64_t there = fifo_empty(in) ? SIM_NEVER : front_cyc(rnic, &waits_for);
        if (there == SIM_NEVER)
            return next;
        const struct fifo_slot *front = fifo_front(in);
        int64_t ready = front->tail_cyc > rnic->dispatch_free_cyc ? front->tail_cyc : rnic->dispatch_free_cyc;
        int64_t from = there > ready ? there : ready, room = receive_room_at(rnic, rnic_item(rnic, front->ref));
        int64_t behind = room > from ? room : from, srq_at = srq_free_cyc(rnic, rnic_item(rnic, front->ref));
        int64_t start = srq_at > behind ? srq_at : behind;
        if (start > now_cyc)
            return start < next ? start : next;
        model_assert(rnic->sim, start == now_cyc, "%s: a packet is dispatched too late", rnic->setup.name);
        rnic->dispatching.wait_cyc[waits_for] += from - ready;
        rnic->dispatching.wait_cyc[RNIC_WAIT_DOWNSTREAM] += behind - from;
        rnic->dispatching.wait_cyc[RNIC_WAIT_SRQ] += start - behind;
        dispatch(rnic, start, front_taken(rnic));
    }
}

/* Nothing is dispatched before its instant: when the decider is to look at what has come. */
static __attribute__((noinline, cold)) int64_t next_look_ps(struct rnic *rnic)
{
    if (rnic->lookup.on) {
        lookup_frame_came(rnic);
        return SIM_NEVER;
    }
    int64_t now_cyc = rnic_cycle(rnic, rnic->sim->now);
    now_cyc -= rnic_ps(rnic, now_cyc) >
               rnic->sim->now; /* between two edges: what is judged at the next one is still to come */
    int64_t at = rnic->contexts.on ? context_next_look(rnic, now_cyc) : SIM_NEVER;
    at = rnic->receives_fetched.on ? earlier(at, receive_wqe_next_look(rnic, now_cyc)) : at;
    return at == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, at);
}

void receive_free_place(struct rnic *rnic, int64_t cyc)
{
    const struct fifo *in = &rnic->path[RNIC_RX].end;
    int was_empty = fifo_empty(in);
    uint32_t i = rnic->places.first; /* it is the first that is being written */
    while (i != rnic->places.next && rnic->places.free_cyc[i & rnic->places.mask] != SIM_NEVER)
        i++;
    model_assert(rnic->sim, i != rnic->places.next, "%s: a packet is written that was not dispatched",
                 rnic->setup.name);
    rnic->places.free_cyc[i & rnic->places.mask] = cyc;
    free_places(rnic);
    int64_t at = SIM_NEVER; /* what comes into that place */
    if (rnic->looks_ahead)
        at = next_look_ps(rnic);
    else if (was_empty && !fifo_empty(in))
        at = rnic_ps(rnic, fifo_front(in)->tail_cyc);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->dispatch, at);
}

static int64_t decide_dispatch(void *self, int64_t now)
{
    struct rnic *rnic = self;
    if (!rnic->looks_ahead)
        return run_dispatch(rnic, 1);
    if (rnic->lookup.on) /* the scheduler does it all */
        return SIM_NEVER;
    int64_t now_cyc = rnic_cycle(rnic, now), next = now_cyc;
    if (rnic_ps(rnic, now_cyc) == now) /* else woken between two edges */
        next = run_and_look_ahead(rnic, now_cyc);
    return next == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, next);
}

void receive_dispatch_certain(struct rnic *rnic)
{
    int64_t at = __builtin_expect(rnic->looks_ahead, 0) ? next_look_ps(rnic) : run_dispatch(rnic, 0);
    if (at != SIM_NEVER)
        sim_wake(rnic->sim, rnic->dispatch, at);
}

int receive_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "too many decision points");
    if (receive_arrive_init(rnic) < 0)
        return -1;
    rnic->dispatch = sim_add(rnic->sim, decide_dispatch, rnic, "dispatch", rnic->user_clk.whole);
    if (rnic->dispatch < 0)
        return -1;
    rnic->places.mask = rnic->path[RNIC_RX].end.mask;
    rnic->places.free_cyc = malloc(((size_t)rnic->places.mask + 1) * sizeof *rnic->places.free_cyc);
    if (!rnic->places.free_cyc)
        return -1;
    rnic->looks_ahead = rnic->contexts.on || rnic->receives_fetched.on;
    rnic->path[RNIC_MAC_RX].end.takes_at_once = 1;
    rnic->path[RNIC_RX].end.reader_wants_tail = 1;
    level_forget(&rnic->path[RNIC_MAC_RX].end.level); /* no memory: a frame is taken or dropped at once */
    int writer = rnic->lookup.on ? rnic->scheduler : rnic->dispatch;
    path_entry(&rnic->path[RNIC_RESPOND])->write_decider = writer;
    path_entry(&rnic->path[RNIC_RETIRE])->write_decider = writer;
    path_entry(&rnic->path[RNIC_ACK])->write_decider =
        receive_acks_on_acceptance(rnic) ? writer : rnic->pcie.up_decider;
    return 0;
}
