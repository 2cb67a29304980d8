/* report.html of a sweep. */
#ifndef BENCH_SWEEP_SWEEP_PAGE_H
#define BENCH_SWEEP_SWEEP_PAGE_H

#include "bench/page.h"
#include "bench/sweep/sweep_table.h"

/* After the charts: those that are drawn are in it. */
void sweep_page_write(const struct sweep_table *table, struct results *results, enum page_lang lang);

#endif
