/* The QP scheduler: which QP is served when. A QP with something to do becomes eligible at a cycle; from then on the policy (ready.h)
 * says whose turn it is. A granted QP's context is in its read-modify-write loop for context_loop cycles, so one QP has no
 * other turn sooner; within a turn of several packets its context stays with the scheduler. */
#include "nic/rnic.h"
#include "transport/frame.h"

#include <stdio.h>

#define QP_REQUESTS_MOST 32768 /* of nic.qp_requests, and of nic.requests: no limit */
#define REQUESTS_MOST 1048576

enum work { WORK_NONE, WORK_RECORD, WORK_FETCH, WORK_PACKET, WORK_LOCAL, WORK_CONTEXT };

/* A fetch for a request is one of a limited number. */
static enum work gated_fetch(const struct rnic *rnic, const struct qp *qp)
{
    return rnic->grants_requests && qp->asked - qp->retired >= rnic->params->qp_requests ? WORK_NONE : WORK_FETCH;
}

static inline enum work work_of(const struct rnic *rnic, const struct qp *qp)
{
    uint32_t held = qp->asked - qp->cut;
    if (qp->peer == QP_NONE || (qp->halted && (qp->failed || (int32_t)(qp->cut - qp->halted_at) >= 0)))
        return WORK_NONE;
    if (__builtin_expect(qp->wants_record, 0))
        return WORK_RECORD;
    if (qp->known != qp->asked && qp->fetch_next - qp->fetch_first < rnic->params->wqe_prefetch &&
        held * 2 <= rnic->params->wqe_cache)
        return __builtin_expect(rnic->holds_requests, 0) ? gated_fetch(rnic, qp) : WORK_FETCH;
    if (__builtin_expect(rnic->holds_requests, 0)) {
        int begins = qp->offset_bytes == 0 && qp->fetched != qp->cut;
        if (qp->is_followed || (begins && requests_hold(rnic, qp)))
            return WORK_NONE;
        if (begins && rnic->has_local && message_is_local(rnic_message(rnic, qp->send[qp->cut & qp->send_mask])))
            return WORK_LOCAL;
    }
    if (qp->fetched != qp->cut && requester_window_open(&qp->requester) &&
        (rnic->fabric_source != NIC_FABRIC_STREAM || qp->staged_first != POOL_NONE))
        return WORK_PACKET;
    return WORK_NONE;
}

/* The cycle, or the later one in which the payload that user logic streams is there. */
static inline int64_t behind_payload(const struct rnic *rnic, struct qp *qp, int64_t cyc)
{
    if (rnic->fabric_source != NIC_FABRIC_STREAM)
        return cyc;
    int64_t ready = fabric_ready_cyc(rnic, qp);
    if (ready <= cyc)
        return cyc;
    qp->wait = QP_WAIT_POST;
    return ready;
}

/* From which cycle on the QP, which has something to do, is eligible again when it could be at cyc. */
static int64_t eligible_cyc(struct rnic *rnic, struct qp *qp, int64_t cyc)
{
    if (qp->context_free_cyc > cyc) {
        cyc = qp->context_free_cyc;
        qp->wait = QP_WAIT_CONTEXT;
    }
    if (qp->rate.bps > 0) {
        int64_t allowed = rnic_cycle(rnic, rate_allows_at(&qp->rate));
        if (allowed > cyc) {
            cyc = allowed;
            qp->wait = QP_WAIT_RATE;
        }
    }
    return behind_payload(rnic, qp, cyc);
}

void scheduler_queue(struct rnic *rnic, uint32_t index, int64_t cyc)
{
    rnic->qp[index].queued = 1;
    model_assert(rnic->sim, heap_put(&rnic->eligible, cyc, index, index) == 0, "out of memory");
}

int64_t scheduler_enqueue(struct rnic *rnic, uint32_t index, int64_t cyc, enum qp_wait waited_for)
{
    struct qp *qp = &rnic->qp[index];
    if (qp->queued || work_of(rnic, qp) == WORK_NONE)
        return SIM_NEVER;
    qp->wait = (uint8_t)waited_for;
    cyc = eligible_cyc(rnic, qp, cyc);
    scheduler_queue(rnic, index, cyc);
    return cyc;
}

