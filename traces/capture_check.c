#include "traces/capture_check.h"

#include <inttypes.h>

#include "traces/capture_scan.h"
#include "traces/record.h"

#define PS_PER_NS 1e3

struct checker {
    const char *path;
    trace_check_fault *fault;
    void *context;
    uint64_t max, count;
};

static void report_fault(void *context, const struct capture_packet *packet, const char *text)
{
    struct checker *checker = context;
    struct rnicsim_error line;
    if (checker->count >= checker->max)
        return;
    checker->count++;
    trace_fail(&line, "%s:packet %" PRIu64 ": %s", checker->path, packet->number, text);
    checker->fault(checker->context, packet->number, line.text);
}

static int keep_nothing(void *context, const struct flow_message *message)
{
    (void)context;
    (void)message;
    return 0;
}

static void print_requests(const struct flow *flow, FILE *report)
{
    char from[CAPTURE_ADDRESS_TEXT], to[CAPTURE_ADDRESS_TEXT];
    fprintf(report, "%s -> %s QP 0x%06x %s: %" PRIu64 " requests in %" PRIu64 " packets, %" PRIu64 " bytes\n",
            capture_address(flow->source, from), capture_address(flow->destination, to), flow->qpn,
            wire_transport_name(flow->transport), flow->messages, flow->packets, flow->bytes);
    fprintf(report,
            "  PSN gaps %" PRIu64 " of %" PRIu64 " packets, %" PRIu64 " came later; duplicates %" PRIu64
            "; sent again %" PRIu64 "; incomplete %" PRIu64 "\n",
            flow->gaps, flow->missing, flow->came_later, flow->duplicates, flow->again, flow->incomplete);
    if (flow->begun_anew > 0)
        fprintf(report, "  begun anew %" PRIu64 " times\n", flow->begun_anew);
}

static void print_rtt(const struct flow *flow, FILE *report)
{
    uint64_t count = rnicsim_hist_count(flow->rtt);
    if (count == 0)
        return;
    fprintf(report, "  RTT of %" PRIu64 " acknowledgements, ns: min %.0f, median %.0f, mean %.1f, max %.0f\n", count,
            (double)rnicsim_hist_min(flow->rtt) / PS_PER_NS,
            (double)rnicsim_hist_percentile(flow->rtt, 500000000) / PS_PER_NS, rnicsim_hist_mean(flow->rtt) / PS_PER_NS,
            (double)rnicsim_hist_max(flow->rtt) / PS_PER_NS);
}

static void print_answers(const struct flow *flow, FILE *report)
{
    static const char *const nak[WIRE_NAKS] = {"sequence", "invalid request", "remote access", "remote operation",
                                               "invalid RD request"};
    fprintf(report, "  answered by %" PRIu64 " ACKs, %" PRIu64 " responses (%" PRIu64 " missing, %" PRIu64 " again)",
            flow->acks, flow->responses, flow->responses_missing, flow->responses_again);
    for (unsigned i = 0; i < WIRE_NAKS; i++)
        if (flow->naks[i] > 0)
            fprintf(report, ", %" PRIu64 " NAKs (%s)", flow->naks[i], nak[i]);
    if (flow->rnr > 0)
        fprintf(report, ", %" PRIu64 " RNR NAKs", flow->rnr);
    if (flow->unseen > 0)
        fprintf(report, ", %" PRIu64 " to what was not captured", flow->unseen);
    fputc('\n', report);
    print_rtt(flow, report);
}

static void say(void *context, const char *line)
{
    fprintf(context, "%s\n", line);
}

static void print_report(const struct capture_scan *scan, FILE *report)
{
    fprintf(report,
            "%" PRIu64 " packets in %.3f us, %" PRIu64 " of RC, XRC and UC, %" PRIu64 " CNPs, %" PRIu64
            " marked by ECN\n",
            scan->packets, (double)(scan->last_ns - scan->first_ns) / 1e3, scan->taken, scan->cnps, scan->congested);
    capture_scan_rest(scan, say, report);
    for (size_t i = 0; i < scan->flows.count; i++) {
        const struct flow *flow = scan->flows.flow[i];
        if (flow->packets > 0)
            print_requests(flow, report);
        if (flow->packets > 0 && flow->peer != FLOW_NONE)
            print_answers(scan->flows.flow[flow->peer], report);
        if (flow->packets == 0 && flow->peer == FLOW_NONE)
            fprintf(report, "QP 0x%06x: %" PRIu64 " answers to what was not captured\n", flow->qpn, flow->unseen);
    }
}

uint64_t capture_check(const char *path, trace_check_fault *fault, void *context, uint64_t max, FILE *report)
{
    struct checker checker = {.path = path, .fault = fault, .context = context, .max = max};
    struct capture_scan scan = {.flows = {.fault = report_fault, .done = keep_nothing, .context = &checker}};
    struct rnicsim_error error;
    if (capture_scan(&scan, path, &error) == 0) {
        print_report(&scan, report);
    } else if (checker.count < max) {
        checker.count++;
        fault(context, scan.packets + 1, error.text);
    }
    capture_scan_free(&scan);
    return checker.count;
}
