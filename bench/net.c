/* rnicsim net: ideal hosts behind switches: incast, permutation, all to all; queues, pauses, marks, rates. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/model_options.h"

enum { OPTION_JSON = 8000, OPTION_PORTS, OPTION_FLOWS, OPTION_SEED };

#define PORTS_SHOWN 12
#define PS_PER_US 1e6

struct net_options {
    struct model_options model;
    const char *ports, *flows; /* files */
    uint64_t seed;
    int json;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct net_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->model;
        return 0;
    case OPTION_JSON:
        options->json = 1;
        return 0;
    case OPTION_PORTS:
        options->ports = value;
        return 0;
    case OPTION_FLOWS:
        options->flows = value;
        return 0;
    case OPTION_SEED:
        return cli_number(value, "--seed", UINT64_MAX, &options->seed) ? CLI_TOLD : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- files ---- */

static int write_ports(const struct rnicsim_net *net, FILE *out)
{
    struct rnicsim_net_port port;
    fputs("from,to,frames,wire_bytes,busy_share,paused_share,pauses_sent,marked,drops,queue_most_bytes,queue_late_most_"
          "bytes,"
          "headroom_most_bytes\n",
          out);
    for (uint32_t i = 0; rnicsim_net_port(net, i, &port) == RNICSIM_OK; i++)
        fprintf(out,
                "%s,%s,%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64 "\n",
                port.from, port.to, port.frames, port.wire_bytes, port.busy_share, port.paused_share, port.pauses_sent,
                port.marked, port.drops, port.queue_most_bytes, port.queue_late_most_bytes, port.headroom_most_bytes);
    return ferror(out);
}

static int write_flows(const struct rnicsim_net *net, FILE *out)
{
    struct rnicsim_net_flow flow;
    fputs("from,to,sent_bytes,delivered_bytes,cnps,late_gbps,rate_gbps,done_us\n", out);
    for (uint32_t i = 0; rnicsim_net_flow(net, i, &flow) == RNICSIM_OK; i++) {
        fprintf(out, "host%u,host%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,", flow.from, flow.to,
                flow.sent_bytes, flow.delivered_bytes, flow.cnps, flow.late_gbps, flow.rate_gbps);
        if (flow.done_ps >= 0)
            fprintf(out, "%.6f", (double)flow.done_ps / PS_PER_US);
        putc('\n', out);
    }
    return ferror(out);
}

static int write_file(const struct rnicsim_net *net, const char *path, int (*write)(const struct rnicsim_net *, FILE *))
{
    if (!path)
        return CLI_DONE;
    FILE *out = fopen(path, "w");
    if (!out)
        return cli_fail("%s: %s", path, strerror(errno));
    int failed = write(net, out);
    failed |= fclose(out) != 0;
    return failed ? cli_fail("%s: %s", path, strerror(errno)) : CLI_DONE;
}

/* ---- the report ---- */

static int print_json(const struct rnicsim_net_totals *t)
{
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "hosts",
        (json_int_t)t->hosts, "switches", (json_int_t)t->switches, "flows", (json_int_t)t->flows, "flows_done",
        (json_int_t)t->flows_done, "sim_time_ns", (double)t->duration_ps / 1e3, "goodput_gbps", t->goodput_gbps, "jain",
        t->jain, "least_gbps", t->least_gbps, "most_gbps", t->most_gbps, "delivered_bytes",
        (json_int_t)t->delivered_bytes, "drops", (json_int_t)t->drops, "marked", (json_int_t)t->marked, "cnps",
        (json_int_t)t->cnps, "pauses", (json_int_t)t->pauses, "hops", (json_int_t)t->hops, "decisions",
        (json_int_t)t->decisions, "memory_bytes", (json_int_t)t->bytes_of_memory);
    if (object)
        json_object_set_new(object, "recovered_ns",
                            t->recovered_ps < 0 ? json_null() : json_real((double)t->recovered_ps / 1e3));
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(object);
    putchar('\n');
    return failed ? cli_fail("out of memory, or standard output cannot be written") : CLI_DONE;
}

static int by_queue(const void *a, const void *b)
{
    const struct rnicsim_net_port *x = a, *y = b;
    if (x->queue_most_bytes != y->queue_most_bytes)
        return x->queue_most_bytes < y->queue_most_bytes ? 1 : -1;
    return x->busy_share < y->busy_share ? 1 : x->busy_share > y->busy_share ? -1 : 0;
}

