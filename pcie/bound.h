/* What a PCIe link and its endpoint carry at most, in each direction and for each size of transfer: formulas, no simulation.
 *
 * A transfer of n bytes begins at an aligned address. Each limit is a rate of payload; the least of them binds:
 *   link     8n bits in the time that all its TLPs take on the link; a read's requests go up, its completions down: the slower
 *   user     the same for the beats of the endpoint's user interface; requests and completions have interfaces of their own
 *   tags     Little's law: so many requests in flight, of the bytes of one, in the latency
 *   headers  the same for as many requests as have all their completion headers reserved, one for each RCB block
 *   data     and as have room for their data, in credits of 16 bytes
 * TLPs keep the user interface as pcie/interface.h says. Rates are bit/s, rounded down. */
#ifndef PCIE_BOUND_H
#define PCIE_BOUND_H

#include "pcie/params.h"

enum bound_limit { BOUND_LINK, BOUND_USER, BOUND_TAGS, BOUND_HEADERS, BOUND_DATA, BOUND_LIMITS };

struct bound {
    int64_t raw_bps; /* of the link, without what it spends on itself (pcie/link.h) */
    int64_t bps[BOUND_LIMITS];
    enum bound_limit binds;
};

/* Of writes; tags and completion space are no limit (INT64_MAX). clock_hz: the user interface's. */
struct bound bound_write(const struct pcie_params *params, int64_t clock_hz, uint32_t bytes);
/* Of reads; latency_ps: from a request's way to the link to the last byte of its completions. */
struct bound bound_read(const struct pcie_params *params, int64_t clock_hz, uint32_t bytes, int64_t latency_ps);
/* The longest latency at which reads of so many bytes still reach the rate; 0: link or user interface cannot. */
int64_t bound_latency_most_ps(const struct pcie_params *params, int64_t clock_hz, uint32_t bytes, int64_t rate_bps);

#endif
