/* rnicsim size: the smallest buffer depths for a workload, and what they take in an FPGA. */
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/gnuplot.h"
#include "bench/metric.h"
#include "bench/results.h"
#include "bench/size_report.h"

enum {
    OPTION_FORCE = 3000,
    OPTION_JSON,
    OPTION_SEED,
    OPTION_QUIET,
    OPTION_PART,
    OPTION_BRAM,
    OPTION_URAM,
    OPTION_FULL,
    OPTION_CURVE,
    OPTION_CHARTS,
    OPTION_ECC,
    OPTION_ASSERT,
    OPTION_ALSO,
    OPTION_SEEDS
};

#define BLOCKS_MOST 1000000u
#define NOT_GIVEN UINT64_MAX

struct size_options {
    struct model_options model;
    struct source source;
    const char *folder, *part, *curve;
    const char *also[SIZE_OTHERS_MAX];
    size_t also_count;
    uint64_t seeds;
    struct metric_asserts asserts;
    unsigned formats;
    int full, ecc;
    uint64_t seed, bram36, uram; /* NOT_GIVEN */
    int force, json, quiet;
};

struct size {
    struct size_options options;
    struct size_workload workload;
    struct size_other others[SIZE_OTHERS_MAX];
    struct size_search search;
    struct size_fit fit;
    struct size_curve curve;
    struct results *results; /* NULL: without -o, or put in place */
};

static const struct argp_option size_option_table[] = {
    {"part", OPTION_PART, "PART", 0, "the FPGA, instead of the board's own; PART_xdma: what the vendor's shell leaves",
     2},
    {"bram", OPTION_BRAM, "N", 0, "RAMB36 that are there, instead of the part's", 2},
    {"uram", OPTION_URAM, "N", 0, "URAM288 that are there, instead of the part's", 2},
    {"also", OPTION_ALSO, "TRACE", 0, "the depths must do for this trace, too; may be repeated", 2},
    {"seeds", OPTION_SEEDS, "N", 0, "and with this and the next seeds, N in all (1)", 2},
    {"ecc", OPTION_ECC, NULL, 0, "block memories with ECC: 64 bits in 72, or 32 in 40", 2},
    {"assert", OPTION_ASSERT, "TEXT", 0,
     "exit status 1 unless it holds, of any value of size.json: \"used_percent.uram < 70\", \"fifos.rx cdc.hwm <= "
     "512\"; may be "
     "repeated",
     3},
    {"full", OPTION_FULL, NULL, 0,
     "also the least depths for no drop, for 99.9 % of the goodput, and for p99.9 within 1 %, by many more runs", 2},
    {"curve", OPTION_CURVE, "FIFO", 0, "what the depth of this one does, rx.cdc say; with -o a chart", 2},
    {NULL, 'o', "DIR", 0, "writes size.json, size.csv, depths.svh and depths.h into this folder", 3},
    {"charts", OPTION_CHARTS, "FORMATS", 0, "with -o: draws the curve as svg (the default), png or pdf", 3},
    {"force", OPTION_FORCE, NULL, 0, "with -o: replaces other results", 3},
    {"json", OPTION_JSON, NULL, 0, "prints size.json instead of the table", 3},
    {"quiet", OPTION_QUIET, NULL, 0, "no table and no progress bar", 3},
    {"seed", OPTION_SEED, "N", 0, "of all random numbers (1); the same seed gives the same results", 4},
    {0},
};

static const char size_text[] =
    "The smallest buffer depths with which nothing changes for this workload, and what they take in the FPGA.\v"
    "Runs the trace with buffers so deep that nothing waits for space, takes how full each became in the fuller NIC, "
    "runs again with "
    "those depths (at least the least that is allowed), then with each one less, alone.\n\n"
    "min_depth_full_rate: the least depth at which a run showed every event at the instant of the deep run; "
    "min_depth_zero_drop: at which a run showed no frame dropped and all requests done. They are the proposed depth, "
    "or one less "
    "where that showed it, and unknown where the proposed depths were not verified.\n\n"
    "Words of memory are rounded up to a power of two, 16 at least. Up to 64 words go into LUTs, up to 2048 into "
    "RAMB36, more of 72 bit "
    "or more into URAM, unless the FIFO crosses clocks. free_depth: the depth that the same memory gives.";

static error_t take_number(const char *value, const char *what, uint64_t most, uint64_t *out)
{
    return cli_number(value, what, most, out) != 0 ? CLI_TOLD : 0;
}

