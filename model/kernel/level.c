#include "kernel/level.h"

#include <stdlib.h>

/* At least so many holders are told between two countings. */
#define LEVEL_BATCH 256u

int level_init(struct level *level, uint32_t depth, int64_t start_ps)
{
    /* after counting, at most `depth` units are inside at since_ps, and `depth` more undecided and not counted */
    uint64_t ring = LEVEL_BATCH;
    while (ring < 2 * (uint64_t)depth + LEVEL_BATCH)
        ring *= 2;
    const struct clk ps = {.num = 1, .den = 1, .whole = 1};
    *level = (struct level){
        .depth = depth, .since_ps = start_ps, .mask = ring - 1, .full_at = ring, .in_clk = ps, .out_clk = ps};
    level->time_ps = calloc((size_t)depth + 1, sizeof *level->time_ps);
    level->holder = malloc(ring * sizeof *level->holder);
    return level->time_ps && level->holder ? 0 : -1;
}

int level_watch(struct level *level, int64_t from_ps, int64_t to_ps, size_t room)
{
    struct level_watch *watch = malloc(sizeof *watch);
    struct level_change *change = malloc(room * sizeof *change);
    if (!watch || !change) {
        free(watch);
        free(change);
        return -1;
    }
    *watch = (struct level_watch){from_ps, to_ps, 0, change, 0, room};
    level->watch = watch;
    return 0;
}

void level_free(struct level *level)
{
    if (level->watch)
        free(level->watch->change);
    free(level->watch);
    free(level->holder);
    free(level->time_ps);
}

void level_set_clocks(struct level *level, const struct clk *in_clk, const struct clk *out_clk)
{
    level->in_clk = *in_clk;
    level->out_clk = *out_clk;
}

static inline uint64_t decided(const struct level *level)
{
    return level->next - level->undecided;
}

/* The instant of exit i, which is told. */
static inline int64_t told_ps(const struct level *level, uint64_t i)
{
    return clk_edge(&level->out_clk, level->holder[i & level->mask].out);
}

/* What count() works on: locals of its own, which the compiler keeps in registers. */
struct counting {
    const struct level_holder *holder, *exit; /* exit: the next to leave */
    uint64_t mask, out_counted, decided;
    int64_t *time_ps;
    int64_t since_ps, exit_ps;    /* exit_ps: the next exit's instant; SIM_NEVER: not told yet */
    uint64_t in_total, out_total; /* of the entries counted, and of the exits */
    struct level_watch *watch;
};

/* The clocks of a count: any; of whole periods the writer's, the reader's, or both; one of a whole period, whose edges are told without
 * its phase. With a watch any, and slower. */
enum clocks { CLOCKS_ANY, CLOCKS_IN_WHOLE, CLOCKS_OUT_WHOLE, CLOCKS_WHOLE, CLOCKS_ONE, CLOCKS_WATCHED };

static void note(struct level_watch *watch, int64_t at_ps, uint32_t level)
{
    if (at_ps < watch->from_ps)
        watch->before = level;
    else if (at_ps <= watch->to_ps && watch->count < watch->room)
        watch->change[watch->count++] = (struct level_change){at_ps, level};
}

static inline int64_t edge_in(const struct clk *clk, int64_t n, enum clocks clocks)
{
    return clocks == CLOCKS_ONE                                  ? n * clk->whole
           : clocks == CLOCKS_WHOLE || clocks == CLOCKS_IN_WHOLE ? clk_edge_whole(clk, n)
           : clocks == CLOCKS_OUT_WHOLE                          ? clk_edge_broken(clk, n)
                                                                 : clk_edge(clk, n);
}

static inline int64_t edge_out(const struct clk *clk, int64_t n, enum clocks clocks)
{
    return clocks == CLOCKS_ONE                                   ? n * clk->whole
           : clocks == CLOCKS_WHOLE || clocks == CLOCKS_OUT_WHOLE ? clk_edge_whole(clk, n)
           : clocks == CLOCKS_IN_WHOLE                            ? clk_edge_broken(clk, n)
                                                                  : clk_edge(clk, n);
}

/* The next exit, if it is told. */
static inline void look_at_exit(struct counting *c, const struct clk *out_clk, enum clocks clocks)
{
    c->exit = &c->holder[c->out_counted & c->mask];
    c->exit_ps = c->out_counted < c->decided ? edge_out(out_clk, c->exit->out, clocks) : SIM_NEVER;
}

/* Counts the exits up to now_ps and the time up to it. At one instant the way out comes first: its space is what the entry waits
 * for. */
