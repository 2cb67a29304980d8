#include "bench/source.h"

#include <stdio.h>

#include "bench/cli.h"
#include "bench/digest.h"

int source_take_trace(struct source *source, const char *path)
{
    if (source->trace != NULL)
        return cli_fail("\"%s\" and \"%s\": one trace is allowed", source->trace, path);
    source->trace = path;
    return CLI_DONE;
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
    return source->gen != NULL ? generated_parse(source->gen, &source->generated) : CLI_DONE;
}

void source_free(struct source *source)
{
    generated_free(&source->generated);
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
    if (source->gen != NULL)
        return open_generated(source, rate, workload);
    int result = source->perftest != NULL
                     ? workload_of_perftest(workload, &source->perftest_options, source->perftest, size_bytes, &error)
                     : workload_of_trace(workload, source->trace, &error);
    return result == RNICSIM_OK ? CLI_DONE : cli_fail("%s", error.text);
}

int source_digest(const struct source *source, char *text, size_t text_bytes)
{
    if (source->trace != NULL)
        return digest_file(source->trace, text, text_bytes);
    digest_text(source->perftest != NULL ? source->perftest : source->gen, text, text_bytes);
    return CLI_DONE;
}
