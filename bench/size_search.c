#include "bench/size_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define DEEP_START 4096u
#define DEEP_MOST 262144u
#define NEWS_BEATS 128u

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int is_fixed(const struct size_fifo *fifo)
{
    return fifo->info.fixed != NULL;
}

int size_search_is_like_deep(const struct size_search *search, const struct size_outcome *outcome)
{
    return outcome->digest == search->deep.digest && outcome->drops == search->deep.drops;
}

/* ---- runs with the depths of the list ---- */

/* The settings of each FIFO's `depth`; returns how many. */
static size_t put_depths(struct size_search *search)
{
    size_t count = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct size_fifo *fifo = &search->fifos[i];
        if (is_fixed(fifo))
            continue;
        snprintf(search->text[count], sizeof search->text[count], "%s=%llu %s", fifo->info.depth_key,
                 (unsigned long long)(fifo->depth * fifo->info.depth_scale), fifo->info.depth_unit);
        search->set[count] = search->text[count];
        count++;
    }
    return count;
}

int size_search_run(struct size_search *search, struct size_outcome *outcome, int64_t *back_pressure_ps, size_t fifo)
{
    struct size_run once;
    size_t count = put_depths(search);
    int result = size_run(&once, search->workload, search->set, count);
    for (size_t nic = 0; result == 0 && back_pressure_ps != NULL && nic < 2; nic++) {
        struct rnicsim_fifo_info info;
        rnicsim_fifo(once.sim, fifo + nic * search->count, &info);
        *back_pressure_ps += info.back_pressure_ps;
    }
    *outcome = once.outcome;
    size_run_free(&once);
    return result == 0 ? size_run_others(search->workload, search->set, count, outcome, NULL, NULL) : result;
}

/* How full each became, of all that is run. */
static void take_levels(void *context, const struct size_run *once)
{
    struct size_search *search = context;
    for (size_t i = 0; i < 2 * search->count; i++) {
        struct rnicsim_fifo_info info;
        struct size_fifo *fifo = &search->fifos[i % search->count];
        rnicsim_fifo(once->sim, i, &info);
        fifo->high_water = larger(fifo->high_water, info.high_water);
    }
}

/* The same; with_levels: takes how full each became. */
static int run(struct size_search *search, struct size_outcome *outcome, int with_levels)
{
    struct size_run once;
    size_t count = put_depths(search);
    int result = size_run(&once, search->workload, search->set, count);
    for (size_t i = 0; with_levels && i < search->count; i++)
        search->fifos[i].high_water = 0;
    if (result == 0 && with_levels)
        take_levels(search, &once);
    *outcome = once.outcome;
    size_run_free(&once);
    return result == 0 ? size_run_others(search->workload, search->set, count, outcome,
                                         with_levels ? take_levels : NULL, search)
                       : result;
}

static int run_configured(struct size_search *search)
{
    int result = size_run(&search->configured, search->workload, NULL, 0);
    if (result == 0)
        result = size_run_others(search->workload, NULL, 0, &search->configured.outcome, NULL, NULL);
    if (result != 0)
        return result;
    struct rnicsim *sim = search->configured.sim;
    search->count = rnicsim_fifo_count(sim) / 2; /* both NICs are built alike */
    search->fifos = calloc(search->count, sizeof *search->fifos);
    search->text = calloc(search->count, sizeof *search->text);
    search->set = calloc(search->count, sizeof *search->set);
    if (search->fifos == NULL || search->text == NULL || search->set == NULL)
        return cli_fail("out of memory for the search");
    for (size_t i = 0; i < search->count; i++) {
        struct size_fifo *fifo = &search->fifos[i];
        rnicsim_fifo(sim, i, &fifo->info);
        snprintf(fifo->name, sizeof fifo->name, "%s %s", fifo->info.path, fifo->info.name);
    }
    return 0;
}

/* ---- deep ---- */

/* A depth at which nothing can have waited: what is in it, what has left it and is not yet seen as free, and one more item. What has
 * left: at most all that was in it; of beats, those of the time that the news takes (even to a slower clock), and what an item frees
 * with its last. */
static uint64_t never_full(const struct size_fifo *fifo)
{
    uint64_t item = fifo->info.depth_least, left = fifo->high_water;
    if (strcmp(fifo->info.unit, "beats") == 0)
        left = smaller(left, item + NEWS_BEATS);
    return fifo->high_water + left + item;
}

/* 1: some became fuller than their depth allows to say that nothing waited, and are deeper now. */
static int deepen(struct size_search *search)
{
    int changed = 0;
    for (size_t i = 0; i < search->count; i++) {
        struct size_fifo *fifo = &search->fifos[i];
        uint64_t most = smaller(fifo->info.depth_most, larger(DEEP_MOST, fifo->depth));
        fifo->may_have_waited = !is_fixed(fifo) && fifo->depth < never_full(fifo);
        if (!fifo->may_have_waited || fifo->depth >= most)
            continue;
        fifo->depth = smaller(most, larger(2 * fifo->depth, never_full(fifo)));
        changed = 1;
    }
    return changed;
}

