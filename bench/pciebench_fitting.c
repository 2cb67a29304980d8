#include "bench/pciebench_fitting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"

int fitting_is_near(const struct pciebench_point *point)
{
    return point->what.window_bytes <= FITTING_NEAR_BYTES && point->what.offset == 0;
}

int fitting_is_near_read(const struct pciebench_point *point)
{
    return point->what.test == RNICSIM_LAT_RD && fitting_is_near(point) && !point->what.cold;
}

void fitting_keep(struct fit *fit, const char *line)
{
    size_t used = strlen(fit->kept);
    snprintf(fit->kept + used, sizeof fit->kept - used, "%s\n", line);
}

int fitting_ask(const struct fit *fit, const struct pciebench_values *values, const struct pciebench_point *point,
                uint64_t samples, struct pciebench_answer *answer)
{
    struct pciebench_sets sets;
    struct rnicsim_error error;
    pciebench_values_set(values, fit->base, &sets);
    struct pciebench_host host = *fit->base;
    host.set = sets.set;
    host.set_count = sets.count;
    struct pciebench_case what = point->what;
    what.samples = samples;
    int result = pciebench_measure(&host, &what, answer, &error);
    return result == RNICSIM_OK ? 0 : cli_fail_result(result, &error);
}

double fitting_predicted_ns(const struct pciebench_answer *answer)
{
    return answer->mean_ps / 1000;
}

double fitting_center_ns(const struct pciebench_point *point)
{
    static const struct {
        double percent, weight;
    } part[] = {{5, 0.15}, {25, 0.225}, {50, 0.25}, {75, 0.2}, {90, 0.175}};
    double median = pciebench_quantile(point, 50), sum = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        double ns = pciebench_quantile(point, part[i].percent);
        if (ns <= 0)
            return fabs(point->mean_ns - median) < FITTING_STAMP_NS ? point->mean_ns : median;
        sum += part[i].weight * ns;
    }
    return fabs(sum - median) < FITTING_STAMP_NS ? sum : median;
}

double fitting_as_jedec(double ns)
{
    static const double jedec[] = {160, 260, 350};
    for (int i = 0; i < 3; i++)
        if (fabs(ns - jedec[i]) < 45)
            return jedec[i];
    return ns;
}
