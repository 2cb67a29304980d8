#include "bench/validate_report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/summary.h"

#define DECIMALS_3 1e3
#define DECIMALS_6 1e6

struct errors { /* of the predictions */
    double *pct;
    size_t count, calibrated;
    double median_pct, p90_pct; /* of the absolute ones; without any they mean nothing */
};

double validation_error_pct(const struct target_point *point)
{
    return (point->predicted - point->measured) / point->measured * 100;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int gather(const struct validation *validation, struct errors *errors)
{
    *errors = (struct errors){.pct = malloc((validation->targets * TARGET_POINTS_MAX + 1) * sizeof *errors->pct)};
    if (!errors->pct)
        return cli_fail("out of memory for the errors");
    for (size_t t = 0; t < validation->targets; t++)
        for (size_t p = 0; p < validation->target[t].points; p++) {
            const struct target_point *point = &validation->target[t].point[p];
            errors->calibrated += (size_t)point->is_calibrated;
            if (!point->is_calibrated)
                errors->pct[errors->count++] = fabs(validation_error_pct(point));
        }
    size_t n = errors->count;
    if (n == 0)
        return CLI_DONE;
    qsort(errors->pct, n, sizeof *errors->pct, by_value);
    errors->median_pct = (errors->pct[(n - 1) / 2] + errors->pct[n / 2]) / 2;
    errors->p90_pct = errors->pct[(9 * n + 9) / 10 - 1]; /* the least that 90 % of them do not exceed */
    return CLI_DONE;
}

static const char *class_of(const struct target_point *point)
{
    return point->is_calibrated ? "calibrated" : "prediction";
}

/* ---- JSON ---- */

static json_t *number_or_null(int is_known, double value)
{
    return is_known ? summary_number(value, DECIMALS_3) : json_null();
}

static json_t *point_object(const struct target *target, const struct target_point *point)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s}", "target", target->name, "metric",
                     point->metric, "workload", target->text[TARGET_WORKLOAD], "unit", point->unit, "measured",
                     summary_number(point->measured, DECIMALS_6), "spread",
                     point->spread > 0 ? summary_number(point->spread, DECIMALS_6) : json_null(), "predicted",
                     summary_number(point->predicted, DECIMALS_6), "error_pct",
                     summary_number(validation_error_pct(point), DECIMALS_3), "class", class_of(point), "source",
                     target->text[TARGET_SOURCE]);
}

static json_t *points_array(const struct validation *validation)
{
    json_t *points = json_array();
    for (size_t t = 0; t < validation->targets; t++)
        for (size_t p = 0; p < validation->target[t].points; p++)
            json_array_append_new(points, point_object(&validation->target[t], &validation->target[t].point[p]));
    return points;
}

static json_t *constants_array(const struct validation *validation)
{
    json_t *array = json_array();
    for (size_t t = 0; t < validation->targets; t++)
        for (size_t c = 0; c < validation->constants[t].count; c++) {
            const struct validate_constant *constant = &validation->constants[t].constant[c];
            json_array_append_new(array,
                                  json_pack("{s:s, s:s, s:s, s:s, s:b}", "target", validation->target[t].name, "key",
                                            constant->key, "class", "calibrated", "source", constant->source,
                                            "fitted_to_this_target", constant->is_fitted_here));
        }
    return array;
}

static json_t *reads_array(const struct validation *validation)
{
    json_t *array = json_array();
    for (size_t i = 0; i < validation->reads_count; i++) {
        const struct validate_reads *reads = &validation->reads[i];
        const struct rnicsim_pcie_bound *bound = &reads->bound;
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:i, s:b, s:o, s:o, s:s, s:o, s:o, s:s, s:o}", "board", VALIDATE_READS_BOARD,
                             "host", reads->host, "completion_headers", reads->completion_headers, "reads_at_100g",
                             reads->is_at_line_rate, "goodput_gbps", summary_number(reads->goodput_gbps, DECIMALS_3),
                             "line_share", summary_number(reads->line_share, DECIMALS_3), "bottleneck",
                             reads->bottleneck, "read_latency_ns", summary_number(reads->latency_ns, DECIMALS_3),
                             "bound_gbps", summary_number((double)bound->limit_bps[bound->binds] / 1e9, DECIMALS_3),
                             "bound_by", rnicsim_pcie_limit_name(bound->binds), "latency_most_ns",
                             summary_number((double)bound->latency_most_ps / 1e3, DECIMALS_3)));
    }
    return array;
}

