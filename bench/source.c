#include "bench/source.h"

#include <stdio.h>

#include "bench/cli.h"
#include "bench/digest.h"

enum { OPTION_PERFTEST = 4000, OPTION_GEN, OPTION_FAULTS };

static error_t take_trace(struct source *source, const char *path)
{
    if (source->trace != NULL) {
        cli_fail("\"%s\" and \"%s\": one trace is allowed", source->trace, path);
        return CLI_TOLD;
    }
    source->trace = path;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct source *source = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        return take_trace(source, value);
    case OPTION_PERFTEST:
        source->perftest = value;
        return 0;
    case OPTION_GEN:
        source->gen = value;
        return 0;
    case OPTION_FAULTS:
        source->faults = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp *source_argp(void)
{
    static const struct argp_option options[] = {
        {"perftest", OPTION_PERFTEST, "TOOL OPTIONS", 0,
         "instead of a trace: \"write_lat -s 64 -n 5000\", options as in perftest 4.5; also write_bw, send_lat, "
         "send_bw",
         1},
        {"gen", OPTION_GEN, "OPTIONS", 0,
         "instead of a trace: one made for this, with the options of rnicsim trace gen", 1},
        {"faults", OPTION_FAULTS, "TEXT|FILE", 0,
         "what goes wrong on the line: \"drop data 100; drop ack last; corrupt data p=1e-4; delay ack 5 us every "
         "1000\", or a file of such lines; see bench/faults.h",
         1},
        {0},
    };
    static const struct argp argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
    return &argp;
}

int source_check(const struct source *source, const char *command)
{
    int workloads = (source->trace != NULL) + (source->perftest != NULL) + (source->gen != NULL);
    if (workloads == 0)
        return cli_fail(
            "which trace? rnicsim %s -b BOARD TRACE, or --perftest \"write_lat -s 64\", or --gen; see rnicsim "
            "%s --help",
            command, command);
    return workloads == 1 ? CLI_DONE : cli_fail("a trace, --perftest and --gen: one workload is allowed");
}

int source_parse(struct source *source)
{
    struct rnicsim_error error;
    if (source->perftest != NULL && perftest_parse(source->perftest, &source->perftest_options, &error) != 0)
        return cli_fail("%s", error.text);
    if (source->faults != NULL && fault_plan_parse(&source->fault_plan, source->faults) != CLI_DONE)
        return CLI_INPUT;
    return source->gen != NULL ? generated_parse(source->gen, &source->generated) : CLI_DONE;
}

void source_free(struct source *source)
{
    generated_free(&source->generated);
    fault_plan_free(&source->fault_plan);
}

static int open_generated(const struct source *source, const char *rate, struct workload *workload)
{
    struct rnicsim_error error;
    char path[512], text[512];
    int result = generated_make(&source->generated, rate, path, sizeof path);
    if (result != CLI_DONE)
        return result;
    if (rate != NULL)
        snprintf(text, sizeof text, "%.400s (here: --rate \"%s\")", source->gen, rate);
    else
        snprintf(text, sizeof text, "%.480s", source->gen);
    return workload_of_generated(workload, path, text, &error) == RNICSIM_OK ? CLI_DONE : cli_fail("%s", error.text);
}

int source_open(const struct source *source, uint64_t size_bytes, const char *rate, struct workload *workload)
{
    struct rnicsim_error error;
    int result;
    if (source->gen != NULL) {
        result = open_generated(source, rate, workload);
        workload->faults = &source->fault_plan;
        return result;
    }
    result = source->perftest != NULL
                 ? workload_of_perftest(workload, &source->perftest_options, source->perftest, size_bytes, &error)
                 : workload_of_trace(workload, source->trace, &error);
    workload->faults = &source->fault_plan;
    return result == RNICSIM_OK ? CLI_DONE : cli_fail("%s", error.text);
}

int source_digest(const struct source *source, char *text, size_t text_bytes)
{
    if (source->trace != NULL)
        return digest_file(source->trace, text, text_bytes);
    digest_text(source->perftest != NULL ? source->perftest : source->gen, text, text_bytes);
    return CLI_DONE;
}
