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

static int64_t later(const struct transport_params *params, int64_t ps)
{
    return ps + (int64_t)((__int128)ps * params->timeout_late / 1000000000);
}

/* ---- ConnectX-6 ---- */

#define CX6_LEAST_TIMEOUT 16u
#define CX6_TRIES_WITHOUT 4u /* retry_cnt = 0 behaves like 4: six of eight trials */

/* Its ladder. */
static struct retry_step cx6_floor_on(unsigned timeout, unsigned expired)
{
    static const uint16_t step[] = {5, 4, 8, 16, 24, 48, 128, 192, 512, 1024};
    const unsigned steps = sizeof step / sizeof *step;
    const int64_t unit_ps = TIMEOUT_UNIT_PS << 10;
    int64_t nominal_ps = TIMEOUT_UNIT_PS << (timeout > CX6_LEAST_TIMEOUT ? timeout : CX6_LEAST_TIMEOUT);
    int64_t regular_ps = 2 * nominal_ps;
    unsigned adaptive = 0;
    while (adaptive < steps && step[adaptive] * unit_ps <= nominal_ps)
        adaptive++;
    if (expired < adaptive)
        return (struct retry_step){step[expired] * unit_ps, expired == 0 || expired == adaptive - 1, 1};
    if (expired == adaptive && adaptive < steps && step[adaptive] * unit_ps < regular_ps)
        regular_ps = step[adaptive] * unit_ps;
    return (struct retry_step){regular_ps, 1, 1};
}

static struct retry_step cx6_floor_off(const struct transport_params *params, unsigned timeout, unsigned expired)
{
    int64_t ps = TIMEOUT_UNIT_PS << timeout;
    if (expired > 0)
        return (struct retry_step){ps, 1, 1};
    return (struct retry_step){(int64_t)((__int128)ps * params->timer_first / 1000000000), 0, 0};
}

/* ---- a scan ---- */

static int64_t scan_ps(const struct transport_params *params, unsigned expired, int64_t clock_ps)
{
    const int64_t written_for_ps = 6400, ms_ps = INT64_C(1000000000);
    int64_t looks = (expired < 3 ? 1 : 64) * ms_ps / (written_for_ps * params->timer_scan) + 1;
    return looks * params->timer_scan * clock_ps;
}

struct retry_step retry_step(const struct transport_params *params, unsigned timeout, unsigned expired,
                             int64_t clock_ps)
{
    struct retry_step step = {.costs = 1, .repeats = 1};
    if (timeout == 0)
        return step;
    switch (params->timer) {
    case TRANSPORT_TIMER_POW2:
        step.wait_ps = next_power(TIMEOUT_UNIT_PS << timeout, clock_ps);
        break;
    case TRANSPORT_TIMER_HLS_SCAN:
        step.wait_ps = scan_ps(params, expired, clock_ps);
        break;
    case TRANSPORT_TIMER_CX6_FW:
        step = params->timer_floor == TRANSPORT_TIMER_FLOOR_ON ? cx6_floor_on(timeout, expired)
                                                               : cx6_floor_off(params, timeout, expired);
        step.wait_ps = later(params, step.wait_ps);
        break;
    default:
        step.wait_ps = later(params, TIMEOUT_UNIT_PS << timeout);
    }
    return step;
}

uint8_t retry_most(const struct transport_params *params, const struct retry *retry)
{
    int is_without = params->timer == TRANSPORT_TIMER_CX6_FW && params->timer_floor == TRANSPORT_TIMER_FLOOR_ON &&
                     retry->retry_count == 0;
    return is_without ? CX6_TRIES_WITHOUT : retry->retry_count;
}

int64_t retry_rnr_ps(unsigned code)
{
    static const uint32_t ten_us[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                        48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                        2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return ten_us[code & 31] * INT64_C(10000000);
}