void scheduler_kick(struct rnic *rnic, uint32_t index, int64_t cyc, enum qp_wait waited_for)
{
    if (__builtin_expect(rnic->follow.waits_for_window, 0))
        sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
    cyc = scheduler_enqueue(rnic, index, cyc, waited_for);
    if (cyc != SIM_NEVER && rnic_ps(rnic, cyc) > rnic->sim->now)
        sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}

/* When a packet that is sent again finds space: it has its entry in the retransmit table, and where its payload is kept it needs no space. */
static __attribute__((noinline, cold)) int64_t space_again_at(struct rnic *rnic, const struct qp *qp)
{
    rnic->payload.waits_for = RNIC_WAIT_BUFFER;
    return rnic->setup.transport->retx_source == TRANSPORT_RETX_BUFFER
               ? 0
               : payload_chunks_when(rnic, rnic_next_payload_bytes(rnic, qp));
}

/* From which cycle on the QP's work finds all that it needs, as seen at at_cyc; SIM_NEVER: not decided yet, and I am woken by what
 * comes back. Also what it waits for. */
static inline int64_t can_grant_at(struct rnic *rnic, enum work work, const struct qp *qp, int64_t at_cyc,
                                   enum rnic_wait *waits_for)
{
    if (__builtin_expect(work == WORK_LOCAL, 0))
        return at_cyc;
    struct fifo *entry = work == WORK_PACKET ? path_entry(&rnic->path[RNIC_SCHED]) : rnic->fetch_entry;
    int64_t path_at = fifo_space_at(entry, RNIC_OPERATION_BYTES);
    int64_t read_at = pcie_read_when(&rnic->pcie, work == WORK_PACKET ? PCIE_PAYLOAD_READ : PCIE_WQE_READ);
    int64_t space_at =
        work != WORK_PACKET ? 0
        : __builtin_expect(qp->requester.is_back, 0) && requester_repeats(&qp->requester, qp->requester.psn_next)
            ? space_again_at(rnic, qp)
        : __builtin_expect(rnic->payload.is_gated, 0)
            ? payload_packet_when(rnic, qp)
            : space_when(&rnic->payload_space, rnic_payload_units(rnic_next_payload_bytes(rnic, qp)));
    entry->writer_waits |= path_at == SIM_NEVER;
    rnic->waits_for_read = read_at == SIM_NEVER;
    rnic->waits_for_space = space_at == SIM_NEVER;
    int64_t latest = path_at > read_at ? path_at : read_at;
    if (latest > at_cyc || space_at > at_cyc)
        *waits_for = space_at > latest ? (enum rnic_wait)rnic->payload.waits_for : RNIC_WAIT_DOWNSTREAM;
    return space_at > latest ? space_at : latest;
}

int64_t scheduler_packet_when(struct rnic *rnic, const struct qp *qp, int *waits_for_read, int *waits_for_space)
{
    enum rnic_wait waits_for;
    int64_t at = can_grant_at(rnic, WORK_PACKET, qp, 0, &waits_for);
    *waits_for_read = rnic->waits_for_read;
    *waits_for_space = rnic->waits_for_space;
    return at;
}

static const enum rnic_wait wait_of[] = {
    [QP_WAIT_POST] = RNIC_WAIT_INPUT,        [QP_WAIT_WQE] = RNIC_WAIT_WQE,    [QP_WAIT_WINDOW] = RNIC_WAIT_WINDOW,
    [QP_WAIT_CONTEXT] = RNIC_WAIT_CONTEXT,   [QP_WAIT_RATE] = RNIC_WAIT_RATE,  [QP_WAIT_REQUEST] = RNIC_WAIT_REQUEST,
    [QP_WAIT_MISS] = RNIC_WAIT_CONTEXT_MISS, [QP_WAIT_RETRY] = RNIC_WAIT_RETRY};

/* The time since the last grant: first until the QP was eligible, then until the grant. */
static void account(struct rnic *rnic, const struct qp *qp, int64_t now_cyc, enum rnic_wait waited_for)
{
    struct rnic_decision *account = &rnic->scheduling;
    int64_t from = rnic->scheduler_free_cyc;
    if (qp->eligible_cyc > from) {
        account->wait_cyc[wait_of[qp->wait]] += qp->eligible_cyc - from;
        from = qp->eligible_cyc;
    }
    if (now_cyc > from)
        account->wait_cyc[waited_for] += now_cyc - from;
    account->items++;
}

