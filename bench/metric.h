/* Values of a summary by name, with their units, and assertions on them: "p99.9 < 3 us", "drops == 0", "bottleneck.cause == no_tag".
 *
 * A name is a path of summary.json, its keys joined by dots: latency_ns.p99.9, fifos.a rx cdc.hwm (an element of an array by its "name",
 * or its number from 0). For short: p99.9 is latency_ns.p99.9, goodput is goodput_gbps, pdv is jitter_ns.pdv; an object of numbers (drops)
 * is their sum. */
#ifndef BENCH_METRIC_H
#define BENCH_METRIC_H

#include <argp.h>
#include <jansson.h>

/* The value, borrowed; NULL: there is no such name. */
const json_t *metric_find(const json_t *summary, const char *name);
/* 1 and its number; 0: null, or no number (text, an array). */
int metric_number(const json_t *value, double *out);
/* "ns", "Gb/s", "M/s", or "" for a mere number. */
const char *metric_unit(const char *name);

/* Returns CLI_DONE, CLI_ASSERTION (it does not hold: one line with the value), or CLI_INPUT (what is asserted makes no sense: one line). */
int metric_assert(const json_t *summary, const char *assertion);
/* Those that a command line has. */
#define METRIC_ASSERTS_MAX 32u
struct metric_asserts {
    const char *text[METRIC_ASSERTS_MAX];
    size_t count;
};
/* One --assert more; for an argp parser, as cli_parse() has them. */
error_t metric_asserts_take(struct metric_asserts *asserts, const char *text);
/* All are judged, the worst of them counts: 2 before 1. */
int metric_asserts_judge(const struct metric_asserts *asserts, const json_t *summary);
/* CLI_DONE, or CLI_INPUT and one line: before anything is run, whether the text can be read at all. */
int metric_check(const char *assertion);

#endif
