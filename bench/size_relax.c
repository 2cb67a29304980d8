#include "bench/size_relax.h"

#include <stdio.h>
#include <string.h>

#include "bench/cli.h"

#define RATE_KEPT 0.999 /* of the goodput */
#define TAIL_KEPT 1.01  /* of p99.9; of the mean where that is not known */
#define PASSES_MAX 16
#define CURVE_RATIO 1.4

const char *size_criterion_name(enum size_criterion criterion)
{
    static const char *const name[SIZE_CRITERIA] = {"zero_drop", "full_rate", "p99.9"};
    return name[criterion];
}

static struct size_rates rates_of(const struct size_outcome *outcome)
{
    return (struct size_rates){outcome->goodput_gbps, size_run_tail(&outcome->completion)};
}

static int are_good(struct size_rates rates, struct size_rates deep, enum size_criterion criterion)
{
    if (criterion == SIZE_FULL_RATE)
        return rates.goodput_gbps >= RATE_KEPT * deep.goodput_gbps;
    return criterion == SIZE_ZERO_DROP || rates.tail_ps <= TAIL_KEPT * deep.tail_ps;
}

/* Of each trace and seed. */
static int is_good(const struct size_search *search, const struct size_outcome *outcome, enum size_criterion criterion)
{
    const struct size_outcome *deep = &search->deep;
    if (outcome->drops > deep->drops || outcome->requests_done < deep->requests_done ||
        !are_good(rates_of(outcome), rates_of(deep), criterion))
        return 0;
    for (size_t i = 0; i < search->workload->other_count; i++)
        if (!are_good(outcome->other[i], deep->other[i], criterion))
            return 0;
    return 1;
}

static int try(struct size_search *search, enum size_criterion criterion, int *good)
{
    struct size_outcome outcome;
    int result = size_search_run(search, &outcome, NULL, 0);
    *good = result == 0 && is_good(search, &outcome, criterion);
    if (*good)
        search->relaxed[criterion] = outcome;
    return result;
}

static int is_fixed(const struct size_fifo *fifo)
{
    return fifo->info.fixed != NULL;
}

/* The depth that it has is good. The one below the result is bad, or not allowed. */
static int lower(struct size_search *search, struct size_fifo *fifo, enum size_criterion criterion)
{
    uint64_t good = fifo->depth, least = fifo->info.depth_least < good ? fifo->info.depth_least : good, bad = least - 1;
    int result = 0, passes;
    for (int is_first = 1; result == 0 && bad + 1 < good; is_first = 0) {
        fifo->depth = is_first ? least : bad + (good - bad) / 2;
        result = try(search, criterion, &passes);
        if (passes)
            good = fifo->depth;
        else
            bad = fifo->depth;
    }
    fifo->depth = good;
    return result;
}

/* Whether one less is still good, as those behind it have changed since. */
static int lower_again(struct size_search *search, struct size_fifo *fifo, enum size_criterion criterion, int *changed)
{
    int passes = 0, result = 0;
    if (fifo->depth <= fifo->info.depth_least)
        return 0;
    fifo->depth--;
    result = try(search, criterion, &passes);
    if (!passes)
        fifo->depth++;
    else {
        *changed = 1;
        result = result == 0 ? lower(search, fifo, criterion) : result;
    }
    return result;
}

static int relax(struct size_search *search, enum size_criterion criterion)
{
    int result = 0, changed = 1;
    for (size_t i = 0; result == 0 && i < search->count; i++)
        if (!is_fixed(&search->fifos[i]))
            result = lower(search, &search->fifos[i], criterion);
    for (int pass = 0; result == 0 && changed && pass < PASSES_MAX; pass++) {
        changed = 0;
        for (size_t i = 0; result == 0 && i < search->count; i++)
            if (!is_fixed(&search->fifos[i]))
                result = lower_again(search, &search->fifos[i], criterion, &changed);
    }
    /* the outcome of the vector itself: the last good run may have had another */
    int passes = 0;
    if (result == 0)
        result = try(search, criterion, &passes);
    if (result == 0 && !passes)
        return cli_fail("the least depths for %s do not pass together", size_criterion_name(criterion));
    return result;
}

int size_relax_all(struct size_search *search)
{
    int result = 0;
    if (!search->is_verified || !search->deep.is_complete)
        return cli_fail(
            "--full: no depths were found with which all goes as without limits; it needs them to begin with");
    for (size_t i = 0; i < search->count; i++)
        search->fifos[i].exact = search->fifos[i].depth;
    for (int criterion = 0; result == 0 && criterion < SIZE_CRITERIA; criterion++) {
        result = relax(search, (enum size_criterion)criterion);
        for (size_t i = 0; i < search->count; i++) {
            search->fifos[i].relaxed[criterion] = search->fifos[i].depth;
            search->fifos[i].depth = search->fifos[i].exact;
        }
    }
    search->is_relaxed = result == 0;
    return result;
}

/* ---- the curve ---- */

static struct size_fifo *find(struct size_search *search, const char *name)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s", name);
    for (char *at = wanted; *at != 0; at++)
        *at = *at == '.' ? ' ' : *at;
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->fifos[i].name, wanted) == 0)
            return &search->fifos[i];
    return NULL;
}

static int add_point(struct size_curve *curve, struct size_search *search, struct size_fifo *fifo, uint64_t depth)
{
    struct size_curve_point *point = &curve->point[curve->count++];
    point->depth = fifo->depth = depth;
    return size_search_run(search, &point->outcome, &point->back_pressure_ps, (size_t)(fifo - search->fifos));
}

int size_curve_run(struct size_curve *curve, struct size_search *search, const char *name)
{
    struct size_fifo *fifo = find(search, name);
    if (fifo == NULL || is_fixed(fifo))
        return cli_fail("--curve \"%.60s\": allowed is a FIFO of the table whose depth is a matter of space: rx.cdc",
                        name);
    uint64_t chosen = fifo->depth, depth = fifo->info.depth_least, last = 2 * chosen;
    int result = 0, has_chosen = 0;
    curve->fifo = fifo;
    if (last > fifo->info.depth_most)
        last = fifo->info.depth_most;
    while (result == 0 && curve->count < SIZE_CURVE_MAX && depth <= last) {
        has_chosen |= depth == chosen;
        result = add_point(curve, search, fifo, depth);
        uint64_t next = (uint64_t)((double)depth * CURVE_RATIO);
        depth = next > depth ? next : depth + 1;
        if (!has_chosen && depth > chosen) /* one less, and the chosen one, are points of their own */
            depth = curve->point[curve->count - 1].depth < chosen - 1 ? chosen - 1 : chosen;
    }
    fifo->depth = chosen;
    return result;
}
