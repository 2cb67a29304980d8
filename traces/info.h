/* Prints what a trace consists of: requests, sizes, doorbells, signalling, dependencies. */
#ifndef TRACES_INFO_H
#define TRACES_INFO_H

#include <stdio.h>

#include "api/rnicsim.h"

/* Reads the whole trace before it prints. 0, or -1 with one line of error and nothing printed. */
int trace_info(const char *path, FILE *out, struct rnicsim_error *error);

#endif
