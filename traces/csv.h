/* The text form, line by line: parsing and canonical writing. What the lines mean: FORMAT.md, "Text form".
 *
 * Parsers return 0, or -1 with one line of error without a place. They check the syntax and the range of each value;
 * what values must keep among each other is traces/rules.h's and traces/header.h's. */
#ifndef TRACES_CSV_H
#define TRACES_CSV_H

#include "traces/record.h"

#define TRACE_CSV_FIRST_LINE "#rnicsim-trace version=1"
#define TRACE_CSV_COLUMNS \
    "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,imm,cmp,swap,dep"
#define TRACE_CSV_COLUMN_COUNT 21u

/* The file's first line; sets header->version. */
int trace_csv_parse_first(struct trace_header *header, const char *line, struct rnicsim_error *error);
/* A line that begins with '#', after the first. `line` is modified. */
int trace_csv_parse_header(struct trace_header *header, char *line, uint64_t line_number, struct rnicsim_error *error);
/* The whole header, column line included, into malloc'ed text; NULL: out of memory. */
char *trace_csv_format_header(const struct trace_header *header);

/* `line` is modified. */
int trace_csv_parse_record(struct trace_record *record, char *line, struct rnicsim_error *error);
/* Writes the line with its end to `line` (TRACE_LINE_MAX + 2 bytes); returns its length. */
size_t trace_csv_format_record(const struct trace_record *record, char *line);

#endif
