#include "traces/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/binary.h"
#include "traces/csv.h"
#include "traces/output.h"
#include "traces/rules.h"

struct trace_writer {
    char *path;
    struct trace_output *output;
    struct trace_rules rules;
    struct trace_binary binary;
    int is_binary, failed;
    uint64_t count;
    struct rnicsim_error first_fault;
    char text[TRACE_LINE_MAX + 2];
};

static int ends_in(const char *path, size_t length, const char *ending)
{
    size_t ending_length = strlen(ending);
    return length > ending_length && strncmp(path + length - ending_length, ending, ending_length) == 0;
}

static int choose_form(const char *path, int *is_binary, int *compressed, struct rnicsim_error *error)
{
    struct stat status;
    size_t length = strlen(path);
    *is_binary = *compressed = 0;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return 0;
    *compressed = ends_in(path, length, ".zst");
    if (*compressed)
        length -= strlen(".zst");
    *is_binary = ends_in(path, length, ".bin");
    if (*is_binary || ends_in(path, length, ".wqe") || ends_in(path, length, ".csv"))
        return 0;
    return trace_fail(
        error,
        "%s: the name does not say the form; allowed are .wqe and .csv (text), .bin (binary), with .zst if wanted",
        path);
}

static int write_header(struct trace_writer *writer, const struct trace_header *header, struct rnicsim_error *error)
{
    size_t length = 0;
    char *text =
        writer->is_binary ? (char *)trace_binary_format_header(header, &length) : trace_csv_format_header(header);
    if (text == NULL)
        return trace_fail(error, "%s: out of memory for the header", writer->path);
    int result = trace_output_write(writer->output, text, writer->is_binary ? length : strlen(text), error);
    free(text);
    return result;
}

static int start(struct trace_writer *writer, const char *path, const struct trace_header *header,
                 struct rnicsim_error *error)
{
    struct rnicsim_error reason;
    int compressed;
    writer->path = strdup(path);
    if (writer->path == NULL)
        return trace_fail(error, "%s: out of memory for a writer", path);
    if (choose_form(path, &writer->is_binary, &compressed, error) != 0)
        return -1;
    if (trace_header_validate(header, NULL, &reason) != 0 || trace_rules_init(&writer->rules, header, &reason) != 0 ||
        trace_binary_init(&writer->binary, header, &reason) != 0)
        return trace_fail(error, "%s: %s", path, reason.text);
    if (trace_output_open(path, compressed, &writer->output, error) != 0)
        return -1;
    return write_header(writer, header, error);
}

int trace_create(const char *path, const struct trace_header *header, struct trace_writer **out,
                 struct rnicsim_error *error)
{
    struct trace_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return trace_fail(error, "%s: out of memory for a writer", path);
    if (start(writer, path, header, error) != 0) {
        trace_discard(writer);
        return -1;
    }
    *out = writer;
    return 0;
}

static int put(struct trace_writer *writer, const struct trace_record *record, struct rnicsim_error *error)
{
    struct rnicsim_error reason;
    unsigned char bytes[TRACE_BINARY_RECORD_MAX];
    writer->count++;
    if (trace_rules_check(&writer->rules, record, &reason) != 0)
        return trace_fail(error, "%s: record %llu: %s", writer->path, (unsigned long long)writer->count, reason.text);
    if (writer->is_binary)
        return trace_output_write(writer->output, bytes, trace_binary_format_record(&writer->binary, record, bytes),
                                  error);
    return trace_output_write(writer->output, writer->text, trace_csv_format_record(record, writer->text), error);
}

int trace_put(struct trace_writer *writer, const struct trace_record *record, struct rnicsim_error *error)
{
    if (!writer->failed && put(writer, record, &writer->first_fault) != 0)
        writer->failed = 1;
    return writer->failed ? trace_fail(error, "%s", writer->first_fault.text) : 0;
}

int trace_finish(struct trace_writer *writer, struct rnicsim_error *error)
{
    unsigned char end[TRACE_BINARY_RECORD_BYTES];
    int result = writer->failed ? trace_fail(error, "%s", writer->first_fault.text) : 0;
    if (result == 0 && writer->is_binary) {
        trace_binary_format_end(&writer->binary, end);
        result = trace_output_write(writer->output, end, sizeof end, error);
    }
    if (result == 0) {
        result = trace_output_finish(writer->output, error);
        writer->output = NULL;
    }
    trace_discard(writer);
    return result;
}

void trace_discard(struct trace_writer *writer)
{
    if (writer == NULL)
        return;
    trace_output_discard(writer->output);
    trace_rules_free(&writer->rules);
    trace_binary_free(&writer->binary);
    free(writer->path);
    free(writer);
}
