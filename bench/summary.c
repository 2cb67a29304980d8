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

static json_t *whole(uint64_t number)
{
    return json_integer((json_int_t)number);
}

/* JSON is UTF-8; a file's name may be anything. */
static json_t *name_string(const char *name)
{
    json_t *string = json_string(name);
    return string != NULL ? string : json_string("(a name that is not UTF-8)");
}

/* Sets a key and takes the value; a value that could not be made leaves the object without it, and is told. */
static void put(json_t *object, const char *key, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, key, value) != 0;
}

static json_t *latency_object(const struct latency *latency, int *failed)
{
    json_t *object = json_object();
    int has = latency->count > 0;
    put(object, "min", has ? ns((double)latency->min_ps) : json_null(), failed);
    put(object, "p50", quantile_ns(latency->p50), failed);
    put(object, "avg", has ? ns(latency->mean_ps) : json_null(), failed);
    put(object, "p99", quantile_ns(latency->p99), failed);
    put(object, "p99.9", quantile_ns(latency->p999), failed);
    put(object, "p99.99", quantile_ns(latency->p9999), failed);
    put(object, "max", has ? ns((double)latency->max_ps) : json_null(), failed);
    put(object, "stdev", has ? ns(latency->stdev_ps) : json_null(), failed);
    put(object, "n", whole(latency->count), failed);
    return object;
}

static json_t *jitter_object(const struct jitter *jitter, int *failed)
{
    json_t *object = json_object();
    put(object, "pdv", quantile_ns(jitter->pdv), failed);
    put(object, "p99_p50", quantile_ns(jitter->p99_p50), failed);
    put(object, "max_min", jitter->known ? ns((double)jitter->max_min_ps) : json_null(), failed);
    put(object, "stdev", jitter->known ? ns(jitter->stdev_ps) : json_null(), failed);
    put(object, "ipdv", jitter->ipdv_known ? ns(jitter->ipdv_ps) : json_null(), failed);
    return object;
}

static json_t *fairness_object(const struct collect *collect, int *failed)
{
    struct fairness fairness = fairness_of(collect);
    if (fairness.qps < 2)
        return json_null();
    json_t *object = json_object();
    put(object, "qps", whole(fairness.qps), failed);
    put(object, "jain", rate(fairness.jain), failed);
    put(object, "least_gbps", rate(fairness.least_gbps), failed);
    put(object, "most_gbps", rate(fairness.most_gbps), failed);
    return object;
}

static json_t *bottleneck_object(const struct bottleneck *bottleneck, int *failed)
{
    json_t *object = json_object();
    if (bottleneck->stage[0] == 0) {
        json_decref(object);
        return json_null();
    }
    put(object, "stage", json_string(bottleneck->stage), failed);
    put(object, "cause", json_string(bottleneck->cause), failed);
    put(object, "share", summary_number(bottleneck->share, 1e5), failed);
    return object;
}

static json_t *drops_object(const struct result *result, int *failed)
{
    json_t *object = json_object();
    for (size_t i = 0; i < result->drop_count; i++)
        put(object, result->drops[i].place, whole(result->drops[i].frames), failed);
    return object;
}

static json_t *retransmits_object(const struct result *result, int *failed)
{
    const struct rnicsim_totals *totals = &result->totals;
    json_t *object = json_object();
    put(object, "nak", whole(totals->retransmits_nak), failed);
    put(object, "rnr", whole(totals->retransmits_rnr), failed);
    put(object, "implied_nak", whole(totals->retransmits_implied), failed);
    put(object, "timeout", whole(totals->retransmits_timeout), failed);
    put(object, "packets", whole(totals->repeated), failed);
    return object;
}

static json_t *fifos_array(const struct result *result, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->fifo_count; i++) {
        const struct rnicsim_fifo_info *fifo = &result->fifos[i].info;
        json_t *object = json_object();
        put(object, "name", json_string(result->fifos[i].name), failed);
        put(object, "depth", whole(fifo->depth), failed);
        put(object, "unit", json_string(fifo->unit), failed);
        put(object, "hwm", whole(fifo->high_water), failed);
        put(object, "p99.9", whole(fifo->p999), failed);
        put(object, "drops", whole(fifo->drops), failed);
        put(object, "backpressure", ns((double)fifo->back_pressure_ps), failed);
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
            put(object, param.key, json_string(param.value), failed);
    return object;
}

void summary_identity(json_t *summary, const struct result *result, int *failed)
{
    put(summary, "schema", json_integer(RESULT_SCHEMA), failed);
    put(summary, "version", json_string(RNICSIM_VERSION), failed);
    put(summary, "status", json_string(result->status), failed);
    put(summary, "board", name_string(rnicsim_board_name(result->sim)), failed);
    put(summary, "host", name_string(rnicsim_host_name(result->sim)), failed);
    put(summary, "mac", name_string(rnicsim_mac_name(result->sim)), failed);
    put(summary, "params_changed", params_object(result, failed), failed);
    put(summary, "trace", name_string(result->trace), failed);
    put(summary, "trace_digest", json_string(result->digest), failed);
    put(summary, "faults", result->faults != NULL ? name_string(result->faults) : json_null(), failed);
    put(summary, "seed", whole(result->seed), failed);
}

/* null without --data. */
static json_t *data_object(const struct result *result, int *failed)
{
    if (!result->checks_data)
        return json_null();
    json_t *object = json_object();
    put(object, "right_bytes", whole(result->totals.data_right_bytes), failed);
    put(object, "unknown_bytes", whole(result->totals.data_unknown_bytes), failed);
    put(object, "wrong_messages", whole(result->totals.data_wrong_messages), failed);
    return object;
}

