#include "host/jitter.h"

#include "config/param_dist.h"

#include <stdio.h>

#define MOST_SHARE 4 /* of its interval a pause takes a quarter at most: the thread always gets on */

enum { DRAW_LENGTH, DRAW_PLACE = JITTER_KINDS, DRAW_KINDS = 2 * JITTER_KINDS };

static int64_t part_of(uint64_t draw, int64_t whole_ps)
{
    return (int64_t)(((unsigned __int128)draw * (uint64_t)whole_ps) >> 64);
}

static int init_kind(struct jitter *jitter, int which, int64_t interval_ps, const struct param_dist *length)
{
    struct jitter_pause *kind = &jitter->kind[which];
    int64_t most_ps = length->point[length->count - 1].ps;
    if (interval_ps == 0 || most_ps == 0)
        return 0;
    if (most_ps > interval_ps / MOST_SHARE)
        return -1;
    kind->interval_ps = interval_ps;
    kind->phase_ps = part_of(rnd_draw(jitter->stream, 0, DRAW_KINDS), interval_ps);
    jitter->pauses = 1;
    return param_dist_table(length, &kind->length_ps);
}

int jitter_init(struct jitter *jitter, const struct host_params *params, uint64_t stream, char *error,
                size_t error_bytes)
{
    *jitter = (struct jitter){.stream = stream};
    snprintf(error, error_bytes, "host.timer can be longer than a quarter of host.timer_interval: allowed up to that");
    if (init_kind(jitter, JITTER_TIMER, params->timer_interval, &params->timer))
        return -1;
    snprintf(error, error_bytes,
             "host.preempt can be longer than a quarter of host.preempt_interval: allowed up to that");
    return init_kind(jitter, JITTER_PREEMPT, params->preempt_interval, &params->preempt);
}

struct pause {
    int64_t begin_ps, end_ps;
};

static struct pause pause_of(const struct jitter *jitter, int which, int64_t number)
{
    const struct jitter_pause *kind = &jitter->kind[which];
    uint64_t ordinal = (uint64_t)number;
    int64_t place_ps = which == JITTER_TIMER ? kind->phase_ps
                                             : part_of(rnd_draw(jitter->stream, ordinal, DRAW_PLACE + (uint64_t)which),
                                                       kind->interval_ps);
    int64_t begin_ps = number * kind->interval_ps + place_ps;
    uint64_t draw = rnd_draw(jitter->stream, ordinal, DRAW_LENGTH + (uint64_t)which);
    return (struct pause){begin_ps, begin_ps + rnd_table_draw(&kind->length_ps, draw)};
}

/* The pauses at at_ps: until when the longest takes the CPU, else at_ps; *next_ps: nothing changes before. */
static int64_t paused_until(const struct jitter *jitter, int64_t at_ps, int64_t *next_ps)
{
    int64_t until_ps = at_ps;
    *next_ps = INT64_MAX;
    for (int which = 0; which < JITTER_KINDS; which++) {
        int64_t interval_ps = jitter->kind[which].interval_ps;
        if (interval_ps == 0)
            continue;
        int64_t number = at_ps / interval_ps;
        for (int64_t i = number - 1; i <= number + 1; i++) { /* one that began in the interval before may go on */
            struct pause pause = pause_of(jitter, which, i);
            if (pause.begin_ps > at_ps)
                *next_ps = pause.begin_ps < *next_ps ? pause.begin_ps : *next_ps;
            else if (pause.end_ps > until_ps)
                until_ps = pause.end_ps;
        }
    }
    return until_ps;
}

int64_t jitter_end_paused(const struct jitter *jitter, int64_t from_ps, int64_t work_ps)
{
    for (;;) {
        int64_t next_ps, until_ps = paused_until(jitter, from_ps, &next_ps);
        if (until_ps > from_ps) {
            from_ps = until_ps;
            continue;
        }
        if (work_ps <= next_ps - from_ps)
            return from_ps + work_ps;
        work_ps -= next_ps - from_ps;
        from_ps = next_ps;
    }
}
