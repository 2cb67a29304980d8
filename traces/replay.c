#include "traces/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/replay_ready.h"
#include "traces/replay_source.h"
#include "traces/replay_wait.h"

#define HOSTS 2u
#define PS_PER_NS 1000
#define EVENTS_AT_ONCE 64u
#define NONE UINT32_MAX

struct thread {
    int64_t posted_at_ps;  /* its last post; 0: none yet */
    int64_t not_before_ps; /* its queue was full: retry */
    uint32_t count;        /* records of the doorbell that is next; 0: nothing left */
    uint32_t next_waiting; /* in its QP's list */
    int was_full;
};

struct trace_replay {
    struct trace_replay_scan scan;
    struct trace_replay_source *source;
    const struct trace_header *header;
    struct thread *threads;
    struct trace_replay_ready ready; /* threads whose next post has a time */
    struct trace_replay_wait wait;   /* what has happened on each QP */
    uint32_t *waiting;               /* by QP: the first thread that waits for it */
    struct rnicsim_wr *requests;     /* the doorbell to be rung */
    struct rnicsim_recv *buffers;
    uint32_t doorbell_room;
    uint64_t late_line; /* of a post that would come after RNICSIM_TIME_MAX; 0: none */
    struct trace_replay_counts counts;
};

static int out_of_memory(const struct trace_replay *replay, struct rnicsim_error *error)
{
    trace_fail(error, "%.200s: out of memory for a replay", replay->scan.path);
    return RNICSIM_EINPUT;
}

static int allocate(struct trace_replay *replay, struct rnicsim_error *error)
{
    uint32_t threads = replay->scan.thread_count;
    size_t qps = replay->header->qp_count;
    for (size_t i = 0; i < qps; i++) {
        const struct trace_qp *qp = &replay->header->qps[i];
        replay->doorbell_room = qp->sq_depth > replay->doorbell_room ? qp->sq_depth : replay->doorbell_room;
        replay->doorbell_room = qp->rq_depth > replay->doorbell_room ? qp->rq_depth : replay->doorbell_room;
    }
    replay->threads = calloc(threads, sizeof *replay->threads);
    replay->waiting = malloc(qps * sizeof *replay->waiting);
    replay->requests = calloc(replay->doorbell_room, sizeof *replay->requests);
    replay->buffers = calloc(replay->doorbell_room, sizeof *replay->buffers);
    if (replay->threads == NULL || replay->waiting == NULL || replay->requests == NULL || replay->buffers == NULL ||
        trace_replay_ready_init(&replay->ready, threads) != 0 ||
        trace_replay_wait_init(&replay->wait, qps, replay->scan.any_think) != 0)
        return out_of_memory(replay, error);
    for (size_t i = 0; i < qps; i++)
        replay->waiting[i] = NONE;
    return RNICSIM_OK;
}

int trace_replay_open(const char *path, struct trace_replay **out, struct rnicsim_error *error)
{
    struct trace_replay *replay = calloc(1, sizeof *replay);
    *out = NULL;
    if (replay == NULL) {
        trace_fail(error, "%.200s: out of memory for a replay", path);
        return RNICSIM_EINPUT;
    }
    if (trace_replay_scan_file(&replay->scan, path, error) != 0) {
        free(replay);
        return RNICSIM_EINPUT;
    }
    replay->counts.requests = replay->scan.requests;
    replay->counts.receives = replay->scan.receives;
    int result = RNICSIM_EINPUT;
    if (trace_replay_source_open(&replay->scan, &replay->source, error) == 0) {
        replay->header = trace_replay_source_header(replay->source);
        result = allocate(replay, error);
    }
    if (result != RNICSIM_OK)
        trace_replay_close(replay);
    else
        *out = replay;
    return result;
}

void trace_replay_counts(const struct trace_replay *replay, struct trace_replay_counts *out)
{
    *out = replay->counts;
}

