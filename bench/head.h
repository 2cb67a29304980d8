/* The first lines of every result file: schema, version, status, what was simulated, what was changed, trace and seed. */
#ifndef BENCH_HEAD_H
#define BENCH_HEAD_H

#include <stdio.h>

#include "bench/result.h"

/* As comment lines that begin with "# ". Nothing in them depends on the day or the machine. */
void head_print(const struct result *result, FILE *out);

#endif
