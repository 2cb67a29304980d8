/* Where a workload comes from, as the command line says it: a trace, perftest's options, or those of trace gen. It can be opened again
 * and again, each time for a run of its own. Functions that can fail return 0, or an exit status after one line. */
#ifndef BENCH_SOURCE_H
#define BENCH_SOURCE_H

#include <argp.h>

#include "bench/faults.h"
#include "bench/generated.h"
#include "bench/workload.h"

struct source {
    const char *trace, *perftest, *gen; /* as given: one of them */
    const char *faults;                 /* NULL: none */
    struct perftest_options perftest_options;
    struct generated generated;
    struct fault_plan fault_plan;
};

/* TRACE, --perftest, --gen, --faults: a child of a subcommand's argp, whose parser leaves words to it; its input is a struct source. */
const struct argp *source_argp(void);
/* Whether exactly one is given. */
int source_check(const struct source *source, const char *command);
/* Reads the options in it. */
int source_parse(struct source *source);
void source_free(struct source *source);
/* size_bytes: of perftest. rate: of gen, instead of its own; NULL: that. */
int source_open(const struct source *source, uint64_t size_bytes, const char *rate, struct workload *workload);
int source_digest(const struct source *source, char *text, size_t text_bytes);

#endif
