#include "host/host.h"

#include "config/param_dist.h"

#include <stdio.h>

#define WHOLE_PPM 1000000000 /* of a share, in 0.001 ppm */

enum { DRAW_WAKE = 8, DRAW_EARLY, DRAW_INTERRUPT }; /* behind those of the pauses */

int host_init(struct host *host, const struct host_params *params, int64_t shift_ps, uint64_t stream, char *error,
              size_t error_bytes)
{
    *host = (struct host){.params = params,
                          .shift_ps = shift_ps,
                          .stream = stream,
                          .busy_until_ps = INT64_MIN / 4, /* asleep, if it ever is */
                          .slow_until_ps = INT64_MIN / 4,
                          .early_share = ((uint64_t)params->push_early << 32) / WHOLE_PPM};
    snprintf(error, error_bytes, "host.wake, host.interrupt: allowed are distributions of up to 16 points");
    return param_dist_table(&params->wake, &host->wake_ps) || param_dist_table(&params->interrupt, &host->interrupt_ps)
               ? -1
               : jitter_init(&host->jitter, params, stream, error, error_bytes);
}

/* A core that nobody called for so long has gone to sleep: it wakes, and then its clock is low for a while. Returns when it runs. */
static int64_t awake_at(struct host *host, int64_t begin_ps)
{
    const struct host_params *p = host->params;
    if (begin_ps - p->sleep_after <= host->busy_until_ps)
        return begin_ps;
    begin_ps += rnd_table_draw(&host->wake_ps, rnd_draw(host->stream, host->calls, DRAW_WAKE));
    host->slow_until_ps = begin_ps + p->slow_time;
    return begin_ps;
}

/* A call that takes cost_ps of CPU time, at at_ps or when the thread is free: *begin_ps. Returns its end. */
static int64_t run(struct host *host, int64_t at_ps, int64_t cost_ps, int64_t *begin_ps)
{
    const struct host_params *p = host->params;
    *begin_ps = at_ps > host->busy_until_ps ? at_ps : host->busy_until_ps;
    int64_t from_ps = p->sleep_after > 0 ? awake_at(host, *begin_ps) : *begin_ps;
    if (from_ps < host->slow_until_ps)
        cost_ps += (int64_t)((__int128)cost_ps * p->slow_share / WHOLE_PPM);
    host->busy_until_ps = jitter_end(&host->jitter, from_ps - host->shift_ps, cost_ps) + host->shift_ps;
    host->work_ps += host->busy_until_ps - *begin_ps;
    host->calls++;
    return host->busy_until_ps;
}

int64_t host_post(struct host *host, int64_t at_ps, uint32_t count, int64_t *begin_ps)
{
    return run(host, at_ps, host->params->post_cost + count * host->params->wqe_cost, begin_ps);
}

int64_t host_post_receive(struct host *host, int64_t at_ps, uint32_t count)
{
    int64_t begin_ps;
    return run(host, at_ps, count * host->params->wqe_cost, &begin_ps);
}

void host_wait(struct host *host, int64_t wait_ps)
{
    host->busy_until_ps = jitter_end(&host->jitter, host->busy_until_ps + wait_ps - host->shift_ps, 0) + host->shift_ps;
    host->work_ps += wait_ps;
}

static int64_t next_poll(const struct host *host, int64_t own_ps)
{
    int64_t step = host->params->poll_interval;
    return (own_ps + step - 1) / step * step;
}

int64_t host_sees(const struct host *host, int64_t visible_at_ps)
{
    int64_t poll_ps = next_poll(host, visible_at_ps - host->shift_ps), runs_ps;
    while ((runs_ps = jitter_end(&host->jitter, poll_ps, 0)) > poll_ps) /* paused: it looks when it runs again */
        poll_ps = next_poll(host, runs_ps);
    return poll_ps + host->shift_ps;
}

int64_t host_is_woken(const struct host *host, int64_t msix_at_ps, uint64_t event)
{
    return msix_at_ps + rnd_table_draw(&host->interrupt_ps, rnd_draw(host->stream, event, DRAW_INTERRUPT));
}

uint32_t host_wqe_bytes(int is_write, int is_inline, uint32_t length_bytes)
{
    uint32_t segments = 16 + (is_write ? 16 : 0);
    segments += is_inline ? (4 + length_bytes + 15) / 16 * 16 : 16;
    return (segments + 63) / 64 * 64;
}

uint32_t host_push_piece(struct host *host)
{
    uint64_t line = host->lines_pushed++;
    int early = host->early_share > 0 && rnd_draw(host->stream, line, DRAW_EARLY) >> 32 < host->early_share;
    return early ? (uint32_t)host->params->push_piece : HOST_PUSH_BYTES;
}
