/* The ports in a report: a table, ports.csv, and `ports` in summary.json: the line, FEC, flow control. */
#ifndef BENCH_PORTS_H
#define BENCH_PORTS_H

#include <jansson.h>
#include <stdio.h>

#include "bench/result.h"

/* Nothing where there are neither bit errors nor pauses. */
void ports_print(const struct result *result, FILE *out);
void ports_csv(const struct result *result, FILE *out);
/* An array of objects; *failed is set when memory is out. */
json_t *ports_json(const struct result *result, int *failed);

#endif
