/* The kernel's histogram, for users of the API. */
#include "api/api_internal.h"

#include <math.h>
#include <stdlib.h>

struct rnicsim_hist *rnicsim_hist_create(void)
{
    struct rnicsim_hist *hist = malloc(sizeof *hist);
    if (hist)
        hist_init(&hist->hist);
    return hist;
}

void rnicsim_hist_destroy(struct rnicsim_hist *hist)
{
    if (!hist)
        return;
    hist_free(&hist->hist);
    free(hist);
}

int rnicsim_hist_add(struct rnicsim_hist *hist, int64_t value_ps)
{
    return hist_add(&hist->hist, value_ps);
}

int rnicsim_hist_merge(struct rnicsim_hist *hist, const struct rnicsim_hist *from)
{
    return hist_merge(&hist->hist, &from->hist);
}

uint64_t rnicsim_hist_count(const struct rnicsim_hist *hist)
{
    return hist->hist.count;
}

int64_t rnicsim_hist_min(const struct rnicsim_hist *hist)
{
    return hist->hist.min;
}

int64_t rnicsim_hist_max(const struct rnicsim_hist *hist)
{
    return hist->hist.max;
}

double rnicsim_hist_mean(const struct rnicsim_hist *hist)
{
    return hist->hist.count ? (double)hist->hist.sum / (double)hist->hist.count : 0;
}

double rnicsim_hist_stdev(const struct rnicsim_hist *hist)
{
    uint64_t n = hist->hist.count;
    if (n < 2)
        return 0;
    /* about the minimum, exactly: far from zero a sum of squares would lose the spread */
    __int128 least = hist->hist.min, count = (__int128)n;
    __int128 sum = hist->hist.sum - count * least;
    __int128 squares = (__int128)hist->hist.sum_of_squares - 2 * least * hist->hist.sum + count * least * least;
    double variance = ((double)squares - (double)sum * (double)sum / (double)n) / (double)(n - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

int64_t rnicsim_hist_percentile(const struct rnicsim_hist *hist, int64_t share_ppb)
{
    return hist_percentile(&hist->hist, share_ppb);
}

void rnicsim_hist_each(const struct rnicsim_hist *hist, void (*each)(void *context, int64_t value_ps, uint64_t count),
                       void *context)
{
    hist_each(&hist->hist, each, context);
}
