#include "traces/reader.h"

#include <stdlib.h>
#include <string.h>

#include "traces/binary.h"
#include "traces/csv.h"
#include "traces/input.h"
#include "traces/rules.h"

#define PATH_SHOWN 200u /* so that a long path leaves room for the message */

struct trace_reader {
    char *path;
    struct trace_input *input;
    struct trace_header header;
    struct trace_rules rules;
    struct trace_binary binary;
    int is_binary, in_header, ended, broken;
    uint64_t line;              /* or record number */
    uint64_t record_at;         /* byte, binary form */
    struct rnicsim_error fatal; /* what broke it, to say again */
    char text[TRACE_LINE_MAX + 2];
};

static const char *shown_path(const char *path)
{
    size_t length = strlen(path);
    return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

void trace_locate(const struct trace_reader *reader, const char *what, struct rnicsim_error *error)
{
    const char *path = shown_path(reader->path);
    if (!reader->is_binary)
        trace_fail(error, "%s:%llu: %s", path, (unsigned long long)reader->line, what);
    else if (reader->in_header)
        trace_fail(error, "%s: header (byte %llu): %s", path, (unsigned long long)trace_input_offset(reader->input),
                   what);
    else
        trace_fail(error, "%s: record %llu (byte %llu): %s", path, (unsigned long long)reader->line,
                   (unsigned long long)reader->record_at, what);
}

/* 1 the column line was reached. */
static int read_csv_header_line(struct trace_reader *reader, struct rnicsim_error *error)
{
    int got = trace_input_line(reader->input, reader->text, error);
    if (got == 0)
        return trace_fail(error, "the file ends before the column line; it is needed");
    if (got < 0)
        return -1;
    if (reader->line == 1)
        return trace_csv_parse_first(&reader->header, reader->text, error);
    if (reader->text[0] == '#')
        return trace_csv_parse_header(&reader->header, reader->text, reader->line, error);
    if (strcmp(reader->text, TRACE_CSV_COLUMNS) != 0)
        return trace_fail(error, "not the column line; allowed is \"" TRACE_CSV_COLUMNS "\"");
    return 1;
}

static int read_csv_header(struct trace_reader *reader, struct rnicsim_error *error)
{
    int done;
    do {
        reader->line++;
        done = read_csv_header_line(reader, error);
    } while (done == 0);
    return done < 0 ? -1 : 0;
}

static int read_header(struct trace_reader *reader, struct rnicsim_error *error)
{
    const void *magic;
    int64_t got = trace_input_peek(reader->input, &magic, 8, error);
    if (got < 0)
        return -1;
    /* A few bytes of the magic are enough to call it binary: a cut file is then told so. */
    size_t compared = (size_t)(got < 8 ? got : 8);
    reader->is_binary = memcmp(magic, TRACE_BINARY_MAGIC, compared) == 0;
    if ((reader->is_binary ? trace_binary_read_header(reader->input, &reader->header, error)
                           : read_csv_header(reader, error)) != 0)
        return -1;
    const struct trace_qp *bad = NULL;
    if (trace_header_validate(&reader->header, &bad, error) != 0) {
        reader->line = bad->line;
        return -1;
    }
    return 0;
}

static int start(struct trace_reader *reader, const char *path, struct rnicsim_error *error)
{
    struct rnicsim_error reason;
    reader->path = strdup(path);
    if (reader->path == NULL)
        return trace_fail(error, "%s: out of memory for a reader", shown_path(path));
    if (trace_input_open(path, &reader->input, &reason) != 0)
        return trace_fail(error, "%s: %s", shown_path(path), reason.text);
    reader->in_header = 1;
    if (read_header(reader, &reason) != 0 || trace_rules_init(&reader->rules, &reader->header, &reason) != 0 ||
        (reader->is_binary && trace_binary_init(&reader->binary, &reader->header, &reason) != 0)) {
        trace_locate(reader, reason.text, error);
        return -1;
    }
    reader->in_header = 0;
    return 0;
}

int trace_open(const char *path, struct trace_reader **out, struct rnicsim_error *error)
{
    struct trace_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return trace_fail(error, "%s: out of memory for a reader", shown_path(path));
    if (start(reader, path, error) != 0) {
        trace_close(reader);
        return -1;
    }
    *out = reader;
    return 0;
}

const struct trace_header *trace_header(const struct trace_reader *reader)
{
    return &reader->header;
}

/* Sets broken when what follows cannot be read. */
static int read_csv(struct trace_reader *reader, struct trace_record *record, struct rnicsim_error *error)
{
    reader->line++;
    int got = trace_input_line(reader->input, reader->text, error);
    reader->broken = got < 0;
    if (got <= 0)
        return got;
    return trace_csv_parse_record(record, reader->text, error) == 0 ? 1 : -1;
}

static int read_binary(struct trace_reader *reader, struct trace_record *record, struct rnicsim_error *error)
{
    reader->line++;
    reader->record_at = trace_input_offset(reader->input);
    int got = trace_binary_read_record(&reader->binary, reader->input, record, error);
    reader->broken = got < 0;
    return got;
}

int trace_next(struct trace_reader *reader, struct trace_record *record, struct rnicsim_error *error)
{
    struct rnicsim_error reason;
    if (reader->broken)
        return trace_fail(error, "%s", reader->fatal.text);
    if (reader->ended)
        return 0;
    int got = reader->is_binary ? read_binary(reader, record, &reason) : read_csv(reader, record, &reason);
    if (got > 0 && trace_rules_check(&reader->rules, record, &reason) != 0)
        got = -1;
    reader->ended = got == 0;
    if (got >= 0)
        return got;
    trace_locate(reader, reason.text, &reader->fatal);
    return trace_fail(error, "%s", reader->fatal.text);
}

int trace_resumable(const struct trace_reader *reader)
{
    return !reader->broken;
}

uint64_t trace_line(const struct trace_reader *reader)
{
    return reader->line;
}

void trace_close(struct trace_reader *reader)
{
    if (reader == NULL)
        return;
    trace_binary_free(&reader->binary);
    trace_rules_free(&reader->rules);
    trace_header_free(&reader->header);
    trace_input_close(reader->input);
    free(reader->path);
    free(reader);
}
