/* One pass over a capture: each packet judged and counted, those of RC, XRC and UC given to the flows. */
#ifndef TRACES_CAPTURE_SCAN_H
#define TRACES_CAPTURE_SCAN_H

#include "traces/flow.h"

#include <stdio.h>

#define CAPTURE_ADDRESS_TEXT 48u

struct capture_scan {
    struct flows flows;
    uint64_t packets, taken;
    uint64_t verdict[WIRE_VERDICTS];
    uint64_t other[8]; /* good ones that the flows do not take, by transport (opcode >> 5) */
    uint64_t cnps, congested;
    int64_t first_ns, last_ns;
};

/* A frame that is wrong, as wire_verdict_text() has it, is a fault like those of the flows (flows.fault). 0, or -1 with one line of error. */
int capture_scan(struct capture_scan *scan, const char *path, struct rnicsim_error *error);
void capture_scan_free(struct capture_scan *scan);

/* "10.0.0.1", "fe80::1", "lid 3" */
const char *capture_address(const uint8_t *address, char *text);
/* What was no RoCE, could not be read or was not looked into: a line each, of no more than TRACE_NOTE_MAX bytes. */
void capture_scan_rest(const struct capture_scan *scan, void (*say)(void *context, const char *line), void *context);

#endif
