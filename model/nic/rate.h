/* A rate limiter: a bucket of tokens as the instant until which what was sent is paid for. */
#ifndef NIC_RATE_H
#define NIC_RATE_H

#include <stdint.h>

#define RATE_FCS_BYTES 4u /* a frame counts with it */

struct rate {
    int64_t bps;      /* 0: no limit */
    int64_t burst_ps; /* that may be sent ahead, as time at the rate */
    int64_t paid_at;  /* ps */
};

/* burst_bytes may be sent at once after a pause. */
static inline struct rate rate_of(int64_t bps, int64_t burst_bytes)
{
    struct rate rate = {bps, 0, INT64_MIN / 4};
    if (bps > 0)
        rate.burst_ps = (int64_t)((__int128)burst_bytes * 8000000000000 / bps);
    return rate;
}

/* The same at another rate, with what is paid for. */
static inline struct rate rate_at(const struct rate *rate, int64_t bps, int64_t burst_bytes)
{
    struct rate other = rate_of(bps, burst_bytes);
    other.paid_at = rate->paid_at;
    return other;
}

/* From which instant on the next frame may be sent. */
static inline int64_t rate_allows_at(const struct rate *rate)
{
    return rate->bps == 0 ? INT64_MIN : rate->paid_at - rate->burst_ps;
}

/* A frame is sent at at_ps. */
static inline void rate_pay(struct rate *rate, uint32_t frame_bytes, int64_t at_ps)
{
    if (rate->bps == 0)
        return;
    __int128 bits = (__int128)(frame_bytes + RATE_FCS_BYTES) * 8;
    int64_t takes_ps = (int64_t)((bits * 1000000000000 + rate->bps - 1) / rate->bps);
    rate->paid_at = (rate->paid_at > at_ps ? rate->paid_at : at_ps) + takes_ps;
}

#endif
