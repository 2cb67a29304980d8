/* rnicsim verbs: runs programs that use libibverbs on the simulation, in its time. */
#ifndef VERBS_LAUNCH_H
#define VERBS_LAUNCH_H

#include "api/rnicsim.h"

#define VERBS_PROGRAMS 2

struct verbs_program {
    char host;   /* 'a', 'b', or '-': any */
    char **argv; /* ends with NULL */
    const char *name; /* for messages */
};

struct verbs_launch {
    struct rnicsim *sim;  /* made with rnicsim_options.data = 1 */
    const char *library;  /* the path of librnicsim_verbs.so */
    int64_t tsc_hz;
    struct verbs_program program[VERBS_PROGRAMS];
    int programs;
};

/* Runs them to their ends; nothing of them is left then. Returns RNICSIM_OK, RNICSIM_EMODEL with error set, or 1: a program
 * failed, and error says which and how. */
int verbs_launch(const struct verbs_launch *launch, struct rnicsim_error *error);

/* Finds the library beside the program or in ../lib. RNICSIM_EINPUT: there is none. */
int verbs_find_library(char *path, size_t path_bytes, struct rnicsim_error *error);

#endif