/* The frame's bytes of what the QP would be granted; 1 when that is no packet. */
static uint32_t next_frame_bytes(const struct rnic *rnic, const struct qp *qp, enum work work)
{
    if (work != WORK_PACKET || rnic->ready.in_order) /* nobody asks */
        return 1;
    const struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
    uint32_t payload_bytes = rnic_next_payload_bytes(rnic, qp);
    return frame_data_bytes(payload_bytes, qp->offset_bytes == 0 && !message_is_send(message),
                            qp->offset_bytes + payload_bytes == message->request_bytes && message_has_word(message)) +
           qp->header_bytes;
}

/* The QP's next work, unless what that needs is not on chip. */
static enum work behind_context(const struct rnic *rnic, uint32_t index, enum work work)
{
    if (!rnic->contexts.on || work == WORK_NONE || context_is_here(rnic, index, work == WORK_PACKET))
        return work;
    return WORK_CONTEXT;
}

static inline int64_t grant_at(struct rnic *rnic, uint32_t index, enum work work, int64_t at_cyc)
{
    int64_t space_at = can_grant_at(rnic, work, &rnic->qp[index], at_cyc, &rnic->scheduler_blocked_by);
    return space_at > at_cyc ? space_at : at_cyc;
}

/* Whether the QP, whose turn it is, has to wait apart: done in the cycle in which it could be granted; before, I have to come again then. */
static int must_wait(const struct rnic *rnic, uint32_t index, enum work work, int64_t at_cyc, int *is_now)
{
    *is_now = at_cyc <= rnic_cycle(rnic, rnic->sim->now);
    return requests_must_wait(rnic, index, work == WORK_FETCH, work == WORK_PACKET, at_cyc);
}

/* Where QPs have their turn in the order in which they become eligible, the queue of those that will be is all there is: the first in
 * it, and the earliest cycle (not before from_cyc) at which it can be granted as far as is known; SIM_NEVER: nobody, or I am
 * woken by what it waits for. */
static inline __attribute__((always_inline)) int64_t next_in_order(struct rnic *rnic, int64_t from_cyc, uint32_t *index,
                                                                   enum work *work)
{
    const struct heap_entry *first;
    while ((first = heap_first(&rnic->eligible)) != 0) {
        *index = (uint32_t)first->ref;
        *work = work_of(rnic, &rnic->qp[*index]);
        if (*work == WORK_NONE) { /* it has failed since, or went back */
            heap_take(&rnic->eligible);
            rnic->qp[*index].queued = 0;
            requests_pass_on(rnic, from_cyc);
            continue;
        }
        int64_t at = first->at > rnic->scheduler_free_cyc ? first->at : rnic->scheduler_free_cyc;
        at = at < from_cyc ? from_cyc : at;
        rnic->qp[*index].eligible_cyc = first->at;
        if (__builtin_expect(rnic->has_gates, 0)) {
            if (at > from_cyc)
                return at;
            int is_now;
            if (must_wait(rnic, *index, *work, at, &is_now)) {
                if (!is_now)
                    return at;
                heap_take(&rnic->eligible);
                requests_wait(rnic, *index);
                continue;
            }
            *work = behind_context(rnic, *index, *work);
            if (*work == WORK_CONTEXT)
                return context_grant_at(rnic, *index, work_of(rnic, &rnic->qp[*index]) == WORK_PACKET, at);
        }
        return grant_at(rnic, *index, *work, at);
    }
    return SIM_NEVER;
}

/* Those that are eligible by now come under the policy. */
static void admit(struct rnic *rnic, int64_t now_cyc)
{
    const struct heap_entry *first;
    while ((first = heap_first(&rnic->eligible)) != 0 && first->at <= now_cyc) {
        struct heap_entry entry = heap_take(&rnic->eligible);
        struct qp *qp = &rnic->qp[entry.ref];
        enum work work = work_of(rnic, qp);
        if (work == WORK_NONE) { /* it has failed since, or went back */
            qp->queued = 0;
            ready_leave(&rnic->ready, (uint32_t)entry.ref);
            requests_pass_on(rnic, now_cyc);
            continue;
        }
        qp->eligible_cyc = entry.at;
        ready_put(&rnic->ready, (uint32_t)entry.ref, next_frame_bytes(rnic, qp, work), entry.at);
    }
    ready_allow(&rnic->ready, now_cyc);
}

