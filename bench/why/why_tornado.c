/* What each parameter does to a target: all that are numbers, 20 % less and 20 % more, one at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/parallel.h"
#include "bench/why/why.h"

#define STEP 0.2
#define STEP_MOST 0.3 /* of a whole number */
#define LEAST_EFFECT 1e-6

struct tornado_run {
    const struct why_options *options;
    struct why_bar *bars;
};

/* A whole number stays one; one that cannot move by about 20 % (below 4, say) does not move. */
static double step(double number, int is_whole, int sign)
{
    double moved = number * (1 + sign * STEP);
    if (!is_whole)
        return moved;
    moved = round(moved);
    return fabs(moved / number - 1) <= STEP_MOST ? moved : number;
}

/* Every number of a value: "300 ns", or a distribution "0:175 50:200 ns", in which those behind the colons are. 0: it has none. */
static int scale(const char *value, int sign, char *out, size_t out_bytes)
{
    int is_distribution = strchr(value, ':') != NULL, scaled = 0;
    size_t used = 0;
    for (const char *at = value; *at != 0 && used + 32 < out_bytes;) {
        char *end;
        double number = strtod(at, &end);
        if (end == at || strchr("+-0123456789.", *at) == NULL) {
            out[used++] = *at++;
            continue;
        }
        int is_share = is_distribution && *end == ':';
        int is_whole = memchr(at, '.', (size_t)(end - at)) == NULL && !is_distribution;
        double moved = is_share ? number : step(number, is_whole, sign);
        scaled += !is_share && moved != number;
        used += (size_t)snprintf(out + used, out_bytes - used, "%.10g", moved);
        at = end;
    }
    out[used] = 0;
    return scaled > 0;
}

static int is_number(const char *value)
{
    char *end;
    strtod(value, &end);
    return end != value && (*end == 0 || *end == ' ' || *end == ':');
}

static int list_bars(struct why_tornado *tornado, const struct why_options *options)
{
    struct rnicsim_options create = {.seed = options->seed};
    struct rnicsim_param_info param;
    struct rnicsim *sim;
    char low[640];
    int result = model_options_create(&options->model, &create, &sim);
    if (result != CLI_DONE)
        return result;
    tornado->bars = calloc(rnicsim_param_count(sim) + 1, sizeof *tornado->bars);
    for (size_t i = 0; tornado->bars != NULL && i < rnicsim_param_count(sim); i++) {
        struct why_bar *bar = &tornado->bars[tornado->count];
        if (rnicsim_param(sim, i, &param) != RNICSIM_OK || !is_number(param.value) ||
            !scale(param.value, -1, low, sizeof low))
            continue;
        *bar = (struct why_bar){.at_low = NAN, .at_high = NAN};
        snprintf(bar->key, sizeof bar->key, "%s", param.key);
        snprintf(bar->value, sizeof bar->value, "%s", param.value);
        tornado->count++;
    }
    rnicsim_destroy(sim);
    return tornado->bars != NULL ? CLI_DONE : cli_fail("out of memory for the parameters");
}

/* Each parameter is two runs: less, and more. */
static int run_one(void *context, size_t index, void *out)
{
    const struct tornado_run *run = context;
    const struct why_bar *bar = &run->bars[index / 2];
    char value[700], setting[800] = "";
    const char *set[] = {setting};
    if (scale(bar->value, index % 2 ? 1 : -1, value, sizeof value))
        snprintf(setting, sizeof setting, "%s=%s", bar->key, value);
    return why_run(run->options, set, 1, out);
}

double why_tornado_effect(const struct why_bar *bar, double target)
{
    double low = isnan(bar->at_low) ? 0 : fabs(bar->at_low - target);
    double high = isnan(bar->at_high) ? 0 : fabs(bar->at_high - target);
    return target != 0 ? (low > high ? low : high) / fabs(target) : 0;
}

static int by_effect(const void *a, const void *b, void *target)
{
    double left = why_tornado_effect(a, *(double *)target), right = why_tornado_effect(b, *(double *)target);
    return left > right   ? -1
           : left < right ? 1
                          : strcmp(((const struct why_bar *)a)->key, ((const struct why_bar *)b)->key);
}

static void take(struct why_tornado *tornado, const int *status, const struct why_outcome *outcomes)
{
    for (size_t i = 0; i < tornado->count; i++) {
        struct why_bar *bar = &tornado->bars[i];
        for (size_t k = 0; k < 2; k++) {
            const struct why_outcome *outcome = &outcomes[2 * i + k];
            int is_good = status[2 * i + k] == CLI_DONE && outcome->is_complete;
            *(k ? &bar->at_high : &bar->at_low) = is_good ? outcome->target : NAN;
        }
    }
    tornado->tried = tornado->count;
    qsort_r(tornado->bars, tornado->count, sizeof *tornado->bars, by_effect, &tornado->target);
    while (tornado->count > 0 && why_tornado_effect(&tornado->bars[tornado->count - 1], tornado->target) < LEAST_EFFECT)
        tornado->count--;
}

int why_tornado_run(struct why_tornado *tornado, const struct why_options *options, const struct why_outcome *now)
{
    struct progress progress;
    *tornado = (struct why_tornado){.target = now->target};
    if (isnan(now->target))
        return CLI_DONE;
    int result = list_bars(tornado, options);
    size_t runs = 2 * tornado->count;
    struct why_outcome *outcomes = calloc(runs + 1, sizeof *outcomes);
    int *status = calloc(runs + 1, sizeof *status);
    struct tornado_run run = {options, tornado->bars};
    if (result == CLI_DONE && (outcomes == NULL || status == NULL))
        result = cli_fail("out of memory for %zu runs", runs);
    if (result == CLI_DONE) {
        progress_start(&progress, runs, options->quiet || options->json);
        progress.what = "runs";
        result = parallel_run(runs, options->jobs, run_one, &run, status, outcomes, sizeof *outcomes, &progress);
        progress_end(&progress);
    }
    if (result == CLI_DONE)
        take(tornado, status, outcomes);
    free(outcomes);
    free(status);
    return result;
}

void why_tornado_free(struct why_tornado *tornado)
{
    free(tornado->bars);
}
