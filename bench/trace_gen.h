/* rnicsim trace gen: its arguments (argv[0] is its name); returns the exit status. */
#ifndef BENCH_TRACE_GEN_H
#define BENCH_TRACE_GEN_H

int trace_gen_main(int argc, char **argv);

#endif