static inline __attribute__((always_inline)) void count_exits(struct counting *c, const struct clk *out_clk,
                                                              int64_t now_ps, enum clocks clocks)
{
    while (c->exit_ps <= now_ps) {
        c->time_ps[c->in_total - c->out_total] += c->exit_ps - c->since_ps;
        c->since_ps = c->exit_ps;
        c->out_total = c->exit->out_total;
        if (clocks == CLOCKS_WATCHED)
            note(c->watch, c->exit_ps, (uint32_t)(c->in_total - c->out_total));
        c->out_counted++;
        look_at_exit(c, out_clk, clocks);
    }
    c->time_ps[c->in_total - c->out_total] += now_ps - c->since_ps;
    c->since_ps = now_ps;
}

/* Counts the entries up to known_ps and the exits before them; then, up to then_ps, exits only. clocks: a constant, so that each kind has a
 * loop of its own. */
static inline __attribute__((always_inline)) void count_in(struct level *level, int64_t known_ps, int64_t then_ps,
                                                           enum clocks clocks)
{
    const struct clk in_clk = level->in_clk, out_clk = clocks == CLOCKS_ONE ? in_clk : level->out_clk;
    const int64_t phase = clocks == CLOCKS_ONE ? in_clk.phase_ps : 0;
    struct counting c = {.holder = level->holder,
                         .mask = level->mask,
                         .out_counted = level->out_counted,
                         .decided = decided(level),
                         .time_ps = level->time_ps,
                         .since_ps = level->since_ps - phase,
                         .in_total = level->in_before,
                         .out_total = level->in_before - level->level,
                         .watch = level->watch};
    uint64_t i = level->in_counted, next = level->next, high_water = level->high_water;
    known_ps -= known_ps == INT64_MAX || known_ps == INT64_MIN ? 0 : phase;
    look_at_exit(&c, &out_clk, clocks);
    for (; i < next; i++) {
        const struct level_holder *entry = &c.holder[i & c.mask];
        int64_t at = edge_in(&in_clk, entry->in, clocks);
        if (at > known_ps)
            break;
        count_exits(&c, &out_clk, at, clocks);
        c.in_total = entry->in_total;
        if (clocks == CLOCKS_WATCHED)
            note(c.watch, at, (uint32_t)(c.in_total - c.out_total));
        if (c.in_total - c.out_total > high_water) {
            high_water = c.in_total - c.out_total;
            level->high_water_at_ps = at + phase;
        }
    }
    if (then_ps != INT64_MIN && then_ps - phase > c.since_ps)
        count_exits(&c, &out_clk, then_ps - phase, clocks);
    level->in_counted = i;
    level->out_counted = c.out_counted;
    level->full_at = c.out_counted + level->mask + 1;
    level->since_ps = c.since_ps + phase;
    level->in_before = c.in_total;
    level->level = (uint32_t)(c.in_total - c.out_total);
    level->high_water = (uint32_t)high_water;
}

static void count(struct level *level, int64_t known_ps, int64_t then_ps)
{
    const struct clk *in = &level->in_clk, *out = &level->out_clk;
    int in_whole = in->frac == 0, out_whole = out->frac == 0;
    if (level->watch)
        count_in(level, known_ps, then_ps, CLOCKS_WATCHED);
    else if (!in_whole || !out_whole)
        in_whole    ? count_in(level, known_ps, then_ps, CLOCKS_IN_WHOLE)
        : out_whole ? count_in(level, known_ps, then_ps, CLOCKS_OUT_WHOLE)
                    : count_in(level, known_ps, then_ps, CLOCKS_ANY);
    else if (in->whole != out->whole || in->phase_ps != out->phase_ps)
        count_in(level, known_ps, then_ps, CLOCKS_WHOLE);
    else /* 250 MHz and the like on both sides: the leanest loop */
        count_in(level, known_ps, then_ps, CLOCKS_ONE);
}

/* Up to here no way out can still be told before an entry. */
static int64_t known_ps(const struct level *level)
{
    if (level->undecided == 0)
        return INT64_MAX;
    return decided(level) > 0 ? told_ps(level, decided(level) - 1) : INT64_MIN;
}

void level_forget(struct level *level)
{
    free(level->time_ps);
    level->time_ps = 0;
}

void level_catch_up(struct level *level)
{
    if (!level->time_ps) {
        level->out_counted = decided(level);
        level->full_at = level->out_counted + level->mask + 1;
        return;
    }
    count(level, known_ps(level), INT64_MIN);
}

void level_settle(struct level *level, int64_t now_ps)
{
    int64_t known = known_ps(level); /* an entry at now waits: a way out at now may still be told */
    count(level, known > now_ps - 1 ? known : now_ps - 1, now_ps);
    level->entries = level->next + level->empty;
}

uint32_t level_percentile(const struct level *level, int64_t share_ppb)
{
    unsigned __int128 total = 0, below = 0;
    for (uint32_t i = 0; i <= level->depth; i++)
        total += (unsigned __int128)level->time_ps[i];
    for (uint32_t i = 0; i <= level->depth; i++) {
        below += (unsigned __int128)level->time_ps[i];
        if (below * 1000000000u >= total * (uint64_t)share_ppb)
            return i;
    }
    return level->depth;
}
