/* What rnicsim why found, as text, JSON and a chart. All only print. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bench/gnuplot.h"
#include "bench/metric.h"
#include "bench/summary.h"
#include "bench/text.h"
#include "bench/why/why.h"

#define VALUE_SHOWN 63u /* characters of a value: a distribution may be long */
#define PS_PER_NS 1e3
#define PS_PER_US 1e6
#define BARS_SHOWN 15u
#define REQUESTS_SHOWN 10u
#define TORNADO "tornado"

/* ---- text ---- */

static void print_request(const struct why_request *request, size_t number, FILE *out)
{
    const struct rnicsim_event *event = &request->event;
    fprintf(out, "\n%3zu. %.3f us  %s of %u bytes, host %c QP %u, wr_id %llu, due at %.3f us\n", number,
            (double)request->latency_ps / PS_PER_US, text_opcode(event->sent_opcode), event->length_bytes,
            event->host ? 'b' : 'a', event->qpn, (unsigned long long)event->wr_id,
            (double)event->stamp_ps[RNICSIM_AT_ARRIVAL] / PS_PER_US);
    fprintf(out, "     %s\n", request->event_text);
}

static void print_rows(const struct why *why, const struct why_request *request, FILE *out)
{
    fprintf(out, "       %-30s %12s %12s %12s\n", "stage", "took ns", "usual ns", "later ns");
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        const struct why_row *row = &request->rows[i];
        if (row->took_ps == 0 && row->usual_ps == 0)
            continue;
        fprintf(out, "     %c %-30s %12.3f %12.3f %+12.3f\n", i == request->late_row ? '>' : ' ',
                why->first.result.waterfall.rows[i].name, (double)row->took_ps / PS_PER_NS,
                (double)row->usual_ps / PS_PER_NS, (double)(row->took_ps - row->usual_ps) / PS_PER_NS);
    }
}

static void print_worst(const struct why *why, FILE *out)
{
    const struct why_worst *worst = &why->worst;
    fprintf(out, "Slowest of %llu requests, from p%g on ", (unsigned long long)worst->all, why->options.percentile);
    if (worst->threshold.known)
        fprintf(out, "(%.3f us)", (double)worst->threshold.ps / PS_PER_US);
    else
        fputs("(n/a: fewer than ten samples beyond it; the slowest are shown)", out);
    fputs("\n\"usual\" is the median of all requests, stage by stage; > marks what is the most later\n", out);
    for (size_t i = 0; i < worst->count && i < REQUESTS_SHOWN; i++) {
        print_request(&worst->requests[i], i + 1, out);
        print_rows(why, &worst->requests[i], out);
    }
}

static void print_lift(const struct why_lift *lift, size_t number, FILE *out)
{
    static const char *const order[] = {"now", "next", "then", "then"};
    const struct bottleneck *first = &lift->bottlenecks.first;
    fprintf(out, "  %-4s  %s (%s, %.1f %%): %.3f Gb/s, %.3f M/s, mean %.1f ns\n", order[number], first->stage,
            first->cause, first->share * 100, lift->before.goodput_gbps, lift->before.message_rate_mps,
            lift->before.mean_ns);
    if (!lift->is_lifted) {
        fprintf(out, "        %s\n",
                strcmp(first->cause, "latency") == 0 ? "no limit binds: this is the largest part of the latency"
                                                     : "no parameter that is known to lift it makes the run faster");
        return;
    }
    fprintf(out, "        with %s: %.3f Gb/s (%+.1f %%), %.3f M/s (%+.1f %%), mean %.1f ns (%+.1f %%)\n", lift->setting,
            lift->after.goodput_gbps, (lift->after.goodput_gbps / lift->before.goodput_gbps - 1) * 100,
            lift->after.message_rate_mps, (lift->after.message_rate_mps / lift->before.message_rate_mps - 1) * 100,
            lift->after.mean_ns, (lift->after.mean_ns / lift->before.mean_ns - 1) * 100);
}

static void print_change(double value, double target, FILE *out)
{
    if (isnan(value))
        fprintf(out, " %10s", "refused");
    else
        fprintf(out, " %+9.2f%%", (value / target - 1) * 100);
}

