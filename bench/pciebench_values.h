/* What a fit finds out about a host, as parameters and as a host file. Times are ns. */
#ifndef BENCH_PCIEBENCH_VALUES_H
#define BENCH_PCIEBENCH_VALUES_H

#include <stdio.h>

#include "bench/pciebench_csv.h"

#define VALUES_SETS 80
#define VALUES_TEXT_BYTES 640

struct pciebench_shape { /* a distribution: rising percents from 0 to 100 */
    struct pciebench_quantile point[PCIEBENCH_QUANTILES + 2];
    int count;
};

struct pciebench_values {
    int mps, mrrs;
    double read, read_kib;        /* the median of pcie.host_read; for each KiB */
    struct pciebench_shape shape; /* of pcie.host_read about its median; count 0: constant */
    struct pciebench_shape wake;  /* count 0: it never sleeps */
    double remote;                /* 0: near memory; else all that is read is DRAM of the other node */
    double dram, refresh;         /* < 0: not fitted, nor the following */
    double write_line;
    double iommu_miss, iommu_walk, iommu_write_walk;
    int iommu, iommu_entries; /* entries 0: not fitted */
};

struct pciebench_sets { /* the values as "key=value" */
    char text[VALUES_SETS][VALUES_TEXT_BYTES];
    const char *set[VALUES_SETS];
    size_t count;
};

/* known: what the user gives as "key=value", which goes before what was found. */
void pciebench_values_set(const struct pciebench_values *values, const struct pciebench_host *known,
                          struct pciebench_sets *sets);
/* Whether the user gives the key. */
int pciebench_is_known(const struct pciebench_host *known, const char *key);
/* Writes a host file. name: the host's; from: the measured figures' file. */
void pciebench_values_write(const struct pciebench_values *values, const struct pciebench_host *known, const char *name,
                            const char *from, FILE *out);

#endif
