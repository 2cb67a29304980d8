#include "transport/dcqcn.h"

/* ---- alpha ---- */

/* w^n * value, w = g / 1024, in whole units of DCQCN_ONE, rounded down at each product. */
static uint32_t decayed(uint32_t value, int64_t weight, int64_t periods)
{
    uint64_t factor = DCQCN_ONE, base = (uint64_t)weight * (DCQCN_ONE / 1024);
    for (; periods > 0 && factor > 0; periods >>= 1) {
        if (periods & 1)
            factor = factor * base / DCQCN_ONE;
        base = base * base / DCQCN_ONE;
    }
    return (uint32_t)(value * factor / DCQCN_ONE);
}

/* Periods that have ended without a CNP: alpha = w alpha. */
static void decay(struct dcqcn *dcqcn, const struct transport_params *params, int64_t now_ps)
{
    int64_t periods = (now_ps - dcqcn->alpha_at_ps) / params->dcqcn_alpha_period;
    if (periods <= 0)
        return;
    dcqcn->alpha = decayed(dcqcn->alpha, params->dcqcn_g, periods);
    dcqcn->alpha_at_ps += periods * params->dcqcn_alpha_period;
}

/* The period has a CNP: alpha = w alpha + (1 - w), and a new one begins. */
static void raise_alpha(struct dcqcn *dcqcn, const struct transport_params *params, int64_t now_ps)
{
    uint64_t w = (uint64_t)params->dcqcn_g;
    dcqcn->alpha = (uint32_t)((w * dcqcn->alpha + (1024 - w) * DCQCN_ONE) / 1024);
    dcqcn->alpha_at_ps = now_ps;
}

/* ---- the rate ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One end of the timer or of the byte counter. */
static void rise(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, enum dcqcn_risen by)
{
    uint32_t threshold = (uint32_t)params->dcqcn_threshold;
    uint32_t more = dcqcn->timer_ends > dcqcn->byte_ends ? dcqcn->timer_ends : dcqcn->byte_ends;
    uint32_t fewer = dcqcn->timer_ends > dcqcn->byte_ends ? dcqcn->byte_ends : dcqcn->timer_ends;
    if (fewer > threshold)
        dcqcn->target_bps += params->dcqcn_hai_rate;
    else if (more > threshold)
        dcqcn->target_bps += params->dcqcn_ai_rate;
    dcqcn->target_bps = least(dcqcn->target_bps, line_bps);
    dcqcn->rate_bps = (dcqcn->rate_bps + dcqcn->target_bps + 1) / 2;
    dcqcn->risen |= (uint8_t)by;
    if (dcqcn->rate_bps >= line_bps)
        dcqcn->rate_bps = 0;
}

void dcqcn_pass(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, int64_t now_ps)
{
    while (dcqcn->rate_bps > 0 && now_ps - dcqcn->timer_at_ps >= params->dcqcn_time_reset) {
        dcqcn->timer_at_ps += params->dcqcn_time_reset;
        dcqcn->timer_ends++;
        rise(dcqcn, params, line_bps, DCQCN_BY_TIME);
    }
}

void dcqcn_sent(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, uint32_t bytes)
{
    dcqcn->bytes += bytes;
    while (dcqcn->rate_bps > 0 && dcqcn->bytes >= params->dcqcn_byte_reset) {
        dcqcn->bytes -= (uint32_t)params->dcqcn_byte_reset;
        dcqcn->byte_ends++;
        rise(dcqcn, params, line_bps, DCQCN_BY_BYTES);
    }
}

/* By alpha / 2, but not by more than is allowed, nor below the least. */
static void cut(struct dcqcn *dcqcn, const struct transport_params *params)
{
    int64_t most = (int64_t)((__int128)dcqcn->rate_bps * params->dcqcn_min_dec / 1000000000);
    int64_t by = (int64_t)((__int128)dcqcn->rate_bps * dcqcn->alpha / DCQCN_ONE / 2);
    dcqcn->rate_bps -= least(by, most);
    if (dcqcn->rate_bps < params->dcqcn_min_rate)
        dcqcn->rate_bps = params->dcqcn_min_rate;
}

/* Whether the target is where the rate was before this cut. */
static int clamps(const struct dcqcn *dcqcn, const struct transport_params *params)
{
    unsigned counts = DCQCN_BY_BYTES | (params->dcqcn_clamp_after_time == TRANSPORT_DCQCN_CLAMP_ON ? DCQCN_BY_TIME : 0);
    return params->dcqcn_clamp == TRANSPORT_DCQCN_CLAMP_ON || (dcqcn->risen & counts) != 0;
}

void dcqcn_cnp(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, int64_t now_ps)
{
    if (dcqcn->rate_bps == 0) { /* the first since the rate was the line's */
        int64_t first_bps = params->dcqcn_first_rate > 0 ? params->dcqcn_first_rate : line_bps;
        *dcqcn = (struct dcqcn){.rate_bps = least(first_bps, line_bps),
                                .target_bps = line_bps,
                                .alpha = (uint32_t)(params->dcqcn_alpha * (DCQCN_ONE / 1024)),
                                .risen = DCQCN_BY_BYTES,
                                .timer_at_ps = now_ps,
                                .alpha_at_ps = now_ps,
                                .cut_at_ps = INT64_MIN / 2};
    }
    dcqcn_pass(dcqcn, params, line_bps, now_ps);
    decay(dcqcn, params, now_ps);
    raise_alpha(dcqcn, params, now_ps);
    if (dcqcn->rate_bps == 0 || now_ps - dcqcn->cut_at_ps < params->dcqcn_monitor)
        return;
    if (clamps(dcqcn, params))
        dcqcn->target_bps = dcqcn->rate_bps;
    cut(dcqcn, params);
    dcqcn->cut_at_ps = dcqcn->timer_at_ps = now_ps;
    dcqcn->bytes = dcqcn->timer_ends = dcqcn->byte_ends = 0;
    dcqcn->risen = 0;
}
