/* Draws charts with gnuplot: a template's lines, strings in its syntax, and the pictures beside NAME.gp in a folder of results.
 *
 * The templates are bench/plots/NAME.gp, beside the program or installed; all begin with common.gp. */
#ifndef BENCH_GNUPLOT_H
#define BENCH_GNUPLOT_H

#include "bench/results.h"

enum gnuplot_format { GNUPLOT_SVG = 1, GNUPLOT_PNG = 2, GNUPLOT_PDF = 4 }; /* a set of bits */

/* "svg,png,pdf" into a set. 0, or CLI_INPUT and one line. */
int gnuplot_formats(const char *text, unsigned *out);
/* common.gp and the template. 0, or -1 and a warning: it is missing. */
int gnuplot_template(const char *name, FILE *out);
/* A line that sets a variable to a text; what gnuplot would read otherwise in it becomes an apostrophe. */
void gnuplot_string(FILE *out, const char *variable, const char *text);
/* Draws NAME.gp, which is in the results' folder, in each format (a set). 0, or -1 and a warning: there is no gnuplot, so that the
 * next chart need not be tried. A chart that gnuplot cannot draw is a warning, too. */
int gnuplot_draw(struct results *results, const char *name, unsigned formats);

#endif