/* The same by the policy, which chooses at the instant of the grant: also when somebody else becomes eligible, as the turn may then be
 * another's; *index is whom to grant. */
static int64_t next_by_policy(struct rnic *rnic, int64_t from_cyc, uint32_t *index, enum work *work)
{
    if (from_cyc < rnic->scheduler_free_cyc) {
        from_cyc = rnic->scheduler_free_cyc;
        if (rnic->has_gates && ready_first(&rnic->ready) != ARBITER_NONE) {
            *index = ARBITER_NONE; /* what they would have to wait for is seen when they could be granted */
            return from_cyc;
        }
    }
    while ((*index = ready_first(&rnic->ready)) != ARBITER_NONE) {
        *work = behind_context(rnic, *index, work_of(rnic, &rnic->qp[*index]));
        int is_now, waits = rnic->has_gates && must_wait(rnic, *index, *work, from_cyc, &is_now);
        if (waits && !is_now)
            return from_cyc;
        if (*work != WORK_NONE && !waits)
            break;
        rnic->qp[*index].queued = 0; /* it has failed since, or others have begun requests */
        ready_served(&rnic->ready, *index, 0, 0, 0, waits, from_cyc);
        if (waits)
            requests_wait(rnic, *index);
        else
            requests_pass_on(rnic, from_cyc + 1); /* those of from_cyc are in */
    }
    int64_t at = *index == ARBITER_NONE ? SIM_NEVER
                 : *work == WORK_CONTEXT
                     ? context_grant_at(rnic, *index, work_of(rnic, &rnic->qp[*index]) == WORK_PACKET, from_cyc)
                     : grant_at(rnic, *index, *work, from_cyc);
    const struct heap_entry *first = heap_first(&rnic->eligible);
    int64_t later_cyc = first ? first->at : SIM_NEVER, class_cyc = ready_class_cyc(&rnic->ready);
    later_cyc = class_cyc < later_cyc ? class_cyc : later_cyc;
    if (later_cyc != SIM_NEVER && later_cyc < from_cyc)
        later_cyc = from_cyc;
    if (later_cyc < at)
        *index = ARBITER_NONE;
    return later_cyc < at ? later_cyc : at;
}

/* The QP, the first in the queue, has been granted. If it has more to do it is eligible again when its context is free. */
static inline __attribute__((always_inline)) void granted_in_order(struct rnic *rnic, struct qp *qp, int64_t now_cyc)
{
    if (work_of(rnic, qp) == WORK_NONE) {
        heap_take(&rnic->eligible);
        qp->queued = 0;
        return;
    }
    qp->wait = QP_WAIT_CONTEXT;
    heap_delay_first(&rnic->eligible, eligible_cyc(rnic, qp, now_cyc));
}

/* The same by the policy: its turn may go on at once. */
static void granted_by_policy(struct rnic *rnic, uint32_t index, uint32_t frame_bytes, int ends_message,
                              int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    int64_t next_cyc = rnic->scheduler_free_cyc, loop_cyc = qp->context_free_cyc;
    enum work work = work_of(rnic, qp);
    qp->context_free_cyc = next_cyc;
    int is_at_once = work != WORK_NONE && eligible_cyc(rnic, qp, next_cyc) == next_cyc;
    qp->context_free_cyc = loop_cyc;
    uint32_t next_bytes = is_at_once ? next_frame_bytes(rnic, qp, work) : 0;
    int is_backlogged = work != WORK_NONE || qp->known != qp->fetched;
    if (ready_served(&rnic->ready, index, frame_bytes, ends_message, next_bytes, is_backlogged, now_cyc)) {
        qp->eligible_cyc = next_cyc;
        return;
    }
    qp->queued = 0;
    if (work == WORK_NONE)
        return;
    qp->wait = QP_WAIT_CONTEXT;
    scheduler_queue(rnic, index, eligible_cyc(rnic, qp, now_cyc));
}

