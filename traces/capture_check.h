/* Checks a capture: ICRC and form of each frame, and for each connection PSN gaps, duplicates, retransmissions, ACKs and the time that they took. */
#ifndef TRACES_CAPTURE_CHECK_H
#define TRACES_CAPTURE_CHECK_H

#include <stdio.h>

#include "traces/check.h"

/* Every fault is reported with its packet's number for a line, at most `max` of them, then what was found is written to `report`. Returns how many
 * faults there are; one that ends the reading counts, too. */
uint64_t capture_check(const char *path, trace_check_fault *fault, void *context, uint64_t max, FILE *report);

#endif