static error_t take_also(struct size_options *options, const char *path)
{
    if (options->also_count + 1 >= SIZE_OTHERS_MAX) {
        cli_fail("--also: more than %u traces are not allowed", SIZE_OTHERS_MAX - 2);
        return CLI_TOLD;
    }
    options->also[options->also_count++] = path;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct size_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->source;
        state->child_inputs[1] = &options->model;
        return 0;
    case 'o':
        options->folder = value;
        return 0;
    case OPTION_ALSO:
        return take_also(options, value);
    case OPTION_SEEDS:
        return take_number(value, "--seeds", SIZE_OTHERS_MAX, &options->seeds);
    case OPTION_ECC:
        options->ecc = 1;
        return 0;
    case OPTION_ASSERT:
        return metric_asserts_take(&options->asserts, value);
    case OPTION_FULL:
        options->full = 1;
        return 0;
    case OPTION_CURVE:
        options->curve = value;
        return 0;
    case OPTION_CHARTS:
        return gnuplot_formats(value, &options->formats) != 0 ? CLI_TOLD : 0;
    case OPTION_PART:
        options->part = value;
        return 0;
    case OPTION_BRAM:
        return take_number(value, "--bram", BLOCKS_MOST, &options->bram36);
    case OPTION_URAM:
        return take_number(value, "--uram", BLOCKS_MOST, &options->uram);
    case OPTION_SEED:
        return take_number(value, "--seed", INT64_MAX, &options->seed);
    case OPTION_FORCE:
        options->force = 1;
        return 0;
    case OPTION_JSON:
        options->json = 1;
        return 0;
    case OPTION_QUIET:
        options->quiet = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The board's own part: the model must be built to know it. */
static int find_board_part(const struct size *size, char *name, size_t name_bytes)
{
    struct rnicsim_options options = {.seed = size->options.seed};
    struct rnicsim *sim;
    int result = model_options_create(&size->options.model, &options, &sim);
    if (result != CLI_DONE)
        return result;
    snprintf(name, name_bytes, "%s", rnicsim_board_part(sim));
    rnicsim_destroy(sim);
    return 0;
}

/* Counts that are given stand for any part. */
static int override(const struct size_options *options, struct part *part)
{
    if (options->bram36 == NOT_GIVEN && options->uram == NOT_GIVEN)
        return 0;
    if (part->m20k > 0)
        return cli_fail("--bram and --uram: %s has M20Ks; allowed are AMD's parts", part->name);
    if (options->bram36 != NOT_GIVEN)
        part->bram36 = options->bram36;
    if (options->uram != NOT_GIVEN)
        part->uram = options->uram;
    snprintf(part->class_name, sizeof part->class_name, "given");
    snprintf(part->source, sizeof part->source, "--bram, --uram");
    return 0;
}

static int find_part(struct size *size)
{
    const struct size_options *options = &size->options;
    struct part *part = &size->fit.part;
    char name[64];
    int result =
        find_board_part(size, name, sizeof name); /* also when it is not asked for: the board is judged first */
    if (result != 0)
        return result;
    if (options->part == NULL && options->bram36 != NOT_GIVEN && options->uram != NOT_GIVEN) {
        snprintf(part->name, sizeof part->name, "%s", name);
        snprintf(part->device, sizeof part->device, "as given");
        return override(options, part);
    }
    result = part_find(options->part != NULL ? options->part : name, part);
    return result == 0 ? override(options, part) : result;
}

static void write_file(struct results *results, const char *name, const struct size_report *report,
                       void (*write)(const struct size_report *report, FILE *out))
{
    FILE *out = results_open(results, name);
    if (out != NULL)
        write(report, out);
    results_close(results, out);
}

static int write_files(struct size *size, const struct size_report *report)
{
    struct results *results = size->results;
    write_file(results, "size.csv", report, size_csv_write);
    write_file(results, "depths.svh", report, size_svh_write);
    write_file(results, "depths.h", report, size_h_write);
    size_curve_draw(report, results, size->options.formats);
    FILE *json = results_open(results, "size.json");
    if (json != NULL && size_json_write(report, json) != 0)
        results_fail(results, "size.json");
    results_close(results, json);
    size->results = NULL;
    return results_finish(results);
}

static int judge(const struct size_options *options, const struct size_report *report)
{
    if (options->asserts.count == 0)
        return CLI_DONE;
    json_t *size = size_json_make(report);
    if (size == NULL)
        return cli_fail("out of memory for the result");
    int worst = metric_asserts_judge(&options->asserts, size);
    json_decref(size);
    return worst;
}

static int report(struct size *size)
{
    const struct size_options *options = &size->options;
    struct result *result = &size->search.configured.result;
    int is_whole = size->search.is_verified && size->search.deep.is_complete;
    result->status = is_whole ? "complete" : "partial";
    struct size_report report = {.search = &size->search,
                                 .fit = &size->fit,
                                 .curve = &size->curve,
                                 .formula = size_formula_of(result),
                                 .status = result->status};
    int failed = size->results != NULL ? write_files(size, &report) : CLI_DONE;
    if (failed != CLI_DONE)
        return failed;
    if (!is_whole && (options->quiet || options->json))
        cli_warn("status partial: %s", size->search.deep.is_complete
                                           ? "no depths were found with which all goes as without limits"
                                           : "the requests were not all done even without limits");
    if (options->json && size_json_write(&report, stdout) != 0)
        return cli_fail("standard output cannot be written");
    if (!options->json && !options->quiet)
        size_text_print(&report, stdout);
    return judge(options, &report);
}

static int read_workload(struct source *source)
{
    int result = source_parse(source);
    if (result == CLI_DONE && source->perftest != NULL && source->perftest_options.all_sizes)
        return cli_fail("--perftest: -a is for rnicsim run; one size is sized for");
    return result;
}

/* Every trace with every seed, but for the first with the first. gen's draws follow the seed of its own options, which stay. */
static int list_others(struct size *size)
{
    const struct size_options *options = &size->options;
    size_t count = 0;
    if (options->seeds == 0)
        return cli_fail("--seeds 0: allowed are 1 to %u", SIZE_OTHERS_MAX);
    if ((options->also_count + 1) * options->seeds > SIZE_OTHERS_MAX)
        return cli_fail("--also and --seeds: %zu traces with %llu seeds; allowed are %u runs together",
                        options->also_count + 1, (unsigned long long)options->seeds, SIZE_OTHERS_MAX);
    for (size_t trace = 0; trace <= options->also_count; trace++)
        for (uint64_t seed = trace == 0; seed < options->seeds; seed++) {
            struct size_other *other = &size->others[count++];
            *other = (struct size_other){.source = options->source, .seed = options->seed + seed};
            if (trace > 0)
                other->source = (struct source){.trace = options->also[trace - 1]};
        }
    size->workload.others = size->others;
    size->workload.other_count = count;
    return CLI_DONE;
}

static int run_all(struct size *size)
{
    struct size_options *options = &size->options;
    size->workload = (struct size_workload){
        .model = &options->model, .source = &options->source, .seed = options->seed, .is_quiet = options->quiet};
    size->search.workload = &size->workload;
    int result = options->folder != NULL
                     ? results_begin(options->folder, options->force ? RESULTS_REPLACE : RESULTS_NEW, &size->results)
                     : CLI_DONE;
    if (result == CLI_DONE)
        result = read_workload(&options->source);
    if (result == CLI_DONE)
        result = list_others(size);
    if (result == CLI_DONE)
        result = find_part(size);
    if (result == CLI_DONE)
        result = size_search(&size->search);
    if (result == CLI_DONE && options->full)
        result = size_relax_all(&size->search);
    if (result == CLI_DONE && options->curve != NULL)
        result = size_curve_run(&size->curve, &size->search, options->curve);
    progress_end(&size->workload.progress);
    if (result == CLI_DONE)
        result = source_digest(&options->source, size->search.configured.result.digest, RESULT_DIGEST_BYTES);
    size->fit.has_ecc = options->ecc;
    if (result == CLI_DONE)
        result = size_fit(&size->fit, &size->search);
    if (result == CLI_DONE)
        result = report(size);
    results_discard(size->results);
    return result;
}

int size_main(int argc, char **argv)
{
    const struct argp_child children[] = {{source_argp(), 0, NULL, 0}, {model_options_argp(), 0, "The model:", 1}, {0}};
    const struct argp argp = {size_option_table, parse, "[TRACE]", size_text, children, NULL, NULL};
    struct size size = {
        .options = {.seed = 1, .bram36 = NOT_GIVEN, .uram = NOT_GIVEN, .formats = GNUPLOT_SVG, .seeds = 1}};
    int result = cli_parse(&argp, "size", argc, argv, &size.options);
    if (result < 0) {
        result = source_check(&size.options.source, "size");
        result = result == CLI_DONE ? -1 : result;
    }
    if (result < 0) {
        result = run_all(&size);
        size_search_free(&size.search);
        size_fit_free(&size.fit);
        source_free(&size.options.source);
    }
    model_options_free(&size.options.model);
    return result;
}
