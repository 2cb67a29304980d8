/* The memory blocks of an FPGA, by name, from the table parts/parts.csv beside the other data. */
#ifndef BENCH_PART_H
#define BENCH_PART_H

#include <stdint.h>

struct part {
    char name[64], device[64];
    uint64_t bram36, uram, m20k;
    char class_name[16], source[96];
};

/* 0, or CLI_INPUT and one line: there is no such part (known are ...), or the table has a mistake. */
int part_find(const char *name, struct part *out);

#endif