static void print_tornado(const struct why *why, FILE *out)
{
    const struct why_tornado *tornado = &why->tornado;
    const char *unit = metric_unit(why->options.target);
    if (why->options.no_tornado)
        return;
    if (isnan(why->now.target)) {
        fprintf(out, "\nTarget %s: n/a (too few samples), so no parameter's effect is told\n", why->options.target);
        return;
    }
    fprintf(out, "\nWhat 20 %% less and 20 %% more of a parameter does to %s, %.6g%s%s (%zu of %zu have an effect)\n",
            why->options.target, tornado->target, unit[0] != 0 ? " " : "", unit, tornado->count, tornado->tried);
    fprintf(out, "  %-36s %-22s %10s %10s\n", "parameter", "value", "20 % less", "20 % more");
    for (size_t i = 0; i < tornado->count && i < BARS_SHOWN; i++) {
        const struct why_bar *bar = &tornado->bars[i];
        fprintf(out, "  %-36.36s %-22.22s", bar->key, bar->value);
        print_change(bar->at_low, tornado->target, out);
        print_change(bar->at_high, tornado->target, out);
        fputc('\n', out);
    }
}

void why_print(const struct why *why, FILE *out)
{
    char workload[256];
    fprintf(out, "rnicsim %s   board %s   host %s   seed %llu   status %s\n%s\n\n", RNICSIM_VERSION,
            rnicsim_board_name(why->first.sim), rnicsim_host_name(why->first.sim),
            (unsigned long long)why->options.seed, why->first.result.status,
            text_workload(&why->first.result, workload, sizeof workload));
    print_worst(why, out);
    fputs("\nLimits: each lifted, and run again\n", out);
    for (size_t i = 0; i < why->limits.count; i++)
        print_lift(&why->limits.lift[i], i, out);
    print_tornado(why, out);
}

/* ---- JSON ---- */

static json_t *number(double value)
{
    return isnan(value) || isinf(value) ? json_null() : summary_number(value, 1e6);
}

static json_t *ns(int64_t ps)
{
    return summary_number((double)ps / PS_PER_NS, 1e3);
}

static json_t *request_json(const struct why *why, const struct why_request *request, int *failed)
{
    const struct rnicsim_event *event = &request->event;
    json_t *object = json_object(), *rows = json_array();
    summary_put(object, "latency_ns", ns(request->latency_ps), failed);
    summary_put(object, "due_ns", ns(event->stamp_ps[RNICSIM_AT_ARRIVAL]), failed);
    summary_put(object, "host", json_integer(event->host), failed);
    summary_put(object, "qpn", json_integer(event->qpn), failed);
    summary_put(object, "request", summary_whole(event->request), failed);
    summary_put(object, "wr_id", summary_whole(event->wr_id), failed);
    summary_put(object, "opcode", json_string(text_opcode(event->sent_opcode)), failed);
    summary_put(object, "bytes", json_integer(event->length_bytes), failed);
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        json_t *row = json_object();
        summary_put(row, "stage", json_string(why->first.result.waterfall.rows[i].name), failed);
        summary_put(row, "took_ns", ns(request->rows[i].took_ps), failed);
        summary_put(row, "usual_ns", ns(request->rows[i].usual_ps), failed);
        summary_put(row, "least_ns", ns(request->rows[i].least_ps), failed);
        *failed |= json_array_append_new(rows, row) != 0;
    }
    summary_put(object, "stages", rows, failed);
    summary_put(object, "late_in", json_string(why->first.result.waterfall.rows[request->late_row].name), failed);
    summary_put(object, "event", json_string(request->event_text), failed);
    return object;
}

static json_t *outcome_json(const struct why_outcome *outcome, int *failed)
{
    json_t *object = json_object();
    summary_put(object, "target", number(outcome->target), failed);
    summary_put(object, "goodput_gbps", number(outcome->goodput_gbps), failed);
    summary_put(object, "message_rate_mps", number(outcome->message_rate_mps), failed);
    summary_put(object, "mean_ns", number(outcome->mean_ns), failed);
    return object;
}