static inline __attribute__((always_inline)) void grant(struct rnic *rnic, uint32_t index, enum work work,
                                                        int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    uint32_t frame_bytes = 0, cut = qp->cut;
    account(rnic, qp, now_cyc, rnic->scheduler_blocked_by);
    int64_t takes_cyc = work == WORK_FETCH ? rnic->fetch_interval_cyc : rnic->params->scheduler_interval;
    rnic->scheduler_free_cyc = now_cyc + takes_cyc;
    rnic->scheduling.work_cyc += takes_cyc;
    if (__builtin_expect(rnic->contexts.on, 0)) {
        if (work == WORK_CONTEXT) {
            context_grant(rnic, index, work_of(rnic, qp) == WORK_PACKET, now_cyc);
            return;
        }
        context_use(rnic, index, work == WORK_PACKET);
    }
    qp->context_free_cyc = now_cyc + rnic->params->context_loop;
    if (work == WORK_FETCH)
        grant_fetch(rnic, index, now_cyc);
    else if (work == WORK_RECORD)
        grant_record(rnic, index, now_cyc);
    else if (__builtin_expect(work == WORK_LOCAL, 0))
        local_begin(rnic, index, now_cyc);
    else
        frame_bytes = grant_packet(rnic, index, now_cyc);
    if (frame_bytes > 0)
        rnic_pay(rnic, index, frame_bytes);
    if (rnic->ready.in_order)
        granted_in_order(rnic, qp, now_cyc);
    else
        granted_by_policy(rnic, index, frame_bytes, qp->cut != cut || (rnic->grants_requests && work == WORK_FETCH),
                          now_cyc);
}

static inline __attribute__((always_inline)) int64_t next_grant(struct rnic *rnic, int64_t from_cyc, uint32_t *index,
                                                                enum work *work)
{
    return rnic->ready.in_order ? next_in_order(rnic, from_cyc, index, work)
                                : next_by_policy(rnic, from_cyc, index, work);
}

/* What has come since: rarely anything, so that is seen here. */
static inline int64_t take_inputs(struct rnic *rnic, int64_t now_cyc)
{
    const struct fifo *doorbells = &rnic->path[RNIC_DOORBELL].end, *wqes = &rnic->path[RNIC_WQE].end;
    int64_t doorbell = fifo_empty(doorbells) ? SIM_NEVER : fifo_front(doorbells)->head_cyc;
    int64_t wqe = fifo_empty(wqes) ? SIM_NEVER : fifo_front(wqes)->head_cyc, next = doorbell < wqe ? doorbell : wqe;
    return __builtin_expect(next <= now_cyc || rnic->has_more_inputs, 0) ? inputs_take(rnic, now_cyc) : next;
}

/* A packet of an answer. */
static void grant_answer(struct rnic *rnic, int64_t now_cyc)
{
    struct rnic_decision *account = &rnic->scheduling;
    account->items++;
    account->wait_cyc[RNIC_WAIT_INPUT] += now_cyc - rnic->scheduler_free_cyc;
    account->work_cyc += rnic->params->scheduler_interval;
    rnic->scheduler_free_cyc = now_cyc + rnic->params->scheduler_interval;
    answers_grant(rnic, now_cyc);
}

/* The same as decide() where answers have their turns beside requests, of which `index` is the next, at request_cyc. Returns the cycle of
 * the next grant. */
static __attribute__((noinline)) int64_t grant_either(struct rnic *rnic, int64_t now_cyc, int64_t request_cyc,
                                                      uint32_t index, enum work work)
{
    int64_t from_cyc = now_cyc > rnic->scheduler_free_cyc ? now_cyc : rnic->scheduler_free_cyc;
    int64_t answer_cyc = answers_grant_at(rnic, from_cyc);
    int has_request = request_cyc == now_cyc && index != ARBITER_NONE, has_answer = answer_cyc == now_cyc;
    if (has_answer && (!has_request || answers_go_first(rnic)))
        grant_answer(rnic, now_cyc);
    else if (has_request)
        grant(rnic, index, work, now_cyc);
    else
        return request_cyc < answer_cyc ? request_cyc : answer_cyc;
    rnic->answers.had_turn = has_answer && (!has_request || answers_go_first(rnic));
    request_cyc = next_grant(rnic, now_cyc + 1, &index, &work);
    answer_cyc = answers_grant_at(rnic, rnic->scheduler_free_cyc);
    return request_cyc < answer_cyc ? request_cyc : answer_cyc;
}

