/* What one `rnicsim run` does: a simulation, or one for each size of perftest's -a or each load of --loads, and its report. */
#ifndef BENCH_RUNS_H
#define BENCH_RUNS_H

#include "bench/model_options.h"
#include "bench/page.h"
#include "bench/source.h"
#include "bench/metric.h"
#include "bench/waves/waves.h"
#include "traces/capture_writer.h"

struct run_options {
    struct model_options model;
    struct source source; /* not read yet */
    const char *loads;    /* with gen, or NULL */
    const char *folder;   /* NULL: no result files */
    const char *pcap;     /* NULL, or where the frames go */
    enum capture_side pcap_side;
    struct waves_options waves;
    int checks_data; /* payload holds bytes */
    uint64_t seed;
    struct metric_asserts asserts;
    enum page_lang lang;    /* of report.html */
    unsigned chart_formats; /* a set of enum gnuplot_format */
    int force, json, quiet, no_charts, horizon_off;
};

/* Returns an exit status; when it is not CLI_DONE, one line was told. */
int runs_all(const struct run_options *options);

#endif