static json_t *lift_json(const struct why_lift *lift, int *failed)
{
    json_t *object = json_object();
    summary_put(object, "stage", json_string(lift->bottlenecks.first.stage), failed);
    summary_put(object, "cause", json_string(lift->bottlenecks.first.cause), failed);
    summary_put(object, "share", number(lift->bottlenecks.first.share), failed);
    summary_put(object, "before", outcome_json(&lift->before, failed), failed);
    summary_put(object, "lifted_by", lift->is_lifted ? json_string(lift->setting) : json_null(), failed);
    summary_put(object, "after", lift->is_lifted ? outcome_json(&lift->after, failed) : json_null(), failed);
    return object;
}

static json_t *bar_json(const struct why_bar *bar, int *failed)
{
    json_t *object = json_object();
    summary_put(object, "key", json_string(bar->key), failed);
    summary_put(object, "value", json_stringn(bar->value, strnlen(bar->value, VALUE_SHOWN)), failed);
    summary_put(object, "at_low", number(bar->at_low), failed);
    summary_put(object, "at_high", number(bar->at_high), failed);
    return object;
}

int why_json(const struct why *why, FILE *out)
{
    json_t *object = json_object(), *requests = json_array(), *limits = json_array(), *bars = json_array();
    int failed = object == NULL || requests == NULL || limits == NULL || bars == NULL;
    summary_identity(object, &why->first.result, &failed);
    summary_put(object, "percentile", number(why->options.percentile), &failed);
    summary_put(object, "threshold_ns", why->worst.threshold.known ? ns(why->worst.threshold.ps) : json_null(),
                &failed);
    summary_put(object, "requests_seen", summary_whole(why->worst.all), &failed);
    for (size_t i = 0; i < why->worst.count; i++)
        failed |= json_array_append_new(requests, request_json(why, &why->worst.requests[i], &failed)) != 0;
    summary_put(object, "slowest", requests, &failed);
    for (size_t i = 0; i < why->limits.count; i++)
        failed |= json_array_append_new(limits, lift_json(&why->limits.lift[i], &failed)) != 0;
    summary_put(object, "limits", limits, &failed);
    summary_put(object, "target", json_string(why->options.target), &failed);
    summary_put(object, "target_value", number(why->now.target), &failed);
    for (size_t i = 0; i < why->tornado.count; i++)
        failed |= json_array_append_new(bars, bar_json(&why->tornado.bars[i], &failed)) != 0;
    summary_put(object, "tornado", bars, &failed);
    failed = failed || summary_dump(object, out) != 0;
    json_decref(object);
    return failed ? -1 : 0;
}

/* ---- the chart ---- */

static double change(double value, double target)
{
    return isnan(value) ? 0 : (value / target - 1) * 100;
}

void why_draw(const struct why *why, struct results *results)
{
    const struct why_tornado *tornado = &why->tornado;
    char subtitle[400], workload[256];
    if (tornado->count == 0)
        return;
    FILE *data = results_open(results, TORNADO ".dat");
    if (data != NULL)
        fprintf(data, "\"row\" \"20 %% less, %%\" \"20 %% more, %%\" \"parameter\"\n");
    for (size_t i = 0; data != NULL && i < tornado->count && i < BARS_SHOWN; i++)
        fprintf(data, "%zu %.6g %.6g \"%s = %.24s\"\n", i, change(tornado->bars[i].at_low, tornado->target),
                change(tornado->bars[i].at_high, tornado->target), tornado->bars[i].key, tornado->bars[i].value);
    results_close(results, data);
    FILE *script = results_open(results, TORNADO ".gp");
    if (script == NULL)
        return;
    fprintf(script, "datafile = \"" TORNADO ".dat\"\nout_file = \"" TORNADO "\"\n");
    snprintf(subtitle, sizeof subtitle, "%s, %s", rnicsim_board_name(why->first.sim),
             text_workload(&why->first.result, workload, sizeof workload));
    gnuplot_string(script, "subtitle", subtitle);
    gnuplot_string(script, "target", why->options.target);
    gnuplot_string(script, "unit", metric_unit(why->options.target));
    fprintf(script, "target_value = %.9g\n", tornado->target);
    int failed = gnuplot_template(TORNADO, script);
    results_close(results, script);
    if (!failed)
        gnuplot_draw(results, TORNADO, why->options.formats);
}
