/* The result files in CSV: latency, stages, stalls, fifos, pcie, events; of perftest also its own rows, of --loads a row a load; contexts where not all are on chip. Lines that begin with '#' come first.
 *
 * Times are ns with three decimals, made from whole ps, or whole ps where the column says so. */
#ifndef BENCH_CSV_H
#define BENCH_CSV_H

#include "bench/result.h"
#include "bench/results.h"

/* A field with quotes around it (RFC 4180). */
void csv_quoted(FILE *out, const char *text);
void csv_write(const struct result *result, struct results *results);

#endif