int validation_print_json(const struct validation *validation)
{
    struct errors errors;
    if (gather(validation, &errors) != CLI_DONE)
        return CLI_INPUT;
    json_t *object = json_pack(
        "{s:{s:I, s:o, s:o}, s:{s:I}, s:o, s:o, s:o}", "predictions", "n", (json_int_t)errors.count,
        "median_abs_error_pct", number_or_null(errors.count > 0, errors.median_pct), "p90_abs_error_pct",
        number_or_null(errors.count > 0, errors.p90_pct), "calibrated", "n", (json_int_t)errors.calibrated, "points",
        points_array(validation), "constants", constants_array(validation), "reads", reads_array(validation));
    free(errors.pct);
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(object);
    putchar('\n');
    return failed ? cli_fail("out of memory, or standard output cannot be written") : CLI_DONE;
}

/* ---- text ---- */

static void print_points(const struct validation *validation)
{
    printf("%-30s %-12s %-6s %10s %10s %9s  %s\n", "target", "metric", "unit", "measured", "predicted", "error",
           "class");
    for (size_t t = 0; t < validation->targets; t++)
        for (size_t p = 0; p < validation->target[t].points; p++) {
            const struct target_point *point = &validation->target[t].point[p];
            printf("%-30s %-12s %-6s %10.6g %10.6g %+8.1f%%  %s\n", validation->target[t].name, point->metric,
                   point->unit, point->measured, point->predicted, validation_error_pct(point), class_of(point));
        }
}

/* Each constant once, with the targets that it was fitted to. */
static void print_constants(const struct validation *validation)
{
    printf("\nConstants of class calibrated in these models:\n");
    for (size_t t = 0; t < validation->targets; t++)
        for (size_t c = 0; c < validation->constants[t].count; c++) {
            const struct validate_constant *constant = &validation->constants[t].constant[c];
            int is_told = 0;
            for (size_t before = 0; before < t; before++)
                for (size_t i = 0; i < validation->constants[before].count; i++)
                    is_told |= strcmp(validation->constants[before].constant[i].key, constant->key) == 0 &&
                               strcmp(validation->constants[before].constant[i].source, constant->source) == 0;
            if (is_told)
                continue;
            printf("  %-30s %s", constant->key, constant->source);
            for (size_t other = 0; other < validation->targets; other++)
                for (size_t i = 0; i < validation->constants[other].count; i++)
                    if (validation->constants[other].constant[i].is_fitted_here &&
                        strcmp(validation->constants[other].constant[i].key, constant->key) == 0)
                        printf("; fitted to %s", validation->target[other].name);
            putchar('\n');
        }
}

static void print_reads(const struct validation *validation)
{
    if (validation->reads_count == 0)
        return;
    printf("\nDoes " VALIDATE_READS_BOARD " read at 100G? " VALIDATE_READS_WORKLOAD
           ", the payload read over PCIe; then a read alone, and the bound at its latency:\n"
           "%-22s %5s  %-5s %12s %6s  %-38s %9s %11s  %-15s %s\n",
           "host", "CPLH", "reads", "goodput Gb/s", "line", "bottleneck", "read ns", "bound Gb/s", "by",
           "98 Gb/s up to ns");
    for (size_t i = 0; i < validation->reads_count; i++) {
        const struct validate_reads *reads = &validation->reads[i];
        const struct rnicsim_pcie_bound *bound = &reads->bound;
        printf("%-22s %5d  %-5s %12.2f %5.1f%%  %-38s %9.0f %11.2f  %-15s %.0f\n", reads->host,
               reads->completion_headers, reads->is_at_line_rate ? "yes" : "no", reads->goodput_gbps,
               reads->line_share * 100, reads->bottleneck, reads->latency_ns,
               (double)bound->limit_bps[bound->binds] / 1e9, rnicsim_pcie_limit_name(bound->binds),
               floor((double)bound->latency_most_ps / 1e3));
    }
}

int validation_print_text(const struct validation *validation)
{
    struct errors errors;
    if (gather(validation, &errors) != CLI_DONE)
        return CLI_INPUT;
    print_points(validation);
    printf("\npredictions  %zu", errors.count);
    if (errors.count > 0)
        printf(", absolute error: median %.1f %%, p90 %.1f %%", errors.median_pct, errors.p90_pct);
    printf("\ncalibrated   %zu, not counted\n", errors.calibrated);
    free(errors.pct);
    print_constants(validation);
    print_reads(validation);
    return CLI_DONE;
}
