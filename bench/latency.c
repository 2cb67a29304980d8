#include "bench/latency.h"

struct latency latency_of(const struct rnicsim_hist *hist)
{
    struct latency latency = {.count = rnicsim_hist_count(hist)};
    if (latency.count == 0)
        return latency;
    latency.min_ps = rnicsim_hist_min(hist);
    latency.max_ps = rnicsim_hist_max(hist);
    latency.mean_ps = rnicsim_hist_mean(hist);
    latency.stdev_ps = rnicsim_hist_stdev(hist);
    latency.p50 = quantile_of(hist, QUANTILE_P50);
    latency.p99 = quantile_of(hist, QUANTILE_P99);
    latency.p999 = quantile_of(hist, QUANTILE_P999);
    latency.p9999 = quantile_of(hist, QUANTILE_P9999);
    return latency;
}

struct jitter latency_jitter(const struct latency *latency, double ipdv_sum_ps, uint64_t ipdv_count)
{
    struct quantile min = {1, latency->min_ps};
    return (struct jitter){
        .known = latency->count > 1,
        .pdv = quantile_minus(latency->p999, min),
        .p99_p50 = quantile_minus(latency->p99, latency->p50),
        .max_min_ps = latency->max_ps - latency->min_ps,
        .stdev_ps = latency->stdev_ps,
        .ipdv_known = ipdv_count > 0,
        .ipdv_ps = ipdv_count > 0 ? ipdv_sum_ps / (double)ipdv_count : 0,
    };
}
