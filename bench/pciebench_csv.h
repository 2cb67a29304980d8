/* Measured figures of pcie-bench, as its tools write them or reduced to percentiles: a CSV with a header, columns by name in any order.
 *
 * Known columns, without regard to case: Test; SZ or size_B; WinSZ or window_B; Cache (HWarm, warm, Cold; rows of anything else are not
 * used); HO or host_off; DO or dev_off; system; Med(ns) or p50; Avg(ns); Min(ns) or min; Max(ns) or max; 95%(ns), 99.9%(ns); pNN, pNN.NN;
 * payload_Gbps or "BW (GB/s)", which are Gb/s whatever the header says; and those of pciebench --json. Others are not looked at. Files one
 * behind the other, each with its header, are read as one. */
#ifndef BENCH_PCIEBENCH_CSV_H
#define BENCH_PCIEBENCH_CSV_H

#include "bench/pciebench_measure.h"

#define PCIEBENCH_QUANTILES 14

struct pciebench_quantile {
    double percent, ns;
};

struct pciebench_point {
    struct pciebench_case what;
    int line;
    double gbps;    /* of a bandwidth */
    double mean_ns; /* 0: not given */
    /* of a latency: rising; min is 0 percent, max 100 */
    struct pciebench_quantile quantile[PCIEBENCH_QUANTILES];
    int quantiles;
};

struct pciebench_points {
    struct pciebench_point *point;
    size_t count, skipped; /* skipped: rows of tests that are not modelled, or with an offset on the device */
};

/* system: the rows to be taken where there is such a column; NULL: there must be one system. Prints what is wrong; returns the exit status. */
int pciebench_csv_read(const char *path, const char *system, struct pciebench_points *points);
/* The quantile at `percent`; 0: not given. */
double pciebench_quantile(const struct pciebench_point *point, double percent);

#endif
