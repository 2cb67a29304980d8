/* What the steps of a fit share: the points, the values found so far, and how to ask the model. Steps return 0, or the exit status after they
 * printed what is wrong. */
#ifndef BENCH_PCIEBENCH_FITTING_H
#define BENCH_PCIEBENCH_FITTING_H

#include "bench/pciebench_values.h"

#define FITTING_NEAR_BYTES 262144   /* windows up to it are in any cache and any IOTLB */
#define FITTING_FAR_BYTES 16777216  /* windows from it on are in no IOTLB of 4 KiB pages */
#define FITTING_STAMP_NS (40.0 / 3) /* of pcie-bench's device */
#define FITTING_SLEEPS_NS 100       /* a host whose median lies so far over its least latency sleeps */
#define FITTING_DRAM_NS 52          /* the default of pcie.host_dram */
#define FITTING_LATENCIES 20000     /* samples */
#define FITTING_TRANSACTIONS 20000
#define FITTING_REFRESH_P99_NS 78 /* 1 % and 0.1 % of 7800 ns: so much before the longest wait the percentile stands */
#define FITTING_REFRESH_P999_NS 8

struct fit {
    const struct pciebench_host *base;
    const char *path;
    struct pciebench_points points;
    struct pciebench_values values;
    const struct pciebench_point *reference; /* of the latencies: the smallest size with most percentiles */
    char kept[1024];                         /* which parameters could not be told, one a line */
};

int fitting_is_near(const struct pciebench_point *point);
int fitting_is_near_read(const struct pciebench_point *point);
/* Notes what could not be told. */
void fitting_keep(struct fit *fit, const char *line);
int fitting_ask(const struct fit *fit, const struct pciebench_values *values, const struct pciebench_point *point,
                uint64_t samples, struct pciebench_answer *answer);
double fitting_predicted_ns(const struct pciebench_answer *answer);
/* The latency without the stamps: about its mean, but without the tail. */
double fitting_center_ns(const struct pciebench_point *point);
/* The tRFC of JEDEC that is near; else as it is. */
double fitting_as_jedec(double ns);

/* Steps, in this order. Where near reads lie and how they are spread; how transfers are cut; what keeps writes back */
int fitting_find_reads(struct fit *fit);
int fitting_find_cutting(struct fit *fit);
int fitting_find_write_line(struct fit *fit);
/* what lies behind the cache, and the IOMMU. */
int fitting_find_dram(struct fit *fit);
int fitting_find_iommu(struct fit *fit);
int fitting_find_refresh(struct fit *fit);

#endif
