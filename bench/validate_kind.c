#include "bench/validate_kind.h"

#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/simulate.h"

#define MIB_PER_S_GBPS 0.008388608 /* 2^20 B/s in Gb/s */

struct kind {
    const char *name;
    int (*check)(const struct target *target);
    int (*run)(struct target *target, const struct model_options *model);
};

/* ---- perftest ---- */

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

/* ---- kinds ---- */

/* A target of kind pciebench gets its row here: its check() knows median_ns, p99_ns, p99.9_ns and gbps, and its run() calls the API
 * function behind rnicsim pciebench. */
static const struct kind kinds[] = {{"perftest", perftest_check, perftest_run}};

static const struct kind *find_kind(const struct target *target)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, target->text[TARGET_KIND]) == 0)
            return &kinds[i];
    return NULL;
}

/* ---- the model ---- */

/* The parameters of class calibrated; those that the target says were fitted to it must be among them. */
static int take_constants(const struct target *target, const struct rnicsim *sim, struct validate_constants *all)
{
    size_t found = 0;
    all->count = 0;
    for (size_t i = 0; i < rnicsim_param_count(sim) && all->count < VALIDATE_CONSTANTS_MAX; i++) {
        struct rnicsim_param_info info;
        if (rnicsim_param(sim, i, &info) != RNICSIM_OK || strcmp(info.class_name, "calibrated") != 0)
            continue;
        struct validate_constant *constant = &all->constant[all->count++];
        *constant = (struct validate_constant){.is_fitted_here = 0};
        snprintf(constant->key, sizeof constant->key, "%s", info.key);
        snprintf(constant->source, sizeof constant->source, "%s", info.source);
        for (size_t f = 0; f < target->fitted_count; f++)
            constant->is_fitted_here |= strcmp(target->fitted[f].key, info.key) == 0;
        found += (size_t)constant->is_fitted_here;
    }
    if (found == target->fitted_count)
        return CLI_DONE;
    return target_fail(target, target->fitted[0].line,
                       "of the constants in [fitted], %zu of %zu are parameters of class calibrated on this board and "
                       "host",
                       found, target->fitted_count);
}

/* The board, the host and what is set are as good as their files. */
static int check_model(const struct target *target, struct validate_constants *all)
{
    struct target copy = *target; /* target_model() cuts it */
    struct model_options model;
    struct rnicsim_options options = {.seed = 1};
    struct rnicsim_error error;
    struct rnicsim *sim = NULL;
    int status = target_model(&copy, &model);
    if (status == CLI_DONE)
        status = model_options_apply(&model, &options);
    if (status == CLI_DONE && rnicsim_create(&options, &sim, &error) != RNICSIM_OK)
        status = target_fail(target, target->line[TARGET_BOARD], "%.300s", error.text);
    if (status == CLI_DONE)
        status = take_constants(target, sim, all);
    rnicsim_destroy(sim);
    model_options_free(&model);
    return status;
}

int validate_check(const struct target *target, struct validate_constants *all)
{
    const struct kind *kind = find_kind(target);
    if (!kind)
        return target_fail(target, target->line[TARGET_KIND], "unknown kind '%.40s', allowed is perftest",
                           target->text[TARGET_KIND]);
    int status = kind->check(target);
    return status == CLI_DONE ? check_model(target, all) : status;
}

int validate_target(struct target *target)
{
    struct model_options model;
    int status = target_model(target, &model);
    if (status == CLI_DONE)
        status = find_kind(target)->run(target, &model);
    model_options_free(&model);
    return status;
}
