#include "bench/waves/waves.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli.h"
#include "traces/cleanup.h"

/* ---- the window ---- */

static int read_requests(const char *text, struct waves_window *out)
{
    unsigned long long first, last;
    char more;
    int got = sscanf(text, "request %llu..%llu %c", &first, &last, &more);
    if (got == 1 && sscanf(text, "request %llu %c", &first, &more) == 1)
        last = first;
    else if (got != 2)
        return -1;
    out->first = first;
    out->last = last;
    return first >= 1 && last >= first ? 0 : -1;
}

static int read_times(const char *text, struct waves_window *out)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}};
    double from, to;
    char unit[8], more;
    const char *dots = strstr(text, "..");
    if (dots == NULL || sscanf(text, "%lf", &from) != 1 || sscanf(dots + 2, "%lf %7s %c", &to, unit, &more) != 2)
        return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0 && from >= 0 && to >= from && to * units[i].ps < 1e18) {
            out->stretch = (struct rnicsim_stretch){(int64_t)(from * units[i].ps), (int64_t)(to * units[i].ps)};
            return 0;
        }
    return -1;
}

int waves_window_read(const char *text, struct waves_window *out)
{
    *out = (struct waves_window){.stretch = {0, RNICSIM_NEVER}};
    if (text == NULL || read_requests(text, out) == 0)
        return CLI_DONE;
    out->first = out->last = 0;
    return read_times(text, out) == 0
               ? CLI_DONE
               : cli_fail(
                     "--window \"%.60s\": allowed is a stretch of time \"10..20 us\", or requests \"request 5..20\", "
                     "counted from 1 as they are posted",
                     text);
}

int waves_is_wanted(const struct waves_options *options)
{
    return options->timeline != NULL || options->vcd != NULL || options->golden != NULL;
}

static int check_folder_of(const char *path, const char *what)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s",
             slash == NULL   ? 1
             : slash == path ? 1
                             : (int)(slash - path),
             slash == NULL ? "." : path);
    return access(folder, W_OK | X_OK) == 0
               ? CLI_DONE
               : cli_fail("%s %s: cannot be made in %s: %s", what, path, folder, strerror(errno));
}

int waves_check(const struct waves_options *options)
{
    struct waves_window window;
    int result = waves_window_read(options->window, &window);
    if (result == CLI_DONE && options->window != NULL && !waves_is_wanted(options))
        result = cli_fail("--window: of what? --timeline, --vcd or --golden is needed");
    if (result == CLI_DONE && options->timeline != NULL)
        result = check_folder_of(options->timeline, "--timeline");
    if (result == CLI_DONE && options->vcd != NULL)
        result = check_folder_of(options->vcd, "--vcd");
    if (result == CLI_DONE && options->golden != NULL)
        result = check_folder_of(options->golden, "--golden");
    return result;
}

/* ---- the run ---- */

static int watch_all(struct simulate *simulate, void *context, struct rnicsim_error *error)
{
    struct waves *waves = context;
    int64_t to_ps = waves->window.stretch.to_ps;
    size_t count = rnicsim_fifo_count(simulate->sim);
    int result = rnicsim_passes_watch(simulate->sim, &waves->window.stretch, 1, WAVES_PASSES_MAX, error);
    for (size_t i = 0; result == RNICSIM_OK && i < count; i++)
        result = rnicsim_fifo_watch(simulate->sim, i, waves->window.stretch.from_ps,
                                    to_ps < RNICSIM_TIME_MAX ? to_ps : RNICSIM_TIME_MAX, WAVES_LEVELS_MAX, error);
    return result;
}

static int64_t begin_of(const struct rnicsim_event *event)
{
    return event->stamp_ps[RNICSIM_AT_ARRIVAL];
}

static void keep_request(void *context, const struct rnicsim_event *event)
{
    struct waves *waves = context;
    int is_request = event->kind == RNICSIM_SEND_DONE || event->kind == RNICSIM_UNSIGNALLED;
    if (!is_request || begin_of(event) > waves->window.stretch.to_ps || event->at_ps < waves->window.stretch.from_ps ||
        waves->request_count == WAVES_REQUESTS_MAX)
        return;
    if ((waves->request_count & (waves->request_count - 1)) == 0) { /* room doubles at powers of two */
        size_t room = waves->request_count == 0 ? 1 : 2 * waves->request_count;
        struct rnicsim_event *larger = realloc(waves->requests, room * sizeof *larger);
        waves->failed |= larger == NULL;
        if (larger == NULL)
            return;
        waves->requests = larger;
    }
    waves->requests[waves->request_count++] = *event;
}

void waves_watch(struct waves *waves, struct simulate *simulate)
{
    simulate->watch = watch_all;
    simulate->watch_context = waves;
    simulate->event = keep_request;
    simulate->event_context = waves;
}

static void find_request(void *context, const struct rnicsim_event *event)
{
    struct waves *waves = context;
    struct rnicsim_stretch *stretch = &waves->window.stretch;
    int is_request = event->kind == RNICSIM_SEND_DONE || event->kind == RNICSIM_UNSIGNALLED;
    if (!is_request || event->request < waves->window.first || event->request > waves->window.last)
        return;
    stretch->from_ps = begin_of(event) < stretch->from_ps ? begin_of(event) : stretch->from_ps;
    stretch->to_ps = event->at_ps > stretch->to_ps ? event->at_ps : stretch->to_ps;
}

