/* rnicsim compare: its options, and where the measured departs from the predicted. */
#include "bench/compare/compare.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/summary.h"

enum { OPTION_MAP = 7000, OPTION_CLOCK, OPTION_TOLERANCE, OPTION_OFFSET, OPTION_JSON };

#define PS_PER_NS 1e3

struct departure {                                   /* of one FIFO */
    const struct compare_fifo *predicted, *measured; /* measured NULL: not there */
    size_t compared, departed, first;                /* first: the item that departs first */
    int64_t first_predicted_ps, first_measured_ps;
    double mean_ps; /* measured - predicted */
    int64_t most_ps;
};

struct comparison {
    struct compare_options options;
    struct compare_set predicted, measured;
    struct departure *rows; /* in the order in which their first items are predicted */
    size_t count;
    int64_t offset_ps;
};

/* ---- sets ---- */

struct compare_fifo *compare_find(struct compare_set *set, const char *name, int make)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->fifos[i].name, name) == 0)
            return &set->fifos[i];
    if (!make || set->count == COMPARE_FIFOS_MAX)
        return NULL;
    snprintf(set->fifos[set->count].name, COMPARE_NAME_BYTES, "%s", name);
    return &set->fifos[set->count++];
}

int compare_add(struct compare_fifo *fifo, int64_t head_ps, int64_t tail_ps)
{
    if (fifo->count == fifo->room) {
        size_t room = fifo->room == 0 ? 64 : 2 * fifo->room;
        int64_t *heads = realloc(fifo->head_ps, room * sizeof *heads);
        fifo->head_ps = heads != NULL ? heads : fifo->head_ps;
        int64_t *tails = realloc(fifo->tail_ps, room * sizeof *tails);
        fifo->tail_ps = tails != NULL ? tails : fifo->tail_ps;
        if (heads == NULL || tails == NULL)
            return -1;
        fifo->room = room;
    }
    fifo->head_ps[fifo->count] = head_ps;
    fifo->tail_ps[fifo->count++] = tail_ps;
    return 0;
}

void compare_free(struct compare_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->fifos[i].head_ps);
        free(set->fifos[i].tail_ps);
    }
}

/* ---- the comparison ---- */

static int by_first(const void *a, const void *b)
{
    const struct departure *left = a, *right = b;
    int64_t left_ps = left->predicted->head_ps[0], right_ps = right->predicted->head_ps[0];
    return left_ps < right_ps ? -1 : left_ps > right_ps ? 1 : strcmp(left->predicted->name, right->predicted->name);
}

static int64_t magnitude(int64_t ps)
{
    return ps < 0 ? -ps : ps;
}

static void look_at(const struct comparison *comparison, struct departure *row)
{
    const struct compare_fifo *p = row->predicted, *m = row->measured;
    int has_tails = comparison->predicted.has_tails && comparison->measured.has_tails;
    double sum = 0;
    row->compared = m == NULL ? 0 : m->count < p->count ? m->count : p->count;
    row->first = SIZE_MAX;
    for (size_t i = 0; i < row->compared; i++) {
        int64_t head_ps = m->head_ps[i] - comparison->offset_ps - p->head_ps[i];
        int64_t tail_ps = has_tails ? m->tail_ps[i] - comparison->offset_ps - p->tail_ps[i] : head_ps;
        int64_t ps = magnitude(tail_ps) > magnitude(head_ps) ? tail_ps : head_ps;
        sum += (double)head_ps;
        if (magnitude(ps) > magnitude(row->most_ps))
            row->most_ps = ps;
        if (magnitude(ps) <= comparison->options.tolerance_ps)
            continue;
        row->departed++;
        if (row->first == SIZE_MAX) {
            row->first = i;
            row->first_predicted_ps = ps == tail_ps && ps != head_ps ? p->tail_ps[i] : p->head_ps[i];
            row->first_measured_ps = row->first_predicted_ps + ps;
        }
    }
    row->mean_ps = row->compared > 0 ? sum / (double)row->compared : 0;
}

/* The first FIFO that both have says where the clocks of both begin. */
static void find_offset(struct comparison *comparison)
{
    comparison->offset_ps = comparison->options.offset_ps;
    for (size_t i = 0; !comparison->options.has_offset && i < comparison->count; i++) {
        const struct departure *row = &comparison->rows[i];
        if (row->measured == NULL || row->measured->count == 0)
            continue;
        comparison->offset_ps = row->measured->head_ps[0] - row->predicted->head_ps[0];
        return;
    }
}

