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

static double share_of(const struct rnicsim_stage_info *stage, enum rnicsim_cause cause)
{
    int64_t time_ps = bottleneck_stage_time(stage);
    return time_ps > 0 ? (double)stage->time_ps[cause] / (double)time_ps : 0;
}

static int is_endpoint_lack(enum rnicsim_cause cause)
{
    return cause == RNICSIM_NO_TAG || cause == RNICSIM_NO_CREDIT_CPLH || cause == RNICSIM_NO_CREDIT_CPLD;
}

static int is_link_lack(enum rnicsim_cause cause)
{
    return cause == RNICSIM_NO_CREDIT_PH || cause == RNICSIM_NO_CREDIT_PD || cause == RNICSIM_NO_CREDIT_NPH ||
           cause == RNICSIM_NO_REPLAY_BUFFER || cause == RNICSIM_REPLAY;
}

static int is_retry(enum rnicsim_cause cause)
{
    return cause == RNICSIM_RETRY;
}

static int is_lack(enum rnicsim_cause cause)
{
    return cause >= RNICSIM_NO_BUFFER && cause <= RNICSIM_RETRY;
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
    for (size_t i = 0; i < count; i++)
        for (int cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++) {
            double share = share_of(&stages[i], (enum rnicsim_cause)cause);
            int is_excepted = i == except.stage && (enum rnicsim_cause)cause == except.cause;
            if (counts((enum rnicsim_cause)cause) && !is_excepted && share > best.share)
                best = (struct pair){i, (enum rnicsim_cause)cause, share};
        }
    return best;
}

/* Where a stage lies on the way of a message: from the scheduler to the peer's memory, then the ACK's way back. */
static int place_of(const struct rnicsim_stage_info *stage)
{
    static const char *const place[] = {"core scheduler", "sched",  "wqe",    "payload", "ack",
                                        "core port",      "tx",     "mac_rx", "rx",      "core dispatch",
                                        "respond",        "retire", "cqe"};
    char core[64];
    snprintf(core, sizeof core, "core %s", stage->name);
    const char *name = strcmp(stage->path, "core") == 0 ? core : stage->path;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        if (strcmp(place[i], name) == 0)
            return (int)i;
    return -1;
}

/* The stage farthest downstream that waits for space for long enough; of one path the last one listed. */
static struct pair deepest_full(const struct rnicsim_stage_info *stages, size_t count)
{
    struct pair best = NO_PAIR;
    int best_place = -1;
    for (size_t i = 0; i < count; i++) {
        double share = share_of(&stages[i], RNICSIM_DOWNSTREAM_FULL);
        if (!stages[i].behind || share < BOTTLENECK_WAITING || place_of(&stages[i]) < best_place)
            continue;
        best_place = place_of(&stages[i]);
        best = (struct pair){i, RNICSIM_DOWNSTREAM_FULL, share};
    }
    return best;
}

/* What completions hold while they wait for a link is no lack of its own. */
static int is_link_saturated(const struct rnicsim_stage_info *stages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(stages[i].name, "pcie_", 5) == 0 && share_of(&stages[i], RNICSIM_WORK) >= BOTTLENECK_SATURATED)
            return 1;
    return 0;
}

/* Rule 1: the work of a link, or of the read engine, and what it lacks, together. */
static double starved_share(const struct rnicsim_stage_info *stages, struct pair starved)
{
    return starved.share < BOTTLENECK_STARVED ? 0 : share_of(&stages[starved.stage], RNICSIM_WORK) + starved.share;
}

/* What a stage lacks most. */
static struct pair largest_of(const struct rnicsim_stage_info *stages, size_t stage)
{
    struct pair pair = largest(stages + stage, 1, is_lack, NO_PAIR);
    pair.stage = stage;
    return pair;
}

/* The FIFO in front of dispatch is full because what its packets need is not there: that is waited for, however deep the FIFO. */
static struct pair dispatch_lacks(const struct rnicsim_stage_info *stages, size_t count, struct pair full)
{
    struct pair best = full;
    if (full.stage == SIZE_MAX || strcmp(stages[full.stage].behind, "dispatch_fifo") != 0)
        return full;
    for (size_t i = 0; i < count; i++)
        if (strcmp(stages[i].nic, stages[full.stage].nic) == 0 && strcmp(stages[i].path, "core") == 0 &&
            strcmp(stages[i].name, "dispatch") == 0)
            best = largest_of(stages, i);
    return best.share >= BOTTLENECK_WAITING ? best : full;
}

/* Rules 2 and 3. */
static struct pair waiting(const struct rnicsim_stage_info *stages, size_t count)
{
    struct pair pair = dispatch_lacks(stages, count, deepest_full(stages, count));
    if (pair.stage == SIZE_MAX)
        pair = largest(stages, count, is_endpoint_lack, NO_PAIR);
    struct pair retry = largest(stages, count, is_retry, NO_PAIR);
    if (retry.share >= BOTTLENECK_WAITING) /* nothing else is asked for meanwhile */
        return retry;
    if (pair.share < BOTTLENECK_WAITING)
        pair = largest(stages, count, is_lack, NO_PAIR);
    return pair;
}

static struct bottleneck describe(const struct rnicsim_stage_info *stages, struct pair pair)
{
    struct bottleneck bottleneck = {.cause = "", .share = pair.share};
    if (pair.stage == SIZE_MAX || pair.share < BOTTLENECK_LEAST) {
        bottleneck.share = 0;
        return bottleneck;
    }
    if (pair.cause == RNICSIM_DOWNSTREAM_FULL) {
        const struct rnicsim_stage_info *stage = &stages[pair.stage];
        const char *word = strstr(stage->behind, "fifo") ? "" : " FIFO";
        snprintf(bottleneck.stage, sizeof bottleneck.stage, "%s %s %s%s", stage->nic, stage->behind_path, stage->behind,
                 word);
        bottleneck.cause = "full";
        return bottleneck;
    }
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
    struct pair starved = largest(stages, count, is_link_lack, NO_PAIR), wait = waiting(stages, count);
    struct pair engine = largest(stages, count, is_endpoint_lack, NO_PAIR);
    if (starved_share(stages, starved) < BOTTLENECK_SATURATED && !is_link_saturated(stages, count))
        starved = engine;
    double not_idle = starved_share(stages, starved);
    struct bottlenecks result = {.busiest = describe(stages, busy)};
    if (not_idle >= BOTTLENECK_SATURATED && not_idle > busy.share) {
        result.first = describe(stages, starved);
        result.next = result.busiest;
    } else if (busy.share >= BOTTLENECK_SATURATED) {
        result.first = result.busiest;
        result.next = describe(stages, largest(stages, count, is_work, busy));
    } else if (wait.share >= BOTTLENECK_WAITING) {
        result.first = describe(stages, wait);
        result.next = result.busiest;
    } else {
        int first = waterfall_largest(waterfall, -1);
        result.first = describe_row(waterfall, first);
        result.next = describe_row(waterfall, waterfall_largest(waterfall, first));
    }
    return result;
}
