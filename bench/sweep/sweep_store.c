#include "bench/sweep/sweep_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/result.h"

#define PLAN "points/plan.json"

static void path_of(const struct sweep_store *store, uint64_t run, const char *ending, char *path)
{
    snprintf(path, SWEEP_PATH_BYTES, "%s/points/%09llu.%s", store->folder, (unsigned long long)run, ending);
}

void sweep_store_error_path(const struct sweep_store *store, uint64_t run, char *path, size_t path_bytes)
{
    snprintf(path, path_bytes, "%s/points/%09llu.err", store->folder, (unsigned long long)run);
}

/* Written aside and renamed. */
static int write_json(const char *path, json_t *object)
{
    char aside[SWEEP_PATH_BYTES + 8];
    snprintf(aside, sizeof aside, "%s.tmp", path);
    if (json_dump_file(object, aside, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 && rename(aside, path) == 0)
        return CLI_DONE;
    int reason = errno;
    unlink(aside);
    return cli_fail("%s: cannot be written: %s", path, strerror(reason));
}

/* ---- the plan ---- */

enum plan { PLAN_NONE, PLAN_SAME, PLAN_OTHER };

static enum plan look_at_plan(const struct sweep_store *store)
{
    char path[SWEEP_PATH_BYTES];
    snprintf(path, sizeof path, "%s/" PLAN, store->folder);
    if (access(path, F_OK) != 0)
        return PLAN_NONE;
    json_t *plan = json_load_file(path, 0, NULL);
    const char *identity = json_string_value(json_object_get(plan, "identity"));
    enum plan result = identity != NULL && strcmp(identity, store->identity) == 0 ? PLAN_SAME : PLAN_OTHER;
    json_decref(plan);
    return result;
}

static int write_plan(const struct sweep_store *store, const struct sweep *sweep)
{
    char path[SWEEP_PATH_BYTES];
    snprintf(path, sizeof path, "%s/" PLAN, store->folder);
    json_t *plan =
        json_pack("{s:i,s:s,s:s,s:I,s:I}", "schema", RESULT_SCHEMA, "version", RNICSIM_VERSION, "identity",
                  store->identity, "points", (json_int_t)sweep->points, "repeats", (json_int_t)sweep->repeats);
    int result = plan != NULL ? write_json(path, plan) : cli_fail("out of memory for the sweep");
    json_decref(plan);
    return result;
}

/* What a run that was killed has left, and why runs failed that are tried again; with `all`, finished runs too. */
static void clean_points(const char *folder, int all)
{
    DIR *points = opendir(folder);
    const struct dirent *entry;
    while (points != NULL && (entry = readdir(points)) != NULL) {
        size_t length = strlen(entry->d_name);
        int is_rest = length > 4 && (strcmp(entry->d_name + length - 4, ".tmp") == 0 ||
                                     strcmp(entry->d_name + length - 4, ".err") == 0);
        if (entry->d_name[0] != '.' && (all || is_rest))
            unlinkat(dirfd(points), entry->d_name, 0);
    }
    if (points != NULL)
        closedir(points);
}

int sweep_store_begin(struct sweep_store *store, const struct sweep *sweep, int force)
{
    char points[SWEEP_PATH_BYTES];
    enum plan plan = look_at_plan(store);
    if (plan == PLAN_OTHER && !force)
        return cli_fail("-o %s: holds the results of another sweep; --force replaces them", store->folder);
    int result = results_begin(store->folder, force ? RESULTS_REPLACE_SWEEP : RESULTS_SWEEP, &store->results);
    if (result != CLI_DONE)
        return result;
    snprintf(points, sizeof points, "%s/points", store->folder);
    if (mkdir(points, 0777) != 0 && errno != EEXIST)
        return cli_fail("-o %s: %s", points, strerror(errno));
    clean_points(points, plan == PLAN_OTHER);
    return plan == PLAN_SAME ? CLI_DONE : write_plan(store, sweep);
}

int sweep_store_join(const struct sweep_store *store)
{
    switch (look_at_plan(store)) {
    case PLAN_SAME:
        return CLI_DONE;
    case PLAN_NONE:
        return cli_fail("-o %s: holds no sweep; --part takes one that was begun", store->folder);
    default:
        return cli_fail("-o %s: holds another sweep than this file describes", store->folder);
    }
}

/* ---- runs ---- */

int sweep_store_has(const struct sweep_store *store, uint64_t run)
{
    char path[SWEEP_PATH_BYTES];
    path_of(store, run, "json", path);
    return access(path, F_OK) == 0;
}

int sweep_store_write(const struct sweep_store *store, const struct sweep *sweep, uint64_t run, json_t *run_summary)
{
    char path[SWEEP_PATH_BYTES];
    uint64_t point = run / sweep->repeats;
    json_t *axes = json_object(), *whole = json_object();
    int failed = axes == NULL || whole == NULL;
    for (size_t i = 0; i < sweep->axis_count; i++)
        failed |= json_object_set_new(axes, sweep->axes[i].key, json_string(sweep_value(sweep, i, point)));
    failed |= json_object_set_new(whole, "identity", json_string(store->identity));
    failed |= json_object_set_new(whole, "point", json_integer((json_int_t)point));
    failed |= json_object_set_new(whole, "repeat", json_integer((json_int_t)(run % sweep->repeats)));
    failed |= json_object_set_new(whole, "axes", axes);
    failed |= json_object_set(whole, "summary", run_summary);
    path_of(store, run, "json", path);
    int result = failed ? cli_fail("out of memory for the result") : write_json(path, whole);
    json_decref(whole);
    return result;
}

json_t *sweep_store_read(const struct sweep_store *store, uint64_t run)
{
    char path[SWEEP_PATH_BYTES];
    json_error_t error;
    path_of(store, run, "json", path);
    json_t *whole = json_load_file(path, 0, &error);
    const char *identity = json_string_value(json_object_get(whole, "identity"));
    int is_ours = identity != NULL && strcmp(identity, store->identity) == 0;
    json_t *summary = is_ours ? json_incref(json_object_get(whole, "summary")) : NULL;
    json_decref(whole);
    if (summary == NULL)
        cli_fail("%s: no result of a run (%.100s); remove it, and run the sweep again", path,
                 whole == NULL ? error.text : "it is of another sweep");
    return summary;
}

void sweep_store_why(const struct sweep_store *store, uint64_t run, char *text, size_t text_bytes)
{
    char path[SWEEP_PATH_BYTES], line[512] = "";
    sweep_store_error_path(store, run, path, sizeof path);
    FILE *file = fopen(path, "re");
    text[0] = 0;
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL && strstr(line, "warning: ") != NULL)
        line[0] = 0;
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    const char *own = strncmp(line, "rnicsim: ", 9) == 0 ? line + 9 : line;
    snprintf(text, text_bytes, "%s", own[0] != 0 ? own : "it was killed");
}
