#include "bench/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CALLS_A_LOOK 512u
#define FIRST_S 1.0
#define EACH_S 0.1
#define COLUMNS 40

double progress_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(struct progress *progress, uint64_t total, int is_quiet)
{
    *progress = (struct progress){.total = total, .started_s = progress_clock_s(), .what = "requests"};
    progress->is_wanted = !is_quiet && total > 0 && isatty(STDERR_FILENO);
}

static void show(struct progress *progress, double now_s)
{
    double share = (double)progress->done / (double)progress->total;
    double left_s = share > 0 ? (now_s - progress->started_s) * (1 - share) / share : 0;
    int filled = (int)(share * COLUMNS);
    fprintf(stderr, "\r[%.*s%*s] %5.1f %%  %llu of %llu %s, %.0f s left ", filled,
            "########################################", COLUMNS - filled, "", share * 100,
            (unsigned long long)progress->done, (unsigned long long)progress->total, progress->what, left_s);
    progress->shown_s = now_s;
    progress->is_shown = 1;
}

static void look(struct progress *progress)
{
    double now_s = progress_clock_s();
    if (now_s - progress->started_s >= FIRST_S && now_s - progress->shown_s >= EACH_S)
        show(progress, now_s);
}

void progress_step(struct progress *progress)
{
    progress->done += progress->done < progress->total;
    if (progress->is_wanted)
        look(progress);
}

void progress_update(struct progress *progress, uint64_t done)
{
    progress->done = done < progress->total ? done : progress->total;
    if (progress->is_wanted && done % CALLS_A_LOOK == 0)
        look(progress);
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fprintf(stderr, "\r%*s\r", COLUMNS + 60, "");
}