static inline __attribute__((always_inline)) int64_t run(struct rnic *rnic, int64_t now, int has_answers)
{
    int64_t now_cyc = now == rnic->scheduler_wake_ps ? rnic->scheduler_wake_cyc : rnic_cycle(rnic, now);
    if (now != rnic->scheduler_wake_ps && rnic_ps(rnic, now_cyc) != now)
        return rnic_ps(rnic, now_cyc); /* woken between two edges */
    int64_t input = take_inputs(rnic, now_cyc);
    uint32_t index = ARBITER_NONE;
    enum work work = WORK_NONE;
    if (!rnic->ready.in_order &&
        now_cyc >= rnic->scheduler_free_cyc) /* what each would do is seen when it can be granted */
        admit(rnic, now_cyc);
    int64_t at = next_grant(rnic, now_cyc, &index, &work);
    if (has_answers) {
        at = grant_either(rnic, now_cyc, at, index, work);
    } else if (at == now_cyc && index != ARBITER_NONE) {
        grant(rnic, index, work, now_cyc);
        at = next_grant(rnic, now_cyc + 1, &index, &work);
    }
    if (input < at)
        at = input;
    return at == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, at);
}

static int64_t decide(void *self, int64_t now)
{
    return run(self, now, 0);
}

/* What follows from a grant may wait as well. */
static void follow_waits(struct rnic *rnic)
{
    rnic->waits_for_read |= rnic->follow.waits_for_read;
    rnic->waits_for_space |= rnic->follow.waits_for_space;
}

static int64_t decide_and_follow(void *self, int64_t now)
{
    int64_t at = run(self, now, 0);
    follow_waits(self);
    return at;
}

static int64_t decide_with_answers(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t at = run(rnic, now, 1);
    if (rnic->grants_requests)
        follow_waits(rnic);
    return at;
}

void scheduler_grant_answers(struct rnic *rnic)
{
    sim_replace(rnic->sim, rnic->scheduler, decide_with_answers);
}

int scheduler_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    rnic->scheduler = sim_add(rnic->sim, rnic->params->grant == NIC_GRANT_REQUEST ? decide_and_follow : decide, rnic,
                              "scheduler", rnic->user_clk.whole);
    rnic->path[RNIC_DOORBELL].end.read_decider = rnic->scheduler;
    rnic->path[RNIC_WQE].end.read_decider = rnic->scheduler;
    path_entry(&rnic->path[RNIC_SCHED])->write_decider = rnic->scheduler;
    if (ready_init(&rnic->ready, &rnic->user_clk, rnic->params, error, error_bytes))
        return -1;
    if (follow_init(rnic, error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    rnic->waiting_first = QP_NONE;
    rnic->fetch_interval_cyc =
        rnic->params->wqe_fetch_interval > 0 ? rnic->params->wqe_fetch_interval : rnic->params->scheduler_interval;
    rnic->begun_limited =
        rnic->params->qp_requests < QP_REQUESTS_MOST || rnic->params->requests < REQUESTS_MOST || rnic->grants_requests;
    rnic->holds_requests = rnic->begun_limited;
    rnic->has_gates = rnic->begun_limited || rnic->contexts.on;
    rnic->has_more_inputs = rnic->fabric_source != NIC_FABRIC_OFF || rnic->contexts.on || rnic->grants_requests ||
                            rnic->path[RNIC_FETCH].count > 0 || rnic->receives_fetched.on;
    uint32_t requests = rnic->params->requests < REQUESTS_MOST ? (uint32_t)rnic->params->requests : 0;
    if (rnic->scheduler < 0 || heap_init(&rnic->eligible, 64) ||
        (requests > 0 && space_init_ones(&rnic->begun, rnic->sim, "requests", requests)))
        return -1;
    return payload_init(rnic, error, error_bytes);
}
