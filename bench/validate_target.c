#include "bench/validate_target.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/cli.h"

#define ENDING ".target"
#define FOLDER "validation"

static const char *const text_name[TARGET_TEXTS] = {"about", "kind", "board", "host", "set", "workload", "source"};

int target_fail(const struct target *target, int line, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cli_fail("%s:%d: %s", target->path, line, text);
}

/* ---- lines ---- */

static int wrong(struct rnicsim_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

static int take_text(struct target *target, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    size_t length = strlen(line->value);
    int is_quoted = line->value[0] == '"' && length > 1, which = 0;
    while (which < TARGET_TEXTS && strcmp(line->key, text_name[which]) != 0)
        which++;
    if (which == TARGET_TEXTS)
        return wrong(error,
                     "unknown key '%.40s', allowed are about, kind, board, host, set, workload, source, and behind "
                     "them [measured] and [fitted]",
                     line->key);
    if (target->line[which] > 0)
        return wrong(error, "%s given twice, first in line %d", line->key, target->line[which]);
    snprintf(target->text[which], TARGET_TEXT_BYTES, "%.*s", (int)length - 2 * is_quoted, line->value + is_quoted);
    target->line[which] = line->number;
    return target->text[which][0] != 0 ? 0 : wrong(error, "%s: empty text", line->key);
}

/* "0.99 us +- 0.005 @calibrated" */
static int take_point(struct target *target, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    struct target_point point = {.line = line->number};
    char class_name[16] = "", more;
    int with = sscanf(line->value, "%lf %15[^ @+] +- %lf @%15s %c", &point.measured, point.unit, &point.spread,
                      class_name, &more);
    int without =
        with == 4 ? 3 : sscanf(line->value, "%lf %15[^ @+] @%15s %c", &point.measured, point.unit, class_name, &more);
    point.is_calibrated = strcmp(class_name, "calibrated") == 0;
    if (without != 3 || (!point.is_calibrated && strcmp(class_name, "prediction") != 0))
        return wrong(error, "%.32s = %.60s: allowed is, for example, 0.99 us +- 0.005 @prediction, or @calibrated",
                     line->key, line->value);
    if (!(point.measured > 0) || !(point.spread >= 0))
        return wrong(error, "%.32s = %.60s: allowed are a measured value above 0 and a spread of 0 or more", line->key,
                     line->value);
    if (strlen(line->key) >= sizeof point.metric || target->points == TARGET_POINTS_MAX)
        return wrong(error, "%.48s: too long, or one too many: allowed are %d metrics", line->key, TARGET_POINTS_MAX);
    strcpy(point.metric, line->key);
    for (size_t i = 0; i < target->points; i++)
        if (strcmp(target->point[i].metric, point.metric) == 0)
            return wrong(error, "%s given twice, first in line %d", line->key, target->point[i].line);
    target->point[target->points++] = point;
    return 0;
}

/* key = calibrated "metric" */
static int take_fitted(struct target *target, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    struct target_fitted fitted = {.line = line->number};
    char more;
    if (sscanf(line->value, "calibrated \"%31[^\"]\" %c", fitted.metric, &more) != 1)
        return wrong(error, "%.48s = %.60s: allowed is calibrated \"METRIC\", a metric of [measured]", line->key,
                     line->value);
    if (target->fitted_count == TARGET_FITTED_MAX)
        return wrong(error, "%.48s: one too many, allowed are %d constants", line->key, TARGET_FITTED_MAX);
    snprintf(fitted.key, sizeof fitted.key, "%s", line->key);
    target->fitted[target->fitted_count++] = fitted;
    return 0;
}

static int take_line(void *context, const struct rnicsim_ini_line *line, struct rnicsim_error *error)
{
    struct target *target = context;
    target->last_line = line->number;
    int is_measured = strcmp(line->section, "measured") == 0, is_fitted = strcmp(line->section, "fitted") == 0;
    if (line->section[0] == 0)
        return take_text(target, line, error);
    if (!is_measured && !is_fitted)
        return wrong(error, "unknown section [%s], allowed are [measured] and [fitted]", line->section);
    if (!line->key)
        return 0;
    return is_measured ? take_point(target, line, error) : take_fitted(target, line, error);
}

/* ---- what must stand together ---- */

static struct target_point *find_point(struct target *target, const char *metric)
{
    for (size_t i = 0; i < target->points; i++)
        if (strcmp(target->point[i].metric, metric) == 0)
            return &target->point[i];
    return NULL;
}

static int check_whole(struct target *target)
{
    for (int i = 0; i < TARGET_TEXTS; i++)
        if (i != TARGET_SET && i != TARGET_BOARD && target->line[i] == 0)
            return target_fail(target, target->last_line, "the target ends without '%s'", text_name[i]);
    if (target->points == 0)
        return target_fail(target, target->last_line, "the target ends without a metric in [measured]");
    for (size_t i = 0; i < target->fitted_count; i++) {
        const struct target_point *point = find_point(target, target->fitted[i].metric);
        if (!point || !point->is_calibrated)
            return target_fail(target, target->fitted[i].line, "%s was fitted to '%s', which is no point @calibrated",
                               target->fitted[i].key, target->fitted[i].metric);
    }
    for (size_t i = 0; i < target->points; i++)
        if (target->point[i].is_calibrated && target->fitted_count == 0)
            return target_fail(target, target->point[i].line, "%s is @calibrated, but no constant stands in [fitted]",
                               target->point[i].metric);
    return CLI_DONE;
}

/* ---- files ---- */

static int is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int find(struct target *target, const char *name)
{
    char folder[256];
    const char *base = strrchr(name, '/');
    snprintf(target->name, sizeof target->name, "%s", base ? base + 1 : name);
    char *dot = strrchr(target->name, '.');
    if (dot && strcmp(dot, ENDING) == 0)
        *dot = 0;
    if (base || is_file(name)) {
        snprintf(target->path, sizeof target->path, "%s", name);
        return CLI_DONE;
    }
    if (rnicsim_data_folder(FOLDER, folder, sizeof folder) == RNICSIM_OK)
        snprintf(target->path, sizeof target->path, "%s/%.200s" ENDING, folder, name);
    return is_file(target->path) ? CLI_DONE
                                 : cli_fail("unknown target '%.60s'; rnicsim validate without one runs all that are "
                                            "known, which have a file %s/NAME" ENDING,
                                            name, folder);
}

int target_read(struct target *target, const char *name_or_path)
{
    struct rnicsim_error error;
    *target = (struct target){.last_line = 1};
    int status = find(target, name_or_path);
    if (status != CLI_DONE)
        return status;
    int result = rnicsim_ini_read(target->path, take_line, target, &error);
    return result == RNICSIM_OK ? check_whole(target) : cli_fail_result(result, &error);
}

char *target_list(void)
{
    char *names = rnicsim_data_list(FOLDER, ENDING);
    if (!names)
        cli_fail("no target is found: there is no folder %s with " ENDING " files, nor ../share/rnicsim/%s beside the "
                 "program; allowed is a file",
                 FOLDER, FOLDER);
    return names;
}

int target_model(struct target *target, struct model_options *model)
{
    char *rest = NULL;
    *model = (struct model_options){.board = target->text[TARGET_BOARD], .host = target->text[TARGET_HOST]};
    for (char *set = strtok_r(target->text[TARGET_SET], ";", &rest); set; set = strtok_r(NULL, ";", &rest))
        if (model_options_set(model, set + strspn(set, " ")) != 0)
            return cli_fail("out of memory");
    return CLI_DONE;
}
