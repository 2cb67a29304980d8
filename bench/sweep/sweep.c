/* rnicsim sweep: its options, and what it does in which order. */
#include "bench/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/gnuplot.h"
#include "bench/parallel.h"
#include "bench/sweep/sweep_draw.h"
#include "bench/sweep/sweep_page.h"
#include "bench/sweep/sweep_pool.h"
#include "bench/sweep/sweep_slurm.h"

enum {
    OPTION_FORCE = 5000,
    OPTION_DRY_RUN,
    OPTION_YES,
    OPTION_SLURM,
    OPTION_PART,
    OPTION_NO_CHARTS,
    OPTION_CHARTS,
    OPTION_LANG,
    OPTION_JSON,
    OPTION_QUIET
};

#define FAILURES_TOLD 5u

struct sweep_options {
    const char *file, *folder, *partition, *part;
    unsigned jobs, formats;
    enum page_lang lang;
    int force, dry_run, yes, slurm, no_charts, json, quiet;
};

static const struct argp_option option_table[] = {
    {NULL, 'o', "DIR", 0,
     "the folder of results (FILE's name with .results, here); a sweep begun there is gone on with", 1},
    {NULL, 'j', "N", 0, "runs at a time (as many as there are cores)", 1},
    {"slurm", OPTION_SLURM, "PARTITION", OPTION_ARG_OPTIONAL,
     "runs it as a Slurm job array, waits, and collects the same files", 1},
    {"part", OPTION_PART, "K/N", 0,
     "runs the Kth (from 0) of N parts into a folder where the sweep was begun, and collects nothing: for schedulers",
     1},
    {"dry-run", OPTION_DRY_RUN, NULL, 0, "says what would be run, after checking that it can begin", 2},
    {"yes", OPTION_YES, NULL, 0, "also more than 10,000 runs", 2},
    {"force", OPTION_FORCE, NULL, 0, "replaces what the folder holds of something else", 2},
    {"no-charts", OPTION_NO_CHARTS, NULL, 0, "no charts", 2},
    {"charts", OPTION_CHARTS, "FORMATS", 0, "draws them as svg (the default), png or pdf: svg,pdf", 2},
    {"lang", OPTION_LANG, "LANGUAGE", 0, "of the headings in report.html, en (the default) or zh", 2},
    {"json", OPTION_JSON, NULL, 0, "prints sweep.json instead of the table", 2},
    {"quiet", OPTION_QUIET, NULL, 0, "no table and no progress bar", 2},
    {0},
};

static const char sweep_text[] =
    "Runs a workload for every point of a parameter sweep, and collects tables and charts.\v"
    "FILE is an ini: [sweep] with board, host, trace or perftest or gen, faults; axis.KEY = LIST or A..B step C or "
    "A..B "
    "log N, KEY being any parameter, seed, board, host, trace, perftest, gen, faults, or an option of the workload "
    "(size, "
    "qps, depth, requests, load ...); zip = KEY, KEY; set.KEY = VALUE; repeats = N; metric = names of summary.json; "
    "chart = lines|heatmap|bars|load_latency [metric=NAME] [x=KEY] [by=KEY] [log=xy].\n\n"
    "The folder gets sweep.json, sweep.csv, with repeats runs.csv, a chart for each chart line, and points/, a result "
    "a "
    "run. What is there of a sweep that was killed is not run again. A run that fails leaves a row without values, and "
    "the exit status is 2 (3 where the model found itself wrong).";

static error_t take_word(const char **out, const char *value, const char *what)
{
    if (*out != NULL) {
        cli_fail("\"%s\" and \"%s\": one %s is allowed", *out, value, what);
        return CLI_TOLD;
    }
    *out = value;
    return 0;
}

