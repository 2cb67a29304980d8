/* The outcome of rnicsim validate: points, predictions counted apart from calibrated ones, constants that were fitted, reads at 100G. */
#ifndef BENCH_VALIDATE_REPORT_H
#define BENCH_VALIDATE_REPORT_H

#include "bench/validate_kind.h"
#include "bench/validate_reads.h"

struct validation {
    struct target *target;
    struct validate_constants *constants; /* of each target */
    size_t targets;
    struct validate_reads reads[VALIDATE_READS_MAX];
    size_t reads_count; /* 0: not asked */
};

/* (predicted - measured) / measured, in percent. */
double validation_error_pct(const struct target_point *point);
/* An exit status. */
int validation_print_json(const struct validation *validation);
int validation_print_text(const struct validation *validation);

#endif
