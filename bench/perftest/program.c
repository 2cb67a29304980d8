#include "bench/perftest/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/model_options.h"

#define EVENTS_AT_ONCE 64u
#define PS_PER_S INT64_C(1000000000000)
#define RING_FIRST_ROOM 64u
#define SRQN 1u
#define TSC_AT_START (UINT64_C(1) << 40)

/* ---- memory ---- */

static int ring_init(struct perftest_ring *ring)
{
    *ring = (struct perftest_ring){.mask = RING_FIRST_ROOM - 1};
    ring->qp = malloc(RING_FIRST_ROOM * sizeof *ring->qp);
    return ring->qp == NULL ? -1 : 0;
}

static int ring_put(struct perftest_ring *ring, uint32_t qp)
{
    uint32_t room = ring->mask + 1;
    if (ring->next - ring->first == room) {
        uint32_t *larger = malloc(2 * (size_t)room * sizeof *larger);
        if (larger == NULL)
            return -1;
        for (uint32_t i = 0; i < room; i++)
            larger[i] = ring->qp[(ring->first + i) & ring->mask];
        free(ring->qp);
        *ring = (struct perftest_ring){larger, 2 * room - 1, 0, room};
    }
    ring->qp[ring->next++ & ring->mask] = qp;
    return 0;
}

static perftest_step *step_of(const struct perftest_options *options, int is_client)
{
    if (options->is_lat && perftest_is_answered(options))
        return is_client ? perftest_read_lat : NULL;
    if (options->is_lat)
        return options->is_send ? perftest_send_lat : perftest_write_lat;
    if (options->is_send && options->both_ways)
        return perftest_send_bw_both;
    if (is_client || options->both_ways)
        return perftest_bw_client;
    return options->is_send ? perftest_send_bw_server : NULL; /* other servers only wait for TCP */
}

static int side_init(struct perftest_run *run, uint32_t host)
{
    const struct perftest_options *options = &run->options;
    struct perftest_side *side = &run->side[host];
    *side = (struct perftest_side){.run = run, .host = host, .is_client = host == 0};
    side->step = step_of(options, side->is_client);
    side->state = side->step == NULL ? PERFTEST_ENDED : PERFTEST_RUNS;
    side->has_begun = side->is_client;
    side->qp = calloc(options->qps, sizeof *side->qp);
    side->posted_cyc = calloc(run->samples, sizeof *side->posted_cyc);
    side->completed_cyc = calloc(run->samples, sizeof *side->completed_cyc);
    if (side->qp == NULL || side->posted_cyc == NULL || side->completed_cyc == NULL || ring_init(&side->send_cq) ||
        ring_init(&side->recv_cq))
        return -1;
    for (uint32_t i = 0; i < options->qps; i++)
        side->qp[i].is_signalled = options->cq_mod == 1;
    return 0;
}

int perftest_run_init(struct perftest_run *run, const struct perftest_options *options, uint64_t size_bytes)
{
    *run = (struct perftest_run){.options = *options, .size_bytes = size_bytes};
    run->samples = options->no_peak || options->duration_s > 0 ? 1 : options->iters * options->qps;
    if (options->is_lat && options->duration_s == 0)
        run->samples = options->iters;
    run->list = malloc(options->post_list * sizeof *run->list);
    return run->list == NULL || side_init(run, 0) || side_init(run, 1) ? -1 : 0;
}

void perftest_run_free(struct perftest_run *run)
{
    free(run->list);
    for (int host = 0; host < 2; host++) {
        struct perftest_side *side = &run->side[host];
        free(side->qp);
        free(side->posted_cyc);
        free(side->completed_cyc);
        free(side->send_cq.qp);
        free(side->recv_cq.qp);
    }
}

/* ---- objects and time ---- */

