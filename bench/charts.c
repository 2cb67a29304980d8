#include "bench/charts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/head.h"
#include "traces/cleanup.h"

#define PATH_BYTES 4096
#define COMMON "common" /* the template that all begin with */

struct chart {
    const char *name;
    void (*data)(const struct result *result, FILE *out);
};

/* 0, or -1: there is none. */
static int copy_template(const char *name, FILE *out)
{
    char folder[PATH_BYTES], path[PATH_BYTES + 64], bytes[4096];
    size_t count;
    if (rnicsim_data_folder("plots", folder, sizeof folder) != RNICSIM_OK)
        return -1;
    snprintf(path, sizeof path, "%s/%s.gp", folder, name);
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return -1;
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, count, out);
    fclose(in);
    return 0;
}

/* As gnuplot's string in double quotes. */
static void put_string(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s = \"", name);
    for (; *text != 0; text++)
        fputc(*text == '"' || *text == '\\' || *text == '`' || (unsigned char)*text < ' ' ? '\'' : *text, out);
    fputs("\"\n", out);
}

static void put_variables(const struct result *result, const char *name, FILE *out)
{
    char text[512];
    const char *slash = strrchr(result->trace, '/'), *here = strstr(result->trace, " (here: ");
    const char *workload = slash != NULL ? slash + 1 : result->trace;
    int is_of_all = (strstr(name, "_size") != NULL || strcmp(name, "load_latency") == 0) && here != NULL;
    fprintf(out, "# draws it again: gnuplot %s.gp; as PNG: gnuplot -e \"fmt='png'\" %s.gp\n", name, name);
    fprintf(out, "datafile = \"%s.dat\"\nout_file = \"%s\"\n", name, name);
    snprintf(text, sizeof text, "%s, host %s, %.*s", rnicsim_board_name(result->sim), rnicsim_host_name(result->sim),
             (int)(is_of_all ? (size_t)(here - workload) : strlen(workload)), workload);
    put_string(out, "subtitle", text);
    if (result->perftest != NULL)
        fprintf(out, "tool = \"%s\"\nrate_unit = \"%s\"\nlatency_unit = \"%s\"\n", result->perftest->options.tool,
                result->perftest->options.in_gbits ? "Gb/s" : "MiB/s",
                result->perftest->options.in_cycles ? "cycles" : "us");
    if (result->loads != NULL)
        fprintf(out, "knee = %g\n",
                result->loads->knee < 0 ? -1.0 : result->loads->point[result->loads->knee].load_pct);
    if (result->fifo_count > 0) {
        const struct result_fifo *fifo = &result->fifos[0];
        put_string(out, "fifo_name", fifo->name);
        put_string(out, "fifo_unit", fifo->info.unit);
        fprintf(out, "fifo_depth = %" PRIu64 "\nfifo_high_water = %" PRIu64 "\n", fifo->info.depth,
                fifo->info.high_water);
    }
}

static int write_script(const struct result *result, struct results *results, const char *name)
{
    char file_name[64];
    snprintf(file_name, sizeof file_name, "%s.gp", name);
    FILE *out = results_open(results, file_name);
    if (out == NULL)
        return -1;
    head_print(result, out);
    put_variables(result, name, out);
    int failed = copy_template(COMMON, out) != 0 || copy_template(name, out) != 0;
    results_close(results, out);
    return failed ? -1 : 0;
}

static void write_data(const struct result *result, struct results *results, const struct chart *chart)
{
    char file_name[64];
    snprintf(file_name, sizeof file_name, "%s.dat", chart->name);
    FILE *out = results_open(results, file_name);
    if (out == NULL)
        return;
    head_print(result, out);
    chart->data(result, out);
    results_close(results, out);
}

/* Until it is reaped, its number is its own: only so long may a signal kill it. */
static void wait_for(pid_t child, int *status)
{
    siginfo_t info;
    cleanup_child(child);
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    cleanup_child(0);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
}

/* gnuplot's exit status, or -1 with errno: it could not be started. */
static int run_gnuplot(const char *folder, const char *script)
{
    char program[] = "gnuplot", argument[64];
    char *argv[] = {program, argument, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    snprintf(argument, sizeof argument, "%s", script);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    wait_for(child, &status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* 0, or -1: there is no gnuplot, so that the next chart need not be tried. */
static int draw(struct results *results, const char *name)
{
    char script[64], picture[64], path[PATH_BYTES];
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(picture, sizeof picture, "%s.svg", name);
    snprintf(path, sizeof path, "%s/%s", results_folder(results), picture);
    results_add(results, picture);
    int result = run_gnuplot(results_folder(results), script);
    if (result == 0 && access(path, F_OK) == 0)
        return 0;
    results_drop(results, picture);
    if (result < 0) {
        cli_warn("gnuplot cannot be started (%s): the charts stay undrawn, their .dat and .gp files are there",
                 strerror(errno));
        return -1;
    }
    cli_warn("gnuplot could not draw %s", script);
    return 0;
}

/* Whether there is something to draw: an empty chart would make gnuplot fail. */
static int has_data(const struct result *result, const struct chart *chart)
{
    if (chart->data == charts_data_distribution)
        return result->completion.count > 0 && result->delivery.count > 0;
    if (chart->data == charts_data_waterfall)
        return result->waterfall.sum_ps > 0;
    if (chart->data == charts_data_around)
        return result->around.count > 1;
    if (chart->data == charts_data_loads)
        return result->loads != NULL && result->loads->count > 1;
    if (chart->data == charts_data_sizes)
        return result->perftest != NULL && result->perftest->count > 1 &&
               result->perftest->options.is_lat == (strcmp(chart->name, "latency_size") == 0);
    return result->fifo_count > 0 && result->fifos[0].info.high_water > 0;
}

void charts_write(const struct result *result, struct results *results)
{
    static const struct chart charts[] = {
        {"latency_cdf", charts_data_distribution}, {"latency_ccdf", charts_data_distribution},
        {"waterfall", charts_data_waterfall},      {"fifo_occupancy", charts_data_occupancy},
        {"fifo_fullest", charts_data_fullest},     {"fifo_around", charts_data_around},
        {"load_latency", charts_data_loads},       {"bandwidth_size", charts_data_sizes},
        {"rate_size", charts_data_sizes},          {"latency_size", charts_data_sizes},
    };
    int is_drawing = 1;
    for (size_t i = 0; i < sizeof charts / sizeof *charts && !results_has_failed(results); i++) {
        if (!has_data(result, &charts[i]))
            continue;
        write_data(result, results, &charts[i]);
        if (write_script(result, results, charts[i].name) != 0) {
            cli_warn("the template %s.gp is missing; the chart stays undrawn", charts[i].name);
            continue;
        }
        is_drawing = is_drawing && !results_has_failed(results) && draw(results, charts[i].name) == 0;
    }
}
