/* What a sweep's finished runs say: for each point the mean of each metric over its repeats, and its confidence interval. */
#ifndef BENCH_SWEEP_SWEEP_TABLE_H
#define BENCH_SWEEP_SWEEP_TABLE_H

#include <stdio.h>

#include "bench/sweep/sweep_store.h"

struct sweep_cell {
    uint64_t count; /* repeats that know the value: 0: it is unknown */
    double mean;
    double
        half_width; /* of the 95 % confidence interval of the mean (Student's t over repeats); 0 with fewer than two */
};

enum sweep_status { SWEEP_COMPLETE, SWEEP_PARTIAL, SWEEP_FAILED }; /* the worst of a point's runs */

struct sweep_table {
    const struct sweep *sweep;
    const struct sweep_store *store;
    struct sweep_cell *cells;  /* [point * metric_count + metric] */
    double *values;            /* [run * metric_count + metric]; NAN: unknown */
    unsigned char *status;     /* [point], enum sweep_status */
    unsigned char *run_status; /* [run] */
    uint64_t failed;           /* runs */
};

/* CLI_DONE, or an exit status after one line; sweep_table_free() also then. */
int sweep_table_make(struct sweep_table *table, const struct sweep *sweep, const struct sweep_store *store);
void sweep_table_free(struct sweep_table *table);

const struct sweep_cell *sweep_table_cell(const struct sweep_table *table, uint64_t point, size_t metric);
const char *sweep_status_name(enum sweep_status status);
/* "complete", or "partial": runs failed or did not end. */
const char *sweep_table_status(const struct sweep_table *table);

/* The first lines of each file. */
void sweep_table_head(const struct sweep_table *table, FILE *out);
/* A row a point. */
void sweep_table_csv(const struct sweep_table *table, FILE *out);
/* A row a run, where there are repeats. */
void sweep_table_runs_csv(const struct sweep_table *table, FILE *out);
/* 0, or -1: without memory, or the write failed. */
int sweep_table_json(const struct sweep_table *table, FILE *out);
void sweep_table_print(const struct sweep_table *table, FILE *out);

#endif
