/* write_bw and send_bw: each QP is filled up to its depth, then the CQ is polled once, again and again. A signalled request stands for
 * cq_mod of them, so with a depth of 128 and a moderation of 100 the window opens by 100: between 28 and 128 are outstanding. */
#include "bench/perftest/program.h"

enum { FILL, POLL_RECEIVES, POLL_SENDS };

static int is_by_time(const struct perftest_side *side)
{
    return side->run->options.duration_s > 0;
}

static int is_timed_out(const struct perftest_side *side)
{
    return is_by_time(side) && perftest_time(side) == PERFTEST_END;
}

static uint64_t all(const struct perftest_side *side)
{
    return side->run->options.iters * side->run->options.qps;
}

static void count_sample(struct perftest_side *side, uint64_t messages)
{
    if (is_by_time(side) && perftest_time(side) == PERFTEST_SAMPLE)
        side->sampled += messages;
}

static int has_room(const struct perftest_side *side, const struct perftest_qp *qp)
{
    const struct perftest_options *options = &side->run->options;
    return (is_by_time(side) || qp->sent < options->iters) &&
           qp->sent - qp->completed + options->post_list <= options->tx_depth;
}

/* Which requests are signalled: number cq_mod, 2 cq_mod, ... of a QP, and its last. */
static void post(struct perftest_side *side, uint32_t index)
{
    const struct perftest_options *o = &side->run->options;
    struct perftest_qp *qp = &side->qp[index];
    int is_last = !is_by_time(side) && qp->sent == o->iters - 1;
    if (o->post_list == 1 && o->cq_mod > 1 && qp->sent % o->cq_mod == 0 && !is_last)
        qp->is_signalled = 0;
    if (!o->no_peak)
        side->posted_cyc[side->sent] = perftest_tsc(side);
    perftest_post_list(side, index);
    qp->sent += o->post_list;
    side->sent += o->post_list;
    if (o->post_list == 1 && (qp->sent % o->cq_mod == o->cq_mod - 1 || (!is_by_time(side) && qp->sent == o->iters - 1)))
        qp->is_signalled = 1;
}

/* Posts on the next QP with room; 0: none has any. */
static int fill(struct perftest_side *side)
{
    const struct perftest_options *options = &side->run->options;
    for (; side->index < options->qps; side->index++)
        if (has_room(side, &side->qp[side->index])) {
            post(side, side->index);
            return 1;
        }
    side->index = 0;
    return 0;
}

static void completed(struct perftest_side *side, uint32_t qp)
{
    const struct perftest_options *options = &side->run->options;
    side->qp[qp].completed += options->cq_mod;
    side->completed += options->cq_mod;
    if (!options->no_peak)
        side->completed_cyc[side->completed > all(side) ? all(side) - 1 : side->completed - 1] = perftest_tsc(side);
    count_sample(side, options->cq_mod);
}

/* One call of ibv_poll_cq on the send CQ; how many it returned. */
static uint32_t poll_sends(struct perftest_side *side)
{
    uint32_t count = 0, qp;
    while (count < PERFTEST_POLL_BATCH && perftest_ring_take(&side->send_cq, &qp)) {
        completed(side, qp);
        count++;
    }
    return count;
}

static int is_sent(const struct perftest_side *side)
{
    return is_by_time(side) ? is_timed_out(side) : side->sent >= all(side) && side->completed >= all(side);
}

/* Without peak, only the first and the last instant are kept. */
static void end(struct perftest_side *side)
{
    if (side->run->options.no_peak && !is_by_time(side))
        side->completed_cyc[0] = perftest_tsc(side);
    perftest_end(side);
}

void perftest_bw_client(struct perftest_side *side)
{
    for (;;) {
        if (is_sent(side)) {
            end(side);
            return;
        }
        if (side->phase == FILL && fill(side))
            return;
        side->phase = FILL;
        if (poll_sends(side) == 0) { /* the loop spins: nothing changes before another CQE is there */
            perftest_wait(side);
            return;
        }
    }
}

/* A receive CQE was polled; 1: another buffer was posted, which took time. */
static int received(struct perftest_side *side, uint32_t qp)
{
    const struct perftest_options *options = &side->run->options;
    side->heard++;
    count_sample(side, 1);
    if (!is_by_time(side) && side->qp[qp].receives_posted + 1 > options->iters)
        return 0;
    perftest_post_receive(side, qp);
    return 1;
}

void perftest_send_bw_server(struct perftest_side *side)
{
    uint32_t qp;
    for (;;) {
        if (is_by_time(side) ? is_timed_out(side) : side->heard >= all(side)) {
            perftest_end(side);
            return;
        }
        if (!perftest_ring_take(&side->recv_cq, &qp)) {
            perftest_wait(side);
            return;
        }
        if (received(side, qp))
            return;
    }
}

static int is_both_done(const struct perftest_side *side)
{
    if (is_by_time(side))
        return is_timed_out(side);
    return side->completed >= all(side) && side->heard >= all(side);
}

/* Both ways: fill, then all receive CQEs that are there (each buffer is posted again), then one poll of the send CQ. The server does
 * not begin to send before the first message has come. */
void perftest_send_bw_both(struct perftest_side *side)
{
    uint32_t qp;
    for (;;) {
        if (is_both_done(side)) {
            end(side);
            return;
        }
        if (side->phase == FILL && side->has_begun && fill(side))
            return;
        int got = side->phase == POLL_RECEIVES;
        while (perftest_ring_take(&side->recv_cq, &qp)) {
            side->has_begun = got = 1;
            side->phase = POLL_RECEIVES;
            if (received(side, qp))
                return;
        }
        got |= poll_sends(side) > 0;
        side->phase = FILL;
        if (!got) {
            perftest_wait(side);
            return;
        }
    }
}
