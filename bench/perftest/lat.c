/* write_lat and send_lat: a ping-pong of one message each way. read_lat and atomic_lat: one request after the other, of the client alone. */
#include "bench/perftest/program.h"

enum { TOP, HEAR, GAP, POST, POLL };

static int goes_on(const struct perftest_side *side, uint64_t count)
{
    return side->run->options.duration_s > 0 || count < side->run->options.iters;
}

static int is_timed_out(const struct perftest_side *side)
{
    return perftest_time(side) == PERFTEST_END;
}

static void count_sample(struct perftest_side *side)
{
    side->sampled += side->run->options.duration_s > 0 && perftest_time(side) == PERFTEST_SAMPLE;
}

/* Before a post: the pause that --latency_gap asks for, which is a step of its own. */
static int pauses(struct perftest_side *side)
{
    side->phase = POST;
    side->now_ps += side->run->options.gap_us * INT64_C(1000000);
    return side->run->options.gap_us > 0;
}

static void post(struct perftest_side *side, int is_signalled)
{
    if (side->run->options.duration_s == 0)
        side->posted_cyc[side->sent] = perftest_tsc(side);
    side->qp[0].is_signalled = is_signalled;
    perftest_post_list(side, 0);
    side->sent++;
    side->qp[0].sent++;
}

/* Spin on the last byte, except that the server sends first; post; poll the own CQE; again. */
void perftest_write_lat(struct perftest_side *side)
{
    uint32_t qp;
    for (;;)
        switch (side->phase) {
        case TOP:
            if (!goes_on(side, side->sent) && !goes_on(side, side->completed) && !goes_on(side, side->heard)) {
                perftest_end(side);
                return;
            }
            side->phase = GAP;
            if (goes_on(side, side->heard) && (side->sent > 0 || side->is_client)) {
                side->heard++;
                side->phase = HEAR;
            }
            break;
        case HEAR:
            if (side->writes_seen < side->heard && !is_timed_out(side)) {
                perftest_wait(side);
                return;
            }
            side->phase = GAP;
            break;
        case GAP:
            if (!goes_on(side, side->sent))
                side->phase = POLL;
            else if (pauses(side))
                return;
            break;
        case POST:
            side->phase = POLL;
            post(side, 1);
            return;
        case POLL:
            if (is_timed_out(side)) {
                perftest_end(side);
                return;
            }
            side->phase = TOP;
            if (!goes_on(side, side->completed))
                break;
            if (!perftest_ring_take(&side->send_cq, &qp)) {
                side->phase = POLL;
                perftest_wait(side);
                return;
            }
            side->completed++;
            count_sample(side);
        }
}

static int is_signalled_now(const struct perftest_side *side)
{
    uint64_t n = side->sent + 1;
    const struct perftest_options *options = &side->run->options;
    return n % options->cq_mod == 0 || (options->duration_s == 0 && n == options->iters);
}

/* A receive CQE was polled: another buffer is posted while it can still be needed. 1: that took time. */
static int heard(struct perftest_side *side)
{
    const struct perftest_options *options = &side->run->options;
    side->heard++;
    count_sample(side);
    side->phase = GAP;
    if (options->duration_s == 0 && side->heard + options->rx_depth > options->iters)
        return 0;
    perftest_post_receive(side, 0);
    return 1;
}

/* Poll the receive CQ, except that the client sends first; post a buffer; post; poll the send CQ where signalled; again. */
void perftest_send_lat(struct perftest_side *side)
{
    uint32_t qp;
    for (;;)
        switch (side->phase) {
        case TOP:
            if ((!goes_on(side, side->sent) && !goes_on(side, side->heard)) || is_timed_out(side)) {
                perftest_end(side);
                return;
            }
            side->phase = goes_on(side, side->heard) && (side->sent > 0 || !side->is_client) ? HEAR : GAP;
            break;
        case HEAR:
            if (is_timed_out(side)) {
                side->phase = TOP;
                break;
            }
            if (!perftest_ring_take(&side->recv_cq, &qp)) {
                perftest_wait(side);
                return;
            }
            if (heard(side))
                return;
            break;
        case GAP:
            if (!goes_on(side, side->sent))
                side->phase = TOP;
            else if (pauses(side))
                return;
            break;
        case POST:
            side->phase = is_signalled_now(side) ? POLL : TOP;
            post(side, side->phase == POLL);
            return;
        case POLL:
            if (!perftest_ring_take(&side->send_cq, &qp) && !is_timed_out(side)) {
                perftest_wait(side);
                return;
            }
            side->completed += side->run->options.cq_mod;
            side->phase = TOP;
        }
}

/* The pause; post; poll the CQE; again. The server only waits for its TCP connection. */
void perftest_read_lat(struct perftest_side *side)
{
    uint32_t qp;
    for (;;)
        switch (side->phase) {
        case TOP:
            if (!goes_on(side, side->completed) || is_timed_out(side)) {
                perftest_end(side);
                return;
            }
            if (pauses(side))
                return;
            break;
        case POST:
            side->phase = POLL;
            post(side, 1);
            return;
        default:
            if (!perftest_ring_take(&side->send_cq, &qp)) {
                if (is_timed_out(side))
                    perftest_end(side);
                else
                    perftest_wait(side);
                return;
            }
            side->phase = TOP;
            side->completed++;
            count_sample(side);
        }
}
