/* The charts of a run: each NAME.dat (the numbers), NAME.gp (draws it again by itself) and the pictures that gnuplot draws, NAME.svg, .png or .pdf.
 *
 * latency_cdf, latency_ccdf (log-log: the tail), waterfall, requests (the first ones, stage by stage), pcie_kinds, fifo_occupancy, fifo_fullest, fifo_around; of --loads also load_latency; of
 * perftest's -a also bandwidth_size and rate_size, or latency_size, and waterfall_size. Without gnuplot .dat and .gp are left, and a warning. The templates are
 * bench/plots/NAME.gp, next to the program or installed. */
#ifndef BENCH_CHARTS_H
#define BENCH_CHARTS_H

#include "bench/result.h"
#include "bench/results.h"

/* formats: a set of enum gnuplot_format. */
void charts_write(const struct result *result, struct results *results, unsigned formats);

/* The numbers of each chart (bench/charts_data.c); the simulation is only read. */
void charts_data_distribution(const struct result *result, FILE *out);
void charts_data_waterfall(const struct result *result, FILE *out);
void charts_data_waterfall_sizes(const struct result *result, FILE *out);
void charts_data_requests(const struct result *result, FILE *out);
void charts_data_pcie(const struct result *result, FILE *out);
void charts_data_occupancy(const struct result *result, FILE *out);
void charts_data_fullest(const struct result *result, FILE *out);
void charts_data_around(const struct result *result, FILE *out);
void charts_data_loads(const struct result *result, FILE *out);
void charts_data_sizes(const struct result *result, FILE *out);

#endif
