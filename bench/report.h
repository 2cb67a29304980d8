/* report.html of a run: what was run, the verdict in three sentences, tables, charts. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/page.h"
#include "bench/result.h"

/* After the charts: those that are drawn are in it. */
void report_write(const struct result *result, struct results *results, enum page_lang lang);

#endif
