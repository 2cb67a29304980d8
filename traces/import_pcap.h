/* Makes a trace of a capture: the requests of each QP, rebuilt from their packets, posted (open loop) when the first of them was seen.
 *
 * What a capture does not tell is made up, and said in the trace's notes and in `report`: traces/FORMAT.md. */
#ifndef TRACES_IMPORT_PCAP_H
#define TRACES_IMPORT_PCAP_H

#include <stdio.h>

#include "api/rnicsim.h"

/* report: what was found and what could not be known, a line each; NULL: not told. 0, or -1 with one line of error and no trace. */
int trace_import_pcap(const char *path, const char *out_path, FILE *report, struct rnicsim_error *error);

#endif
