#include "nic/recover.h"

#include "nic/rnic.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- set up ---- */

int recover_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    rnic->recovers = rnic->setup.transport->recovery != TRANSPORT_RECOVERY_NONE &&
                     rnic->setup.transport->completion == TRANSPORT_COMPLETION_ACKED &&
                     rnic->params->fabric != NIC_FABRIC_STREAM; /* which cannot be read twice */
    if (selective_init(rnic, error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    if (rnic->recovers)
        rnic->recovered = malloc(RECOVER_EVENTS * sizeof *rnic->recovered);
    return (rnic->recovers && !rnic->recovered) || heap_init(&rnic->timers, 16) || heap_init(&rnic->missed, 16) ? -1
                                                                                                                : 0;
}

void recover_free(struct rnic *rnic)
{
    heap_free(&rnic->timers);
    heap_free(&rnic->missed);
    free(rnic->recovered);
    selective_free(rnic);
}

/* Whole cycles that take so long, or a part of one longer. */
static int64_t cycles_of(const struct rnic *rnic, int64_t ps)
{
    return ps == 0 ? 0 : rnic_cycle(rnic, rnic_ps(rnic, 0) + ps);
}

/* The timer's next run. */
static struct retry_step step_of(const struct rnic *rnic, const struct recovery *recovery)
{
    return retry_step(rnic->setup.transport, recovery->retry.timeout, recovery->expired, rnic->user_clk.whole);
}

void recover_open(const struct rnic *rnic, struct qp *qp, const struct retry *retry)
{
    const struct transport_params *params = rnic->setup.transport;
    struct recovery *recovery = &qp->recovery;
    recovery->retry = retry ? *retry : retry_of(params);
    recovery->retries_left = recovery->retries_most = retry_most(params, &recovery->retry);
    recovery->rnr_left = recovery->retry.rnr_retry;
    qp->requester.window = (uint32_t)params->window;
    if (rnic->recovers && !qp->is_unreliable)
        recovery->timeout_cyc = cycles_of(rnic, step_of(rnic, recovery).wait_ps);
}

/* ---- timers ---- */

static void set_timer(struct rnic *rnic, uint32_t index, int64_t due_cyc)
{
    struct recovery *recovery = &rnic->qp[index].recovery;
    recovery->due_cyc = due_cyc;
    if (recovery->entry_cyc != 0 && recovery->entry_cyc <= due_cyc)
        return; /* it will be put off then */
    recovery->entry_cyc = due_cyc;
    model_assert(rnic->sim, heap_put(&rnic->timers, due_cyc, index, index) == 0, "out of memory");
    rnic_wake_retire(rnic, due_cyc);
}

static int64_t next_run_cyc(const struct rnic *rnic, const struct recovery *recovery)
{
    return recovery->expired == 0 ? recovery->timeout_cyc : cycles_of(rnic, step_of(rnic, recovery).wait_ps);
}

/* Entries of timers that do not run would only keep a simulation from being quiet. */
static void forget_stopped(struct rnic *rnic, int64_t now_cyc)
{
    const struct heap_entry *first;
    while ((first = heap_first(&rnic->timers)) != 0) {
        struct recovery *recovery = &rnic->qp[first->ref].recovery;
        int is_own = recovery->entry_cyc == first->at;
        if (is_own && recovery->due_cyc != 0)
            return;
        if (is_own)
            recovery->entry_cyc = 0;
        heap_take(&rnic->timers);
        rnic->retire_other_cyc = now_cyc; /* what is next then is to be found */
    }
}

/* It begins now, if there is anything to wait for. */
static void restart_timer(struct rnic *rnic, struct qp *qp, int64_t now_cyc)
{
    struct recovery *recovery = &qp->recovery;
    if (recovery->waits)
        return;
    if (recovery->timeout_cyc == 0 || qp->requester.psn_oldest == requester_end(&qp->requester)) {
        recovery->due_cyc = 0;
        forget_stopped(rnic, now_cyc);
    } else
        set_timer(rnic, rnic_qp_index(rnic, qp), now_cyc + next_run_cyc(rnic, recovery));
}

void recover_begin_timer(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    const struct recovery *recovery = &rnic->qp[index].recovery;
    if (recovery->timeout_cyc > 0 && !recovery->waits)
        set_timer(rnic, index, now_cyc + next_run_cyc(rnic, recovery));
}

void recover_progress(struct rnic *rnic, struct qp *qp, int64_t now_cyc)
{
    qp->recovery.retries_left = qp->recovery.retries_most;
    qp->recovery.rnr_left = qp->recovery.retry.rnr_retry;
    qp->recovery.rnr_since_ps = 0;
    qp->recovery.expired = 0;
    restart_timer(rnic, qp, now_cyc);
}

/* ---- back ---- */

static struct message *request_at(const struct rnic *rnic, const struct qp *qp, uint32_t request)
{
    return rnic_message(rnic, qp->send[request & qp->send_mask]);
}

/* Whether going back to this PSN leaves the request alone: it is acknowledged in effect, or lies before what is to be sent. With
 * selective repeat an answer that has not come is asked for when that is known to be lost. */
static int is_passed(const struct rnic *rnic, const struct message *message, uint32_t psn)
{
    if (!message->cut)
        return 0;
    if (message_is_answered(message) && !rnic->selective.on)
        return message->answered;
    return psn_difference(psn, message->last_psn) > 0;
}

void recover_go_to(struct rnic *rnic, struct qp *qp, uint32_t psn, int64_t now_cyc)
{
    uint32_t request = qp->acked, answer_psns = 0;
    for (; request != qp->fetched; request++) {
        const struct message *passed = request_at(rnic, qp, request);
        if (!is_passed(rnic, passed, psn))
            break;
        if (message_is_answered(passed))
            answer_psns += message_psns(passed, qp->mtu_bytes) - 1;
    }
    const struct message *next = request == qp->fetched ? 0 : request_at(rnic, qp, request);
    qp->cut = request;
    qp->offset_bytes = 0;
    if (!next || !next->numbered) {
        psn = requester_end(&qp->requester);
    } else if (message_is_answered(next)) {
        uint32_t here = next->returned_bytes / qp->mtu_bytes;
        psn = psn_add(next->first_psn, here);
        answer_psns += here;
    } else if (psn_difference(psn, next->first_psn) > 0) {
        qp->offset_bytes = (uint32_t)psn_difference(psn, next->first_psn) * qp->mtu_bytes;
    } else {
        psn = next->first_psn;
    }
    requester_go_to(&qp->requester, psn, answer_psns);
    qp->has_context = 0;                                              /* what was fetched is another packet's */
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, now_cyc + 1)); /* it may have been its turn, and is no more */
}

