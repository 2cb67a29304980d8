#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/metric.h"
#include "bench/summary.h"
#include "bench/why/why.h"

int why_prepare(const struct why_options *options, struct model_options *model, struct simulate *simulate)
{
    uint64_t size_bytes =
        options->source.perftest != NULL ? perftest_size_bytes(&options->source.perftest_options, 0) : 0;
    *simulate = (struct simulate){.model = model, .seed = options->seed, .quiet = 1};
    return source_open(&options->source, size_bytes, NULL, &simulate->workload);
}

/* The parameter of the FIFO that "a path name FIFO" names. */
static void find_full_key(const struct result *result, struct why_outcome *out)
{
    char name[sizeof result->bottlenecks.first.stage + 8];
    if (strcmp(result->bottlenecks.first.cause, "full") != 0)
        return;
    for (size_t i = 0; i < result->fifo_count; i++) {
        const struct result_fifo *fifo = &result->fifos[i];
        snprintf(name, sizeof name, "%s", result->bottlenecks.first.stage);
        size_t length = strlen(fifo->name);
        if (strncmp(name, fifo->name, length) == 0 && (name[length] == 0 || strcmp(name + length, " FIFO") == 0))
            snprintf(out->full_key, sizeof out->full_key, "%s", fifo->info.depth_key);
    }
}

int why_outcome_of(const struct why_options *options, const struct result *result, struct why_outcome *out)
{
    *out = (struct why_outcome){.target = NAN,
                                .goodput_gbps = result->goodput_gbps,
                                .message_rate_mps = result->message_rate_mps,
                                .mean_ns = result->completion.mean_ps / 1e3,
                                .bottlenecks = result->bottlenecks,
                                .is_complete = strcmp(result->status, "complete") == 0};
    find_full_key(result, out);
    json_t *summary = summary_make(result, 0);
    if (summary == NULL)
        return cli_fail("out of memory for the result");
    const json_t *value = metric_find(summary, options->target);
    double number;
    int result_code = value != NULL && (json_is_null(value) || metric_number(value, &number))
                          ? CLI_DONE
                          : cli_fail("--target %.100s: no number of summary.json; allowed are its keys, joined by dots",
                                     options->target);
    if (result_code == CLI_DONE && metric_number(value, &number))
        out->target = number;
    json_decref(summary);
    return result_code;
}

int why_run(const struct why_options *options, const char *const *set, size_t count, struct why_outcome *out)
{
    struct model_options model;
    struct simulate simulate = {0};
    int result = model_options_extend(&model, &options->model, set, count);
    if (result == CLI_DONE)
        result = why_prepare(options, &model, &simulate);
    if (result == CLI_DONE)
        result = simulate_run(&simulate);
    if (result == CLI_DONE)
        result = why_outcome_of(options, &simulate.result, out);
    simulate_free(&simulate);
    model_options_free(&model);
    return result;
}
