/* A log-linear histogram of times: exact count, min, max and sum; values to within 1/4096 of themselves (exact below 8192).
 * Octaves are allocated when first used. */
#ifndef KERNEL_HIST_H
#define KERNEL_HIST_H

#include <stdint.h>

#define HIST_OCTAVES 52
#define HIST_STEPS 4096

struct hist {
    uint64_t count;
    int64_t min, max;
    __int128 sum;
    unsigned __int128 sum_of_squares;
    uint64_t *octave[HIST_OCTAVES];
};

void hist_init(struct hist *hist);
void hist_free(struct hist *hist);
/* value >= 0. Returns -1 without memory. */
int hist_add(struct hist *hist, int64_t value);
/* All that `from` holds. Returns -1 without memory, and `hist` is not changed but for room. */
int hist_merge(struct hist *hist, const struct hist *from);
/* The smallest value v such that at least ceil(count * share_ppb / 1e9) samples are <= v, to the histogram's resolution
 * and within [min, max]. count must not be 0. */
int64_t hist_percentile(const struct hist *hist, int64_t share_ppb);
/* Calls back for each non-empty step in order: the largest value it stands for, and its count. */
typedef void hist_each_fn(void *context, int64_t value, uint64_t count);
void hist_each(const struct hist *hist, hist_each_fn *each, void *context);

#endif
