/* The records of a trace sorted by who posts them: for each (host, thread) its doorbells in program order, read from the
 * file on demand, in constant memory.
 *
 * The file is read once in advance (trace_replay_scan): that finds its threads, refuses what cannot be simulated, and
 * counts. Afterwards one reader deals records out to the threads; at most TRACE_REPLAY_WINDOW of them wait. Where one
 * thread's records lie further apart than that, it gets a reader of its own, for at most TRACE_REPLAY_READERS threads. */
#ifndef TRACES_REPLAY_SOURCE_H
#define TRACES_REPLAY_SOURCE_H

#include "traces/reader.h"
#include "traces/replay_scan.h"

#define TRACE_REPLAY_WINDOW 262144u /* 25 MB, if need be: 1,000 QPs with 128 requests outstanding and their RECVs */
#define TRACE_REPLAY_READERS 16u

/* What is kept of a record until it is posted. */
struct trace_replay_post {
    struct trace_dep dep;
    int64_t t_ps;
    uint64_t line;
    uint64_t wr_id, local_address, remote_address;
    uint32_t lkey, rkey, length_bytes, immediate;
    uint32_t qpn;
    uint32_t flags;
    uint16_t host;
    uint8_t begins_doorbell;
    uint8_t is_recv;
    enum rnicsim_opcode opcode;
    struct rnicsim_sge *sge; /* sge_count of them, its own; NULL: one place */
    uint32_t sge_count;
};

struct trace_replay_source;

/* The scan must outlive the source. 0, or -1 with one line of error. */
int trace_replay_source_open(const struct trace_replay_scan *scan, struct trace_replay_source **out,
                             struct rnicsim_error *error);
const struct trace_header *trace_replay_source_header(const struct trace_replay_source *source);
/* How many records the thread's next doorbell has; 0: it has none left; -1 with error. */
int64_t trace_replay_source_next(struct trace_replay_source *source, uint32_t thread, struct rnicsim_error *error);
/* Record `index` of that doorbell. */
const struct trace_replay_post *trace_replay_source_post(const struct trace_replay_source *source, uint32_t thread,
                                                         uint32_t index);
/* The doorbell of `count` records was posted. */
void trace_replay_source_drop(struct trace_replay_source *source, uint32_t thread, uint32_t count);
void trace_replay_source_close(struct trace_replay_source *source);

#endif