int perftest_run_create_objects(struct perftest_run *run, struct rnicsim *sim, struct rnicsim_error *error)
{
    const struct perftest_options *options = &run->options;
    int result = RNICSIM_OK;
    run->sim = sim;
    run->tsc_hz = model_tsc_hz(sim);
    for (uint32_t host = 0; options->use_srq && host < 2 && result == RNICSIM_OK; host++) {
        struct rnicsim_srq_attr attr = {.host = host, .srqn = SRQN, .depth = options->rx_depth};
        result = rnicsim_srq_create(sim, &attr, error);
    }
    for (uint32_t i = 0; i < 2 * options->qps && result == RNICSIM_OK; i++) {
        uint32_t host = i % 2, qpn = i / 2 + 1;
        struct rnicsim_qp_attr attr = {.host = host,
                                       .qpn = qpn,
                                       .peer_host = host ^ 1,
                                       .peer_qpn = qpn,
                                       .mtu_bytes = options->mtu_bytes,
                                       .sq_depth = options->tx_depth,
                                       .rq_depth = options->is_send && !options->use_srq ? options->rx_depth : 0,
                                       .srqn = options->use_srq && options->transport != RNICSIM_XRC ? SRQN : 0,
                                       .transport = options->transport,
                                       .max_inline_bytes = options->inline_bytes,
                                       .service_level = options->service_level,
                                       .max_rd_atomic = perftest_is_answered(options) ? options->outs : 0};
        result = rnicsim_qp_create(sim, &attr, error);
    }
    return result;
}

/* The counter has run before the test: perftest takes a stamp of 0 for one not taken. */
static uint64_t tsc_at(const struct perftest_run *run, int64_t at_ps)
{
    return TSC_AT_START + (uint64_t)((__int128)at_ps * run->tsc_hz / PS_PER_S);
}

uint64_t perftest_tsc(const struct perftest_side *side)
{
    return tsc_at(side->run, side->now_ps);
}

/* The end of each of perftest's states, from the start of the test. */
static int64_t state_ends_ps(const struct perftest_run *run, enum perftest_time time)
{
    int64_t margin = run->options.margin_s * PS_PER_S, all = run->options.duration_s * PS_PER_S;
    return run->start_ps + (time == PERFTEST_START ? margin : time == PERFTEST_SAMPLE ? all - margin : all);
}

enum perftest_time perftest_time(const struct perftest_side *side)
{
    int time = PERFTEST_START;
    if (side->run->options.duration_s == 0)
        return PERFTEST_SAMPLE;
    while (time < PERFTEST_END && side->now_ps >= state_ends_ps(side->run, (enum perftest_time)time))
        time++;
    return (enum perftest_time)time;
}

/* ---- posting ---- */

/* Buffers go through a page in steps of the size, rounded up to a cache line, where two fit; else each request uses the same. */
static uint64_t buffer_offset(uint64_t size_bytes, uint64_t n)
{
    uint64_t step = (size_bytes + 63) / 64 * 64;
    return size_bytes <= 2048 ? n % (4096 / step) * step : 0;
}

static uint64_t buffer(const struct perftest_run *run, uint32_t index, int is_second, uint64_t n)
{
    uint64_t half = run->size_bytes > 4096 ? (run->size_bytes + 4095) / 4096 * 4096 : 4096;
    uint64_t which = is_second ? run->options.qps + index : index;
    return (UINT64_C(1) << 32) + which * half + (run->options.is_lat ? 0 : buffer_offset(run->size_bytes, n));
}

static enum rnicsim_opcode opcode_of(const struct perftest_options *options)
{
    switch (options->verb) {
    case PERFTEST_SEND:
        return RNICSIM_SEND;
    case PERFTEST_READ:
        return RNICSIM_READ;
    case PERFTEST_ATOMIC:
        return options->compares ? RNICSIM_CMP_SWAP : RNICSIM_FETCH_ADD;
    default:
        return RNICSIM_WRITE;
    }
}