static error_t take_jobs(struct sweep_options *options, const char *value)
{
    uint64_t jobs = 0;
    if (cli_number(value, "-j", SWEEP_JOBS_MAX, &jobs) != 0)
        return CLI_TOLD;
    if (jobs == 0) {
        cli_fail("-j 0: allowed are 1 to %u runs at a time", SWEEP_JOBS_MAX);
        return CLI_TOLD;
    }
    options->jobs = (unsigned)jobs;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct sweep_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        return take_word(&options->file, value, "sweep file");
    case 'o':
        return take_word(&options->folder, value, "folder");
    case 'j':
        return take_jobs(options, value);
    case OPTION_SLURM:
        options->partition = value;
        return cli_take_flag(&options->slurm);
    case OPTION_PART:
        return take_word(&options->part, value, "part");
    case OPTION_DRY_RUN:
        return cli_take_flag(&options->dry_run);
    case OPTION_YES:
        return cli_take_flag(&options->yes);
    case OPTION_FORCE:
        return cli_take_flag(&options->force);
    case OPTION_NO_CHARTS:
        return cli_take_flag(&options->no_charts);
    case OPTION_CHARTS:
        return gnuplot_formats(value, &options->formats) != 0 ? CLI_TOLD : 0;
    case OPTION_LANG:
        return page_lang_read(value, &options->lang) != 0 ? CLI_TOLD : 0;
    case OPTION_JSON:
        return cli_take_flag(&options->json);
    case OPTION_QUIET:
        return cli_take_flag(&options->quiet);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* study.sweep: study.results, where the command is given. */
static void default_folder(const char *file, char *folder, size_t folder_bytes)
{
    const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(folder, folder_bytes, "%.*s.results", (int)(dot != NULL && dot != name ? dot - name : (long)strlen(name)),
             name);
}

static int print_plan(const struct sweep *sweep, const struct sweep_store *store)
{
    uint64_t finished = 0;
    for (uint64_t run = 0; run < sweep->runs; run++)
        finished += (uint64_t)sweep_store_has(store, run);
    printf("%s: %llu points", sweep->path, (unsigned long long)sweep->points);
    if (sweep->repeats > 1)
        printf(", %llu repeats each: %llu runs", (unsigned long long)sweep->repeats, (unsigned long long)sweep->runs);
    printf("; %s has %llu of them\n", store->folder, (unsigned long long)finished);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        printf("  %-32s %zu values: %s", axis->key, axis->count, axis->values[0]);
        for (size_t k = 1; k < axis->count && k < 8; k++)
            printf(", %s", axis->values[k]);
        printf("%s%s%s\n", axis->count > 8 ? ", ..., " : "", axis->count > 8 ? axis->values[axis->count - 1] : "",
               axis->leader != i ? " (zipped)" : "");
    }
    return CLI_DONE;
}

/* ---- what is collected ---- */

static void write_file(struct results *results, const char *name, const struct sweep_table *table,
                       void (*write)(const struct sweep_table *table, FILE *out))
{
    FILE *out = results_open(results, name);
    if (out != NULL)
        write(table, out);
    results_close(results, out);
}

static int write_files(const struct sweep_table *table, struct sweep_store *store, const struct sweep_options *options)
{
    struct results *results = store->results;
    write_file(results, "sweep.csv", table, sweep_table_csv);
    if (table->sweep->repeats > 1)
        write_file(results, "runs.csv", table, sweep_table_runs_csv);
    if (!options->no_charts)
        sweep_draw_all(table, results, options->formats);
    sweep_page_write(table, results, options->lang);
    FILE *json = results_open(results, "sweep.json");
    if (json != NULL && sweep_table_json(table, json) != 0)
        results_fail(results, "sweep.json");
    results_close(results, json);
    store->results = NULL;
    return results_finish(results);
}

/* 3 where the model found itself wrong, else 2; each of the first few failures is a line. */
static int tell_failures(const struct sweep_table *table)
{
    const struct sweep *sweep = table->sweep;
    char why[512];
    unsigned told = 0;
    int result = CLI_DONE;
    for (uint64_t run = 0; run < sweep->runs; run++) {
        if (table->run_status[run] != SWEEP_FAILED)
            continue;
        sweep_store_why(table->store, run, why, sizeof why);
        int is_model = strstr(why, "the model found itself wrong") != NULL;
        result = is_model ? CLI_MODEL : result == CLI_MODEL ? result : CLI_INPUT;
        if (told++ < FAILURES_TOLD)
            cli_warn("point %llu failed: %s", (unsigned long long)(run / sweep->repeats), why);
    }
    if (told > 0)
        cli_fail("%llu of %llu runs failed; the others' results are in %s", (unsigned long long)table->failed,
                 (unsigned long long)sweep->runs, table->store->folder);
    return result;
}

