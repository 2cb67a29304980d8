/* A target of rnicsim validate: what was measured on a real system, and the run of the model that predicts it. An ini file:
 *
 *   about = "ConnectX-5 100G back to back, WRITE of 8 B"
 *   kind = perftest                     what runs it (bench/validate_kind.h)
 *   board = cx5_100g                    not of kind pciebench
 *   host = hsw_e5_2620v3
 *   set = "pcie.lanes=8; mac.cable=1 m"  optional, as after -s
 *   workload = "write_lat -s 8"          in the words of the kind
 *   source = "whose measurement, on what"
 *   [measured]
 *   t_typical = 0.99 us +- 0.005 @calibrated     metric = value unit [+- spread], and the point's class: calibrated when a constant
 *   t_99 = 1.15 us +- 0.005 @prediction          was fitted to it, else prediction
 *   [fitted]                             the constants that were fitted to this target, and to which of its metrics
 *   stage.payload.build.latency = calibrated "t_typical" */
#ifndef BENCH_VALIDATE_TARGET_H
#define BENCH_VALIDATE_TARGET_H

#include "bench/model_options.h"

#define TARGET_TEXT_BYTES 400
#define TARGET_POINTS_MAX 16
#define TARGET_FITTED_MAX 8
#define TARGET_SETS_MAX 16

enum target_text {
    TARGET_ABOUT,
    TARGET_KIND,
    TARGET_BOARD,
    TARGET_HOST,
    TARGET_SET,
    TARGET_WORKLOAD,
    TARGET_SOURCE,
    TARGET_TEXTS
};

struct target_point {
    char metric[32], unit[16];
    double measured, spread; /* spread 0: not known */
    int is_calibrated;
    int line;
    double predicted; /* once it was run */
};

struct target_fitted {
    char key[64], metric[32];
    int line;
};

struct target {
    char path[512], name[128];
    char text[TARGET_TEXTS][TARGET_TEXT_BYTES];
    int line[TARGET_TEXTS];
    int last_line;
    struct target_point point[TARGET_POINTS_MAX];
    size_t points;
    struct target_fitted fitted[TARGET_FITTED_MAX];
    size_t fitted_count;
};

/* name_or_path: of the installed ones, or a file. Returns an exit status; one line was told when it is not CLI_DONE. */
int target_read(struct target *target, const char *name_or_path);
/* The names of the installed ones, each followed by a NUL, sorted; an empty one ends them. NULL: there are none; it was told. */
char *target_list(void);
/* "path:line: " and the rest; returns CLI_INPUT. */
int target_fail(const struct target *target, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Points into the target, which it cuts at the ';' of its set. 0, or CLI_INPUT. */
int target_model(struct target *target, struct model_options *model);

#endif
