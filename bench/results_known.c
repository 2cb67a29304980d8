#include "bench/results_known.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096

static const char *const known_tables[] = {
    RESULTS_SUMMARY, RESULTS_SIZE, RESULTS_WHY, RESULTS_SWEEP_WHOLE, "sweep.csv",  "report.html",  "depths.svh",
    "depths.h",      "runs.csv",   "size.csv",  "latency.csv",       "stages.csv", "stalls.csv",   "fifos.csv",
    "pcie.csv",      "events.csv", "qps.csv",   "perftest.csv",      "loads.csv",  "contexts.csv", "ports.csv"};
static const char *const known_charts[] = {"latency_cdf",  "latency_ccdf", "waterfall",    "fifo_occupancy",
                                           "fifo_fullest", "fifo_around",  "load_latency", "bandwidth_size",
                                           "requests",     "pcie_kinds",   "depth_curve",  "waterfall_size",
                                           "rate_size",    "latency_size", "tornado"};
static const char *const chart_ends[] = {".dat", ".gp", ".svg", ".png", ".pdf"};

/* A sweep names its charts after what they show. */
static int is_sweep_chart(const char *name)
{
    static const char *const kinds[] = {"sweep_lines_", "sweep_heatmap_", "sweep_bars_", "sweep_load_latency_"};
    const char *end = strrchr(name, '.');
    int is_chart = 0, has_end = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        is_chart |= strncmp(name, kinds[i], strlen(kinds[i])) == 0;
    for (size_t i = 0; end != NULL && i < sizeof chart_ends / sizeof *chart_ends; i++)
        has_end |= strcmp(end, chart_ends[i]) == 0;
    return is_chart && has_end;
}

static void remove_sweep_charts(DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (is_sweep_chart(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
}

void results_known_remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

static void remove_points(const char *folder)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/" RESULTS_PLAN, folder);
    if (access(path, F_OK) != 0)
        return;
    snprintf(path, sizeof path, "%s/points", folder);
    results_known_remove_tree(path);
}

void results_known_remove(const char *path, int with_points)
{
    char name[96];
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    remove_sweep_charts(folder);
    if (with_points)
        remove_points(path);
    for (size_t i = 0; i < sizeof known_tables / sizeof *known_tables; i++)
        unlinkat(dirfd(folder), known_tables[i], 0);
    for (size_t i = 0; i < sizeof known_charts / sizeof *known_charts; i++)
        for (size_t end = 0; end < sizeof chart_ends / sizeof *chart_ends; end++) {
            snprintf(name, sizeof name, "%s%s", known_charts[i], chart_ends[end]);
            unlinkat(dirfd(folder), name, 0);
        }
    closedir(folder);
}
