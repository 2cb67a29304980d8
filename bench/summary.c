#include "bench/summary.h"

#include "bench/caches.h"
#include "bench/fairness.h"
#include "bench/ports.h"

#include <string.h>

#define PS_PER_NS 1e3
#define DIGITS 15 /* all that a double surely holds */

json_t *summary_number(double value, double steps)
{
    double scaled = value * steps;
    return json_real((double)(int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5) / steps);
}

static json_t *real(double value)
{
    return summary_number(value, 1e3);
}

/* Gb/s and M/s: six decimals, for slow runs too. */
static json_t *rate(double value)
{
    return summary_number(value, 1e6);
}

static json_t *ns(double ps)
{
    return real(ps / PS_PER_NS);
}

static json_t *quantile_ns(struct quantile quantile)
{
    return quantile.known ? ns((double)quantile.ps) : json_null();
}

/* JSON is UTF-8; a file's name may be anything. */
static json_t *name_string(const char *name)
{
    json_t *string = json_string(name);
    return string != NULL ? string : json_string("(a name that is not UTF-8)");
}

/* Sets a key and takes the value; a value that could not be made leaves the object without it, and is told. */
static json_t *latency_object(const struct latency *latency, int *failed)
{
    json_t *object = json_object();
    int has = latency->count > 0;
    summary_put(object, "min", has ? ns((double)latency->min_ps) : json_null(), failed);
    summary_put(object, "p50", quantile_ns(latency->p50), failed);
    summary_put(object, "avg", has ? ns(latency->mean_ps) : json_null(), failed);
    summary_put(object, "p99", quantile_ns(latency->p99), failed);
    summary_put(object, "p99.9", quantile_ns(latency->p999), failed);
    summary_put(object, "p99.99", quantile_ns(latency->p9999), failed);
    summary_put(object, "max", has ? ns((double)latency->max_ps) : json_null(), failed);
    summary_put(object, "stdev", has ? ns(latency->stdev_ps) : json_null(), failed);
    summary_put(object, "n", summary_whole(latency->count), failed);
    return object;
}

static json_t *jitter_object(const struct jitter *jitter, int *failed)
{
    json_t *object = json_object();
    summary_put(object, "pdv", quantile_ns(jitter->pdv), failed);
    summary_put(object, "p99_p50", quantile_ns(jitter->p99_p50), failed);
    summary_put(object, "max_min", jitter->known ? ns((double)jitter->max_min_ps) : json_null(), failed);
    summary_put(object, "stdev", jitter->known ? ns(jitter->stdev_ps) : json_null(), failed);
    summary_put(object, "ipdv", jitter->ipdv_known ? ns(jitter->ipdv_ps) : json_null(), failed);
    return object;
}

static json_t *fairness_object(const struct collect *collect, int *failed)
{
    struct fairness fairness = fairness_of(collect);
    if (fairness.qps < 2)
        return json_null();
    json_t *object = json_object();
    summary_put(object, "qps", summary_whole(fairness.qps), failed);
    summary_put(object, "jain", rate(fairness.jain), failed);
    summary_put(object, "least_gbps", rate(fairness.least_gbps), failed);
    summary_put(object, "most_gbps", rate(fairness.most_gbps), failed);
    return object;
}

static json_t *bottleneck_object(const struct bottleneck *bottleneck, int *failed)
{
    json_t *object = json_object();
    if (bottleneck->stage[0] == 0) {
        json_decref(object);
        return json_null();
    }
    summary_put(object, "stage", json_string(bottleneck->stage), failed);
    summary_put(object, "cause", json_string(bottleneck->cause), failed);
    summary_put(object, "share", summary_number(bottleneck->share, 1e5), failed);
    return object;
}

static json_t *drops_object(const struct result *result, int *failed)
{
    json_t *object = json_object();
    for (size_t i = 0; i < result->drop_count; i++)
        summary_put(object, result->drops[i].place, summary_whole(result->drops[i].frames), failed);
    return object;
}

static json_t *retransmits_object(const struct result *result, int *failed)
{
    const struct rnicsim_totals *totals = &result->totals;
    json_t *object = json_object();
    summary_put(object, "nak", summary_whole(totals->retransmits_nak), failed);
    summary_put(object, "rnr", summary_whole(totals->retransmits_rnr), failed);
    summary_put(object, "implied_nak", summary_whole(totals->retransmits_implied), failed);
    summary_put(object, "timeout", summary_whole(totals->retransmits_timeout), failed);
    summary_put(object, "packets", summary_whole(totals->repeated), failed);
    return object;
}

