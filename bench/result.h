/* Everything that the reports tell of one run, taken from the simulation once it is over. Text, JSON, CSV and charts only
 * print it. */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include "bench/bottleneck.h"
#include "bench/latency.h"
#include "bench/perftest/report.h"
#include "bench/steady.h"
#include "bench/workload.h"

#define RESULT_SCHEMA 1
#define RESULT_DIGEST_BYTES 24

struct result_fifo {
    struct rnicsim_fifo_info info;
    size_t index; /* in the simulation */
    char name[128];
    double fullness; /* high water over depth */
};

struct result_drop {
    char place[96];  /* "rx.cdc full", "tx underrun", "payload not read", "out of sequence" */
    uint64_t frames; /* of both NICs */
};

#define LOADS_MAX 64u

struct load_point {
    double load_pct, goodput_gbps;
    struct latency latency; /* completion, from arrival */
};

struct load_series { /* of --loads */
    struct load_point point[LOADS_MAX];
    size_t asked, count; /* given, and run */
    int knee;            /* index; -1: none */
};

struct result_around {                   /* the fullest FIFO around the instant at which it was fullest */
    struct rnicsim_level_change *change; /* the first is the level at the beginning */
    size_t count;
    int64_t high_water_at_ps, to_ps;
};

struct size_waterfall { /* of perftest's -a: where the mean goes, for one size */
    uint64_t size_bytes;
    struct waterfall waterfall;
};

struct result {
    struct rnicsim *sim;
    const struct collect *collect;
    const char *trace;                     /* its path, or the workload's words */
    const struct perftest_table *perftest; /* NULL: not perftest */
    const struct size_waterfall *sizes;    /* as many as perftest's table has rows */
    const struct load_series *loads;       /* NULL: not --loads */
    char digest[RESULT_DIGEST_BYTES];
    int checks_data;    /* --data */
    const char *faults; /* as given; NULL: none */
    uint64_t seed;
    const char *status; /* "complete" or "partial" */
    struct trace_replay_counts counts;
    struct rnicsim_totals totals;
    uint64_t requests_done;
    int64_t end_ps;      /* of the last completion; when the run is partial, of the last event */
    int64_t duration_ps; /* from the first post to then */
    struct latency completion, delivery;
    struct jitter jitter; /* of completions */
    struct steady_state steady;
    struct waterfall waterfall;
    double goodput_gbps, wire_gbps; /* of the busier direction each, so that both compare with the line */
    double goodput_both_gbps;       /* both directions together */
    double message_rate_mps;        /* requests done, of both hosts */
    double line_gbps;               /* 0: not known */
    struct rnicsim_stage_info *stages;
    size_t stage_count;
    struct result_fifo *fifos; /* fullest first; equally full ones by the back-pressure that they made */
    size_t fifo_count;
    struct result_drop *drops; /* none where there were none */
    size_t drop_count;
    struct rnicsim_tlp_info *tlps;
    size_t tlp_count;
    struct rnicsim_cache_info *caches; /* of contexts; those without entries hold all */
    size_t cache_count;
    struct result_around around; /* count 0: not looked at */
    struct bottlenecks bottlenecks;
    char changed[1024];      /* "key=value; key=value", of -s */
    char stuck[2048];        /* empty when nothing is */
    char first_waiting[512]; /* the first trace record that was not posted; empty: all were */
    double wall_s;
};

/* sim, collect, trace, digest, seed and wall_s are set; fills the rest. 0, or -1 without memory. */
int result_gather(struct result *result, const struct workload *workload);
/* Takes the changes that the second run has kept of a FIFO. 0, or -1 without memory. */
int result_keep_around(struct result *result, const struct result *again, size_t fifo, int64_t to_ps);
void result_free(struct result *result);

#endif
