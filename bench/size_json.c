#include "bench/size_report.h"
#include "bench/summary.h"

#define DECIMALS_3 1e3
#define DECIMALS_6 1e6
#define PS_PER_NS 1e3

static json_t *ns(double ps)
{
    return summary_number(ps / PS_PER_NS, DECIMALS_3);
}

/* The key of a kind of memory. */
static const char *key_of(int kind)
{
    static const char *const key[MEMORY_KINDS] = {
        [MEMORY_NONE] = "none", [MEMORY_LUTRAM] = "lutram", [MEMORY_BRAM36] = "bram36",
        [MEMORY_URAM] = "uram", [MEMORY_MLAB] = "mlab",     [MEMORY_M20K] = "m20k"};
    return key[kind];
}

static json_t *outcome_object(const struct size_outcome *outcome, int *failed)
{
    const struct latency *completion = &outcome->completion;
    json_t *object = json_object();
    summary_put(object, "drops", summary_whole(outcome->drops), failed);
    summary_put(object, "requests_done", summary_whole(outcome->requests_done), failed);
    summary_put(object, "goodput_gbps", summary_number(outcome->goodput_gbps, DECIMALS_6), failed);
    summary_put(object, "avg_ns", completion->count > 0 ? ns(completion->mean_ps) : json_null(), failed);
    summary_put(object, "p99.9_ns", completion->p999.known ? ns((double)completion->p999.ps) : json_null(), failed);
    summary_put(object, "end_ns", ns((double)outcome->end_ps), failed);
    return object;
}

static json_t *least(int64_t depth)
{
    return depth < 0 ? json_null() : json_integer(depth);
}

static json_t *less_object(const struct size_search *search, const struct size_fifo *fifo, int *failed)
{
    int is_tried = fifo->less != SIZE_LESS_FIXED && fifo->less != SIZE_LESS_LEAST;
    json_t *object = is_tried ? outcome_object(&fifo->less_outcome, failed) : json_object();
    summary_put(object, "result", json_string(size_less_name(fifo->less)), failed);
    if (is_tried)
        summary_put(object, "avg_change_ns", ns(size_less_mean_ps(search, fifo)), failed);
    return object;
}

/* What it would take of each kind; null where it cannot be one. */
static void put_memory(json_t *object, const struct size_fifo *fifo, const struct size_memory *memory, int *failed)
{
    summary_put(object, "word_bits", summary_whole(fifo->info.word_bits), failed);
    summary_put(object, "words", summary_whole(memory->words), failed);
    summary_put(object, "memory_bits", summary_whole(memory->bits), failed);
    for (int kind = MEMORY_LUTRAM; kind < MEMORY_KINDS; kind++)
        summary_put(object, key_of(kind),
                    memory->words > 0 && !memory->is_possible[kind] ? json_null() : summary_whole(memory->count[kind]),
                    failed);
    summary_put(object, "memory", json_string(key_of((int)memory->kind)), failed);
    summary_put(object, "free_depth", summary_whole(memory->free_depth), failed);
}

/* null without --full. */
static json_t *relaxed_object(const struct size_search *search, const struct size_fifo *fifo, int *failed)
{
    if (!search->is_relaxed)
        return json_null();
    json_t *object = json_object();
    for (int i = 0; i < SIZE_CRITERIA; i++)
        summary_put(object, size_criterion_name((enum size_criterion)i), summary_whole(fifo->relaxed[i]), failed);
    return object;
}

static json_t *formula_object(const struct size_formula *formula, int *failed)
{
    json_t *object = json_object();
    summary_put(object, "round_trip_ns", ns((double)formula->round_trip_ps), failed);
    summary_put(object, "retransmit_bytes_round_trip", summary_whole(formula->kept_bytes[0]), failed);
    summary_put(object, "retransmit_bytes_coalesced_ack", summary_whole(formula->kept_bytes[1]), failed);
    summary_put(object, "retransmit_bytes_timeout", summary_whole(formula->kept_bytes[2]), failed);
    summary_put(object, "pfc_headroom_bytes", summary_whole(formula->headroom_bytes), failed);
    return object;
}

static json_t *curve_object(const struct size_curve *curve, int *failed)
{
    if (curve->fifo == NULL)
        return json_null();
    json_t *object = json_object(), *points = json_array();
    for (size_t i = 0; i < curve->count; i++) {
        json_t *point = outcome_object(&curve->point[i].outcome, failed);
        summary_put(point, "depth", summary_whole(curve->point[i].depth), failed);
        summary_put(point, "back_pressure_ns", ns((double)curve->point[i].back_pressure_ps), failed);
        *failed |= json_array_append_new(points, point) != 0;
    }
    summary_put(object, "fifo", json_string(curve->fifo->name), failed);
    summary_put(object, "chosen", summary_whole(curve->fifo->depth), failed);
    summary_put(object, "points", points, failed);
    return object;
}

