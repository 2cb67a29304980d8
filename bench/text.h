/* The report of a run for a terminal, at most 100 columns wide. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdio.h>

#include "bench/result.h"

void text_print(const struct result *result, FILE *out);
/* The stalls and FIFOs, its second half (bench/text_load.c). */
void text_print_load(const struct result *result, FILE *out);
/* "trace a.wqe", or what stands for one: "perftest: write_lat". Returns text. */
const char *text_workload(const struct result *result, char *text, size_t text_bytes);
/* A request's opcode as perftest and verbs write it. */
const char *text_opcode(enum rnicsim_opcode opcode);

#endif
