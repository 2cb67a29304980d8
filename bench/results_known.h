/* Which files of a folder are results: what a run, a search or a sweep may have left there, and their removal. */
#ifndef BENCH_RESULTS_KNOWN_H
#define BENCH_RESULTS_KNOWN_H

/* where one of these is, the result is whole */
#define RESULTS_SUMMARY "summary.json"
#define RESULTS_SIZE "size.json"
#define RESULTS_WHY "why.json"
#define RESULTS_SWEEP_WHOLE "sweep.json"
#define RESULTS_PLAN "points/plan.json" /* a sweep was begun */

/* Removes them, so that old and new never mix; with_points: the runs of a sweep, too, where that was one. */
void results_known_remove(const char *folder, int with_points);
/* A folder and the files in it. */
void results_known_remove_tree(const char *path);

#endif
