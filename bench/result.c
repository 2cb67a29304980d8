#include "bench/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_fullness(const void *a, const void *b)
{
    const struct result_fifo *left = a, *right = b;
    if (left->fullness != right->fullness)
        return left->fullness > right->fullness ? -1 : 1;
    if (left->info.back_pressure_ps != right->info.back_pressure_ps)
        return left->info.back_pressure_ps > right->info.back_pressure_ps ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

static int gather_fifos(struct result *result)
{
    result->fifo_count = rnicsim_fifo_count(result->sim);
    result->fifos = calloc(result->fifo_count + 1, sizeof *result->fifos);
    if (result->fifos == NULL)
        return -1;
    for (size_t i = 0; i < result->fifo_count; i++) {
        struct result_fifo *fifo = &result->fifos[i];
        rnicsim_fifo(result->sim, i, &fifo->info);
        fifo->index = i;
        fifo->fullness = fifo->info.depth == 0 ? 0 : (double)fifo->info.high_water / (double)fifo->info.depth;
        snprintf(fifo->name, sizeof fifo->name, "%s %s %s", fifo->info.nic, fifo->info.path, fifo->info.name);
    }
    qsort(result->fifos, result->fifo_count, sizeof *result->fifos, by_fullness);
    return 0;
}

static int gather_stages(struct result *result)
{
    result->stage_count = rnicsim_stage_count(result->sim);
    result->tlp_count = rnicsim_tlp_count(result->sim);
    result->stages = calloc(result->stage_count + 1, sizeof *result->stages);
    result->tlps = calloc(result->tlp_count + 1, sizeof *result->tlps);
    result->cache_count = rnicsim_cache_count(result->sim);
    result->caches = calloc(result->cache_count + 1, sizeof *result->caches);
    if (result->stages == NULL || result->tlps == NULL || result->caches == NULL)
        return -1;
    for (size_t i = 0; i < result->stage_count; i++)
        rnicsim_stage(result->sim, i, &result->stages[i]);
    for (size_t i = 0; i < result->tlp_count; i++)
        rnicsim_tlp(result->sim, i, &result->tlps[i]);
    for (size_t i = 0; i < result->cache_count; i++)
        rnicsim_cache(result->sim, i, &result->caches[i]);
    return 0;
}

static void add_drop(struct result *result, const char *place, uint64_t frames)
{
    size_t i = 0;
    if (frames == 0)
        return;
    while (i < result->drop_count && strcmp(result->drops[i].place, place) != 0)
        i++;
    result->drop_count += i == result->drop_count;
    snprintf(result->drops[i].place, sizeof result->drops[i].place, "%s", place);
    result->drops[i].frames += frames;
}

/* After the FIFOs: a frame without space is dropped at one of them. */
static int gather_drops(struct result *result)
{
    char place[96];
    result->drops = calloc(result->fifo_count + 6, sizeof *result->drops);
    if (result->drops == NULL)
        return -1;
    for (size_t i = 0; i < result->fifo_count; i++) {
        const struct rnicsim_fifo_info *fifo = &result->fifos[i].info;
        snprintf(place, sizeof place, "%s.%s full", fifo->path, fifo->name);
        add_drop(result, place, fifo->drops);
    }
    add_drop(result, "tx underrun", result->totals.drops_underrun);
    add_drop(result, "payload not read", result->totals.drops_not_read);
    add_drop(result, "out of sequence", result->totals.drops_sequence);
    add_drop(result, "no buffer, UC or UD", result->totals.drops_unwanted);
    add_drop(result, "damaged on the line", result->totals.drops_damaged);
    add_drop(result, "lost on the line", result->totals.drops_planned);
    return 0;
}

static void gather_params(struct result *result)
{
    struct rnicsim_param_info param;
    size_t used = 0;
    for (size_t i = 0; i < rnicsim_param_count(result->sim); i++) {
        if (rnicsim_param(result->sim, i, &param) != RNICSIM_OK)
            continue;
        if (param.changed && used < sizeof result->changed)
            used += (size_t)snprintf(result->changed + used, sizeof result->changed - used, "%s%s=%s",
                                     used == 0 ? "" : "; ", param.key, param.value);
        if (strcmp(param.key, "mac.rate") == 0) /* "100 Gbps" */
            result->line_gbps = strstr(param.value, " Gbps") != NULL ? strtod(param.value, NULL) : 0;
    }
}

/* bits over ps are Tb/s. */
static double gbps(uint64_t bytes, int64_t duration_ps)
{
    return duration_ps <= 0 ? 0 : (double)bytes * 8000.0 / (double)duration_ps;
}

static void gather_rates(struct result *result)
{
    const struct rnicsim_totals *totals = &result->totals;
    const uint64_t *bytes = result->collect->delivered_bytes;
    int64_t now_ps = rnicsim_now(result->sim);
    int is_partial =
        strcmp(result->status, "partial") == 0; /* then what happened after the last completion counts too */
    result->end_ps = is_partial && now_ps > totals->last_done_ps ? now_ps : totals->last_done_ps;
    result->duration_ps = result->end_ps > totals->first_post_ps ? result->end_ps - totals->first_post_ps : 0;
    result->requests_done = result->collect->done;
    result->goodput_gbps = gbps(bytes[0] > bytes[1] ? bytes[0] : bytes[1], result->duration_ps);
    result->goodput_both_gbps = gbps(bytes[0] + bytes[1], result->duration_ps);
    result->wire_gbps = gbps(totals->wire_bytes, result->duration_ps);
    if (result->duration_ps > 0)
        result->message_rate_mps = (double)result->requests_done * 1e6 / (double)result->duration_ps;
}

/* perftest by duration stops in the middle: what is still in flight then is no fault. */
static void gather_stuck(struct result *result, const struct workload *workload)
{
    int is_by_time = workload->perftest != NULL && workload->perftest->options.duration_s > 0;
    int is_whole = workload_is_whole(workload) && (result->totals.in_flight == 0 || is_by_time);
    if (!is_whole || !is_by_time)
        rnicsim_explain_stuck(result->sim, result->stuck, sizeof result->stuck);
    workload_explain(workload, result->first_waiting, sizeof result->first_waiting);
    result->status = is_whole ? "complete" : "partial";
}

int result_gather(struct result *result, const struct workload *workload)
{
    const struct collect *collect = result->collect;
    workload_counts(workload, &result->counts);
    rnicsim_totals(result->sim, &result->totals);
    gather_stuck(result, workload);
    gather_rates(result);
    gather_params(result);
    result->completion = latency_of(collect->completion);
    result->delivery = latency_of(collect->delivery);
    result->jitter = latency_jitter(&result->completion, (double)collect->ipdv_ps, collect->ipdv_count);
    result->waterfall = waterfall_of(collect);
    if (gather_stages(result) != 0 || gather_fifos(result) != 0 || gather_drops(result) != 0)
        return -1;
    result->bottlenecks = bottleneck_find(result->stages, result->stage_count, &result->waterfall);
    return 0;
}

int result_keep_around(struct result *result, const struct result *again, size_t fifo, int64_t to_ps)
{
    struct result_around *around = &result->around;
    around->count = rnicsim_fifo_changes(again->sim, fifo, NULL, 0);
    around->change = calloc(around->count + 1, sizeof *around->change);
    if (around->change == NULL)
        return -1;
    rnicsim_fifo_changes(again->sim, fifo, around->change, around->count);
    around->high_water_at_ps = result->fifos[0].info.high_water_at_ps;
    around->to_ps = to_ps < result->end_ps ? to_ps : result->end_ps;
    return 0;
}

void result_free(struct result *result)
{
    free(result->stages);
    free(result->tlps);
    free(result->caches);
    free(result->fifos);
    free(result->drops);
    free(result->around.change);
}
