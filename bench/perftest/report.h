/* perftest's own report of a run: the same arithmetic on the same samples, so the same digits as the tool would print (v4.5-0.17,
 * print_report_lat(), print_report_lat_duration(), print_report_bw()), and beside it what that arithmetic hides. */
#ifndef BENCH_PERFTEST_REPORT_H
#define BENCH_PERFTEST_REPORT_H

#include <stdio.h>

#include "bench/perftest/program.h"

/* Latency, microseconds (or cycles). t_max is the second largest sample: the largest two are left out of everything, as perftest
 * does. t_stdev goes through whole numbers there: below 1 it is 0; sigma is the true one of the same samples. */
struct perftest_lat_report {
    uint64_t size_bytes, iters;
    double t_min, t_max, t_typical, t_avg, t_stdev, t_99, t_999;
    double sigma, largest;
    double tps; /* of a duration: then only t_avg and this are set */
};

struct perftest_bw_report {
    uint64_t size_bytes, iters;
    double peak, average, message_rate_mps; /* MiB/s, or Gb/s */
};

/* delta: of iters samples posted_cyc the iters - 1 differences, written here in ascending order. cycles_per_unit: a microsecond's, or
 * 1. rtt_factor: 2 where half a round trip is told. iters >= 4. */
struct perftest_lat_report perftest_lat_of(const uint64_t *posted_cyc, uint64_t iters, double cycles_per_unit,
                                           int rtt_factor, uint64_t *delta);
/* Of one side. */
struct perftest_lat_report perftest_report_lat(const struct perftest_run *run, uint32_t host, uint64_t *delta);
struct perftest_bw_report perftest_report_bw(const struct perftest_run *run, uint32_t host);

/* One row a size; where both sides send, of both together. */
struct perftest_row {
    struct perftest_lat_report lat;
    struct perftest_bw_report bw;
};

struct perftest_table {
    struct perftest_options options;
    struct perftest_row row[PERFTEST_SIZES_MAX];
    size_t count;
};

/* Adds the run's row; with -H and -U its samples are printed to `samples` (NULL: not). 0, or -1 without memory. */
int perftest_table_add(struct perftest_table *table, const struct perftest_run *run, FILE *samples);
/* As perftest prints it, and our sigma. */
void perftest_table_print(const struct perftest_table *table, FILE *out);
/* With more digits, and the largest sample. */
void perftest_table_csv(const struct perftest_table *table, FILE *out);

#endif