/* It has gone back, and why. */
static void note(struct rnic *rnic, uint32_t index, enum recover_cause cause)
{
    uint64_t count = 0;
    for (int i = 0; i < RECOVER_CAUSES; i++)
        count += rnic->retransmits[i];
    rnic->retransmits[cause]++;
    if (count < RECOVER_EVENTS)
        rnic->recovered[count] =
            (struct recover_event){rnic->sim->now, index, rnic->qp[index].requester.psn_next, cause};
}

/* Nothing is sent until then. */
static void wait_until(struct rnic *rnic, uint32_t index, int64_t cyc)
{
    rnic->qp[index].requester.window = 0;
    rnic->qp[index].recovery.waits = 1;
    set_timer(rnic, index, cyc);
}

/* The QP sends again from the PSN on. Returns 0, or with which status it fails: it has done so too often. */
static uint32_t try_again(struct rnic *rnic, uint32_t index, uint32_t psn, enum recover_cause cause, int costs,
                          int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    struct recovery *recovery = &qp->recovery;
    if (recovery->waits)
        return 0; /* it is about to */
    if (costs && recovery->retries_left == 0)
        return MESSAGE_RETRY_EXCEEDED;
    recovery->retries_left -= (uint8_t)costs;
    recover_go_to(rnic, qp, psn, now_cyc);
    note(rnic, index, cause);
    wait_until(rnic, index, now_cyc + rnic->params->retransmit_latency);
    return 0;
}

