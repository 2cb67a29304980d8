/* A distribution of message sizes: ranges of bytes with weights, drawn from in integers.
 *
 * As text: "4096"; "64-4096", evenly; "64:0.9,65536:0.1", with weights; the name of a published one (folder cdf/); or
 * the path of a file with lines of "bytes cumulative_percent", '#' for remarks. Between two points of a cumulative
 * distribution the sizes are even, which is its linear interpolation; what its first point holds has exactly its size. */
#ifndef TRACES_SIZES_H
#define TRACES_SIZES_H

#include "traces/choice.h"

/* All zero is an empty one. */
struct trace_sizes {
    struct trace_choice choice; /* of a range */
    struct trace_sizes_range {
        uint32_t from, to; /* bytes, both included */
    } * ranges;
    size_t count;
};

/* 0, or -1 with one line of error. */
int trace_sizes_parse(struct trace_sizes *sizes, const char *text, struct rnicsim_error *error);
int trace_sizes_read_cdf(struct trace_sizes *sizes, const char *path, struct rnicsim_error *error);
/* Adds a range without its weight, which is to be added to the choice. 0, or -1 without memory. */
int trace_sizes_add_range(struct trace_sizes *sizes, uint32_t from_bytes, uint32_t to_bytes);

/* The size of request number `ordinal`. */
uint32_t trace_sizes_draw(const struct trace_sizes *sizes, uint64_t seed, uint64_t ordinal);
uint32_t trace_sizes_largest(const struct trace_sizes *sizes);
/* The mean in 2^-20 bytes, rounded down. */
uint64_t trace_sizes_mean(const struct trace_sizes *sizes);
void trace_sizes_free(struct trace_sizes *sizes);

#endif
