#include "bench/quantile.h"

#define PPB 1000000000u
#define BEYOND 10u
#define PS_PER_US 1e6

int quantile_is_known(uint64_t samples, int64_t share_ppb)
{
    unsigned __int128 beyond_ppb = (unsigned __int128)samples * (PPB - (uint64_t)share_ppb);
    return beyond_ppb >= (unsigned __int128)BEYOND * PPB;
}

struct quantile quantile_of(const struct rnicsim_hist *hist, int64_t share_ppb)
{
    struct quantile none = {0, 0};
    if (!quantile_is_known(rnicsim_hist_count(hist), share_ppb))
        return none;
    return (struct quantile){1, rnicsim_hist_percentile(hist, share_ppb)};
}

struct quantile quantile_minus(struct quantile a, struct quantile b)
{
    return (struct quantile){a.known && b.known, a.ps - b.ps};
}

void quantile_print_us(FILE *out, struct quantile quantile, const char *format, const char *unknown)
{
    if (quantile.known)
        fprintf(out, format, (double)quantile.ps / PS_PER_US);
    else
        fputs(unknown, out);
}
