/* Targets of kind perftest: the workload is one of perftest's programs with its options. */
#include "bench/validate_kind.h"

#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/simulate.h"

#define MIB_PER_S_GBPS 0.008388608 /* 2^20 B/s in Gb/s */

struct metric {
    const char *name, *unit;
    int is_lat;
    double (*value)(const struct perftest_table *table);
};

#define LATENCY(field)                                            \
    static double lat_##field(const struct perftest_table *table) \
    {                                                             \
        return table->row[0].lat.field;                           \
    }
LATENCY(t_min)
LATENCY(t_typical)
LATENCY(t_avg)
LATENCY(t_99)
LATENCY(t_999)
LATENCY(sigma)
#undef LATENCY

/* perftest tells MiB/s, or Gb/s with --report_gbits. */
static double average_gbps(const struct perftest_table *table)
{
    return table->row[0].bw.average * (table->options.in_gbits ? 1 : MIB_PER_S_GBPS);
}

static double average_mib(const struct perftest_table *table)
{
    return average_gbps(table) / MIB_PER_S_GBPS;
}

static double message_rate(const struct perftest_table *table)
{
    return table->row[0].bw.message_rate_mps;
}

static const struct metric metrics[] = {
    {"t_min", "us", 1, lat_t_min},
    {"t_typical", "us", 1, lat_t_typical},
    {"t_avg", "us", 1, lat_t_avg},
    {"t_99", "us", 1, lat_t_99},
    {"t_999", "us", 1, lat_t_999},
    {"sigma", "us", 1, lat_sigma},
    {"average", "Gb/s", 0, average_gbps},
    {"average", "MiB/s", 0, average_mib},
    {"message_rate", "Mpps", 0, message_rate},
};

static const struct metric *find_metric(const struct target_point *point, int is_lat)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (metrics[i].is_lat == is_lat && strcmp(metrics[i].name, point->metric) == 0 &&
            strcmp(metrics[i].unit, point->unit) == 0)
            return &metrics[i];
    return NULL;
}

static int perftest_options_of(const struct target *target, struct perftest_options *options)
{
    struct rnicsim_error error;
    int line = target->line[TARGET_WORKLOAD];
    if (perftest_parse(target->text[TARGET_WORKLOAD], options, &error) != 0)
        return target_fail(target, line, "%s", error.text);
    if (options->all_sizes || options->duration_s > 0)
        return target_fail(target, line, "a target has one size and a number of iterations: no -a, no -D");
    return CLI_DONE;
}

static int perftest_check(const struct target *target)
{
    struct perftest_options options;
    int status = perftest_options_of(target, &options);
    for (size_t i = 0; i < target->points && status == CLI_DONE; i++)
        if (!find_metric(&target->point[i], options.is_lat))
            status = target_fail(target, target->point[i].line, "%s has no metric %s in %s, allowed are %s",
                                 options.tool, target->point[i].metric, target->point[i].unit,
                                 options.is_lat ? "t_min, t_typical, t_avg, t_99, t_999 and sigma in us"
                                                : "average in Gb/s or MiB/s, message_rate in Mpps");
    return status;
}

static int read_off(struct target *target, const struct simulate *simulate)
{
    struct perftest_table table = {.count = 0};
    char why[300];
    if (!workload_is_whole(&simulate->workload))
        return target_fail(target, target->line[TARGET_WORKLOAD], "the run does not end: %s",
                           workload_explain(&simulate->workload, why, sizeof why) ? why : "the cause is not known");
    if (perftest_table_add(&table, simulate->workload.perftest, NULL) != 0)
        return cli_fail("out of memory for the report");
    for (size_t i = 0; i < target->points; i++)
        target->point[i].predicted = find_metric(&target->point[i], table.options.is_lat)->value(&table);
    return CLI_DONE;
}

static int perftest_run(struct target *target, const struct model_options *model)
{
    struct simulate simulate = {.model = model, .seed = 1, .quiet = 1};
    struct perftest_options options;
    struct rnicsim_error error;
    int status = perftest_options_of(target, &options);
    if (status == CLI_DONE &&
        workload_of_perftest(&simulate.workload, &options, target->text[TARGET_WORKLOAD], options.size_bytes, &error))
        status = cli_fail("%s", error.text);
    if (status == CLI_DONE)
        status = simulate_run(&simulate);
    if (status == CLI_DONE)
        status = read_off(target, &simulate);
    simulate_free(&simulate);
    return status;
}

const struct validate_kind validate_perftest = {"perftest", 1, perftest_check, perftest_run};
