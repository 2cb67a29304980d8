/* Reads a whole trace before its replay: which threads it has, how much they post, and whether this simulator can do it
 * all.
 *
 * Refused, with the place: hosts other than 0 and 1, QP types and opcodes that are not simulated, requests of several
 * SGEs, doorbells longer than their queue. A replay reads the file twice, so it must be a regular file. */
#ifndef TRACES_REPLAY_SCAN_H
#define TRACES_REPLAY_SCAN_H

#include "traces/header.h"

struct trace_replay_scan {
    char *path;
    struct trace_map thread_index; /* (host, thread) to an index into threads, in order of their first records */
    struct trace_replay_thread {
        uint32_t host, thread;
        uint64_t records; /* that are posted */
    } * threads;
    uint32_t thread_count;
    uint64_t requests, receives;
    int any_think;    /* some dep has a think time */
    int has_answered; /* a READ or an atomic is posted */
};

/* 0, or -1 with one line of error and nothing to free. */
int trace_replay_scan_file(struct trace_replay_scan *scan, const char *path, struct rnicsim_error *error);
/* Puts the place of the record at `line` before `what`, as the reader does; reads the file up to there. */
void trace_replay_scan_locate(const struct trace_replay_scan *scan, uint64_t line, const char *what,
                              struct rnicsim_error *error);
void trace_replay_scan_free(struct trace_replay_scan *scan);

#endif
