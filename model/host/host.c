#include "host/host.h"

#include "config/param_dist.h"

#define STREAM_OF_THE_CPU (UINT64_C(16) << 32) /* beside the streams of its PCIe link */

int host_init(struct host *host, uint64_t seed, uint64_t entity)
{
    host->stream = rnd_stream(seed, entity | STREAM_OF_THE_CPU);
    return param_dist_table(&host->params->interrupt, &host->interrupt_ps);
}

int64_t host_post(struct host *host, int64_t at_ps, uint32_t count, int64_t *begin_ps)
{
    *begin_ps = at_ps > host->busy_until_ps ? at_ps : host->busy_until_ps;
    host->busy_until_ps = *begin_ps + host->params->post_cost + count * host->params->wqe_cost;
    host->work_ps += host->busy_until_ps - *begin_ps;
    host->calls++;
    return host->busy_until_ps;
}

int64_t host_post_receive(struct host *host, int64_t at_ps, uint32_t count)
{
    int64_t begin = at_ps > host->busy_until_ps ? at_ps : host->busy_until_ps;
    host->busy_until_ps = begin + count * host->params->wqe_cost;
    host->work_ps += host->busy_until_ps - begin;
    host->calls++;
    return host->busy_until_ps;
}

int64_t host_sees(const struct host *host, int64_t visible_at_ps)
{
    int64_t step = host->params->poll_interval;
    return (visible_at_ps - host->shift_ps + step - 1) / step * step + host->shift_ps;
}

int64_t host_is_woken(const struct host *host, int64_t msix_at_ps, uint64_t event)
{
    return msix_at_ps + rnd_table_draw(&host->interrupt_ps, rnd_draw(host->stream, event, 0));
}

uint32_t host_wqe_bytes(int is_write, int is_inline, uint32_t length_bytes)
{
    uint32_t segments = 16 + (is_write ? 16 : 0);
    segments += is_inline ? (4 + length_bytes + 15) / 16 * 16 : 16;
    return (segments + 63) / 64 * 64;
}
