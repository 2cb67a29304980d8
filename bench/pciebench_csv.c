#include "bench/pciebench_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/cli.h"

#define COLUMNS_MAX 64
#define SYSTEM_BYTES 128

enum column {
    COLUMN_OTHER,
    COLUMN_TEST,
    COLUMN_BYTES,
    COLUMN_WINDOW,
    COLUMN_CACHE,
    COLUMN_OFFSET,
    COLUMN_DEVICE_OFFSET,
    COLUMN_SYSTEM,
    COLUMN_MEAN,
    COLUMN_QUANTILE,
    COLUMN_GBPS
};

struct reader {
    const char *path, *system;
    int line;
    struct pciebench_points *points;
    enum column column[COLUMNS_MAX];
    double percent[COLUMNS_MAX]; /* of a quantile's column */
    int columns;
    char first_system[SYSTEM_BYTES];
};

double pciebench_quantile(const struct pciebench_point *point, double percent)
{
    for (int i = 0; i < point->quantiles; i++)
        if (fabs(point->quantile[i].percent - percent) < 1e-9)
            return point->quantile[i].ns;
    return 0;
}

/* The fields of a line, cut in place. Returns how many, or -1 when there are too many. */
static int split(char *line, char **field)
{
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at; count++) {
        if (count == COLUMNS_MAX)
            return -1;
        field[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = 0;
    }
    return count;
}

/* ---- the header ---- */

/* "p99.9", "99.9%(ns)": the percentile's number. */
static int is_quantile(const char *name, double *percent)
{
    char *end;
    *percent = strtod(name + (*name == 'p' || *name == 'P'), &end);
    if (end == name + (*name == 'p' || *name == 'P') || *percent <= 0 || *percent >= 100)
        return 0;
    if (*name == 'p' || *name == 'P')
        return *end == 0 || strcasecmp(end, "_ns") == 0 || strcasecmp(end, "(ns)") == 0;
    return strcasecmp(end, "%(ns)") == 0;
}

