/* Converts between the forms of a trace; exact both ways. */
#ifndef TRACES_CONVERT_H
#define TRACES_CONVERT_H

#include "api/rnicsim.h"

/* The target's form follows from its name (traces/writer.h). 0, or -1 with one line of error and nothing written. */
int trace_convert(const char *from_path, const char *to_path, struct rnicsim_error *error);

#endif