static json_t *fifos_array(const struct result *result, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->fifo_count; i++) {
        const struct rnicsim_fifo_info *fifo = &result->fifos[i].info;
        json_t *object = json_object();
        summary_put(object, "name", json_string(result->fifos[i].name), failed);
        summary_put(object, "depth", summary_whole(fifo->depth), failed);
        summary_put(object, "unit", json_string(fifo->unit), failed);
        summary_put(object, "hwm", summary_whole(fifo->high_water), failed);
        summary_put(object, "p99.9", summary_whole(fifo->p999), failed);
        summary_put(object, "drops", summary_whole(fifo->drops), failed);
        summary_put(object, "backpressure", ns((double)fifo->back_pressure_ps), failed);
        *failed |= json_array_append_new(array, object) != 0;
    }
    return array;
}

static json_t *params_object(const struct result *result, int *failed)
{
    json_t *object = json_object();
    struct rnicsim_param_info param;
    for (size_t i = 0; i < rnicsim_param_count(result->sim); i++)
        if (rnicsim_param(result->sim, i, &param) == RNICSIM_OK && param.changed)
            summary_put(object, param.key, json_string(param.value), failed);
    return object;
}

void summary_identity(json_t *summary, const struct result *result, int *failed)
{
    summary_put(summary, "schema", json_integer(RESULT_SCHEMA), failed);
    summary_put(summary, "version", json_string(RNICSIM_VERSION), failed);
    summary_put(summary, "status", json_string(result->status), failed);
    summary_put(summary, "board", name_string(rnicsim_board_name(result->sim)), failed);
    summary_put(summary, "host", name_string(rnicsim_host_name(result->sim)), failed);
    summary_put(summary, "mac", name_string(rnicsim_mac_name(result->sim)), failed);
    summary_put(summary, "params_changed", params_object(result, failed), failed);
    summary_put(summary, "trace", name_string(result->trace), failed);
    summary_put(summary, "trace_digest", json_string(result->digest), failed);
    summary_put(summary, "faults", result->faults != NULL ? name_string(result->faults) : json_null(), failed);
    summary_put(summary, "seed", summary_whole(result->seed), failed);
}

/* null without --data. */
static json_t *data_object(const struct result *result, int *failed)
{
    if (!result->checks_data)
        return json_null();
    json_t *object = json_object();
    summary_put(object, "right_bytes", summary_whole(result->totals.data_right_bytes), failed);
    summary_put(object, "unknown_bytes", summary_whole(result->totals.data_unknown_bytes), failed);
    summary_put(object, "wrong_messages", summary_whole(result->totals.data_wrong_messages), failed);
    return object;
}

static void put_counts(json_t *summary, const struct result *result, int *failed)
{
    double wall_s = result->wall_s > 0 ? result->wall_s : 1e-9;
    summary_put(summary, "sim_time_ns", ns((double)result->duration_ps), failed);
    summary_put(summary, "wall_time_s", real(result->wall_s), failed);
    summary_put(summary, "requests", summary_whole(result->counts.requests), failed);
    summary_put(summary, "requests_done", summary_whole(result->requests_done), failed);
    summary_put(summary, "completions", summary_whole(result->totals.completions), failed);
    summary_put(summary, "errors", summary_whole(result->totals.errors), failed);
    summary_put(summary, "pcie_reads_refused", summary_whole(result->totals.reads_refused), failed);
    summary_put(summary, "pcie_reads_timed_out", summary_whole(result->totals.reads_timed_out), failed);
    summary_put(summary, "pcie_tags_quarantined", summary_whole(result->totals.tags_quarantined), failed);
    summary_put(summary, "data", data_object(result, failed), failed);
    summary_put(summary, "marked", summary_whole(result->totals.marked), failed);
    summary_put(summary, "cnps", summary_whole(result->totals.cnps), failed);
    summary_put(summary, "doorbells_coalesced", summary_whole(result->totals.doorbells_coalesced), failed);
    summary_put(summary, "seen_before_payload", summary_whole(result->totals.seen_early), failed);
    summary_put(summary, "queue_full", summary_whole(result->counts.queue_full), failed);
    summary_put(summary, "latency_ns", latency_object(&result->completion, failed), failed);
    summary_put(summary, "delivery_ns", latency_object(&result->delivery, failed), failed);
    summary_put(summary, "jitter_ns", jitter_object(&result->jitter, failed), failed);
    summary_put(summary, "steady", steady_json(&result->steady, failed), failed);
    summary_put(summary, "fairness", fairness_object(result->collect, failed), failed);
    summary_put(summary, "goodput_gbps", rate(result->goodput_gbps), failed);
    summary_put(summary, "goodput_both_gbps", rate(result->goodput_both_gbps), failed);
    summary_put(summary, "wire_gbps", rate(result->wire_gbps), failed);
    summary_put(summary, "message_rate_mps", rate(result->message_rate_mps), failed);
    summary_put(summary, "data_packets", summary_whole(result->totals.data_packets), failed);
    summary_put(summary, "ack_packets", summary_whole(result->totals.ack_packets), failed);
    summary_put(summary, "packets_per_wall_s", real((double)result->totals.data_packets / wall_s), failed);
    summary_put(summary, "realtime_factor", summary_number((double)result->duration_ps / 1e12 / wall_s, 1e9), failed);
}