int trace_replay_create_objects(struct trace_replay *replay, struct rnicsim *sim, struct rnicsim_error *error)
{
    const struct trace_header *header = replay->header;
    int result = RNICSIM_OK;
    for (size_t i = 0; result == RNICSIM_OK && i < header->qp_count; i++) {
        const struct trace_qp *qp = &header->qps[i];
        struct rnicsim_qp_attr attr = {
            .host = qp->host,
            .qpn = qp->qpn,
            .peer_host = qp->peer_host,
            .peer_qpn = qp->peer_qpn,
            .mtu_bytes = qp->mtu,
            .transport = qp->type == TRACE_UC   ? RNICSIM_UC
                         : qp->type == TRACE_UD ? RNICSIM_UD
                                                : RNICSIM_RC,
            .sq_depth = qp->sq_depth,
            .rq_depth = qp->rq_depth,
            .max_inline_bytes = qp->max_inline,
            .signal_all = (int)qp->sig_all,
            .service_level = qp->service_level,
            .weight = qp->weight,
            .rate_bps = (int64_t)qp->rate_bps,
            .max_rd_atomic = !replay->scan.has_answered || qp->type != TRACE_RC ? 0
                             : qp->rd_atomic > 0                                ? qp->rd_atomic
                                                                                : TRACE_RD_ATOMIC,
        };
        result = rnicsim_qp_create(sim, &attr, error);
    }
    for (size_t i = 0; result == RNICSIM_OK && i < header->mr_count; i++) {
        const struct trace_mr *mr = &header->mrs[i];
        struct rnicsim_mr_attr attr = {.host = mr->host,
                                       .key = mr->key,
                                       .base = mr->base,
                                       .length_bytes = mr->length,
                                       .page_bytes = mr->page_bytes,
                                       .access = mr->access | RNICSIM_ACCESS_NO_MORE};
        /* A region of a host that is not simulated says nothing here. */
        if (mr->host < HOSTS)
            result = rnicsim_mr_register(sim, &attr, error);
    }
    return result;
}

static uint32_t qp_index(const struct trace_replay *replay, uint32_t host, uint32_t qpn)
{
    uint32_t index = NONE;
    trace_map_get(&replay->header->qp_index, trace_map_key(host, qpn), &index);
    return index;
}

/* When the doorbell's terms have come to hold, RNICSIM_NEVER while they do not. */
static int64_t terms_hold_at(const struct trace_replay *replay, uint32_t index, const struct thread *thread,
                             const struct trace_replay_post *post)
{
    const struct trace_dep *dep = &post->dep;
    int64_t think_ps = (int64_t)dep->think_ns * PS_PER_NS;
    if (dep->term[0].kind == TRACE_DEP_NONE)
        return post->t_ps;
    if (dep->term[0].kind == TRACE_DEP_POST)
        return thread->posted_at_ps + think_ps;
    int64_t at_ps = 0;
    for (int i = 0; i < 2 && dep->term[i].kind != TRACE_DEP_NONE; i++) {
        int64_t holds_at_ps = trace_replay_wait_since(&replay->wait, index, dep->term[i].kind, dep->term[i].count);
        if (holds_at_ps == RNICSIM_NEVER)
            return RNICSIM_NEVER;
        at_ps = holds_at_ps > at_ps ? holds_at_ps : at_ps;
    }
    return at_ps + think_ps;
}

static void wait_for_qp(struct trace_replay *replay, uint32_t number, uint32_t index)
{
    replay->threads[number].next_waiting = replay->waiting[index];
    replay->waiting[index] = number;
}

/* Gives the thread's next doorbell its time, or lets it wait for its QP. */
static void place(struct trace_replay *replay, uint32_t number)
{
    struct thread *thread = &replay->threads[number];
    if (thread->count == 0)
        return;
    const struct trace_replay_post *post = trace_replay_source_post(replay->source, number, 0);
    uint32_t index = qp_index(replay, post->host, post->qpn);
    int64_t at_ps = terms_hold_at(replay, index, thread, post);
    if (at_ps == RNICSIM_NEVER) {
        wait_for_qp(replay, number, index);
        return;
    }
    at_ps = at_ps > thread->posted_at_ps ? at_ps : thread->posted_at_ps; /* program order */
    at_ps = at_ps > thread->not_before_ps ? at_ps : thread->not_before_ps;
    if (at_ps > RNICSIM_TIME_MAX)
        replay->late_line = post->line; /* told by the loop */
    else
        trace_replay_ready_put(&replay->ready, at_ps, number);
}

static int take_next(struct trace_replay *replay, uint32_t number, struct rnicsim_error *error)
{
    int64_t count = trace_replay_source_next(replay->source, number, error);
    if (count < 0)
        return RNICSIM_EINPUT;
    replay->threads[number].count = (uint32_t)count;
    replay->threads[number].was_full = 0;
    place(replay, number);
    return RNICSIM_OK;
}

