/* What rnicsim size found: as text, JSON and CSV. All only print. */
#ifndef BENCH_SIZE_REPORT_H
#define BENCH_SIZE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "bench/results.h"
#include "bench/size_fit.h"
#include "bench/size_formula.h"
#include "bench/size_relax.h"

struct size_report {
    const struct size_search *search;
    const struct size_fit *fit;
    const struct size_curve *curve; /* without a FIFO: none is wanted */
    struct size_formula formula;
    const char *status; /* "complete": the proposed depths were verified; "partial" */
};

void size_text_print(const struct size_report *report, FILE *out);
/* depths.svh and depths.h */
void size_svh_write(const struct size_report *report, FILE *out);
void size_h_write(const struct size_report *report, FILE *out);
/* depth_curve.dat, .gp and the pictures; formats: a set of enum gnuplot_format. */
void size_curve_draw(const struct size_report *report, struct results *results, unsigned formats);
/* Where prog_full must rise so that what is in flight when the sender stops still fits: the depth less the items (or beats) that the stage
 * in front has in its pipeline, and two for the flag's register and its way back. 0: there is no such depth, or no stage in front. */
uint64_t size_prog_full(const struct size_report *report, size_t fifo);
/* The FIFOs that take the most of a kind of memory, the most first: their numbers; returns how many, at most `max`. */
size_t size_largest(const struct size_report *report, enum memory_kind kind, size_t *fifos, size_t max);

void size_csv_write(const struct size_report *report, FILE *out);
/* The object of size.json, to be released; NULL without memory. */
json_t *size_json_make(const struct size_report *report);
/* 0, or -1: without memory, or `out` cannot be written. */
int size_json_write(const struct size_report *report, FILE *out);

/* "drops", "no change": what one less did, in a word. */
const char *size_less_name(enum size_less less);
/* By how much the mean completion latency of the run with one less differs; 0 when there is none. */
double size_less_mean_ps(const struct size_search *search, const struct size_fifo *fifo);

#endif
