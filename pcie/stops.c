#include "pcie/stops.h"

#include "kernel/rnd.h"
#include "kernel/sim.h"

#define LONG_OVER 100 /* intervals of others in which any backlog of theirs is gone, at the highest share */
#define WHOLE_SHARE INT64_C(1000000000) /* in 0.001 ppm */

/* When one of the others' TLPs is there: anywhere in its interval, but not over its end, so that they never meet. */
static int64_t arrival_cyc(const struct stops_others *others, uint64_t number)
{
    uint64_t draw = rnd_draw(others->stream, number, 0) >> 32;
    return (int64_t)number * others->every_cyc +
           (int64_t)(draw * (uint64_t)(others->every_cyc - others->took_cyc) >> 32);
}

static void find_due(struct stops *stops)
{
    int64_t other_cyc = stops->others.every_cyc > 0 ? arrival_cyc(&stops->others, stops->others.next) : SIM_NEVER;
    stops->due_cyc = other_cyc < stops->skips.due_cyc ? other_cyc : stops->skips.due_cyc;
}

void stops_init(struct stops *stops, const struct link_skips *skips, int64_t took_cyc, int64_t share, uint64_t stream)
{
    *stops = (struct stops){.skips = *skips, .others = {.stream = stream}};
    if (share > 0) {
        stops->others.took_cyc = took_cyc;
        stops->others.every_cyc = (int64_t)((__int128)took_cyc * WHOLE_SHARE / share);
    }
    find_due(stops);
}

/* What is due, in order of time. */
struct cursor {
    int64_t skip_cyc, other_cyc;
    uint64_t other; /* its number */
};

static int64_t first_of(const struct cursor *at)
{
    return at->skip_cyc < at->other_cyc ? at->skip_cyc : at->other_cyc;
}

/* Passes over what was due long before start_cyc, while the link was idle: it is long over. */
static void leave_behind(const struct stops *stops, struct cursor *at, int64_t start_cyc)
{
    const struct stops_others *others = &stops->others;
    int64_t from_cyc = start_cyc - LONG_OVER * others->every_cyc;
    if (first_of(at) >= from_cyc)
        return;
    uint64_t number = (uint64_t)(from_cyc / others->every_cyc);
    at->other = number > at->other ? number : at->other;
    at->other_cyc = arrival_cyc(others, at->other);
    if (at->skip_cyc < from_cyc)
        at->skip_cyc +=
            (from_cyc - at->skip_cyc + stops->skips.every_cyc - 1) / stops->skips.every_cyc * stops->skips.every_cyc;
}

/* With others: what is due by start_cyc goes first, one after the other, and what becomes due meanwhile. */
static int64_t behind_all(const struct stops *stops, int64_t start_cyc, int64_t free_cyc)
{
    struct cursor at = {stops->skips.due_cyc, arrival_cyc(&stops->others, stops->others.next), stops->others.next};
    for (;;) {
        int64_t first_cyc = first_of(&at);
        if (first_cyc > start_cyc)
            return start_cyc;
        if (free_cyc <= first_cyc)
            leave_behind(stops, &at, start_cyc);
        int is_skip = at.skip_cyc <= at.other_cyc;
        first_cyc = first_of(&at);
        free_cyc =
            (first_cyc > free_cyc ? first_cyc : free_cyc) + (is_skip ? stops->skips.took_cyc : stops->others.took_cyc);
        start_cyc = free_cyc > start_cyc ? free_cyc : start_cyc;
        if (is_skip)
            at.skip_cyc += stops->skips.every_cyc;
        else
            at.other_cyc = arrival_cyc(&stops->others, ++at.other);
    }
}

int64_t stops_behind_late(const struct stops *stops, int64_t start_cyc, int64_t free_cyc)
{
    return stops->others.every_cyc > 0 ? behind_all(stops, start_cyc, free_cyc)
                                       : link_behind_skip(&stops->skips, start_cyc, free_cyc);
}

void stops_pass_late(struct stops *stops, int64_t start_cyc)
{
    link_pass_skip(&stops->skips, start_cyc);
    struct stops_others *others = &stops->others;
    if (others->every_cyc > 0) {
        uint64_t recent = (uint64_t)(start_cyc / others->every_cyc);
        others->next = others->next > recent ? others->next : recent;
        others->next += arrival_cyc(others, others->next) <= start_cyc;
    }
    find_due(stops);
}

uint64_t stops_others_by(const struct stops *stops, int64_t now_cyc)
{
    const struct stops_others *others = &stops->others;
    if (others->every_cyc == 0 || now_cyc < 0)
        return 0;
    uint64_t recent = (uint64_t)(now_cyc / others->every_cyc);
    return recent + (arrival_cyc(others, recent) <= now_cyc);
}
