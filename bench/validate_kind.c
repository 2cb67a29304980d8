#include "bench/validate_kind.h"

#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/validate_reads.h"

static const struct validate_kind *const kinds[] = {&validate_perftest, &validate_pciebench};

static const struct validate_kind *find_kind(const struct target *target)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, target->text[TARGET_KIND]) == 0)
            return kinds[i];
    return NULL;
}

/* ---- the model ---- */

/* The parameters of class calibrated; those that the target says were fitted to it must be among them. */
static int take_constants(const struct target *target, const struct rnicsim *sim, struct validate_constants *all)
{
    size_t found = 0;
    all->count = 0;
    for (size_t i = 0; i < rnicsim_param_count(sim) && all->count < VALIDATE_CONSTANTS_MAX; i++) {
        struct rnicsim_param_info info;
        if (rnicsim_param(sim, i, &info) != RNICSIM_OK || strcmp(info.class_name, "calibrated") != 0)
            continue;
        struct validate_constant *constant = &all->constant[all->count++];
        *constant = (struct validate_constant){.is_fitted_here = 0};
        snprintf(constant->key, sizeof constant->key, "%s", info.key);
        snprintf(constant->source, sizeof constant->source, "%s", info.source);
        for (size_t f = 0; f < target->fitted_count; f++)
            constant->is_fitted_here |= strcmp(target->fitted[f].key, info.key) == 0;
        found += (size_t)constant->is_fitted_here;
    }
    if (found == target->fitted_count)
        return CLI_DONE;
    return target_fail(target, target->fitted[0].line,
                       "of the constants in [fitted], %zu of %zu are parameters of class calibrated on this board and "
                       "host",
                       found, target->fitted_count);
}

/* The board, the host and what is set are as good as their files. */
static int check_model(const struct target *target, struct validate_constants *all)
{
    struct target copy = *target;    /* target_model() cuts it */
    if (!target->line[TARGET_BOARD]) /* any serves to look at the host's parameters */
        snprintf(copy.text[TARGET_BOARD], TARGET_TEXT_BYTES, "%s", VALIDATE_READS_BOARD);
    struct model_options model;
    struct rnicsim_options options = {.seed = 1};
    struct rnicsim_error error;
    struct rnicsim *sim = NULL;
    int status = target_model(&copy, &model);
    if (status == CLI_DONE)
        status = model_options_apply(&model, &options);
    if (status == CLI_DONE && rnicsim_create(&options, &sim, &error) != RNICSIM_OK)
        status = target_fail(target, target->line[TARGET_BOARD], "%.300s", error.text);
    if (status == CLI_DONE)
        status = take_constants(target, sim, all);
    rnicsim_destroy(sim);
    model_options_free(&model);
    return status;
}

int validate_check(const struct target *target, struct validate_constants *all)
{
    const struct validate_kind *kind = find_kind(target);
    if (!kind)
        return target_fail(target, target->line[TARGET_KIND],
                           "unknown kind '%.40s', allowed are perftest and pciebench", target->text[TARGET_KIND]);
    if (kind->needs_board != (target->line[TARGET_BOARD] > 0))
        return target_fail(target, target->line[TARGET_KIND],
                           kind->needs_board ? "a target of kind %s needs 'board'"
                                             : "a target of kind %s has a host and no 'board'",
                           kind->name);
    int status = kind->check(target);
    return status == CLI_DONE ? check_model(target, all) : status;
}

int validate_target(struct target *target)
{
    struct model_options model;
    int status = target_model(target, &model);
    if (status == CLI_DONE)
        status = find_kind(target)->run(target, &model);
    model_options_free(&model);
    return status;
}