static int compare_all(struct comparison *comparison)
{
    comparison->rows = calloc(comparison->predicted.count + 1, sizeof *comparison->rows);
    if (comparison->rows == NULL)
        return cli_fail("out of memory for the comparison");
    for (size_t i = 0; i < comparison->predicted.count; i++) {
        struct departure *row = &comparison->rows[comparison->count++];
        row->predicted = &comparison->predicted.fifos[i];
        row->measured = compare_find(&comparison->measured, row->predicted->name, 0);
    }
    qsort(comparison->rows, comparison->count, sizeof *comparison->rows, by_first);
    find_offset(comparison);
    size_t measured = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        look_at(comparison, &comparison->rows[i]);
        measured += comparison->rows[i].compared > 0;
    }
    return measured > 0 ? CLI_DONE
                        : cli_fail("%s: none of the FIFOs of %s has passes in it", comparison->options.measured,
                                   comparison->options.predicted);
}

static int departs(const struct departure *row)
{
    return row->measured != NULL && (row->departed > 0 || row->measured->count != row->predicted->count);
}

/* ---- told ---- */

static void print_row(const struct departure *row, int is_first, FILE *out)
{
    fprintf(out, "  %-32s %8zu", row->predicted->name, row->predicted->count);
    if (row->measured == NULL) {
        fputs("        -  not measured\n", out);
        return;
    }
    fprintf(out, " %8zu %11.3f %11.3f", row->measured->count, row->mean_ps / PS_PER_NS,
            (double)row->most_ps / PS_PER_NS);
    if (row->departed > 0)
        fprintf(out, "  item %zu: %.3f, not %.3f", row->first, (double)row->first_measured_ps / PS_PER_NS,
                (double)row->first_predicted_ps / PS_PER_NS);
    fprintf(out, "%s%s\n", row->measured->count != row->predicted->count ? "  other number of items" : "",
            is_first ? "  <- first" : "");
}

/* The one whose first departing item is the earliest; with numbers of items that differ alone, the first of those. */
static const struct departure *first_departure(const struct comparison *comparison)
{
    const struct departure *first = NULL;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct departure *row = &comparison->rows[i];
        if (departs(row) &&
            (first == NULL ||
             (row->departed > 0 && (first->departed == 0 || row->first_predicted_ps < first->first_predicted_ps))))
            first = row;
    }
    return first;
}

static void print_all(const struct comparison *comparison, FILE *out)
{
    const struct departure *first = first_departure(comparison);
    fprintf(out, "Measured less predicted, ns; measured times are %.3f ns later from the start; tolerance %.3f ns\n",
            (double)comparison->offset_ps / PS_PER_NS, (double)comparison->options.tolerance_ps / PS_PER_NS);
    fprintf(out, "  %-32s %8s %8s %11s %11s  departs\n", "into FIFO, in order of time", "predict.", "measured", "mean",
            "most");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct departure *row = &comparison->rows[i];
        print_row(row, row == first, out);
    }
    fputs(first != NULL ? "The stage in front of the first FIFO that departs is the one to look at.\n"
                        : "Nothing departs.\n",
          out);
}

static int print_json(const struct comparison *comparison, FILE *out)
{
    json_t *object = json_object(), *rows = json_array();
    int failed = object == NULL || rows == NULL;
    failed |= json_object_set_new(object, "offset_ps", json_integer(comparison->offset_ps)) != 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct departure *row = &comparison->rows[i];
        json_t *item =
            json_pack("{s:s,s:I,s:I,s:I,s:I,s:f,s:I}", "fifo", row->predicted->name, "predicted",
                      (json_int_t)row->predicted->count, "measured",
                      (json_int_t)(row->measured != NULL ? row->measured->count : 0), "departed",
                      (json_int_t)row->departed, "first", (json_int_t)(row->departed > 0 ? (json_int_t)row->first : -1),
                      "mean_ns", row->mean_ps / PS_PER_NS, "most_ps", (json_int_t)row->most_ps);
        failed |= json_array_append_new(rows, item) != 0;
    }
    failed |= json_object_set_new(object, "fifos", rows) != 0;
    failed = failed || summary_dump(object, out) != 0;
    json_decref(object);
    return failed ? cli_fail("standard output cannot be written") : CLI_DONE;
}

/* ---- options ---- */

