#include "traces/convert.h"

#include "traces/reader.h"
#include "traces/writer.h"

static int copy_records(struct trace_reader *reader, struct trace_writer *writer, struct rnicsim_error *error)
{
    struct trace_record record;
    int got;
    while ((got = trace_next(reader, &record, error)) > 0)
        if (trace_put(writer, &record, error) != 0)
            return -1;
    return got;
}

int trace_convert(const char *from_path, const char *to_path, struct rnicsim_error *error)
{
    struct trace_reader *reader;
    struct trace_writer *writer;
    if (trace_open(from_path, &reader, error) != 0)
        return -1;
    int result = trace_create(to_path, trace_header(reader), &writer, error);
    if (result == 0) {
        result = copy_records(reader, writer, error);
        if (result == 0)
            result = trace_finish(writer, error);
        else
            trace_discard(writer);
    }
    trace_close(reader);
    return result;
}
