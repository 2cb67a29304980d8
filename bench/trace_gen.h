/* rnicsim trace gen: its arguments (argv[0] is its name); returns the exit status. */
#ifndef BENCH_TRACE_GEN_H
#define BENCH_TRACE_GEN_H

#include "traces/generate.h"

int trace_gen_main(int argc, char **argv);
/* The same arguments, without making the trace; *file: of -o, or NULL. Texts stay where argv has them. Returns 0, or an exit status
 * after one line. */
int trace_gen_parse(int argc, char **argv, struct trace_generate *generate, const char **file);

#endif
