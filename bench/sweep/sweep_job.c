#include "bench/sweep/sweep_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bench/cli.h"
#include "bench/loads.h"
#include "bench/simulate.h"
#include "bench/summary.h"

static int append(struct sweep_job *job, const char *format, const char *option, const char *value)
{
    size_t used = strlen(job->workload), room = sizeof job->workload - used;
    if (strchr(value, '\'') != NULL)
        return cli_fail("%s %.100s: an apostrophe is not allowed", option, value);
    return (size_t)snprintf(job->workload + used, room, format, option, value) < room
               ? CLI_DONE
               : cli_fail("the workload's options are too long; allowed are %zu characters", sizeof job->workload - 1);
}

/* perftest splits at blanks and knows no quotes; gen reads words as a shell does. */
static int append_option(struct sweep_job *job, const struct sweep_axis *axis, const char *value)
{
    if (job->source.perftest != NULL)
        return append(job, " %s %s", axis->perftest_option, value);
    return append(job, " %s '%s'", axis->gen_option, value);
}

static int append_load(struct sweep_job *job, const char *value)
{
    struct load_series series;
    int64_t line_bps;
    char rate[64];
    int result = loads_parse(value, &series);
    if (result == CLI_DONE && series.asked != 1)
        return cli_fail("axis.load: \"%.60s\"; allowed is a number, percent of the line's rate", value);
    if (result == CLI_DONE)
        result = loads_line_bps(&job->model, &line_bps);
    if (result != CLI_DONE)
        return result;
    loads_rate(&series, 0, line_bps, rate, sizeof rate);
    return append(job, " %s '%s'", "--rate", rate);
}

static int set_param(struct sweep_job *job, size_t index, const char *key, const char *value)
{
    if (asprintf(&job->settings[index], "%s=%s", key, value) < 0) {
        job->settings[index] = NULL;
        return cli_fail("out of memory for the sweep");
    }
    return model_options_set(&job->model, job->settings[index]) == 0 ? CLI_DONE
                                                                     : cli_fail("out of memory for the sweep");
}

/* What an axis replaces. */
static int apply(struct sweep_job *job, const struct sweep_axis *axis, size_t index, const char *value)
{
    switch (axis->kind) {
    case SWEEP_PARAM:
        return set_param(job, index, axis->key, value);
    case SWEEP_SEED:
        return cli_number(value, "axis.seed", INT64_MAX, &job->seed);
    case SWEEP_BOARD:
        job->model.board = value;
        return CLI_DONE;
    case SWEEP_HOST:
        job->model.host = value;
        return CLI_DONE;
    case SWEEP_TRACE:
        job->source.trace = value;
        return CLI_DONE;
    case SWEEP_PERFTEST:
        job->source.perftest = value;
        return CLI_DONE;
    case SWEEP_GEN:
        job->source.gen = value;
        return CLI_DONE;
    case SWEEP_FAULTS:
        job->source.faults = value;
        return CLI_DONE;
    default: /* options, which come behind the workload */
        return CLI_DONE;
    }
}

/* The draws of gen follow the run's seed where the sweep is over seeds. */
static int seed_gen(struct sweep_job *job, const struct sweep *sweep)
{
    char seed[32];
    if (job->source.gen == NULL || (sweep->repeats == 1 && sweep_axis_of(sweep, "seed") == sweep->axis_count))
        return CLI_DONE;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)job->seed);
    return append(job, " %s %s", "--seed", seed);
}

static int make_workload(struct sweep_job *job, const struct sweep *sweep, uint64_t point)
{
    const char *text = job->source.perftest != NULL ? job->source.perftest : job->source.gen;
    int result = CLI_DONE;
    if (text == NULL)
        return CLI_DONE;
    if ((size_t)snprintf(job->workload, sizeof job->workload, "%s", text) >= sizeof job->workload)
        return cli_fail("the workload's options are too long; allowed are %zu characters", sizeof job->workload - 1);
    for (size_t i = 0; result == CLI_DONE && i < sweep->axis_count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        if (axis->kind == SWEEP_OPTION)
            result = append_option(job, axis, sweep_value(sweep, i, point));
        if (axis->kind == SWEEP_LOAD)
            result = append_load(job, sweep_value(sweep, i, point));
    }
    if (result == CLI_DONE)
        result = seed_gen(job, sweep);
    *(job->source.perftest != NULL ? &job->source.perftest : &job->source.gen) = job->workload;
    return result;
}

