/* The loops of perftest's four tools, as the deps of the posts that they make; the importer's inner part. */
#ifndef TRACES_IMPORT_LOOP_H
#define TRACES_IMPORT_LOOP_H

#include "traces/import.h"
#include "traces/recorded.h"
#include "traces/writer.h"

/* What both parts of the importer know; options are resolved, sides are by host number. */
struct trace_import_job {
    struct trace_import options;
    int is_lat, is_send;
    struct trace_recorded side[2]; /* side[1] is empty for the bw tools */
    struct trace_header header;
    uint64_t recv_base[2]; /* of the first QP's receive buffer, send tools */
    uint32_t recv_key[2];
    uint64_t iterations;
};

/* Writes every post. 0, or -1 with error. */
int trace_import_loop_write(struct trace_import_job *job, struct trace_writer *writer, struct rnicsim_error *error);

#endif