static struct rnicsim_wr request(const struct perftest_side *side, uint32_t index, uint64_t n, int is_signalled)
{
    const struct perftest_run *run = side->run;
    int is_inline = run->size_bytes <= run->options.inline_bytes;
    return (struct rnicsim_wr){.wr_id = index,
                               .local_address = buffer(run, index, 0, n),
                               .remote_address = run->options.is_send ? 0 : buffer(run, index, 1, n),
                               .length_bytes = (uint32_t)run->size_bytes,
                               .opcode = opcode_of(&run->options),
                               .remote_srqn = SRQN,
                               .flags = (is_signalled ? RNICSIM_SIGNALLED : 0) | (is_inline ? RNICSIM_INLINE : 0)};
}

static void note(struct perftest_side *side, int result)
{
    if (result != RNICSIM_OK && side->run->result == RNICSIM_OK)
        side->run->result = result;
    int64_t free_at = rnicsim_host_free_at(side->run->sim, side->host);
    side->now_ps = free_at > side->now_ps ? free_at : side->now_ps; /* user logic in the FPGA takes no CPU time */
}

void perftest_post_list(struct perftest_side *side, uint32_t index)
{
    struct perftest_run *run = side->run;
    struct perftest_qp *qp = &side->qp[index];
    uint32_t count = run->options.post_list, cq_mod = run->options.cq_mod;
    for (uint32_t i = 0; i < count; i++)
        run->list[i] = request(side, index, qp->sent + i, count > 1 ? (i + 1) % cq_mod == 0 : qp->is_signalled);
    note(side, rnicsim_post_send(run->sim, side->host, index + 1, run->list, count, side->now_ps, &run->error));
    run->posted_requests += count;
}

void perftest_post_receive(struct perftest_side *side, uint32_t index)
{
    struct perftest_run *run = side->run;
    uint64_t n = side->qp[index].receives_posted++;
    uint32_t grh_bytes = run->options.transport == RNICSIM_UD ? 40 : 0;
    struct rnicsim_recv recv = {
        .wr_id = index, .address = buffer(run, index, 1, n), .length_bytes = (uint32_t)run->size_bytes + grh_bytes};
    if (run->options.use_srq)
        note(side, rnicsim_post_srq_recv(run->sim, side->host, SRQN, &recv, 1, side->now_ps, &run->error));
    else
        note(side, rnicsim_post_recv(run->sim, side->host, index + 1, &recv, 1, side->now_ps, &run->error));
    run->posted_receives++;
}

/* Where single samples are not kept, the first and the last instant are: of the whole test, or of a duration's middle. */
static void start(struct perftest_side *side)
{
    const struct perftest_run *run = side->run;
    side->now_ps = run->start_ps;
    side->posted_cyc[0] = perftest_tsc(side);
    if (run->options.duration_s == 0)
        return;
    side->posted_cyc[0] = tsc_at(run, state_ends_ps(run, PERFTEST_START));
    side->completed_cyc[0] = tsc_at(run, state_ends_ps(run, PERFTEST_SAMPLE));
}

/* All receive buffers are posted before the ends shake hands; then both begin. */
static void prepare(struct perftest_run *run)
{
    const struct perftest_options *options = &run->options;
    for (uint32_t host = 0; host < 2; host++) {
        int receives = options->is_send && (host == 1 || options->is_lat || options->both_ways);
        uint32_t each = options->use_srq ? options->rx_depth / options->qps : options->rx_depth;
        for (uint32_t i = 0; receives && i < options->qps; i++)
            for (uint32_t n = 0; n < each && run->result == RNICSIM_OK; n++)
                perftest_post_receive(&run->side[host], i);
        if (run->side[host].now_ps > run->start_ps)
            run->start_ps = run->side[host].now_ps;
    }
    for (uint32_t host = 0; host < 2; host++)
        start(&run->side[host]);
}

/* ---- the loop ---- */

