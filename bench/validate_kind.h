/* What runs a target: a kind has a name, metrics with their units, and a run. */
#ifndef BENCH_VALIDATE_KIND_H
#define BENCH_VALIDATE_KIND_H

#include "bench/validate_target.h"

#define VALIDATE_CONSTANTS_MAX 64

struct validate_constant { /* a parameter in effect whose class is calibrated */
    char key[96], source[256];
    int is_fitted_here; /* to a point of this target */
};

struct validate_kind {
    const char *name;
    int needs_board; /* else it has none */
    int (*check)(const struct target *target);
    int (*run)(struct target *target, const struct model_options *model);
};

extern const struct validate_kind validate_perftest, validate_pciebench;

struct validate_constants {
    struct validate_constant constant[VALIDATE_CONSTANTS_MAX];
    size_t count;
};

/* Whether the kind exists, has the metrics in these units and can run the workload, and the model can be built; the constants of that
 * model. An exit status; one line was told when it is not CLI_DONE. */
int validate_check(const struct target *target, struct validate_constants *all);
/* Runs it: every point's `predicted`. An exit status, likewise. Once only. */
int validate_target(struct target *target);

#endif
