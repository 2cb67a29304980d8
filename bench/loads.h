/* Latency against load (--loads): one open-loop run for each offered load, and the knee. */
#ifndef BENCH_LOADS_H
#define BENCH_LOADS_H

#include "bench/model_options.h"
#include "bench/result.h"

/* "10,30,50,90.5": percent of mac.rate that the payload takes, above 0 to 200, ascending, at most LOADS_MAX. Returns 0, or an exit
 * status after one line. */
int loads_parse(const char *text, struct load_series *out);
/* The line's rate in bit/s of what the options name. Returns 0, or an exit status after one line. */
int loads_line_bps(const struct model_options *model, int64_t *bps);
/* The rate of the n-th load, as trace gen reads it: "12.5 Gbps". */
void loads_rate(const struct load_series *series, size_t n, int64_t line_bps, char *text, size_t text_bytes);
/* Takes the next load's result. The knee is the first load whose p99 is above twice that of the first. */
void loads_add(struct load_series *series, const struct result *result);

void loads_print(const struct load_series *series, FILE *out);
void loads_csv(const struct load_series *series, FILE *out);

#endif
