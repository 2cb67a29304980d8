#include "transport/retry.h"

#define TIMEOUT_UNIT_PS INT64_C(4096000)

struct retry retry_of(const struct transport_params *params)
{
    return (struct retry){.timeout = (uint8_t)params->timeout,
                          .retry_count = (uint8_t)params->retry_count,
                          .rnr_retry = (uint8_t)params->rnr_retry,
                          .rnr_timer = (uint8_t)params->rnr_timer};
}

/* Up to a power of two of cycles: a counter of which one bit is looked at. */
static int64_t next_power(int64_t ps, int64_t clock_ps)
{
    int64_t cycles = 1;
    while (cycles * clock_ps < ps)
        cycles *= 2;
    return cycles * clock_ps;
}

int64_t retry_timeout_ps(const struct transport_params *params, unsigned timeout, int64_t clock_ps)
{
    if (timeout == 0)
        return 0;
    int64_t ps = TIMEOUT_UNIT_PS << timeout;
    if (params->timer == TRANSPORT_TIMER_POW2)
        return next_power(ps, clock_ps);
    return ps + (int64_t)((__int128)ps * params->timeout_late / 1000000000);
}

int64_t retry_rnr_ps(unsigned code)
{
    static const uint32_t ten_us[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                        48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                        2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return ten_us[code & 31] * INT64_C(10000000);
}
