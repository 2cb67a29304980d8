#include "bench/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define PS_PER_US 1e6

int loads_parse(const char *text, struct load_series *out)
{
    const char *at = text;
    double before = 0;
    *out = (struct load_series){.knee = -1};
    for (;;) {
        char *end;
        double load = strtod(at, &end);
        if (end == at || (*end != 0 && *end != ',') || !(load > before) || load > 200 || out->asked == LOADS_MAX)
            return cli_fail(
                "--loads: \"%.60s\" in \"%.200s\": allowed are %u loads in percent of the line's rate, above 0 to "
                "200, ascending: 10,50,90",
                at, text, LOADS_MAX);
        before = out->point[out->asked++].load_pct = load;
        if (*end == 0)
            return CLI_DONE;
        at = end + 1;
    }
}

int loads_line_bps(const struct model_options *model, int64_t *bps)
{
    struct rnicsim_options options = {.seed = 1};
    struct rnicsim_param_info param;
    struct rnicsim_error error;
    struct rnicsim *sim;
    int created = model_options_create(model, &options, &sim), result = RNICSIM_OK;
    if (created != CLI_DONE)
        return created;
    if (model_param(sim, "mac.rate", &param))
        result = rnicsim_parse(param.value, RNICSIM_RATE, bps, &error);
    rnicsim_destroy(sim);
    return result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
}

void loads_rate(const struct load_series *series, size_t n, int64_t line_bps, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%.6f Gbps", (double)line_bps / 1e9 * series->point[n].load_pct / 100);
}

void loads_add(struct load_series *series, const struct result *result)
{
    struct load_point *point = &series->point[series->count];
    const struct load_point *first = &series->point[0];
    point->latency = result->completion;
    point->goodput_gbps = result->goodput_gbps;
    if (series->knee < 0 && point->latency.p99.known && first->latency.p99.known &&
        point->latency.p99.ps > 2 * first->latency.p99.ps)
        series->knee = (int)series->count;
    series->count++;
}

void loads_print(const struct load_series *series, FILE *out)
{
    fprintf(out, "  %6s %14s %9s %9s %9s %9s\n", "load %", "goodput Gb/s", "avg", "p50", "p99", "p99.9");
    for (size_t i = 0; i < series->count; i++) {
        const struct load_point *point = &series->point[i];
        fprintf(out, "  %6.4g %14.3f %9.3f", point->load_pct, point->goodput_gbps, point->latency.mean_ps / PS_PER_US);
        quantile_print_us(out, point->latency.p50, " %9.3f", "       n/a");
        quantile_print_us(out, point->latency.p99, " %9.3f", "       n/a");
        quantile_print_us(out, point->latency.p999, " %9.3f", "       n/a");
        fputs((int)i == series->knee ? "  <- knee\n" : "\n", out);
    }
    if (series->knee < 0)
        fputs("  No knee: p99 stays within twice that of the first load.\n", out);
}

void loads_csv(const struct load_series *series, FILE *out)
{
    fputs("load[%],goodput[Gb/s],avg[usec],p50[usec],p99[usec],p99.9[usec],is_knee\n", out);
    for (size_t i = 0; i < series->count; i++) {
        const struct load_point *point = &series->point[i];
        fprintf(out, "%.6g,%.6f,%.6f", point->load_pct, point->goodput_gbps, point->latency.mean_ps / PS_PER_US);
        quantile_print_us(out, point->latency.p50, ",%.6f", ",");
        quantile_print_us(out, point->latency.p99, ",%.6f", ",");
        quantile_print_us(out, point->latency.p999, ",%.6f", ",");
        fprintf(out, ",%d\n", (int)i == series->knee);
    }
}
