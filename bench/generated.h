/* A workload made for one run (--gen): the options of `rnicsim trace gen`, its trace in a file that is gone after the run. */
#ifndef BENCH_GENERATED_H
#define BENCH_GENERATED_H

#include <wordexp.h>

#include "traces/generate.h"

struct generated {
    struct trace_generate generate; /* its texts lie in `words` */
    wordexp_t words;
    int has_words;
};

/* text: as after `trace gen`, without -o; quotes as in a shell. Returns 0, or an exit status after one line. */
int generated_parse(const char *text, struct generated *out);
void generated_free(struct generated *generated);
/* Makes the trace in a new file of the folder for temporary files: its path, to be removed by generated_remove(). rate: instead of
 * the one in the options, NULL: that. Returns 0, or an exit status after one line. */
int generated_make(const struct generated *generated, const char *rate, char *path, size_t path_bytes);
void generated_remove(const char *path);

#endif
