/* A parameter sweep: what its file says, and which points and runs follow from it. No simulation here.
 *
 * The file is an ini with one section, [sweep]:
 *   board = NAME|FILE     host = NAME|FILE     trace = FILE | perftest = TOOL OPTIONS | gen = OPTIONS     faults = TEXT
 *   set.KEY = VALUE       a parameter, in all points
 *   axis.KEY = LIST | A..B step C | A..B log N, each with a unit behind it where KEY has one: "64, 128, 256", "500..2500 step 250 ns",
 *                         "1..1024 log 11": N values with equal ratios, whole numbers where A and B are
 *             KEY: any parameter; seed, board, host, trace, perftest, gen, faults; or an option of the workload (sweep_axis_options)
 *   zip = KEY, KEY        these axes go forward together; all others are crossed. Of crossed axes the first is the slowest
 *   repeats = N           runs of each point, with the seeds seed, seed + 1, ... (gen's draws too): means with confidence intervals
 *   seed = N              of the first repeat (1)
 *   metric = NAME, NAME   of summary.json: bench/metric.h
 *   chart = lines|heatmap|bars|load_latency [metric=NAME] [x=KEY] [by=KEY] [log=x|y|xy]; as many lines as wanted
 * Paths are relative to the file's folder. A point is one value of each axis; a run is one simulation, one of a point's repeats.
 * Functions that can fail return CLI_DONE, or an exit status after one line. */
#ifndef BENCH_SWEEP_SWEEP_H
#define BENCH_SWEEP_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#define SWEEP_AXES_MAX 16u
#define SWEEP_METRICS_MAX 32u
#define SWEEP_CHARTS_MAX 32u
#define SWEEP_SETS_MAX 64u
#define SWEEP_VALUES_MAX 1000000u
#define SWEEP_RUNS_MAX 100000000u
#define SWEEP_RUNS_UNASKED 10000u /* more need --yes */
#define SWEEP_DIGEST_BYTES 24u

enum sweep_kind { /* of an axis: what its value replaces */
                  SWEEP_PARAM,
                  SWEEP_OPTION, /* of the workload: appended to it */
                  SWEEP_LOAD,   /* percent of the line's rate: --rate of gen */
                  SWEEP_SEED,
                  SWEEP_BOARD,
                  SWEEP_HOST,
                  SWEEP_TRACE,
                  SWEEP_PERFTEST,
                  SWEEP_GEN,
                  SWEEP_FAULTS
};

struct sweep_axis {
    const char *key;
    int line; /* in the file */
    enum sweep_kind kind;
    const char *perftest_option, *gen_option; /* of SWEEP_OPTION: NULL where the workload has none */
    const char **values;
    size_t count;
    size_t leader; /* the axis with which it goes forward; itself when it is crossed */
    size_t stride; /* of the leader: points from one value to the next */
};

enum sweep_chart_kind { SWEEP_LINES, SWEEP_HEATMAP, SWEEP_BARS, SWEEP_LOAD_LATENCY };

struct sweep_chart {
    enum sweep_chart_kind kind;
    int line;
    const char *metric, *x_key, *by_key; /* as given; NULL: not */
    size_t x, by;                        /* axes; by: SWEEP_AXES_MAX where there is none */
    int log_x, log_y;
};

struct sweep {
    const char *path; /* of the file, as given */
    const char *board, *host, *trace, *perftest, *gen, *faults;
    const char *set[SWEEP_SETS_MAX]; /* "key=value" */
    int set_line[SWEEP_SETS_MAX];
    size_t set_count;
    struct sweep_axis axes[SWEEP_AXES_MAX];
    size_t axis_count;
    const char *metrics[SWEEP_METRICS_MAX];
    int metric_line;
    size_t metric_count;
    struct sweep_chart charts[SWEEP_CHARTS_MAX];
    size_t chart_count;
    uint64_t seed, repeats;
    uint64_t points, runs;
    char **kept; /* all texts */
    size_t kept_count, kept_room;
};

/* Reads it and checks all that can be known without a simulation. sweep_free() also after a failure. */
int sweep_read(struct sweep *sweep, const char *path);
void sweep_free(struct sweep *sweep);

/* Which value an axis has in a point. */
size_t sweep_index(const struct sweep *sweep, size_t axis, uint64_t point);
const char *sweep_value(const struct sweep *sweep, size_t axis, uint64_t point);
/* The axis of that key; axis_count: none. */
size_t sweep_axis_of(const struct sweep *sweep, const char *key);

/* ---- between the files of this folder ---- */

struct rnicsim_error;

/* A copy that lives as long as the sweep; NULL without memory. */
const char *sweep_keep(struct sweep *sweep, const char *text);
/* Reads the values; 0, or -1 with the reason in error. */
int sweep_axis_read(struct sweep *sweep, struct sweep_axis *axis, const char *text, struct rnicsim_error *error);
/* What the key names: kind and options. */
void sweep_axis_classify(struct sweep_axis *axis);
/* "size, qps, ...": what can be swept of a workload. */
const char *sweep_axis_options(void);
/* The next element of a list, commas between quotes apart, into `out`; returns what is behind it, NULL: there was none. */
const char *sweep_list_next(const char *at, char *out, size_t out_bytes);
/* One chart line; 0, or -1 with the reason in error. Axes are looked up later, by sweep_chart_resolve(). */
int sweep_chart_read(struct sweep *sweep, struct sweep_chart *chart, const char *text, struct rnicsim_error *error);
/* Finds its axes, or takes the defaults. Curves: of all axes but x. 0, or -1 with the reason in error. */
int sweep_chart_resolve(const struct sweep *sweep, struct sweep_chart *chart, struct rnicsim_error *error);

#endif