static void put_counts(json_t *summary, const struct result *result, int *failed)
{
    double wall_s = result->wall_s > 0 ? result->wall_s : 1e-9;
    put(summary, "sim_time_ns", ns((double)result->duration_ps), failed);
    put(summary, "wall_time_s", real(result->wall_s), failed);
    put(summary, "requests", whole(result->counts.requests), failed);
    put(summary, "requests_done", whole(result->requests_done), failed);
    put(summary, "completions", whole(result->totals.completions), failed);
    put(summary, "errors", whole(result->totals.errors), failed);
    put(summary, "pcie_reads_refused", whole(result->totals.reads_refused), failed);
    put(summary, "pcie_reads_timed_out", whole(result->totals.reads_timed_out), failed);
    put(summary, "pcie_tags_quarantined", whole(result->totals.tags_quarantined), failed);
    put(summary, "data", data_object(result, failed), failed);
    put(summary, "marked", whole(result->totals.marked), failed);
    put(summary, "cnps", whole(result->totals.cnps), failed);
    put(summary, "doorbells_coalesced", whole(result->totals.doorbells_coalesced), failed);
    put(summary, "seen_before_payload", whole(result->totals.seen_early), failed);
    put(summary, "queue_full", whole(result->counts.queue_full), failed);
    put(summary, "latency_ns", latency_object(&result->completion, failed), failed);
    put(summary, "delivery_ns", latency_object(&result->delivery, failed), failed);
    put(summary, "jitter_ns", jitter_object(&result->jitter, failed), failed);
    put(summary, "steady", steady_json(&result->steady, failed), failed);
    put(summary, "fairness", fairness_object(result->collect, failed), failed);
    put(summary, "goodput_gbps", rate(result->goodput_gbps), failed);
    put(summary, "goodput_both_gbps", rate(result->goodput_both_gbps), failed);
    put(summary, "wire_gbps", rate(result->wire_gbps), failed);
    put(summary, "message_rate_mps", rate(result->message_rate_mps), failed);
    put(summary, "data_packets", whole(result->totals.data_packets), failed);
    put(summary, "ack_packets", whole(result->totals.ack_packets), failed);
    put(summary, "packets_per_wall_s", real((double)result->totals.data_packets / wall_s), failed);
    put(summary, "realtime_factor", summary_number((double)result->duration_ps / 1e12 / wall_s, 1e9), failed);
}

int summary_dump(const json_t *object, FILE *out)
{
    int failed = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) != 0;
    return failed || fputc('\n', out) == EOF ? -1 : 0;
}

static json_t *lat_row(const struct perftest_lat_report *r, int is_by_time, int *failed)
{
    json_t *row = json_object();
    put(row, "bytes", whole(r->size_bytes), failed);
    put(row, "iterations", whole(r->iters), failed);
    put(row, "t_avg", rate(r->t_avg), failed);
    if (is_by_time) {
        put(row, "tps", rate(r->tps), failed);
        return row;
    }
    put(row, "t_min", rate(r->t_min), failed);
    put(row, "t_max", rate(r->t_max), failed);
    put(row, "t_typical", rate(r->t_typical), failed);
    put(row, "t_stdev", rate(r->t_stdev), failed);
    put(row, "99%", rate(r->t_99), failed);
    put(row, "99.9%", rate(r->t_999), failed);
    put(row, "true_sigma", rate(r->sigma), failed);
    put(row, "largest", rate(r->largest), failed);
    return row;
}

static json_t *bw_row(const struct perftest_bw_report *r, int *failed)
{
    json_t *row = json_object();
    put(row, "bytes", whole(r->size_bytes), failed);
    put(row, "iterations", whole(r->iters), failed);
    put(row, "bw_peak", rate(r->peak), failed);
    put(row, "bw_average", rate(r->average), failed);
    put(row, "message_rate_mps", rate(r->message_rate_mps), failed);
    return row;
}

/* perftest's own report, in its units: usec or cycles, MiB/s or Gb/s. */
static json_t *perftest_object(const struct perftest_table *table, int *failed)
{
    const struct perftest_options *options = &table->options;
    json_t *object = json_object(), *rows = json_array();
    put(object, "tool", json_string(options->tool), failed);
    put(object, "unit",
        json_string(options->is_lat     ? options->in_cycles ? "cycles" : "usec"
                    : options->in_gbits ? "Gb/s"
                                        : "MiB/s"),
        failed);
    for (size_t i = 0; i < table->count; i++)
        *failed |=
            json_array_append_new(rows, options->is_lat ? lat_row(&table->row[i].lat, options->duration_s > 0, failed)
                                                        : bw_row(&table->row[i].bw, failed)) != 0;
    put(object, "rows", rows, failed);
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
    put(summary, "drops", drops_object(result, &failed), &failed);
    put(summary, "retransmits", retransmits_object(result, &failed), &failed);
    put(summary, "bottleneck", bottleneck_object(&result->bottlenecks.first, &failed), &failed);
    put(summary, "next_bottleneck", bottleneck_object(&result->bottlenecks.next, &failed), &failed);
    put(summary, "fifos", fifos_array(result, &failed), &failed);
    put(summary, "caches", caches_json(result, &failed), &failed);
    put(summary, "ports", ports_json(result, &failed), &failed);
    if (result->perftest != NULL)
        put(summary, "perftest", perftest_object(result->perftest, &failed), &failed);
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
