#include "config/param_dist.h"

#include <stdio.h>
#include <string.h>

#include "config/param_number.h"
#include "config/param_unit.h"

#define PPB_PER_PERCENT 10000000
#define PPB_ONE 1000000000

/* One "percent:time"; the time stays a number until the unit at the end is known. */
static int read_pair(const char **text, int64_t *ppb, struct param_number *time, struct config_error *err)
{
    struct param_number percent;

    if (param_number_read(text, &percent, err) != 0)
        return -1;
    if (**text != ':')
        return config_error_set(err, "missing ':' in a pair, write percent:time, for example '50:200'");
    (*text)++;
    if (param_number_scale(&percent, PPB_PER_PERCENT, "0.0000001 %", ppb, err) != 0)
        return -1;
    return param_number_read(text, time, err);
}

/* 1 when another pair begins, not the unit. */
static int at_pair(const char *text)
{
    return text[0] == ' ' && text[1] != '\0' && strchr("0123456789+-.", text[1]) != NULL;
}

static int check(const struct param_dist *dist, struct config_error *err)
{
    int32_t last = dist->count - 1;

    if (dist->count < 2 || dist->point[0].ppb != 0 || dist->point[last].ppb != PPB_ONE)
        return config_error_set(err, "the first percent must be 0 and the last 100");
    for (int32_t i = 1; i <= last; i++) {
        if (dist->point[i].ppb <= dist->point[i - 1].ppb)
            return config_error_set(err, "percents must rise strictly (pair %d)", (int)i + 1);
        if (dist->point[i].ps < dist->point[i - 1].ps)
            return config_error_set(err, "times must not fall (pair %d)", (int)i + 1);
    }
    return 0;
}

static int read_pairs(const char *text, struct param_dist *out, struct config_error *err)
{
    struct param_number time[PARAM_DIST_POINTS];
    int more;

    do {
        if (out->count == PARAM_DIST_POINTS)
            return config_error_set(err, "more than %d pairs", PARAM_DIST_POINTS);
        if (read_pair(&text, &out->point[out->count].ppb, &time[out->count], err) != 0)
            return -1;
        out->count++;
        more = at_pair(text);
        text += more;
    } while (more);

    const struct param_unit_name *unit = param_unit_find(PARAM_DIST, text, err);
    if (unit == NULL)
        return -1;
    for (int32_t i = 0; i < out->count; i++)
        if (param_number_scale(&time[i], unit->multiplier, "ps", &out->point[i].ps, err) != 0)
            return -1;
    return check(out, err);
}

int param_dist_read(const char *text, struct param_dist *out, struct config_error *err)
{
    memset(out, 0, sizeof(*out));
    if (strchr(text, ':') != NULL)
        return read_pairs(text, out, err);
    if (param_unit_read(PARAM_DIST, text, &out->point[0].ps, err) != 0)
        return -1;
    out->count = 2;
    out->point[1].ppb = PPB_ONE;
    out->point[1].ps = out->point[0].ps;
    return 0;
}

/* The unit of the smallest time that is not zero, so that no time is written with leading zeros. */
static const struct param_unit_name *common_unit(const struct param_dist *dist)
{
    int32_t i = 0;

    while (i < dist->count - 1 && dist->point[i].ps == 0)
        i++;
    return param_unit_natural(PARAM_TIME, dist->point[i].ps);
}

void param_dist_print(const struct param_dist *dist, char *text)
{
    const struct param_unit_name *unit = common_unit(dist);
    char percent[PARAM_NUMBER_BYTES], time[PARAM_NUMBER_BYTES];
    size_t used = 0;

    if (dist->count == 2 && dist->point[0].ps == dist->point[1].ps) {
        param_unit_print(PARAM_TIME, dist->point[0].ps, text);
        return;
    }
    for (int32_t i = 0; i < dist->count; i++) {
        param_number_print(dist->point[i].ppb, PPB_PER_PERCENT, percent);
        param_number_print(dist->point[i].ps, unit->multiplier, time);
        used += (size_t)snprintf(text + used, PARAM_PRINT_BYTES - used, "%s:%s ", percent, time);
    }
    snprintf(text + used, PARAM_PRINT_BYTES - used, "%s", unit->name);
}

int param_dist_table(const struct param_dist *dist, struct rnd_table *table)
{
    int64_t share_ppb[RND_POINTS_MAX], value_ps[RND_POINTS_MAX];
    for (int i = 0; i < dist->count; i++) {
        share_ppb[i] = dist->point[i].ppb;
        value_ps[i] = dist->point[i].ps;
    }
    return rnd_table_init(table, dist->count, share_ppb, value_ps);
}
