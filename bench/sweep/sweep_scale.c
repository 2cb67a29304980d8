#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep/sweep_draw.h"

#define RATIO_LEAST 1.3
#define RATIO_TOLERANCE 0.15 /* whole numbers of a log range are rounded */
#define LOG_VALUES_LEAST 3u

/* Equal ratios between neighbours, which are above one. */
static int is_geometric(const struct sweep_axis *axis)
{
    double first = 0;
    if (axis->count < LOG_VALUES_LEAST)
        return 0;
    for (size_t i = 1; i < axis->count; i++) {
        double a = strtod(axis->values[i - 1], NULL), b = strtod(axis->values[i], NULL), ratio = a > 0 ? b / a : 0;
        first = i == 1 ? ratio : first;
        if (ratio < RATIO_LEAST || fabs(ratio / first - 1) > RATIO_TOLERANCE)
            return 0;
    }
    return 1;
}

struct sweep_scale sweep_scale_of(const struct sweep_axis *axis)
{
    struct sweep_scale scale = {.is_numeric = 1};
    const char *unit = "";
    for (size_t i = 0; i < axis->count; i++) {
        char *end;
        strtod(axis->values[i], &end);
        int is_number = end != axis->values[i];
        end += strspn(end, " ");
        unit = i == 0 ? end : unit;
        scale.is_numeric &= is_number && strcmp(end, unit) == 0;
    }
    scale.is_log = scale.is_numeric && is_geometric(axis);
    if (axis->kind == SWEEP_LOAD)
        unit = "% of the line";
    else if (strcmp(axis->key, "size") == 0 || strcmp(axis->key, "mtu") == 0)
        unit = "bytes";
    if (scale.is_numeric && unit[0] != 0)
        snprintf(scale.title, sizeof scale.title, "%.100s (%.60s)", axis->key, unit);
    else
        snprintf(scale.title, sizeof scale.title, "%.150s", axis->key);
    return scale;
}

double sweep_scale_at(const struct sweep_scale *scale, const struct sweep_axis *axis, size_t index)
{
    return scale->is_numeric ? strtod(axis->values[index], NULL) : (double)index;
}
