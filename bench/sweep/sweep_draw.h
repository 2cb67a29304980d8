/* The charts that a sweep's file asks for, into its folder of results: each NAME.dat, NAME.gp and the pictures, NAME sweep_KIND_METRIC. Axes
 * beside x and by become charts of their own. Of load_latency, the knee: the first load whose p99 is above twice that of the first. */
#ifndef BENCH_SWEEP_SWEEP_DRAW_H
#define BENCH_SWEEP_SWEEP_DRAW_H

#include "bench/sweep/sweep_table.h"

/* formats: a set of enum gnuplot_format. */
void sweep_draw_all(const struct sweep_table *table, struct results *results, unsigned formats);

/* ---- how an axis is drawn (sweep_scale.c) ---- */

struct sweep_scale {
    int is_numeric;  /* all values are numbers with one unit; else they are words, drawn side by side */
    int is_log;      /* numbers with equal ratios */
    char title[192]; /* "host.read_latency (ns)" */
};

struct sweep_scale sweep_scale_of(const struct sweep_axis *axis);
/* Where the value stands: its number, or its index. */
double sweep_scale_at(const struct sweep_scale *scale, const struct sweep_axis *axis, size_t index);

#endif
