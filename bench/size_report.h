/* What rnicsim size found: as text, JSON and CSV. All only print. */
#ifndef BENCH_SIZE_REPORT_H
#define BENCH_SIZE_REPORT_H

#include <stdio.h>

#include "bench/size_fit.h"

struct size_report {
    const struct size_search *search;
    const struct size_fit *fit;
    const char *status; /* "complete": the proposed depths were verified; "partial" */
};

void size_text_print(const struct size_report *report, FILE *out);
void size_csv_write(const struct size_report *report, FILE *out);
/* 0, or -1: without memory, or `out` cannot be written. */
int size_json_write(const struct size_report *report, FILE *out);

/* "drops", "no change": what one less did, in a word. */
const char *size_less_name(enum size_less less);
/* By how much the mean completion latency of the run with one less differs; 0 when there is none. */
double size_less_mean_ps(const struct size_search *search, const struct size_fifo *fifo);

#endif