int summary_dump(const json_t *object, FILE *out)
{
    int failed = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) != 0;
    return failed || fputc('\n', out) == EOF ? -1 : 0;
}

static json_t *lat_row(const struct perftest_lat_report *r, int is_by_time, int *failed)
{
    json_t *row = json_object();
    summary_put(row, "bytes", summary_whole(r->size_bytes), failed);
    summary_put(row, "iterations", summary_whole(r->iters), failed);
    summary_put(row, "t_avg", rate(r->t_avg), failed);
    if (is_by_time) {
        summary_put(row, "tps", rate(r->tps), failed);
        return row;
    }
    summary_put(row, "t_min", rate(r->t_min), failed);
    summary_put(row, "t_max", rate(r->t_max), failed);
    summary_put(row, "t_typical", rate(r->t_typical), failed);
    summary_put(row, "t_stdev", rate(r->t_stdev), failed);
    summary_put(row, "99%", rate(r->t_99), failed);
    summary_put(row, "99.9%", rate(r->t_999), failed);
    summary_put(row, "true_sigma", rate(r->sigma), failed);
    summary_put(row, "largest", rate(r->largest), failed);
    return row;
}

static json_t *bw_row(const struct perftest_bw_report *r, int *failed)
{
    json_t *row = json_object();
    summary_put(row, "bytes", summary_whole(r->size_bytes), failed);
    summary_put(row, "iterations", summary_whole(r->iters), failed);
    summary_put(row, "bw_peak", rate(r->peak), failed);
    summary_put(row, "bw_average", rate(r->average), failed);
    summary_put(row, "message_rate_mps", rate(r->message_rate_mps), failed);
    return row;
}

/* perftest's own report, in its units: usec or cycles, MiB/s or Gb/s. */
static json_t *perftest_object(const struct perftest_table *table, int *failed)
{
    const struct perftest_options *options = &table->options;
    json_t *object = json_object(), *rows = json_array();
    summary_put(object, "tool", json_string(options->tool), failed);
    summary_put(object, "unit",
                json_string(options->is_lat     ? options->in_cycles ? "cycles" : "usec"
                            : options->in_gbits ? "Gb/s"
                                                : "MiB/s"),
                failed);
    for (size_t i = 0; i < table->count; i++)
        *failed |=
            json_array_append_new(rows, options->is_lat ? lat_row(&table->row[i].lat, options->duration_s > 0, failed)
                                                        : bw_row(&table->row[i].bw, failed)) != 0;
    summary_put(object, "rows", rows, failed);
    return object;
}

static void leave_out_wall(json_t *summary)
{
    static const char *const keys[] = {"wall_time_s", "packets_per_wall_s", "realtime_factor"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_del(summary, keys[i]);
}

json_t *summary_make(const struct result *result, int has_wall)
{
    json_t *summary = json_object();
    int failed = summary == NULL;
    summary_identity(summary, result, &failed);
    put_counts(summary, result, &failed);
    summary_put(summary, "drops", drops_object(result, &failed), &failed);
    summary_put(summary, "retransmits", retransmits_object(result, &failed), &failed);
    summary_put(summary, "bottleneck", bottleneck_object(&result->bottlenecks.first, &failed), &failed);
    summary_put(summary, "next_bottleneck", bottleneck_object(&result->bottlenecks.next, &failed), &failed);
    summary_put(summary, "fifos", fifos_array(result, &failed), &failed);
    summary_put(summary, "caches", caches_json(result, &failed), &failed);
    summary_put(summary, "ports", ports_json(result, &failed), &failed);
    if (result->perftest != NULL)
        summary_put(summary, "perftest", perftest_object(result->perftest, &failed), &failed);
    if (!has_wall)
        leave_out_wall(summary);
    if (failed) {
        json_decref(summary);
        return NULL;
    }
    return summary;
}

int summary_write(const struct result *result, FILE *out)
{
    json_t *summary = summary_make(result, 1);
    int failed = summary == NULL || summary_dump(summary, out) != 0;
    json_decref(summary);
    return failed ? -1 : 0;
}