static int deliver(struct perftest_run *run, const struct rnicsim_event *event)
{
    struct perftest_side *side = &run->side[event->host];
    int failed = 0;
    if (event->kind == RNICSIM_UNSIGNALLED)
        return 0;
    if (event->kind == RNICSIM_SEND_DONE)
        failed = ring_put(&side->send_cq, event->qpn - 1);
    else if (event->kind == RNICSIM_RECV_DONE)
        failed = ring_put(&side->recv_cq, (uint32_t)event->wr_id); /* the QP that the buffer was posted for */
    else
        side->writes_seen++;
    if (event->status != 0 && side->status == 0) {
        side->status = event->status;
        perftest_end(side);
    }
    if (side->state == PERFTEST_WAITS) {
        side->state = PERFTEST_RUNS;
        side->now_ps = event->at_ps > side->now_ps ? event->at_ps : side->now_ps;
    }
    return failed;
}

static int poll(struct perftest_run *run, perftest_event *report, void *context, size_t *total)
{
    struct rnicsim_event events[EVENTS_AT_ONCE];
    size_t count;
    int failed = 0;
    *total = 0;
    while ((count = rnicsim_poll(run->sim, events, EVENTS_AT_ONCE)) > 0) {
        for (size_t i = 0; i < count; i++) {
            report(context, &events[i]);
            failed |= deliver(run, &events[i]);
        }
        *total += count;
    }
    return failed ? perftest_fail(&run->error, "out of memory for completions") : 0;
}

/* When the side runs next; a test by duration ends even where nothing comes any more. */
static int64_t wakes_at(const struct perftest_side *side)
{
    if (side->state == PERFTEST_RUNS)
        return side->now_ps;
    if (side->state == PERFTEST_WAITS && side->run->options.duration_s > 0)
        return state_ends_ps(side->run, PERFTEST_STOP_SAMPLE);
    return RNICSIM_NEVER;
}

/* Runs the sides that are due; of both at one instant the client goes first. */
static void step_due(struct perftest_run *run, int64_t now_ps)
{
    for (int host = 0; host < 2; host++) {
        struct perftest_side *side = &run->side[host];
        if (wakes_at(side) != now_ps)
            continue;
        side->now_ps = now_ps;
        side->state = PERFTEST_RUNS;
        side->step(side);
    }
}

int perftest_run_go(struct perftest_run *run, int64_t until_ps, perftest_event *event, void *context,
                    struct rnicsim_error *error)
{
    size_t seen;
    prepare(run);
    while (run->result == RNICSIM_OK) {
        int64_t a = wakes_at(&run->side[0]), b = wakes_at(&run->side[1]), next = a < b ? a : b, stopped_at;
        if ((next == RNICSIM_NEVER && rnicsim_next_at(run->sim) == RNICSIM_NEVER) || rnicsim_now(run->sim) >= until_ps)
            break;
        if (next == RNICSIM_NEVER && rnicsim_is_stuck(run->sim))
            break;
        next = next < until_ps ? next : until_ps;
        run->result = rnicsim_advance(run->sim, next, &stopped_at, &run->error);
        if (run->result == RNICSIM_OK && poll(run, event, context, &seen))
            run->result = RNICSIM_EINPUT;
        if (run->result == RNICSIM_OK && seen == 0 && rnicsim_now(run->sim) == next)
            step_due(run, next);
    }
    if (run->result != RNICSIM_OK)
        *error = run->error;
    return run->result;
}

int perftest_run_is_whole(const struct perftest_run *run)
{
    for (int host = 0; host < 2; host++)
        if (run->side[host].state != PERFTEST_ENDED || run->side[host].status != 0)
            return 0;
    return 1;
}

int perftest_run_explain(const struct perftest_run *run, uint32_t host, char *text, size_t text_bytes)
{
    const struct perftest_side *side = &run->side[host];
    const char *name = side->is_client ? "client" : "server";
    if (side->status != 0)
        return snprintf(text, text_bytes, "the %s gave up: a completion with status %u", name, side->status), 1;
    if (side->state == PERFTEST_ENDED)
        return 0;
    snprintf(text, text_bytes, "the %s waits: %llu posted, %llu completed, %llu received", name,
             (unsigned long long)side->sent, (unsigned long long)side->completed, (unsigned long long)side->heard);
    return 1;
}
