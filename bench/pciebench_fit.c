/* Fits a host: where its reads lie from the latencies, how it cuts transfers from the bandwidths, then what lies behind its cache and its
 * IOMMU, as far as points were measured that show it. Tells how well it fits each point. */
#include "bench/pciebench_fit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/pciebench_fitting.h"

static void find_reference(struct fit *fit)
{
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i], *best = fit->reference;
        if (!fitting_is_near_read(point))
            continue;
        if (!best || point->quantiles > best->quantiles ||
            (point->quantiles == best->quantiles && point->what.bytes < best->what.bytes))
            fit->reference = point;
    }
}

static int check_points(struct fit *fit)
{
    int sizes = 0, bandwidths = 0, last = 1;
    uint32_t first = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        last = point->line;
        bandwidths += !pciebench_is_latency(point->what.test);
        if (!fitting_is_near_read(point) || point->what.bytes == first)
            continue;
        first = sizes++ == 0 ? point->what.bytes : first;
    }
    find_reference(fit);
    if (sizes >= 2 && bandwidths >= 1)
        return 0;
    return cli_fail(
        "%s:%d: LAT_RD of %d size%s and %d bandwidth%s, needed are LAT_RD of two sizes, warm, in a window up to "
        "256 KiB, and one bandwidth",
        fit->path, last, sizes, sizes == 1 ? "" : "s", bandwidths, bandwidths == 1 ? "" : "s");
}

static int find_all(struct fit *fit)
{
    fit->values = (struct pciebench_values){.mps = 256,
                                            .mrrs = 512,
                                            .dram = -1,
                                            .refresh = -1,
                                            .write_line = -1,
                                            .iommu_miss = -1,
                                            .iommu_walk = -1,
                                            .iommu_write_walk = -1};
    int (*const step[])(struct fit *) = {fitting_find_reads, fitting_find_cutting, fitting_find_write_line,
                                         fitting_find_dram,  fitting_find_iommu,   fitting_find_refresh};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (step[i](fit) != 0)
            return CLI_INPUT;
    return 0;
}

/* ---- residuals ---- */

struct residual {
    const char *what;
    double measured, fitted;
};

static int residuals_of(const struct fit *fit, const struct pciebench_point *point, struct residual out[3])
{
    struct pciebench_answer answer;
    if (fitting_ask(fit, &fit->values, point, 0, &answer))
        return -1;
    if (!pciebench_is_latency(point->what.test)) {
        out[0] = (struct residual){"gbps", point->gbps, answer.gbps};
        return 1;
    }
    struct quantile known[] = {answer.median, answer.p99, answer.p999};
    static const double percent[] = {50, 99, 99.9};
    static const char *const name[] = {"median_ns", "p99_ns", "p99.9_ns"};
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (pciebench_quantile(point, percent[i]) > 0)
            out[count++] =
                (struct residual){name[i], pciebench_quantile(point, percent[i]), (double)known[i].ps / 1000};
    return count;
}

static double error_percent(const struct residual *residual)
{
    return 100 * (residual->fitted / residual->measured - 1);
}

static void print_residual(FILE *out, const char *before, const struct pciebench_case *what,
                           const struct residual *residual)
{
    fprintf(out, "%s%-8s %4u B  window %10llu  %-4s  %-9s  measured %11.2f  fitted %11.2f  %+7.2f %%\n", before,
            pciebench_test_name(what->test), what->bytes, (unsigned long long)what->window_bytes,
            what->cold ? "cold" : "warm", residual->what, residual->measured, residual->fitted,
            error_percent(residual));
}

static json_t *json_residual(const struct pciebench_case *what, const struct residual *residual)
{
    return json_pack("{s:s, s:i, s:I, s:s, s:s, s:f, s:f, s:f}", "test", pciebench_test_name(what->test), "size_bytes",
                     (int)what->bytes, "window_bytes", (json_int_t)what->window_bytes, "cache",
                     what->cold ? "cold" : "warm", "metric", residual->what, "measured", residual->measured, "fitted",
                     residual->fitted, "error_percent", error_percent(residual));
}

/* Into the host file as comments, and for the reader to `print` or `all`. */
static int tell_residuals(const struct fit *fit, FILE *file, FILE *print, json_t *all)
{
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct residual residual[3];
        int count = residuals_of(fit, point, residual);
        if (count < 0)
            return CLI_INPUT;
        for (int k = 0; k < count; k++) {
            print_residual(file, "# ", &point->what, &residual[k]);
            if (print)
                print_residual(print, "", &point->what, &residual[k]);
            if (all)
                json_array_append_new(all, json_residual(&point->what, &residual[k]));
        }
    }
    return 0;
}

static void tell_kept(const struct fit *fit, FILE *out, const char *before)
{
    char text[sizeof fit->kept], *rest = text;
    memcpy(text, fit->kept, sizeof text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line;)
        fprintf(out, "%s%s\n", before, line);
}

/* The file's name without folder and ending. */
static void name_of(const char *path, char *name, size_t bytes)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, bytes, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
}

static int write_host(const struct fit *fit, FILE *file, const char *out, int json)
{
    char name[100];
    json_t *all = json ? json_array() : NULL;
    FILE *print = json ? NULL : out ? stdout : stderr;
    name_of(out ? out : "fitted", name, sizeof name);
    pciebench_values_write(&fit->values, fit->base, name, fit->path, file);
    fprintf(file, "\n# could not be told apart, defaults were kept:\n");
    tell_kept(fit, file, "#   ");
    fprintf(file, "# residuals of the points that were fitted:\n");
    int result = tell_residuals(fit, file, print, all);
    if (print && result == 0) {
        fprintf(print, "could not be told apart, defaults were kept:\n");
        tell_kept(fit, print, "  ");
    }
    if (all && result == 0) {
        FILE *to = out ? stdout : stderr;
        result = json_dumpf(all, to, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) ? cli_fail("out of memory") : 0;
        fputc('\n', to);
    }
    json_decref(all);
    return result;
}

/* Under another name until it is whole. */
static int write_file(const struct fit *fit, const char *out, int json)
{
    char part[4096];
    if (!out)
        return write_host(fit, stdout, out, json);
    snprintf(part, sizeof part, "%s.part", out);
    FILE *file = fopen(part, "w");
    if (!file)
        return cli_fail("%s: cannot be written: %s", part, strerror(errno));
    int result = write_host(fit, file, out, json), failed = ferror(file);
    failed |= fclose(file) != 0;
    if (result == 0 && (failed || rename(part, out) != 0))
        result = cli_fail("%s: cannot be written: %s", out, strerror(errno));
    if (result != 0)
        remove(part);
    return result;
}

int pciebench_fit(const struct pciebench_host *base, const char *path, const char *system, const char *out, int json)
{
    struct fit fit = {.base = base, .path = path};
    int result = pciebench_csv_read(path, system, &fit.points);
    if (result == 0)
        result = check_points(&fit);
    if (result == 0)
        result = find_all(&fit);
    if (result == 0)
        result = write_file(&fit, out, json);
    free(fit.points.point);
    return result;
}
