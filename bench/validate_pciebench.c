/* Targets of kind pciebench: a measurement of a host alone, "lat_rd --size 64 --window 67108864 --cache cold --offset 4 --samples 20000". */
#include "bench/validate_kind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/pciebench_measure.h"

struct metric {
    const char *name, *unit;
    int is_latency;
};

static const struct metric metrics[] = {
    {"median_ns", "ns", 1}, {"p99_ns", "ns", 1}, {"p99.9_ns", "ns", 1}, {"gbps", "Gb/s", 0}};

static int take_option(const struct target *target, const char *option, const char *value, struct pciebench_case *what)
{
    int line = target->line[TARGET_WORKLOAD], is_cold = strcmp(value, "cold") == 0;
    char *end;
    if (strcmp(option, "--cache") == 0) {
        what->cold = is_cold;
        return is_cold || strcmp(value, "warm") == 0
                   ? CLI_DONE
                   : target_fail(target, line, "--cache %.20s, allowed are warm and cold", value);
    }
    errno = 0;
    uint64_t number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != 0 || errno != 0)
        return target_fail(target, line, "%.20s %.30s: no number", option, value);
    if (strcmp(option, "--window") == 0)
        what->window_bytes = number;
    else if (strcmp(option, "--samples") == 0)
        what->samples = number;
    else if (strcmp(option, "--size") == 0 && number >= 1 && number <= 4096)
        what->bytes = (uint32_t)number;
    else if (strcmp(option, "--offset") == 0 && number < 4096)
        what->offset = (uint32_t)number;
    else
        return target_fail(target, line,
                           "%.20s %.30s: allowed are --size 1 to 4096, --window, --cache, --offset 0 to 4095 "
                           "and --samples",
                           option, value);
    return CLI_DONE;
}

static int read_case(const struct target *target, struct pciebench_case *what)
{
    char text[TARGET_TEXT_BYTES], *rest = NULL;
    int status = CLI_DONE, line = target->line[TARGET_WORKLOAD];
    *what = (struct pciebench_case){.window_bytes = PCIEBENCH_WINDOW_BYTES};
    snprintf(text, sizeof text, "%s", target->text[TARGET_WORKLOAD]);
    const char *test = strtok_r(text, " ", &rest), *option;
    if (!test || pciebench_test_of(test, &what->test))
        return target_fail(target, line, "%.20s is no test, allowed are lat_rd, lat_wrrd, bw_rd, bw_wr and bw_rdwr",
                           test ? test : "nothing");
    while (status == CLI_DONE && (option = strtok_r(NULL, " ", &rest)) != NULL) {
        const char *value = strtok_r(NULL, " ", &rest);
        status =
            value ? take_option(target, option, value, what) : target_fail(target, line, "%.20s needs a value", option);
    }
    return status == CLI_DONE && what->bytes == 0 ? target_fail(target, line, "--size is needed") : status;
}

static int pciebench_check(const struct target *target)
{
    struct pciebench_case what;
    int status = read_case(target, &what);
    for (size_t i = 0; i < target->points && status == CLI_DONE; i++) {
        const struct target_point *point = &target->point[i];
        int is_known = 0;
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
            is_known |= metrics[m].is_latency == pciebench_is_latency(what.test) &&
                        strcmp(metrics[m].name, point->metric) == 0 && strcmp(metrics[m].unit, point->unit) == 0;
        if (!is_known)
            status =
                target_fail(target, point->line, "%s has no metric %s in %s, allowed are %s",
                            pciebench_test_name(what.test), point->metric, point->unit,
                            pciebench_is_latency(what.test) ? "median_ns, p99_ns and p99.9_ns in ns" : "gbps in Gb/s");
    }
    return status;
}

static int pciebench_run(struct target *target, const struct model_options *model)
{
    const struct pciebench_host host = {
        .host = model->host, .set = model->set, .set_count = model->set_count, .seed = 1};
    struct pciebench_case what;
    struct pciebench_answer answer;
    struct rnicsim_error error;
    int status = read_case(target, &what);
    if (status != CLI_DONE)
        return status;
    if (pciebench_measure(&host, &what, &answer, &error) != RNICSIM_OK)
        return target_fail(target, target->line[TARGET_WORKLOAD], "%.300s", error.text);
    for (size_t i = 0; i < target->points; i++) {
        struct target_point *point = &target->point[i];
        const struct quantile *quantile = strcmp(point->metric, "median_ns") == 0 ? &answer.median
                                          : strcmp(point->metric, "p99_ns") == 0  ? &answer.p99
                                                                                  : &answer.p999;
        if (!pciebench_is_latency(what.test))
            point->predicted = answer.gbps;
        else if (quantile->known)
            point->predicted = (double)quantile->ps / 1000;
        else
            return target_fail(target, point->line, "%s needs more --samples", point->metric);
    }
    return CLI_DONE;
}

const struct validate_kind validate_pciebench = {"pciebench", 0, pciebench_check, pciebench_run};
