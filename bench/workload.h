/* What drives a simulation: a trace that is replayed, or perftest's programs. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "bench/faults.h"
#include "bench/perftest/program.h"
#include "traces/replay.h"

struct workload {
    struct trace_replay *replay;     /* of a trace */
    struct perftest_run *perftest;   /* or of perftest, for one size */
    char name[512];                  /* the trace's path, or "perftest: write_lat -s 64" */
    const struct fault_plan *faults; /* NULL: none */
    char temporary[512];             /* the trace's path if it is to be removed, else empty */
};

/* Functions that can fail return an enum rnicsim_result and one line of error. */
int workload_of_trace(struct workload *workload, const char *path, struct rnicsim_error *error);
/* text: what the options were parsed from. */
int workload_of_perftest(struct workload *workload, const struct perftest_options *options, const char *text,
                         uint64_t size_bytes, struct rnicsim_error *error);
/* A trace made by --gen: it is removed by workload_close(). */
int workload_of_generated(struct workload *workload, const char *path, const char *text, struct rnicsim_error *error);
void workload_close(struct workload *workload);

int workload_create_objects(struct workload *workload, struct rnicsim *sim, struct rnicsim_error *error);
/* To its end, or until_ps. Every event that a host sees is handed on, in order of time. */
int workload_run(struct workload *workload, struct rnicsim *sim, int64_t until_ps, trace_replay_event *event,
                 void *context, struct rnicsim_error *error);
/* Of perftest by duration, the requests are those posted so far. */
void workload_counts(const struct workload *workload, struct trace_replay_counts *out);
/* 1: everything was posted, and every program has ended. */
int workload_is_whole(const struct workload *workload);
/* The first that waits: who, and for what; 0: nobody. */
int workload_explain(const struct workload *workload, char *text, size_t text_bytes);

#endif