static int collect(const struct sweep *sweep, struct sweep_store *store, const struct sweep_options *options)
{
    struct sweep_table table;
    int result = sweep_table_make(&table, sweep, store);
    if (result == CLI_DONE && table.failed < sweep->runs) {
        uint64_t run = 0;
        while (table.run_status[run] == SWEEP_FAILED)
            run++;
        result = sweep_pool_check_metrics(sweep, store, run);
    }
    if (result == CLI_DONE)
        result = write_files(&table, store, options);
    if (result == CLI_DONE && options->json)
        result = sweep_table_json(&table, stdout) == 0 ? CLI_DONE : cli_fail("standard output cannot be written");
    else if (result == CLI_DONE && !options->quiet) {
        sweep_table_print(&table, stdout);
        printf("Results in %s\n", store->folder);
    }
    if (result == CLI_DONE)
        result = tell_failures(&table);
    sweep_table_free(&table);
    return result;
}

/* ---- runs ---- */

static int simulate(const struct sweep *sweep, struct sweep_store *store, const struct sweep_options *options)
{
    struct sweep_pool pool = {.sweep = sweep,
                              .store = store,
                              .end = sweep->runs,
                              .jobs = options->jobs,
                              .is_quiet = options->quiet || options->json};
    int result = sweep_store_begin(store, sweep, options->force);
    if (result == CLI_DONE)
        result =
            options->slurm ? sweep_slurm_run(sweep, store, options->partition, pool.is_quiet) : sweep_pool_run(&pool);
    return result == CLI_DONE ? collect(sweep, store, options) : result;
}

/* "3/8" */
static int simulate_part(const struct sweep *sweep, struct sweep_store *store, const struct sweep_options *options)
{
    unsigned long long part = 0, parts = 0;
    char more;
    if (sscanf(options->part, "%llu/%llu%c", &part, &parts, &more) != 2 || parts == 0 || part >= parts ||
        parts > SWEEP_RUNS_MAX)
        return cli_fail("--part \"%.60s\": allowed is K/N, K from 0 to N - 1", options->part);
    int result = sweep_store_join(store);
    struct sweep_pool pool = {.sweep = sweep,
                              .store = store,
                              .first = sweep->runs * part / parts,
                              .end = sweep->runs * (part + 1) / parts,
                              .jobs = options->jobs,
                              .is_quiet = options->quiet};
    if (result == CLI_DONE)
        result = sweep_pool_run(&pool);
    if (result == CLI_DONE && pool.failed > 0)
        result = cli_fail("%llu of %llu runs failed; why: %s/points/*.err", (unsigned long long)pool.failed,
                          (unsigned long long)pool.simulated, store->folder);
    return result;
}

static int run_sweep(const struct sweep_options *options)
{
    struct sweep sweep;
    char folder[SWEEP_PATH_BYTES / 2], identity[SWEEP_DIGEST_BYTES];
    struct sweep_store store = {.folder = options->folder, .identity = identity};
    int result = sweep_read(&sweep, options->file);
    if (options->folder == NULL) {
        default_folder(options->file, folder, sizeof folder);
        store.folder = folder;
    }
    if (result == CLI_DONE && sweep.runs > SWEEP_RUNS_UNASKED && !options->yes && !options->dry_run)
        result = cli_fail("%s: %llu runs; allowed without --yes are %u", options->file, (unsigned long long)sweep.runs,
                          SWEEP_RUNS_UNASKED);
    if (result == CLI_DONE)
        result = sweep_check(&sweep, identity, sizeof identity);
    if (result == CLI_DONE)
        result = options->dry_run        ? print_plan(&sweep, &store)
                 : options->part != NULL ? simulate_part(&sweep, &store, options)
                                         : simulate(&sweep, &store, options);
    results_discard(store.results);
    sweep_free(&sweep);
    return result;
}

int sweep_main(int argc, char **argv)
{
    const struct argp argp = {option_table, parse, "FILE", sweep_text, NULL, NULL, NULL};
    struct sweep_options options = {.formats = GNUPLOT_SVG, .jobs = parallel_cores()};
    int result = cli_parse(&argp, "sweep", argc, argv, &options);
    if (result >= 0)
        return result;
    if (options.file == NULL)
        return cli_fail("which sweep file? rnicsim sweep FILE; see rnicsim sweep --help");
    if (options.part != NULL && options.slurm)
        return cli_fail("--part and --slurm: one of them is allowed");
    return run_sweep(&options);
}
