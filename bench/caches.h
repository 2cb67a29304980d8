/* The caches of contexts in a report: a table, contexts.csv, and `caches` in summary.json. Nothing where all are on chip. */
#ifndef BENCH_CACHES_H
#define BENCH_CACHES_H

#include <jansson.h>
#include <stdio.h>

#include "bench/result.h"

/* Whether any cache of the run does not hold all. */
int caches_exist(const struct result *result);
void caches_print(const struct result *result, FILE *out);
void caches_csv(const struct result *result, FILE *out);
/* An array of objects; *failed is set when memory is out. */
json_t *caches_json(const struct result *result, int *failed);

#endif
