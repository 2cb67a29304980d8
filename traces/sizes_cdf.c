/* Reads a cumulative distribution of sizes: lines of "bytes cumulative_percent". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/sizes.h"
#include "traces/text.h"

#define PERCENT_DIGITS 9
#define WHOLE UINT64_C(100000000000) /* 100 percent in 1e-9 */
#define LINE_BYTES 200
#define BLANKS " \t\r\n"

struct point {
    uint64_t bytes, share; /* cumulative, percent in 1e-9 */
};

/* The sizes after the point before it, up to this one. */
static int add_point(struct trace_sizes *sizes, const struct point *before, const struct point *point,
                     struct rnicsim_error *error)
{
    uint64_t from = before != NULL ? before->bytes + 1 : point->bytes;
    uint64_t weight = before != NULL ? point->share - before->share : point->share;
    if (before != NULL && point->bytes <= before->bytes)
        return trace_fail(error, "%llu bytes behind %llu; the sizes must rise", (unsigned long long)point->bytes,
                          (unsigned long long)before->bytes);
    if (before != NULL && point->share < before->share)
        return trace_fail(error, "the percentage falls; it is cumulative");
    if (trace_sizes_add_range(sizes, (uint32_t)from, (uint32_t)point->bytes) != 0 ||
        trace_choice_add(&sizes->choice, weight) != 0)
        return trace_fail(error, "out of memory");
    return 0;
}

/* 1: a point, 0: nothing but remarks, -1: error. `line` is modified. */
static int parse_line(char *line, struct point *point, struct rnicsim_error *error)
{
    char *rest;
    line[strcspn(line, "#")] = 0;
    const char *bytes = strtok_r(line, BLANKS, &rest), *percent = strtok_r(NULL, BLANKS, &rest);
    if (bytes == NULL)
        return 0;
    if (percent == NULL || strtok_r(NULL, BLANKS, &rest) != NULL)
        return trace_fail(error, "a line must have two numbers: bytes and cumulative percent");
    if (trace_text_number(bytes, RNICSIM_MESSAGE_MAX_BYTES, "size", &point->bytes, error) != 0 ||
        trace_text_decimal(percent, PERCENT_DIGITS, 100, "percent", &point->share, error) != 0)
        return -1;
    return 1;
}

static int read_points(struct trace_sizes *sizes, FILE *file, unsigned *number, struct rnicsim_error *error)
{
    char line[LINE_BYTES];
    struct point before = {0}, point = {0};
    while (fgets(line, sizeof line, file) != NULL) {
        ++*number;
        if (strlen(line) == sizeof line - 1 && line[sizeof line - 2] != '\n')
            return trace_fail(error, "a line of over %d characters; up to that is allowed", LINE_BYTES - 2);
        int got = parse_line(line, &point, error);
        if (got < 0 || (got > 0 && add_point(sizes, sizes->count > 0 ? &before : NULL, &point, error) != 0))
            return -1;
        before = point;
    }
    if (ferror(file))
        return trace_fail(error, "cannot be read");
    if (sizes->count == 0 || point.share != WHOLE)
        return trace_fail(error, "the distribution does not end at 100 percent; it must");
    return 0;
}

int trace_sizes_read_cdf(struct trace_sizes *sizes, const char *path, struct rnicsim_error *error)
{
    struct rnicsim_error reason;
    unsigned number = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return trace_fail(error, "%.200s: cannot be opened", path);
    int result = read_points(sizes, file, &number, &reason);
    fclose(file);
    return result == 0 ? 0 : trace_fail(error, "%.200s:%u: %.200s", path, number, reason.text);
}
