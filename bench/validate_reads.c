#include "bench/validate_reads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/simulate.h"

#define RATE_BPS INT64_C(98000000000) /* 4,096 B in 4,180 B of frame, preamble and gap, less ACKs */
#define LINE_SHARE 0.99               /* from here on the line is what limits */

/* PG213 of the block; corundum's limit on it (corundum @1ca0151) */
static const int headers_of[] = {128, 256};

static int run(struct simulate *simulate, const struct model_options *model, const char *workload)
{
    struct perftest_options options;
    struct rnicsim_error error;
    *simulate = (struct simulate){.model = model, .seed = 1, .quiet = 1};
    if (perftest_parse(workload, &options, &error) != 0 ||
        workload_of_perftest(&simulate->workload, &options, workload, options.size_bytes, &error) != RNICSIM_OK)
        return cli_fail("%s", error.text);
    return simulate_run(simulate);
}

static int measure_rate(struct validate_reads *reads, const struct model_options *model)
{
    struct simulate simulate;
    int status = run(&simulate, model, VALIDATE_READS_WORKLOAD);
    if (status == CLI_DONE) {
        const struct result *result = &simulate.result;
        const struct bottleneck *first = &result->bottlenecks.first;
        reads->goodput_gbps = result->goodput_gbps;
        reads->line_share = result->line_gbps > 0 ? result->wire_gbps / result->line_gbps : 0;
        reads->is_at_line_rate = reads->line_share >= LINE_SHARE;
        snprintf(reads->bottleneck, sizeof reads->bottleneck, "%s (%s)", first->stage, first->cause);
    }
    simulate_free(&simulate);
    return status;
}

/* One request at a time: from the packet's turn to its payload in the NIC, in the mean. */
static int measure_latency(struct validate_reads *reads, const struct model_options *model)
{
    struct rnicsim_pcie_bound *bound = &reads->bound;
    struct rnicsim_options options = {.seed = 1};
    struct rnicsim_error error;
    struct rnicsim *sim = NULL;
    struct simulate simulate = {.model = model};
    char workload[80];
    *bound = (struct rnicsim_pcie_bound){.is_read = 1, .bytes = 4096, .latency_ps = 1000000, .rate_bps = RATE_BPS};
    int status = model_options_create(model, &options, &sim);
    if (status == CLI_DONE && rnicsim_pcie_bound(sim, bound, &error) != RNICSIM_OK)
        status = cli_fail("%s", error.text);
    if (status == CLI_DONE) {
        snprintf(workload, sizeof workload, "write_lat -n 1000 -m 4096 -I 0 -s %d", (int)bound->mrrs_bytes);
        status = run(&simulate, model, workload);
    }
    if (status == CLI_DONE) {
        reads->latency_ns = simulate.result.waterfall.rows[RNICSIM_AT_PAYLOAD - 1].mean_ns;
        bound->latency_ps = (int64_t)(reads->latency_ns * 1e3);
        if (rnicsim_pcie_bound(sim, bound, &error) != RNICSIM_OK)
            status = cli_fail("%s", error.text);
    }
    simulate_free(&simulate);
    rnicsim_destroy(sim);
    return status;
}

static int measure(struct validate_reads *reads, const char *host, int headers)
{
    struct model_options model = {.board = VALIDATE_READS_BOARD, .host = host};
    char set[64];
    *reads = (struct validate_reads){.completion_headers = headers};
    snprintf(reads->host, sizeof reads->host, "%s", host);
    snprintf(set, sizeof set, "pcie.completion_headers=%d", headers);
    int status = model_options_set(&model, set) != 0 ? cli_fail("out of memory") : CLI_DONE;
    if (status == CLI_DONE)
        status = measure_rate(reads, &model);
    /* as under load: a host that sleeps between reads does not come to that there */
    if (status == CLI_DONE && model_options_set(&model, "pcie.host_idle=0 ns") != 0)
        status = cli_fail("out of memory");
    if (status == CLI_DONE)
        status = measure_latency(reads, &model);
    model_options_free(&model);
    return status;
}

int validate_reads_all(struct validate_reads reads[VALIDATE_READS_MAX], size_t *count)
{
    char *hosts = rnicsim_data_list("hosts", ".host");
    int status = hosts ? CLI_DONE : cli_fail("no host presets are found");
    *count = 0;
    for (const char *host = hosts; status == CLI_DONE && *host != 0; host += strlen(host) + 1)
        for (size_t i = 0; i < sizeof headers_of / sizeof *headers_of && *count < VALIDATE_READS_MAX; i++)
            if (status == CLI_DONE)
                status = measure(&reads[(*count)++], host, headers_of[i]);
    free(hosts);
    return status;
}
