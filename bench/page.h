/* report.html: one page that needs no network and no other file. Headings in English or Chinese; charts are those that gnuplot has drawn into
 * the folder of results, put into the page as pictures. */
#ifndef BENCH_PAGE_H
#define BENCH_PAGE_H

#include <stdio.h>

#include "bench/results.h"

#define PAGE_NAME "report.html"

enum page_lang { PAGE_EN, PAGE_ZH };

enum page_heading {
    PAGE_REPORT,
    PAGE_SWEEP_REPORT,
    PAGE_WHAT,
    PAGE_VERDICT,
    PAGE_LATENCY,
    PAGE_JITTER,
    PAGE_WATERFALL,
    PAGE_STAGES,
    PAGE_FIFOS,
    PAGE_LOSSES,
    PAGE_AXES,
    PAGE_POINTS,
    PAGE_FAILED,
    PAGE_CHARTS,
    PAGE_HEADINGS
};

struct page {
    FILE *out;
    enum page_lang lang;
};

/* "en" or "zh". 0, or CLI_INPUT and one line. */
int page_lang_read(const char *text, enum page_lang *out);

void page_begin(struct page *page, enum page_heading title, const char *subtitle);
void page_end(struct page *page);
void page_heading(struct page *page, enum page_heading heading);
/* A paragraph. */
void page_say(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A table: its columns, separated by '|'; then cells, so many a row. Numbers are set to the right. */
void page_table(struct page *page, const char *columns);
void page_row(struct page *page);
void page_cell(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_table_end(struct page *page);
/* All charts that are drawn so far. */
void page_charts(struct page *page, const struct results *results);

#endif