static int ring_send(struct trace_replay *replay, struct rnicsim *sim, uint32_t number, int64_t at_ps,
                     struct rnicsim_error *error)
{
    uint32_t count = replay->threads[number].count;
    const struct trace_replay_post *first = trace_replay_source_post(replay->source, number, 0);
    /* Open loop: due at its own time, however late the thread or its queue let it be posted. */
    uint32_t arrival = first->dep.term[0].kind == TRACE_DEP_NONE ? RNICSIM_HAS_ARRIVAL : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct trace_replay_post *post = trace_replay_source_post(replay->source, number, i);
        replay->requests[i] = (struct rnicsim_wr){
            .wr_id = post->wr_id,
            .local_address = post->local_address,
            .remote_address = post->remote_address,
            .lkey = post->lkey,
            .rkey = post->rkey,
            .length_bytes = post->length_bytes,
            .immediate = post->immediate,
            .opcode = post->opcode,
            .flags = post->flags | arrival,
            .arrival_ps = first->t_ps,
            .sge = post->sge,
            .sge_count = post->sge_count,
        };
    }
    return rnicsim_post_send(sim, first->host, first->qpn, replay->requests, count, at_ps, error);
}

static int ring_recv(struct trace_replay *replay, struct rnicsim *sim, uint32_t number, int64_t at_ps,
                     struct rnicsim_error *error)
{
    uint32_t count = replay->threads[number].count;
    const struct trace_replay_post *first = trace_replay_source_post(replay->source, number, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct trace_replay_post *post = trace_replay_source_post(replay->source, number, i);
        replay->buffers[i] = (struct rnicsim_recv){.wr_id = post->wr_id,
                                                   .address = post->local_address,
                                                   .lkey = post->lkey,
                                                   .length_bytes = post->length_bytes,
                                                   .sge = post->sge,
                                                   .sge_count = post->sge_count};
    }
    return rnicsim_post_recv(sim, first->host, first->qpn, replay->buffers, count, at_ps, error);
}

static int is_queue_full(int result, const struct rnicsim_error *error)
{
    return result == RNICSIM_EINPUT && strstr(error->text, "queue full") != NULL;
}

/* Rings the thread's doorbell; a full queue makes it wait for the QP's next event. */
static int ring(struct trace_replay *replay, struct rnicsim *sim, uint32_t number, int64_t at_ps,
                struct rnicsim_error *error)
{
    struct thread *thread = &replay->threads[number];
    const struct trace_replay_post *post = trace_replay_source_post(replay->source, number, 0);
    struct rnicsim_error reason;
    int result =
        post->is_recv ? ring_recv(replay, sim, number, at_ps, &reason) : ring_send(replay, sim, number, at_ps, &reason);
    if (is_queue_full(result, &reason)) {
        replay->counts.queue_full += !thread->was_full;
        thread->was_full = 1;
        wait_for_qp(replay, number, qp_index(replay, post->host, post->qpn));
        return RNICSIM_OK;
    }
    if (result != RNICSIM_OK) {
        trace_replay_scan_locate(&replay->scan, post->line, reason.text, error);
        return result;
    }
    if (post->is_recv)
        replay->counts.posted_receives += thread->count;
    else
        replay->counts.posted_requests += thread->count;
    thread->posted_at_ps = at_ps;
    trace_replay_source_drop(replay->source, number, thread->count);
    return take_next(replay, number, error);
}

static void hear(struct trace_replay *replay, const struct rnicsim_event *event)
{
    uint32_t index = qp_index(replay, event->host, event->qpn);
    if (index == NONE)
        return;
    trace_replay_wait_hear(&replay->wait, index, event);
    uint32_t number = replay->waiting[index];
    replay->waiting[index] = NONE;
    while (number != NONE) {
        uint32_t next = replay->threads[number].next_waiting;
        if (replay->threads[number].was_full)
            replay->threads[number].not_before_ps = event->at_ps;
        place(replay, number);
        number = next;
    }
}

