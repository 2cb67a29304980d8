/* The subcommands of rnicsim. Each gets its own arguments (argv[0] is its name) and returns the exit status. */
#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

int run_main(int argc, char **argv);
int sweep_main(int argc, char **argv);
int why_main(int argc, char **argv);
int size_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int params_main(int argc, char **argv);
int boards_main(int argc, char **argv);
int trace_main(int argc, char **argv);
int validate_main(int argc, char **argv);
int linecheck_main(int argc, char **argv);
int pciebench_main(int argc, char **argv);
int mac_main(int argc, char **argv);
int net_main(int argc, char **argv);
int headroom_main(int argc, char **argv);
int verbs_main(int argc, char **argv);

#endif
