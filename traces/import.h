/* Turns recorded perftest posts into a closed-loop trace: what each post waited for follows from perftest's own
 * loops.
 *
 * The client becomes host 0, the server host 1. Recorded times are dropped. The loops, from perftest 4.5's source:
 * FORMAT.md, "Import". */
#ifndef TRACES_IMPORT_H
#define TRACES_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "api/rnicsim.h"

/* Zero means perftest's default, unless said otherwise. */
struct trace_import {
    const char *client_path;  /* recorded form, traces/recorded.h */
    const char *server_path;  /* write_lat and send_lat need it; NULL for the others */
    const char *tool;         /* write_lat send_lat write_bw send_bw */
    uint32_t tx_depth;        /* -t */
    uint32_t rx_depth;        /* -r */
    uint32_t cq_mod;          /* -Q */
    uint32_t post_list;       /* -l */
    uint32_t mtu;             /* bytes; 0: 4096 */
    uint32_t think_ns;        /* after each dep that waits for a CQE or memory */
    uint64_t iterations;      /* lat tools: posts a side, the recorded ones being repeated; 0: as recorded */
    const char *const *notes; /* provenance, before the importer's own */
    size_t note_count;
};

/* 0, or -1 with one line of error and nothing written. */
int trace_import_perftest(const struct trace_import *import, const char *out_path, struct rnicsim_error *error);

#endif
