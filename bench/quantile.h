/* When a percentile is known: at least ten samples must lie beyond it, else it would be a guess (DESIGN, section 1).
 *
 * So the median needs 20 samples, p99 1,000, p99.9 10,000, p99.99 100,000. */
#ifndef BENCH_QUANTILE_H
#define BENCH_QUANTILE_H

#include <stdio.h>

#include "api/rnicsim.h"

#define QUANTILE_P50 500000000
#define QUANTILE_P99 990000000
#define QUANTILE_P999 999000000
#define QUANTILE_P9999 999900000

struct quantile {
    int known;
    int64_t ps;
};

int quantile_is_known(uint64_t samples, int64_t share_ppb);
struct quantile quantile_of(const struct rnicsim_hist *hist, int64_t share_ppb);
/* a - b; known when both are. */
struct quantile quantile_minus(struct quantile a, struct quantile b);

/* Prints it in microseconds with `format`, of one double; or `unknown`. */
__attribute__((format(printf, 3, 0))) void quantile_print_us(FILE *out, struct quantile quantile, const char *format,
                                                             const char *unknown);

#endif
