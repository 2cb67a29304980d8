/* Distributions of a time, written as their inverse CDF: "0:173 50:200 99.9:253 100:653 ns", or "200 ns". */
#ifndef CONFIG_PARAM_DIST_H
#define CONFIG_PARAM_DIST_H

#include "config/param.h"
#include "kernel/rnd.h"

/* Percents rise strictly from 0 to 100 with at most 7 decimals, times never fall, one unit at the end, 2 to 16 points.
 * A single time is a constant: two points with that time. */
int param_dist_read(const char *text, struct param_dist *out, struct config_error *err);

/* `text` has PARAM_PRINT_BYTES. */
void param_dist_print(const struct param_dist *dist, char *text);

/* Makes the table from which its values are drawn. 0, or -1: see rnd_table_init(). */
int param_dist_table(const struct param_dist *dist, struct rnd_table *table);

#endif