static json_t *fifos_array(const struct size_report *report, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->search->count; i++) {
        const struct size_fifo *fifo = &report->search->fifos[i];
        json_t *object = json_object();
        summary_put(object, "name", json_string(fifo->name), failed);
        summary_put(object, "unit", json_string(fifo->info.unit), failed);
        summary_put(object, "depth", summary_whole(fifo->depth), failed);
        summary_put(object, "depth_configured", summary_whole(fifo->info.depth), failed);
        summary_put(object, "depth_key", json_string(fifo->info.depth_key), failed);
        summary_put(object, "depth_scale", summary_whole(fifo->info.depth_scale), failed); /* -s KEY=DEPTH*SCALE UNIT */
        summary_put(object, "depth_unit", json_string(fifo->info.depth_unit), failed);
        summary_put(object, "hwm", summary_whole(fifo->high_water), failed);
        summary_put(object, "min_depth_zero_drop", least(fifo->zero_drop), failed);
        summary_put(object, "min_depth_full_rate", least(fifo->full_rate), failed);
        summary_put(object, "least", relaxed_object(report->search, fifo, failed), failed);
        summary_put(object, "prog_full",
                    size_prog_full(report, i) > 0 ? summary_whole(size_prog_full(report, i)) : json_null(), failed);
        summary_put(object, "fixed", fifo->info.fixed != NULL ? json_string(fifo->info.fixed) : json_null(), failed);
        summary_put(object, "one_less", less_object(report->search, fifo, failed), failed);
        put_memory(object, fifo, &report->fit->memory[i], failed);
        *failed |= json_array_append_new(array, object) != 0;
    }
    return array;
}

static void put_fit(json_t *size, const struct size_fit *fit, int *failed)
{
    json_t *has = json_object(), *used = json_object(), *percent = json_object();
    for (int kind = MEMORY_LUTRAM; kind < MEMORY_KINDS; kind++) {
        uint64_t all = size_fit_has(fit, (enum memory_kind)kind);
        summary_put(used, key_of(kind), summary_whole(fit->used[kind]), failed);
        if (all == 0)
            continue;
        summary_put(has, key_of(kind), summary_whole(all), failed);
        summary_put(percent, key_of(kind), summary_number(size_fit_percent(fit, (enum memory_kind)kind), DECIMALS_3),
                    failed);
    }
    summary_put(has, "device", json_string(fit->part.device), failed);
    summary_put(has, "class", json_string(fit->part.class_name), failed);
    summary_put(has, "source", json_string(fit->part.source), failed);
    summary_put(size, "part", json_string(fit->part.name), failed);
    summary_put(size, "part_memory", has, failed);
    summary_put(size, "used", used, failed);
    summary_put(size, "used_percent", percent, failed);
    summary_put(size, "fits", json_boolean(fit->fits), failed);
}

json_t *size_json_make(const struct size_report *report)
{
    const struct size_search *search = report->search;
    json_t *size = json_object();
    int failed = size == NULL;
    summary_identity(size, &search->configured.result, &failed);
    summary_put(size, "requests", summary_whole(search->deep.requests), &failed);
    summary_put(size, "runs", summary_whole(search->workload->runs), &failed);
    summary_put(size, "traces_and_seeds", summary_whole(search->workload->other_count + 1), &failed);
    summary_put(size, "verified", json_boolean(search->is_verified), &failed);
    summary_put(size, "configured", outcome_object(&search->configured.outcome, &failed), &failed);
    summary_put(size, "deep", outcome_object(&search->deep, &failed), &failed);
    summary_put(size, "proposed", outcome_object(&search->proposed, &failed), &failed);
    for (int i = 0; search->is_relaxed && i < SIZE_CRITERIA; i++)
        summary_put(size, size_criterion_name((enum size_criterion)i), outcome_object(&search->relaxed[i], &failed),
                    &failed);
    summary_put(size, "formulas", formula_object(&report->formula, &failed), &failed);
    summary_put(size, "curve", curve_object(report->curve, &failed), &failed);
    put_fit(size, report->fit, &failed);
    summary_put(size, "fifos", fifos_array(report, &failed), &failed);
    if (failed) {
        json_decref(size);
        return NULL;
    }
    return size;
}

int size_json_write(const struct size_report *report, FILE *out)
{
    json_t *size = size_json_make(report);
    int failed = size == NULL || summary_dump(size, out) != 0;
    json_decref(size);
    return failed ? -1 : 0;
}