static int print_ports(const struct rnicsim_net *net, uint32_t links)
{
    struct rnicsim_net_port *port = calloc(links, sizeof *port);
    if (!port)
        return cli_fail("out of memory");
    for (uint32_t i = 0; i < links; i++)
        rnicsim_net_port(net, i, &port[i]);
    qsort(port, links, sizeof *port, by_queue);
    printf("\nPorts, longest queue first (%u of %u)\n  %-10s %-10s %7s %9s %8s %9s %7s %13s %13s %11s\n",
           links < PORTS_SHOWN ? links : PORTS_SHOWN, links, "from", "to", "busy %", "paused %", "pauses", "marked",
           "drops", "queue most B", "second half B", "headroom B");
    for (uint32_t i = 0; i < links && i < PORTS_SHOWN; i++)
        printf("  %-10s %-10s %7.2f %9.2f %8" PRIu64 " %9" PRIu64 " %7" PRIu64 " %13" PRIu64 " %13" PRIu64 " %11" PRIu64
               "\n",
               port[i].from, port[i].to, 100 * port[i].busy_share, 100 * port[i].paused_share, port[i].pauses_sent,
               port[i].marked, port[i].drops, port[i].queue_most_bytes, port[i].queue_late_most_bytes,
               port[i].headroom_most_bytes);
    free(port);
    return CLI_DONE;
}

static int print_text(const struct rnicsim_net *net, const struct rnicsim_net_totals *t)
{
    printf("%u hosts, %u switches, %u flows, %.3f us\n", t->hosts, t->switches, t->flows,
           (double)t->duration_ps / PS_PER_US);
    printf("Second half    %.3f Gb/s of frames; a flow %.3f to %.3f, Jain %.4f\n", t->goodput_gbps, t->least_gbps,
           t->most_gbps, t->jain);
    if (t->recovered_ps >= 0)
        printf("Recovered      at least 90 %% of that from %.3f us on\n", (double)t->recovered_ps / PS_PER_US);
    else
        printf("Recovered      not: less than 90 %% of that at the end\n");
    printf("Frames         %" PRIu64 " delivered, %" PRIu64 " dropped, %" PRIu64 " marked; %" PRIu64 " CNPs, %" PRIu64
           " pauses asked for; %u flows done\n",
           t->delivered_frames, t->drops, t->marked, t->cnps, t->pauses, t->flows_done);
    return print_ports(net, t->links);
}

static int run(const struct net_options *options)
{
    struct rnicsim_options model = {0};
    struct rnicsim_error error;
    struct rnicsim_net *net;
    if (options->model.host)
        return cli_fail("--host says nothing of ideal hosts; allowed are -b, --mac and -s");
    if (model_options_apply(&options->model, &model) != 0)
        return CLI_INPUT;
    struct rnicsim_net_options ask = {
        .board = model.board, .mac = model.mac, .set = model.set, .set_count = model.set_count, .seed = options->seed};
    int result = rnicsim_net_create(&ask, &net, &error);
    if (result != RNICSIM_OK)
        return cli_fail_result(result, &error);
    result = rnicsim_net_run(net, &error);
    struct rnicsim_net_totals totals;
    int status = result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
    if (status == CLI_DONE) {
        rnicsim_net_totals(net, &totals);
        status = write_file(net, options->ports, write_ports);
    }
    if (status == CLI_DONE)
        status = write_file(net, options->flows, write_flows);
    if (status == CLI_DONE)
        status = options->json ? print_json(&totals) : print_text(net, &totals);
    rnicsim_net_destroy(net);
    return status;
}

int net_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"seed", OPTION_SEED, "N", 0, "of marks and equal ways (1)", 1},
        {"ports", OPTION_PORTS, "FILE", 0, "all ports, as CSV", 2},
        {"flows", OPTION_FLOWS, "FILE", 0, "all flows, as CSV", 2},
        {"json", OPTION_JSON, NULL, 0, "goodput, fairness, drops, marks, CNPs, pauses", 2},
        {0}};
    const struct argp_child children[] = {
        {model_options_argp(), 0, "Line and congestion control of a board; -s net.KEY (see rnicsim params net):", 3},
        {0}};
    const struct argp argp = {table,
                              parse,
                              NULL,
                              "A network of ideal hosts and switches: queues, pauses, marks and DCQCN under incast, "
                              "permutation or all-to-all traffic.",
                              children,
                              NULL,
                              NULL};
    struct net_options options = {.seed = 1};
    int result = cli_parse(&argp, "net", argc, argv, &options);
    if (result < 0)
        result = run(&options);
    model_options_free(&options.model);
    return result;
}