int sweep_job_make(struct sweep_job *job, const struct sweep *sweep, uint64_t run)
{
    uint64_t point = run / sweep->repeats;
    int result = CLI_DONE;
    *job = (struct sweep_job){
        .model = {.board = sweep->board, .host = sweep->host},
        .source = {.trace = sweep->trace, .perftest = sweep->perftest, .gen = sweep->gen, .faults = sweep->faults},
        .seed = sweep->seed + run % sweep->repeats};
    for (size_t i = 0; i < sweep->set_count; i++)
        if (model_options_set(&job->model, sweep->set[i]) != 0)
            return cli_fail("out of memory for the sweep");
    for (size_t i = 0; result == CLI_DONE && i < sweep->axis_count; i++)
        result = apply(job, &sweep->axes[i], i, sweep_value(sweep, i, point));
    return result == CLI_DONE ? make_workload(job, sweep, point) : result;
}

void sweep_job_free(struct sweep_job *job)
{
    source_free(&job->source);
    model_options_free(&job->model);
    for (size_t i = 0; i < SWEEP_AXES_MAX; i++)
        free(job->settings[i]);
}

static int read_source(struct sweep_job *job)
{
    int result = source_parse(&job->source);
    if (result == CLI_DONE && job->source.perftest != NULL && job->source.perftest_options.all_sizes)
        return cli_fail("perftest: -a is for rnicsim run; allowed is axis.size");
    return result;
}

int sweep_job_check(struct sweep_job *job, char *digest, size_t digest_bytes)
{
    struct rnicsim_options options = {.seed = job->seed};
    struct rnicsim_param_info param;
    struct rnicsim *sim;
    char line[1024];
    uLong crc = crc32(0, NULL, 0);
    int result = read_source(job);
    if (result == CLI_DONE && job->source.trace != NULL)
        result = source_digest(&job->source, digest, digest_bytes);
    if (result == CLI_DONE)
        result = model_options_create(&job->model, &options, &sim);
    if (result != CLI_DONE)
        return result;
    for (size_t i = 0; i < rnicsim_param_count(sim); i++)
        if (rnicsim_param(sim, i, &param) == RNICSIM_OK) {
            int length = snprintf(line, sizeof line, "%s=%s\n", param.key, param.value);
            crc = crc32(crc, (const unsigned char *)line, (uInt)length);
        }
    rnicsim_destroy(sim);
    snprintf(line, sizeof line, "%s %08lx", job->source.trace != NULL ? digest : "", crc);
    snprintf(digest, digest_bytes, "%s", line);
    return CLI_DONE;
}

int sweep_job_run(struct sweep_job *job, json_t **summary)
{
    struct perftest_table table = {0};
    struct simulate simulate = {.model = &job->model, .seed = job->seed, .quiet = 1};
    int result = read_source(job);
    uint64_t size_bytes = job->source.perftest != NULL ? perftest_size_bytes(&job->source.perftest_options, 0) : 0;
    if (result == CLI_DONE)
        result = source_open(&job->source, size_bytes, NULL, &simulate.workload);
    if (result == CLI_DONE)
        result = source_digest(&job->source, simulate.result.digest, sizeof simulate.result.digest);
    if (result == CLI_DONE)
        result = simulate_run(&simulate);
    if (result == CLI_DONE && job->source.perftest != NULL && workload_is_whole(&simulate.workload)) {
        table.options = job->source.perftest_options;
        simulate.result.perftest = &table;
        if (perftest_table_add(&table, simulate.workload.perftest, NULL) != 0)
            result = cli_fail("out of memory for perftest's report");
    }
    if (result == CLI_DONE) {
        *summary = summary_make(&simulate.result, 0);
        result = *summary != NULL ? CLI_DONE : cli_fail("out of memory for the result");
    }
    simulate_free(&simulate);
    return result;
}
