/* summary.json: the whole result in one object, whose keys other tools rely on (DESIGN, section 1).
 *
 * Numbers are rounded to three decimals (shares, rates and ns alike) so that they are short, and the same on any machine.
 * goodput_gbps and wire_gbps are those of the busier direction; backpressure is in ns.
 * Only wall_time_s, packets_per_wall_s and realtime_factor depend on it. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include <stdio.h>

#include "bench/result.h"

/* 0, or -1: without memory, or the write failed. */
int summary_write(const struct result *result, FILE *out);

#endif