static enum column column_of(const char *name, double *percent)
{
    static const struct {
        const char *name;
        enum column column;
        double percent;
    } known[] = {{"test", COLUMN_TEST, 0},
                 {"sz", COLUMN_BYTES, 0},
                 {"size_b", COLUMN_BYTES, 0},
                 {"size_bytes", COLUMN_BYTES, 0},
                 {"size", COLUMN_BYTES, 0},
                 {"window_bytes", COLUMN_WINDOW, 0},
                 {"window", COLUMN_WINDOW, 0},
                 {"min_ns", COLUMN_QUANTILE, 0},
                 {"max_ns", COLUMN_QUANTILE, 100},
                 {"mean_ns", COLUMN_MEAN, 0},
                 {"winsz", COLUMN_WINDOW, 0},
                 {"window_b", COLUMN_WINDOW, 0},
                 {"cache", COLUMN_CACHE, 0},
                 {"ho", COLUMN_OFFSET, 0},
                 {"host_off", COLUMN_OFFSET, 0},
                 {"do", COLUMN_DEVICE_OFFSET, 0},
                 {"dev_off", COLUMN_DEVICE_OFFSET, 0},
                 {"system", COLUMN_SYSTEM, 0},
                 {"avg(ns)", COLUMN_MEAN, 0},
                 {"min", COLUMN_QUANTILE, 0},
                 {"min(ns)", COLUMN_QUANTILE, 0},
                 {"med(ns)", COLUMN_QUANTILE, 50},
                 {"median_ns", COLUMN_QUANTILE, 50},
                 {"max", COLUMN_QUANTILE, 100},
                 {"max(ns)", COLUMN_QUANTILE, 100},
                 {"payload_gbps", COLUMN_GBPS, 0},
                 {"gbps", COLUMN_GBPS, 0},
                 {"bw (gb/s)", COLUMN_GBPS, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0) {
            *percent = known[i].percent;
            return known[i].column;
        }
    return is_quantile(name, percent) ? COLUMN_QUANTILE : COLUMN_OTHER;
}

static int has_column(const struct reader *reader, const char *name)
{
    double percent;
    enum column wanted = column_of(name, &percent);
    for (int i = 0; i < reader->columns; i++)
        if (reader->column[i] == wanted)
            return 1;
    return 0;
}

/* pcie-bench writes Min and Max in cycles before Min(ns) and Max(ns): those count. */
static void prefer_ns(struct reader *reader, char *const *field)
{
    int has_ns = 0;
    for (int i = 0; i < reader->columns; i++)
        has_ns |= strcasecmp(field[i], "med(ns)") == 0;
    for (int i = 0; i < reader->columns && has_ns; i++)
        if (strcasecmp(field[i], "min") == 0 || strcasecmp(field[i], "max") == 0)
            reader->column[i] = COLUMN_OTHER;
}

static int read_header(struct reader *reader, char *line)
{
    char *field[COLUMNS_MAX];
    reader->columns = split(line, field);
    if (reader->columns < 0)
        return cli_fail("%s:%d: too many columns, allowed are %d", reader->path, reader->line, COLUMNS_MAX);
    for (int i = 0; i < reader->columns; i++)
        reader->column[i] = column_of(field[i], &reader->percent[i]);
    prefer_ns(reader, field);
    if (!has_column(reader, "test") || !has_column(reader, "sz") ||
        !(has_column(reader, "gbps") || has_column(reader, "med(ns)")))
        return cli_fail(
            "%s:%d: the header lacks the test, its size, or what was measured; allowed are Test or test, SZ or "
            "size_B, and Med(ns), p50, \"BW (GB/s)\" or payload_Gbps",
            reader->path, reader->line);
    return 0;
}

/* Files may stand one behind the other, each with its header. */
static int is_header(const char *line)
{
    return strncasecmp(line, "test,", 5) == 0 || strncasecmp(line, "system,", 7) == 0;
}

/* ---- rows ---- */

static int read_number(const struct reader *reader, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end != 0 || !isfinite(*out) || *out < 0 || *out > 1e15)
        return cli_fail("%s:%d: \"%.60s\" is no number, allowed from 0 on", reader->path, reader->line, text);
    return 0;
}

static void add_quantile(struct pciebench_point *point, double percent, double ns)
{
    if (point->quantiles == PCIEBENCH_QUANTILES)
        return;
    int i = point->quantiles++;
    for (; i > 0 && point->quantile[i - 1].percent > percent; i--)
        point->quantile[i] = point->quantile[i - 1];
    point->quantile[i] = (struct pciebench_quantile){percent, ns};
}

static void set_number(struct pciebench_point *point, enum column column, double percent, double number)
{
    switch (column) {
    case COLUMN_BYTES:
        point->what.bytes = number <= 4096 ? (uint32_t)number : 4097;
        return;
    case COLUMN_WINDOW:
        point->what.window_bytes = (uint64_t)number;
        return;
    case COLUMN_OFFSET:
        point->what.offset = number <= 4096 ? (uint32_t)number : 4096;
        return;
    case COLUMN_MEAN:
        point->mean_ns = number;
        return;
    case COLUMN_QUANTILE:
        add_quantile(point, percent, number);
        return;
    default:
        point->gbps = number;
    }
}

