#include "traces/arrivals.h"

#include <string.h>

#include "traces/logarithm.h"
#include "traces/random.h"
#include "traces/record.h"

#define PS_PER_S UINT64_C(1000000000000)
#define BITS 8u

const char *trace_arrival_name(enum trace_arrival arrival)
{
    static const char *const name[TRACE_ARRIVAL_COUNT] = {"closed", "poisson", "periodic", "burst"};
    return name[arrival];
}

int trace_arrivals_gap(const char *rate, const char *what, uint64_t mean_size, unsigned __int128 *gap,
                       struct rnicsim_error *error)
{
    int64_t hz, bps;
    if (rnicsim_parse(rate, RNICSIM_REQUEST_RATE, &hz, NULL) == RNICSIM_OK) {
        *gap = ((unsigned __int128)PS_PER_S << 32) / (uint64_t)hz;
        return 0;
    }
    if (rnicsim_parse(rate, RNICSIM_RATE, &bps, NULL) != RNICSIM_OK)
        return trace_fail(error,
                          "%s \"%.40s\": allowed are requests a second, \"1 Hz\" to \"10 GHz\", and their payload, "
                          "\"1 Mbps\" to \"10000 Gbps\"",
                          what, rate);
    *gap = ((unsigned __int128)mean_size * (BITS * PS_PER_S) << 12) / (uint64_t)bps;
    if (*gap == 0)
        return trace_fail(
            error, "%s \"%.40s\": the requests have no payload; allowed is a rate of requests (\"1 MHz\")", what, rate);
    return 0;
}

static unsigned __int128 exponential(const struct trace_arrivals *arrivals, uint64_t ordinal, unsigned __int128 mean)
{
    uint64_t factor = trace_exponential(trace_random(arrivals->seed, TRACE_RANDOM_GAP, ordinal));
    return (mean >> 32) * factor + ((mean & UINT32_MAX) * factor >> 32);
}

static unsigned __int128 gap_before(const struct trace_arrivals *arrivals, uint64_t ordinal)
{
    if (arrivals->arrival == TRACE_POISSON)
        return exponential(arrivals, ordinal, arrivals->gap);
    if (ordinal == 0)
        return 0;
    if (arrivals->arrival == TRACE_PERIODIC)
        return arrivals->gap;
    if (ordinal % arrivals->burst != 0)
        return arrivals->burst_gap;
    return arrivals->burst_gap +
           exponential(arrivals, ordinal, (arrivals->gap - arrivals->burst_gap) * arrivals->burst);
}

int64_t trace_arrivals_next(struct trace_arrivals *arrivals, uint64_t ordinal)
{
    const unsigned __int128 latest = (unsigned __int128)RNICSIM_TIME_MAX << 32;
    unsigned __int128 gap = gap_before(arrivals, ordinal);
    if (gap > latest || arrivals->now + gap > latest)
        return -1;
    arrivals->now += gap;
    return (int64_t)(arrivals->now >> 32);
}
