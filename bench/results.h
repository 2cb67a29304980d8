/* The folder of result files (-o), of a run or of a search for sizes: written aside, then put in place, so that no half
 * result is ever seen.
 *
 * Files are written into a hidden folder inside; results_finish moves them out, summary.json (of a search: size.json) last:
 * where that is, the result is whole (sweep.json of a sweep). A folder that holds another result is refused, or its result files are
 * replaced where the mode says so; other files in it are left alone. One run at a time writes into a folder: it is locked from results_begin on.
 * A signal that ends the program leaves nothing behind; what a killed run has left is removed by the next. */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <stdio.h>

struct results;

enum results_mode {
    RESULTS_NEW,
    RESULTS_REPLACE, /* --force */
    RESULTS_SWEEP,   /* of a sweep that may have been begun: its folder points/ stays */
    RESULTS_REPLACE_SWEEP
};

/* Before the run: what is wrong with the folder is told before time is spent. 0, or CLI_INPUT and one line: nothing is left
 * to close. */
int results_begin(const char *path, enum results_mode mode, struct results **out);
/* In a forked child: the folder is its parent's. NULL is allowed. */
void results_leave(struct results *results);
/* The run has failed: nothing is left behind. NULL is allowed. */
void results_discard(struct results *results);
/* Where files are written until the end; for programs that are started there. */
const char *results_folder(const struct results *results);
/* The name of the nth file that was opened or added, in that order; NULL: there are no more. */
const char *results_name(const struct results *results, size_t n);
/* Opens a file to be written; NULL: failed, and results_finish will tell. */
FILE *results_open(struct results *results, const char *name);
/* Closes it; a failed write is kept for results_finish. NULL is allowed. */
void results_close(struct results *results, FILE *file);
/* What was to be written into `name` could not be made (errno says why): results_finish will tell. */
void results_fail(struct results *results, const char *name);
/* 1: something failed, and more would be in vain. */
int results_has_failed(const struct results *results);
/* A file that another program is about to write there: it is moved with the others, */
void results_add(struct results *results, const char *name);
/* unless nothing came of it: what was added last is removed again. */
void results_drop(struct results *results, const char *name);
/* Puts all in place and frees. 0, or CLI_INPUT and one line, with nothing left behind. */
int results_finish(struct results *results);

#endif