int waves_find_requests(struct waves *waves, struct simulate *simulate)
{
    waves->window.stretch = (struct rnicsim_stretch){RNICSIM_NEVER, 0};
    simulate->event = find_request;
    simulate->event_context = waves;
    int result = simulate_run(simulate);
    if (result == CLI_DONE && waves->window.stretch.to_ps == 0)
        return cli_fail("--window: none of the requests %llu to %llu was completed",
                        (unsigned long long)waves->window.first, (unsigned long long)waves->window.last);
    return result;
}

/* ---- what was kept ---- */

static int by_fifo_and_time(const void *a, const void *b)
{
    const struct rnicsim_pass *left = a, *right = b;
    if (left->fifo != right->fifo)
        return left->fifo < right->fifo ? -1 : 1;
    return left->head_cycle < right->head_cycle ? -1 : left->head_cycle > right->head_cycle;
}

static int take_fifo(struct waves_fifo *fifo, struct rnicsim *sim, size_t index)
{
    fifo->index = index;
    rnicsim_fifo(sim, index, &fifo->info);
    fifo->has_passes = rnicsim_fifo_clocks(sim, index, &fifo->write, &fifo->read) == RNICSIM_OK;
    snprintf(fifo->name, sizeof fifo->name, "%s.%s.%s", fifo->info.nic, fifo->info.path, fifo->info.name);
    fifo->level_count = rnicsim_fifo_changes(sim, index, NULL, 0);
    fifo->levels = calloc(fifo->level_count + 1, sizeof *fifo->levels);
    if (fifo->levels == NULL)
        return -1;
    rnicsim_fifo_changes(sim, index, fifo->levels, fifo->level_count);
    return 0;
}

int waves_take(struct waves *waves, struct simulate *simulate)
{
    const struct rnicsim_pass *passes = rnicsim_passes(simulate->sim, &waves->pass_count, &waves->missed);
    waves->fifo_count = rnicsim_fifo_count(simulate->sim);
    waves->fifos = calloc(waves->fifo_count, sizeof *waves->fifos);
    waves->passes = calloc(waves->pass_count + 1, sizeof *waves->passes);
    if (waves->failed || waves->fifos == NULL || waves->passes == NULL)
        return cli_fail("out of memory for what passed");
    for (size_t i = 0; i < waves->fifo_count; i++)
        if (take_fifo(&waves->fifos[i], simulate->sim, i) != 0)
            return cli_fail("out of memory for what passed");
    memcpy(waves->passes, passes, waves->pass_count * sizeof *passes);
    qsort(waves->passes, waves->pass_count, sizeof *waves->passes, by_fifo_and_time);
    if (waves->window.stretch.to_ps > simulate->result.end_ps)
        waves->window.stretch.to_ps = simulate->result.end_ps;
    if (waves->missed > 0)
        cli_warn("%llu passes more than the %u that are kept: a --window is needed to see them",
                 (unsigned long long)waves->missed, WAVES_PASSES_MAX);
    return CLI_DONE;
}

void waves_free(struct waves *waves)
{
    for (size_t i = 0; waves->fifos != NULL && i < waves->fifo_count; i++)
        free(waves->fifos[i].levels);
    free(waves->fifos);
    free(waves->passes);
    free(waves->requests);
    *waves = (struct waves){0};
}

const struct rnicsim_pass *waves_passes_of(const struct waves *waves, const struct waves_fifo *fifo, size_t *count)
{
    size_t low = 0, high = waves->pass_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (waves->passes[middle].fifo < fifo->index)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < waves->pass_count && waves->passes[low + *count].fifo == fifo->index)
        ++*count;
    return waves->passes + low;
}

/* ---- files ---- */

static int write_file(const struct waves *waves, const struct result *result, const char *path, const char *what,
                      int (*write)(const struct waves *waves, const struct result *result, FILE *out))
{
    char aside[4200];
    snprintf(aside, sizeof aside, "%s.tmp", path);
    cleanup_add(aside);
    FILE *out = fopen(aside, "we");
    if (out == NULL) {
        cleanup_forget(aside);
        return cli_fail("%s %s: %s", what, path, strerror(errno));
    }
    int failed = write(waves, result, out) != 0;
    failed |= fclose(out) != 0;
    if (failed || rename(aside, path) != 0) {
        int reason = errno;
        unlink(aside);
        cleanup_forget(aside);
        return cli_fail("%s %s: cannot be written: %s", what, path, strerror(reason));
    }
    cleanup_forget(aside);
    return CLI_DONE;
}

int waves_write(const struct waves *waves, const struct result *result)
{
    const struct waves_options *options = waves->options;
    int status = CLI_DONE;
    if (options->timeline != NULL)
        status = write_file(waves, result, options->timeline, "--timeline", waves_timeline);
    if (status == CLI_DONE && options->vcd != NULL)
        status = write_file(waves, result, options->vcd, "--vcd", waves_vcd);
    if (status == CLI_DONE && options->golden != NULL)
        status = waves_golden(waves, result, options->golden);
    return status;
}