/* Selective repeat: the NAK told of something that is lost and not sent again yet, unless that is under way. */
static uint32_t repair(struct rnic *rnic, uint32_t index, uint32_t missing_psn, int64_t now_cyc)
{
    const struct qp *qp = &rnic->qp[index];
    uint32_t lost = selective_next(rnic, qp, missing_psn);
    if (requester_repeats(&qp->requester, qp->requester.psn_next) || lost == requester_end(&qp->requester))
        return 0;
    if (lost != missing_psn) /* no reason to give the oldest more time */
        rnic->selective.qp[index].timer_cyc = qp->recovery.due_cyc;
    return try_again(rnic, index, lost, RECOVER_NAK, lost == missing_psn, now_cyc);
}

/* ---- what is missing of answers ---- */

/* The first READ or atomic whose answer has not come whole; qp->fetched: there is none. */
static uint32_t first_unanswered(const struct rnic *rnic, const struct qp *qp)
{
    uint32_t request = qp->acked;
    if (qp->answers_here == qp->answers_cut)
        return qp->fetched;
    for (; request != qp->fetched; request++) {
        const struct message *message = request_at(rnic, qp, request);
        if (!message->cut)
            return qp->fetched;
        if (message_is_answered(message) && !message->answered)
            break;
    }
    return request;
}

void recover_answer_missed(struct rnic *rnic, uint32_t index, int64_t cyc)
{
    rnic->qp[index].recovery.is_implied = 1;
    model_assert(rnic->sim, heap_put(&rnic->missed, cyc + 1, index, index) == 0, "out of memory");
    rnic_wake_retire(rnic, cyc + 1);
}

/* ---- ACKs and NAKs ---- */

int recover_take_ack(struct rnic *rnic, uint32_t index, const struct item *ack, uint32_t *psn, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    int is_nak = ack->status != MESSAGE_OK;
    if (psn_difference(ack->psn, requester_end(&qp->requester)) >= 0 ||
        (is_nak && psn_difference(ack->psn, qp->requester.psn_oldest) < 0))
        return 0;
    if (rnic->selective.on && ack->status == MESSAGE_RETRY_EXCEEDED)
        selective_told(rnic, ack);
    uint32_t missing = first_unanswered(rnic, qp);
    if (missing == qp->fetched || psn_difference(request_at(rnic, qp, missing)->last_psn, *psn) > 0)
        return 1;
    if (rnic->selective.on)
        selective_came(rnic, qp, psn_add(request_at(rnic, qp, missing)->last_psn, 1), *psn);
    *psn = psn_add(request_at(rnic, qp, missing)->first_psn, PSN_MASK);
    if (!qp->recovery.is_implied)
        recover_answer_missed(rnic, index, now_cyc);
    return 1;
}

void recover_acknowledged(struct rnic *rnic, struct qp *qp, uint32_t packets, int64_t now_cyc)
{
    if (packets == 0)
        return;
    if (rnic->selective.on)
        selective_forget(rnic, qp, packets);
    if (psn_difference(qp->requester.psn_oldest, qp->requester.psn_next) >
        0) { /* what it goes back to had come after all */
        uint32_t oldest = qp->requester.psn_oldest;
        recover_go_to(rnic, qp, rnic->selective.on ? selective_next(rnic, qp, oldest) : oldest, now_cyc);
    }
    recover_progress(rnic, qp, now_cyc);
}

/* Has it been told so for long, while nobody has seen anything else? */
static void look_if_stuck(struct rnic *rnic, struct recovery *recovery)
{
    struct outbox *outbox = rnic->setup.outbox;
    if (recovery->rnr_since_ps == 0)
        recovery->rnr_since_ps = rnic->sim->now;
    int64_t since_ps = recovery->rnr_since_ps > outbox->released_ps ? recovery->rnr_since_ps : outbox->released_ps;
    if (rnic->sim->now - since_ps > RECOVER_STUCK_PS)
        outbox->is_stuck = rnic->sim->stop = 1;
}

