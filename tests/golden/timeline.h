/* The golden timings of a board: the stamps of fixed scenarios, one a line, as text. */
#ifndef TESTS_GOLDEN_TIMELINE_H
#define TESTS_GOLDEN_TIMELINE_H

#include <stddef.h>

/* Boards that have goldens; NULL at the end. */
extern const char *const golden_boards[];

/* Writes the timeline into `text`; returns 0, or -1 with a line on standard error. */
int golden_timeline(const char *board, const char *data_dir, char *text, size_t text_bytes);

#endif