static const struct argp_option option_table[] = {
    {"map", OPTION_MAP, "FIFO=SIGNAL", 0,
     "of a VCD: the signals of a.tx.mac, say, are SIGNAL.valid, .last, .ready (or .tvalid ..., or SIGNALvalid ...); "
     "without "
     "it those of a scope that ends with the FIFO's name",
     1},
    {"clock", OPTION_CLOCK, "SIGNAL", 0, "of a VCD: beats are cycles of this clock", 1},
    {"tolerance", OPTION_TOLERANCE, "TIME", 0, "what is no departure (1 ns)", 2},
    {"offset", OPTION_OFFSET, "TIME", 0, "measured times are so much later; without it the first item of all decides",
     2},
    {"json", OPTION_JSON, NULL, 0, "prints JSON", 3},
    {0},
};

static error_t take_time(const char *value, const char *what, int64_t *out)
{
    struct rnicsim_error error;
    if (rnicsim_parse(value, RNICSIM_DURATION, out, &error) == RNICSIM_OK)
        return 0;
    cli_fail("%s: %s", what, error.text);
    return CLI_TOLD;
}

static error_t take_map(struct compare_options *options, const char *value)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value || equals[1] == 0 || options->map_count == COMPARE_MAPS_MAX) {
        cli_fail("--map \"%.80s\": allowed is NIC.PATH.FIFO=SIGNAL, at most %u times", value, COMPARE_MAPS_MAX);
        return CLI_TOLD;
    }
    struct compare_map *map = &options->maps[options->map_count++];
    snprintf(map->name, sizeof map->name, "%.*s", (int)(equals - value), value);
    snprintf(map->signal, sizeof map->signal, "%s", equals + 1);
    return 0;
}

static error_t take_file(struct compare_options *options, const char *value)
{
    if (options->measured != NULL) {
        cli_fail("\"%s\": two files are compared, PREDICTED and MEASURED", value);
        return CLI_TOLD;
    }
    *(options->predicted == NULL ? &options->predicted : &options->measured) = value;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct compare_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        return take_file(options, value);
    case OPTION_MAP:
        return take_map(options, value);
    case OPTION_CLOCK:
        options->clock = value;
        return 0;
    case OPTION_TOLERANCE:
        return take_time(value, "--tolerance", &options->tolerance_ps);
    case OPTION_OFFSET:
        options->has_offset = 1;
        return take_time(value, "--offset", &options->offset_ps);
    case OPTION_JSON:
        options->json = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int run(struct comparison *comparison)
{
    const struct compare_options *options = &comparison->options;
    int result = compare_read_csv(&comparison->predicted, options->predicted);
    if (result == CLI_DONE)
        result = ends_with(options->measured, ".vcd")
                     ? compare_read_vcd(&comparison->measured, &comparison->predicted, options)
                     : compare_read_csv(&comparison->measured, options->measured);
    if (result == CLI_DONE)
        result = compare_all(comparison);
    if (result == CLI_DONE && options->json)
        result = print_json(comparison, stdout);
    else if (result == CLI_DONE)
        print_all(comparison, stdout);
    for (size_t i = 0; result == CLI_DONE && i < comparison->count; i++)
        if (departs(&comparison->rows[i]))
            result = CLI_ASSERTION;
    return result;
}

int compare_main(int argc, char **argv)
{
    const struct argp argp = {
        option_table,
        parse,
        "PREDICTED MEASURED",
        "Holds what RTL did against the prediction, stage by stage.\vPREDICTED is passes.csv of rnicsim run --golden. "
        "MEASURED is a VCD (its name ends in .vcd), or a CSV with the columns nic, path, fifo, head_ps and, if there, "
        "tail_ps. The nth item into each FIFO is compared with the nth. Exit status 1: something departs.",
        NULL,
        NULL,
        NULL};
    struct comparison *comparison = calloc(1, sizeof *comparison);
    if (comparison == NULL)
        return cli_fail("out of memory");
    comparison->options.tolerance_ps = 1000;
    int result = cli_parse(&argp, "compare", argc, argv, &comparison->options);
    if (result < 0 && comparison->options.measured == NULL)
        result = cli_fail("which files? rnicsim compare PREDICTED MEASURED; see rnicsim compare --help");
    if (result < 0)
        result = run(comparison);
    compare_free(&comparison->predicted);
    compare_free(&comparison->measured);
    free(comparison->rows);
    free(comparison);
    return result;
}