/* How many events there were. */
static size_t poll(struct trace_replay *replay, struct rnicsim *sim, trace_replay_event *report, void *context)
{
    struct rnicsim_event events[EVENTS_AT_ONCE];
    size_t total = 0, count;
    while ((count = rnicsim_poll(sim, events, EVENTS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < count; i++) {
            hear(replay, &events[i]);
            report(context, &events[i]);
        }
        total += count;
    }
    return total;
}

/* Rings every doorbell whose time has come. */
static int ring_due(struct trace_replay *replay, struct rnicsim *sim, struct rnicsim_error *error)
{
    int64_t now_ps = rnicsim_now(sim);
    uint32_t number;
    int result = RNICSIM_OK;
    while (result == RNICSIM_OK && trace_replay_ready_take(&replay->ready, now_ps, &number))
        result = ring(replay, sim, number, now_ps, error);
    return result;
}

/* What went wrong where no error could be told. */
static int check(const struct trace_replay *replay, struct rnicsim_error *error)
{
    if (replay->wait.failed)
        return out_of_memory(replay, error);
    if (replay->late_line == 0)
        return RNICSIM_OK;
    trace_replay_scan_locate(&replay->scan, replay->late_line,
                             "would be posted after 2^62 ps, think time included; up to 2^62 is allowed", error);
    return RNICSIM_EINPUT;
}

int trace_replay_run(struct trace_replay *replay, struct rnicsim *sim, int64_t until_ps, trace_replay_event *event,
                     void *context, struct rnicsim_error *error)
{
    int result = RNICSIM_OK, moving = 1;
    for (uint32_t i = 0; result == RNICSIM_OK && i < replay->scan.thread_count; i++)
        result = take_next(replay, i, error);
    while (result == RNICSIM_OK && moving) {
        result = ring_due(replay, sim, error);
        if (result == RNICSIM_OK)
            result = check(replay, error);
        if (result != RNICSIM_OK)
            break;
        int64_t next_ps = trace_replay_ready_at(&replay->ready), stopped_at_ps;
        next_ps = next_ps < until_ps ? next_ps : until_ps;
        if ((next_ps == RNICSIM_NEVER && rnicsim_next_at(sim) == RNICSIM_NEVER) || rnicsim_now(sim) >= until_ps)
            moving = 0;
        else
            result = rnicsim_advance(sim, next_ps, &stopped_at_ps, error);
        moving &= next_ps != RNICSIM_NEVER || !rnicsim_is_stuck(sim);
        moving |= poll(replay, sim, event, context) > 0; /* what it heard may have gone wrong: the next round checks */
    }
    return result;
}

int trace_replay_is_whole(const struct trace_replay *replay)
{
    return replay->counts.posted_requests == replay->counts.requests &&
           replay->counts.posted_receives == replay->counts.receives;
}

int trace_replay_explain(const struct trace_replay *replay, uint32_t index, struct rnicsim_error *text)
{
    if (index >= replay->scan.thread_count)
        return -1;
    if (replay->threads[index].count == 0)
        return 0;
    const struct trace_replay_post *post = trace_replay_source_post(replay->source, index, 0);
    uint32_t qp = qp_index(replay, post->host, post->qpn);
    char what[256];
    size_t used = (size_t)snprintf(what, sizeof what, "host %u, QP %u: not posted; waits for", post->host, post->qpn);
    if (replay->threads[index].was_full)
        used += (size_t)snprintf(what + used, sizeof what - used, " room in its queue");
    for (int i = 0; !replay->threads[index].was_full && i < 2 && post->dep.term[i].count != 0; i++)
        used +=
            (size_t)snprintf(what + used, sizeof what - used, "%s %s:%u (there were %llu)", i == 0 ? "" : " and",
                             trace_dep_kind_name(post->dep.term[i].kind), post->dep.term[i].count,
                             (unsigned long long)trace_replay_wait_count(&replay->wait, qp, post->dep.term[i].kind));
    trace_replay_scan_locate(&replay->scan, post->line, what, text);
    return 1;
}

void trace_replay_close(struct trace_replay *replay)
{
    if (replay == NULL)
        return;
    trace_replay_source_close(replay->source);
    trace_replay_ready_free(&replay->ready);
    trace_replay_wait_free(&replay->wait);
    trace_replay_scan_free(&replay->scan);
    free(replay->threads);
    free(replay->waiting);
    free(replay->requests);
    free(replay->buffers);
    free(replay);
}
