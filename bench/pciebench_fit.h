/* Fits a host to measured figures of pcie-bench. */
#ifndef BENCH_PCIEBENCH_FIT_H
#define BENCH_PCIEBENCH_FIT_H

#include "bench/pciebench_measure.h"

/* Reads the CSV `path` (system: as of pciebench_csv_read()), fits, and writes a host file to `out` (NULL: standard output). Prints the
 * residuals, beside a host on standard output on standard error. Returns the exit status. */
int pciebench_fit(const struct pciebench_host *base, const char *path, const char *system, const char *out, int json);

#endif
