#include "bench/bottleneck.h"

#include <stdio.h>
#include <string.h>

struct pair {
    size_t stage;
    enum rnicsim_cause cause;
    double share;
};

#define NO_PAIR ((struct pair){SIZE_MAX, RNICSIM_CAUSE_COUNT, 0})

int64_t bottleneck_stage_time(const struct rnicsim_stage_info *stage)
{
    int64_t sum_ps = 0;
    for (int i = 0; i < RNICSIM_CAUSE_COUNT; i++)
        sum_ps += stage->time_ps[i];
    return sum_ps;
}

void bottleneck_stage_name(const struct rnicsim_stage_info *stage, char *name, size_t name_bytes)
{
    snprintf(name, name_bytes, "%s %s %s", stage->nic, stage->path, stage->name);
}

static int is_resource(enum rnicsim_cause cause)
{
    return cause >= RNICSIM_NO_TAG && cause <= RNICSIM_NO_RECEIVE_WQE;
}

static int is_work(enum rnicsim_cause cause)
{
    return cause == RNICSIM_WORK;
}

/* The pair with the largest share among the causes that `counts` names, apart from `except`. */
static struct pair largest(const struct rnicsim_stage_info *stages, size_t count,
                           int (*counts)(enum rnicsim_cause cause), struct pair except)
{
    struct pair best = NO_PAIR;
    for (size_t i = 0; i < count; i++) {
        int64_t time_ps = bottleneck_stage_time(&stages[i]);
        for (unsigned cause = 0; time_ps > 0 && cause < RNICSIM_CAUSE_COUNT; cause++) {
            double share = (double)stages[i].time_ps[cause] / (double)time_ps;
            int is_excepted = i == except.stage && cause == except.cause;
            if (counts((enum rnicsim_cause)cause) && !is_excepted && share > best.share)
                best = (struct pair){i, (enum rnicsim_cause)cause, share};
        }
    }
    return best;
}

static struct bottleneck describe(const struct rnicsim_stage_info *stages, struct pair pair)
{
    struct bottleneck bottleneck = {.cause = "", .share = pair.share};
    if (pair.stage == SIZE_MAX)
        return bottleneck;
    bottleneck_stage_name(&stages[pair.stage], bottleneck.stage, sizeof bottleneck.stage);
    bottleneck.cause = rnicsim_cause_name(pair.cause);
    return bottleneck;
}

static struct bottleneck describe_row(const struct waterfall *waterfall, int row)
{
    struct bottleneck bottleneck = {.cause = ""};
    if (row < 0)
        return bottleneck;
    snprintf(bottleneck.stage, sizeof bottleneck.stage, "%s", waterfall->rows[row].name);
    bottleneck.cause = "latency";
    bottleneck.share = waterfall->rows[row].share;
    return bottleneck;
}

struct bottlenecks bottleneck_find(const struct rnicsim_stage_info *stages, size_t count,
                                   const struct waterfall *waterfall)
{
    struct pair busy = largest(stages, count, is_work, NO_PAIR);
    struct pair lack = largest(stages, count, is_resource, NO_PAIR);
    struct bottlenecks result = {.busiest = describe(stages, busy)};
    if (busy.share >= BOTTLENECK_SATURATED) {
        result.first = result.busiest;
        result.next = describe(stages, largest(stages, count, is_work, busy));
    } else if (lack.share >= BOTTLENECK_LACKING) {
        struct pair next = largest(stages, count, is_resource, lack);
        result.first = describe(stages, lack);
        result.next = describe(stages, next.stage == SIZE_MAX ? busy : next);
    } else {
        int first = waterfall_largest(waterfall, -1);
        result.first = describe_row(waterfall, first);
        result.next = describe_row(waterfall, waterfall_largest(waterfall, first));
    }
    return result;
}