uint32_t recover_after_nak(struct rnic *rnic, uint32_t index, const struct item *nak, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    struct recovery *recovery = &qp->recovery;
    if (nak->status == MESSAGE_RETRY_EXCEEDED)
        return rnic->selective.on ? repair(rnic, index, nak->psn, now_cyc)
                                  : try_again(rnic, index, nak->psn, RECOVER_NAK, 1, now_cyc);
    if (nak->status != MESSAGE_RNR_EXCEEDED)
        return nak->status;
    if (recovery->rnr_left == 0)
        return MESSAGE_RNR_EXCEEDED;
    if (recovery->retry.rnr_retry != RETRY_RNR_FOR_EVER)
        recovery->rnr_left--;
    else
        look_if_stuck(rnic, recovery);
    if (rnic->selective.on)
        selective_lose(rnic, qp, nak->psn);
    recover_go_to(rnic, qp, nak->psn, now_cyc);
    note(rnic, index, RECOVER_RNR);
    wait_until(rnic, index, now_cyc + cycles_of(rnic, retry_rnr_ps(rnic->peer->qp[qp->peer].recovery.retry.rnr_timer)));
    return 0;
}

/* ---- in retire's decision ---- */

/* The timer has ended. */
static uint32_t end_timer(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    struct recovery *recovery = &qp->recovery;
    recovery->due_cyc = 0;
    if (!recovery->waits) {
        struct retry_step step = step_of(rnic, recovery);
        recovery->is_implied = 0;
        if (recovery->expired < UINT8_MAX)
            recovery->expired++;
        if (rnic->selective.on)
            selective_lose_again(rnic, qp);
        if (step.repeats)
            return try_again(rnic, index, qp->requester.psn_oldest, RECOVER_TIMEOUT, step.costs, now_cyc);
        restart_timer(rnic, qp, now_cyc);
        return 0;
    }
    recovery->waits = 0;
    qp->requester.window = (uint32_t)rnic->setup.transport->window;
    int64_t timer_cyc = rnic->selective.on ? rnic->selective.qp[index].timer_cyc : 0;
    if (timer_cyc > now_cyc)
        set_timer(rnic, index, timer_cyc);
    else
        restart_timer(rnic, qp, now_cyc);
    if (timer_cyc > 0)
        rnic->selective.qp[index].timer_cyc = 0;
    scheduler_kick(rnic, index, now_cyc + 1, QP_WAIT_RETRY);
    return 0;
}

int recover_run(struct rnic *rnic, int64_t now_cyc, uint32_t *index, uint32_t *status)
{
    const struct heap_entry *first;
    while ((first = heap_first(&rnic->missed)) != 0 && first->at <= now_cyc) {
        *index = (uint32_t)heap_take(&rnic->missed).ref;
        struct qp *qp = &rnic->qp[*index];
        if (qp->failed)
            continue; /* what it flushes was perhaps never fetched */
        uint32_t missing = first_unanswered(rnic, qp);
        if (missing == qp->fetched)
            continue;
        *status = try_again(rnic, *index, request_at(rnic, qp, missing)->first_psn, RECOVER_IMPLIED, 1, now_cyc);
        return 1;
    }
    while ((first = heap_first(&rnic->timers)) != 0 && first->at <= now_cyc) {
        struct heap_entry entry = heap_take(&rnic->timers);
        *index = (uint32_t)entry.ref;
        struct recovery *recovery = &rnic->qp[*index].recovery;
        if (recovery->entry_cyc != entry.at)
            continue; /* another has taken its place */
        recovery->entry_cyc = 0;
        if (recovery->due_cyc == 0 || rnic->qp[*index].failed)
            continue;
        if (recovery->due_cyc > now_cyc) {
            set_timer(rnic, *index, recovery->due_cyc);
            continue;
        }
        *status = end_timer(rnic, *index, now_cyc);
        return 1;
    }
    return 0;
}

int64_t recover_next_cyc(const struct rnic *rnic)
{
    const struct heap_entry *timer = heap_first(&rnic->timers), *missed = heap_first(&rnic->missed);
    int64_t next = timer ? timer->at : SIM_NEVER;
    return missed && missed->at < next ? missed->at : next;
}
