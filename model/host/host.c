#include "host/host.h"

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

uint32_t host_wqe_bytes(int is_write, int is_inline, uint32_t length_bytes)
{
    uint32_t segments = 16 + (is_write ? 16 : 0);
    segments += is_inline ? (4 + length_bytes + 15) / 16 * 16 : 16;
    return (segments + 63) / 64 * 64;
}