/* 1: the row is not of the system, the test or the device's alignment that are looked for; else 0, or the exit status. */
static int read_row(struct reader *reader, char *const *field, struct pciebench_point *point)
{
    *point = (struct pciebench_point){.line = reader->line, .what.window_bytes = PCIEBENCH_WINDOW_BYTES};
    for (int i = 0; i < reader->columns; i++) {
        enum column column = reader->column[i];
        double number;
        if (column == COLUMN_OTHER || field[i][0] == 0)
            continue;
        if (column == COLUMN_SYSTEM) {
            if (reader->system && strcmp(field[i], reader->system) != 0)
                return 1;
            if (!reader->system && reader->first_system[0] && strcmp(field[i], reader->first_system) != 0)
                return cli_fail("%s:%d: another system, \"%.60s\"; allowed is one, or its name after --system",
                                reader->path, reader->line, field[i]);
            snprintf(reader->first_system, sizeof reader->first_system, "%s", field[i]);
        } else if (column == COLUMN_TEST) {
            if (strncasecmp(field[i], "lat_cmd", 7) == 0)
                return 1;
            if (pciebench_test_of(field[i], &point->what.test))
                return cli_fail(
                    "%s:%d: \"%.60s\" is no test, allowed are LAT_RD, LAT_WRRD, BW_RD, BW_WR and BW_RDWR, also "
                    "with _DMA_",
                    reader->path, reader->line, field[i]);
        } else if (column == COLUMN_CACHE) {
            if (strcasecmp(field[i], "cold") != 0 && strcasecmp(field[i], "hwarm") != 0 &&
                strcasecmp(field[i], "warm") != 0)
                return 1;
            point->what.cold = strcasecmp(field[i], "cold") == 0;
        } else {
            if (read_number(reader, field[i], &number))
                return CLI_INPUT;
            if (column == COLUMN_DEVICE_OFFSET && number > 0)
                return 1;
            if (column != COLUMN_DEVICE_OFFSET)
                set_number(point, column, reader->percent[i], number);
        }
    }
    return 0;
}

static int check_point(const struct reader *reader, const struct pciebench_point *point)
{
    const struct pciebench_case *what = &point->what;
    if (what->bytes == 0 || what->bytes + what->offset > 4096 || what->bytes + what->offset > what->window_bytes)
        return cli_fail("%s:%d: impossible size, offset or window: allowed are 1 to 4096 B with the offset, within the "
                        "window",
                        reader->path, reader->line);
    if (pciebench_is_latency(what->test) ? pciebench_quantile(point, 50) <= 0 : point->gbps <= 0)
        return cli_fail("%s:%d: no %s above 0 is given", reader->path, reader->line,
                        pciebench_is_latency(what->test) ? "median (Med(ns) or p50)"
                                                         : "bandwidth (payload_Gbps or \"BW (GB/s)\")");
    return 0;
}

static int add_row(struct reader *reader, char *line)
{
    struct pciebench_points *points = reader->points;
    struct pciebench_point point;
    char *field[COLUMNS_MAX];
    int count = split(line, field);
    if (count == 1 && field[0][0] == 0)
        return 0;
    if (count != reader->columns)
        return cli_fail("%s:%d: %d fields, allowed are %d as in the header", reader->path, reader->line, count,
                        reader->columns);
    int result = read_row(reader, field, &point);
    if (result == 1) {
        points->skipped++;
        return 0;
    }
    if (result == 0)
        result = check_point(reader, &point);
    if (result != 0)
        return result;
    struct pciebench_point *more = realloc(points->point, (points->count + 1) * sizeof *more);
    if (!more)
        return cli_fail("out of memory");
    points->point = more;
    more[points->count++] = point;
    return 0;
}

int pciebench_csv_read(const char *path, const char *system, struct pciebench_points *points)
{
    struct reader reader = {.path = path, .system = system, .points = points};
    char *line = NULL;
    size_t room = 0;
    *points = (struct pciebench_points){0};
    FILE *in = fopen(path, "r");
    if (!in)
        return cli_fail("%s: cannot be read: %s", path, strerror(errno));
    int result = 0;
    while (result == 0 && getline(&line, &room, in) >= 0) {
        reader.line++;
        result = reader.line == 1 || is_header(line) ? read_header(&reader, line) : add_row(&reader, line);
    }
    if (result == 0 && points->count == 0)
        result = cli_fail("%s:%d: no row that can be used, allowed are a header and rows of LAT_RD, LAT_WRRD and BW_*",
                          path, reader.line + (reader.line == 0));
    free(line);
    fclose(in);
    return result;
}
