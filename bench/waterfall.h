/* The waterfall: where the mean completion latency goes, as the stretches between a request's consecutive stamps.
 *
 * The sums are whole ps, so that the rows sum to the mean completion latency exactly. Those of a message of several
 * packets follow its last-arriving packet (DESIGN, section 5). */
#ifndef BENCH_WATERFALL_H
#define BENCH_WATERFALL_H

#include "bench/collect.h"

#define WATERFALL_ROWS (RNICSIM_STAMP_COUNT - 1)

struct waterfall {
    struct waterfall_row {
        const char *name; /* in words */
        enum rnicsim_stamp from, to;
        __int128 sum_ps;
        double mean_ns, share; /* of the whole, 0 .. 1 */
    } rows[WATERFALL_ROWS];
    __int128 sum_ps;
    uint64_t count; /* requests */
    double mean_ns;
};

struct waterfall waterfall_of(const struct collect *collect);
/* The row with the largest share but for `except` (-1: none); -1 when there is none. */
int waterfall_largest(const struct waterfall *waterfall, int except);

#endif
