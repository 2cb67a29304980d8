/* When the requests of an open-loop workload are due: instants in 2^-32 ps, in integers.
 *
 * A mean gap is rounded down to 2^-32 ps, so that ten million of them are off by less than a picosecond. Poisson gaps
 * are that mean times an exponential draw, right to 2^-31 of the mean (traces/logarithm.h). A burst is so many requests
 * at a constant gap; between the last of one and the first of the next lies one more such gap and an exponential pause,
 * whose mean makes up the mean rate. */
#ifndef TRACES_ARRIVALS_H
#define TRACES_ARRIVALS_H

#include <stdint.h>

#include "api/rnicsim.h"

enum trace_arrival { TRACE_CLOSED, TRACE_POISSON, TRACE_PERIODIC, TRACE_BURST, TRACE_ARRIVAL_COUNT };

const char *trace_arrival_name(enum trace_arrival arrival);

/* An offered rate as text: requests a second ("2 MHz") or their payload ("50 Gbps"), then by the mean size in 2^-20
 * bytes. The mean gap in 2^-32 ps; 0, or -1 with one line of error that begins with `what`. */
int trace_arrivals_gap(const char *rate, const char *what, uint64_t mean_size, unsigned __int128 *gap,
                       struct rnicsim_error *error);

struct trace_arrivals {
    enum trace_arrival arrival;       /* not TRACE_CLOSED */
    unsigned __int128 gap, burst_gap; /* mean, and within a burst, in 2^-32 ps */
    uint64_t burst;                   /* requests */
    uint64_t seed;
    unsigned __int128 now; /* 2^-32 ps */
};

/* The instant of request `ordinal` = 0, 1, ... in ps; -1: it would lie after RNICSIM_TIME_MAX. */
int64_t trace_arrivals_next(struct trace_arrivals *arrivals, uint64_t ordinal);

#endif
