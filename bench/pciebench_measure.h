/* One measurement of pcie-bench on the model: for the command, its fit and the tests. */
#ifndef BENCH_PCIEBENCH_MEASURE_H
#define BENCH_PCIEBENCH_MEASURE_H

#include "api/rnicsim.h"
#include "bench/quantile.h"

#define PCIEBENCH_LATENCIES 100000u   /* samples when none are asked for: p99.99 is known */
#define PCIEBENCH_TRANSACTIONS 50000u /* of a bandwidth */
#define PCIEBENCH_WINDOW_BYTES 8192u

struct pciebench_case {
    enum rnicsim_pciebench_test test;
    uint32_t bytes, offset;
    uint64_t window_bytes;
    int cold;
    uint64_t samples; /* 0: as above */
};

struct pciebench_host {
    const char *host; /* as of struct rnicsim_pciebench */
    const char *const *set;
    size_t set_count;
    const char *data_dir;
    uint64_t seed;
};

#define PCIEBENCH_TAILS 13

struct pciebench_answer {
    double gbps; /* of a bandwidth; the rest: of a latency */
    int64_t min_ps;
    double mean_ps;
    struct quantile median, p99, p999;
    double tail_from_ps,
        tail_percent[PCIEBENCH_TAILS]; /* samples more than pciebench_tail_ns(i) over the median, without stamps */
};

/* 40, 66.7, 93.3, .. 360: whole stamps of the device. */
double pciebench_tail_ns(int i);

/* "lat_rd" .. "bw_rdwr". */
const char *pciebench_test_name(enum rnicsim_pciebench_test test);
/* By any spelling: lat_rd, LAT_RD, LAT_DMA_RD, BW_DMA_RW, ... Returns -1 for others, as for the command path's (LAT_CMD_RD). */
int pciebench_test_of(const char *name, enum rnicsim_pciebench_test *test);
int pciebench_is_latency(enum rnicsim_pciebench_test test);

int pciebench_measure(const struct pciebench_host *host, const struct pciebench_case *what,
                      struct pciebench_answer *answer, struct rnicsim_error *error);

#endif