static int run_deep(struct size_search *search)
{
    int result;
    for (size_t i = 0; i < search->count; i++) {
        struct size_fifo *fifo = &search->fifos[i];
        fifo->depth =
            is_fixed(fifo) ? fifo->info.depth : smaller(fifo->info.depth_most, larger(fifo->info.depth, DEEP_START));
    }
    do {
        for (size_t i = 0; i < search->count; i++)
            search->fifos[i].deep = search->fifos[i].depth;
        result = run(search, &search->deep, 1);
    } while (result == 0 && deepen(search));
    return result;
}

/* ---- proposed ---- */

static uint64_t first_proposal(const struct size_fifo *fifo)
{
    return is_fixed(fifo) ? fifo->info.depth : larger(fifo->high_water, fifo->info.depth_least);
}

/* Runs; *good: like the deep run. */
static int try(struct size_search *search, int *good)
{
    int result = run(search, &search->proposed, 0);
    *good = result == 0 && size_search_is_like_deep(search, &search->proposed);
    return result;
}

/* The least good depth of one FIFO, from its high water to the depth that it has, which is good; the others as they are. */
static int lower(struct size_search *search, struct size_fifo *fifo)
{
    uint64_t bad = first_proposal(fifo) - 1, good = fifo->depth;
    int result = 0, is_good;
    while (result == 0 && bad + 1 < good) {
        /* the high water itself first: mostly it is good */
        fifo->depth = bad + 1 == first_proposal(fifo) ? bad + 1 : bad + (good - bad) / 2;
        result = try(search, &is_good);
        if (is_good)
            good = fifo->depth;
        else
            bad = fifo->depth;
    }
    fifo->depth = good;
    return result;
}

static int lower_each(struct size_search *search)
{
    int result;
    for (size_t i = 0; i < search->count; i++)
        if (!is_fixed(&search->fifos[i]))
            search->fifos[i].depth = smaller(never_full(&search->fifos[i]), search->fifos[i].deep);
    result = try(search, &search->is_verified);
    for (size_t i = 0; result == 0 && search->is_verified && i < search->count; i++)
        if (!is_fixed(&search->fifos[i]))
            result = lower(search, &search->fifos[i]);
    /* the last run tried may have been a bad one */
    return result == 0 ? try(search, &search->is_verified) : result;
}

static int propose(struct size_search *search)
{
    for (size_t i = 0; i < search->count; i++)
        search->fifos[i].depth = first_proposal(&search->fifos[i]);
    int result = try(search, &search->is_verified);
    return result == 0 && !search->is_verified ? lower_each(search) : result;
}

/* ---- one less ---- */

static enum size_less judge(const struct size_search *search, const struct size_outcome *outcome)
{
    if (outcome->drops > search->proposed.drops)
        return SIZE_LESS_DROPS;
    if (outcome->requests_done < search->proposed.requests_done)
        return SIZE_LESS_STUCK;
    return outcome->digest == search->proposed.digest ? SIZE_LESS_NOTHING : SIZE_LESS_CHANGED;
}

static int try_less(struct size_search *search, struct size_fifo *fifo)
{
    fifo->less = is_fixed(fifo) ? SIZE_LESS_FIXED : SIZE_LESS_LEAST;
    if (is_fixed(fifo) || fifo->depth <= fifo->info.depth_least)
        return 0;
    fifo->depth--;
    int result = run(search, &fifo->less_outcome, 0);
    fifo->depth++;
    fifo->less = judge(search, &fifo->less_outcome);
    return result;
}

static void establish(const struct size_search *search, struct size_fifo *fifo)
{
    int64_t depth = (int64_t)fifo->depth;
    int less_drops_none = fifo->less == SIZE_LESS_NOTHING || fifo->less == SIZE_LESS_CHANGED;
    fifo->zero_drop = fifo->full_rate = -1;
    if (is_fixed(fifo) || !search->is_verified || !search->deep.is_complete || fifo->may_have_waited)
        return;
    fifo->full_rate = depth - (fifo->less == SIZE_LESS_NOTHING);
    if (search->proposed.drops == 0)
        fifo->zero_drop = depth - less_drops_none;
}

int size_search(struct size_search *search)
{
    int result = run_configured(search);
    if (result == 0)
        result = run_deep(search);
    if (result == 0)
        result = propose(search);
    for (size_t i = 0; result == 0 && i < search->count; i++) {
        result = try_less(search, &search->fifos[i]);
        establish(search, &search->fifos[i]);
    }
    progress_end(&search->workload->progress);
    return result;
}

void size_search_free(struct size_search *search)
{
    size_run_free(&search->configured);
    free(search->fifos);
    free(search->text);
    free(search->set);
}
