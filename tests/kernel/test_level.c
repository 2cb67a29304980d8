/* Fill levels against counting picosecond by picosecond, told in every order that a simulation may tell them. */
#include "kernel/level.h"
#include "kernel/rnd.h"
#include "tests/quick.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_kernel_level(void);

#define HOLDERS 300
#define SPAN_PS 4000
#define DEPTH_MAX 12

struct history {
    uint32_t depth;
    int count;
    uint32_t units[HOLDERS];
    int64_t in_ps[HOLDERS], out_ps[HOLDERS];
    int64_t end_ps;
};

/* A legal history of a FIFO: entries and exits in order, an entry only when its space has left at an earlier instant. */
static void make_history(struct history *history, uint64_t trial)
{
    int64_t in_ps = 0, out_ps = 0;
    uint64_t ordinal = 0;
    *history = (struct history){.depth = 1 + (uint32_t)(rnd_u64(5, trial, ordinal++, 0) % DEPTH_MAX)};
    for (history->count = 0; history->count < HOLDERS; history->count++) {
        int i = history->count;
        uint64_t draw = rnd_u64(5, trial, ordinal++, 0);
        uint32_t units = 1 + (uint32_t)(draw % history->depth), held = units;
        in_ps += (int64_t)(draw >> 8) % 9;
        for (int k = i - 1; k >= 0; k--) {
            held += history->units[k];
            if (held > history->depth && history->out_ps[k] >= in_ps)
                in_ps = history->out_ps[k] + 1;
        }
        int64_t least_ps = in_ps + 1 + (int64_t)(draw >> 16) % 20;
        out_ps = least_ps > out_ps ? least_ps : out_ps;
        if (out_ps > SPAN_PS)
            return;
        history->units[i] = units;
        history->in_ps[i] = in_ps;
        history->out_ps[i] = history->end_ps = out_ps;
    }
}

static uint32_t level_at(const struct history *history, int64_t at_ps)
{
    uint32_t level = 0;
    for (int i = 0; i < history->count; i++)
        if (history->in_ps[i] <= at_ps && at_ps < history->out_ps[i])
            level += history->units[i];
    return level;
}

static void check(const struct history *history, struct level *level, int64_t end_ps)
{
    int64_t time_ps[DEPTH_MAX + 1] = {0};
    uint32_t high_water = 0;
    int64_t high_water_at = -1;
    for (int64_t at = 0; at < end_ps; at++) {
        uint32_t now = level_at(history, at);
        time_ps[now]++;
        high_water_at = now > high_water ? at : high_water_at;
        high_water = now > high_water ? now : high_water;
    }
    CU_ASSERT_EQUAL(level->high_water, high_water);
    CU_ASSERT_EQUAL(high_water > 0 ? level->high_water_at_ps : -1, high_water_at);
    CU_ASSERT_EQUAL(level->entries, (uint64_t)history->count);
    CU_ASSERT_EQUAL(memcmp(level->time_ps, time_ps, (history->depth + 1) * sizeof *time_ps), 0);
    for (int64_t share = 0; share <= 1000000000; share += 125000000) {
        __int128 below = 0;
        uint32_t want = 0;
        for (;; want++) {
            below += time_ps[want];
            if (below * 1000000000 >= (__int128)end_ps * share)
                break;
        }
        CU_ASSERT_EQUAL(level_percentile(level, share), want);
    }
}

/* What the watch has kept tells the level at every instant of its stretch. */
static void check_watch(const struct history *history, const struct level_watch *watch)
{
    uint32_t level = watch->before;
    size_t next = 0;
    int wrong = 0;
    for (int64_t at = watch->from_ps; at <= watch->to_ps; at++) {
        while (next < watch->count && watch->change[next].at_ps <= at)
            level = watch->change[next++].level;
        wrong += level != level_at(history, at);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(next, watch->count);
}

/* Tells the history with `ahead`: 0 all at their instants (exits before entries or after, as it falls), more: any legal
 * telling ahead of time. now never passes what is still to be told. */
static void tell(const struct history *history, uint64_t trial, uint64_t ahead)
{
    struct level level;
    int ins = 0, outs = 0;
    int64_t now = 0;
    CU_ASSERT_EQUAL_FATAL(level_init(&level, history->depth, 0), 0);
    if (trial % 2)
        CU_ASSERT_EQUAL_FATAL(level_watch(&level, SPAN_PS / 3, SPAN_PS / 2, 2 * HOLDERS), 0);
    for (uint64_t step = 0; outs < history->count; step++) {
        uint64_t draw = rnd_u64(6, trial, step, ahead);
        int64_t next_in = ins < history->count ? history->in_ps[ins] : history->end_ps;
        int64_t bound = history->out_ps[outs] < next_in ? history->out_ps[outs] : next_in;
        if (ahead == 0 || draw % ahead == 0)
            now = bound;
        if ((draw >> 30) % 4 == 0) /* somebody reads the level in between */
            level_settle(&level, now);
        int may_in = ins < history->count && (ahead || history->in_ps[ins] == now);
        /* an entry cannot be told before the exits that make its space */
        uint32_t held = may_in ? history->units[ins] : 0;
        for (int k = outs; k < ins; k++)
            held += history->units[k];
        may_in = may_in && held <= history->depth;
        int may_out = outs < ins && (ahead || history->out_ps[outs] == now);
        if (may_in && (!may_out || (draw >> 20) % 2)) {
            level_in(&level, history->in_ps[ins], history->units[ins]);
            ins++;
        } else if (may_out) {
            level_out(&level, history->out_ps[outs], history->units[outs]);
            outs++;
        }
    }
    level_settle(&level, history->end_ps + 7);
    check(history, &level, history->end_ps + 7);
    if (level.watch)
        check_watch(history, level.watch);
    level_free(&level);
}

static void random_orders(void)
{
    for (uint64_t trial = 0; trial < quick_cases(150); trial++) {
        struct history history;
        make_history(&history, trial);
        for (uint64_t ahead = 0; ahead < 200; ahead = ahead * 3 + 1)
            tell(&history, trial, ahead);
    }
}

/* One holder stays undecided while its neighbours run far ahead: nothing told may be lost. */
static void far_ahead(void)
{
    struct level level;
    level_init(&level, 2, 0);
    level_in(&level, 0, 1);
    for (int64_t i = 0; i < 1000; i++) { /* holder i + 1 comes in before holder i goes */
        level_in(&level, 10 * i + 5, 1);
        level_out(&level, 10 * i + 8, 1);
    }
    level_out(&level, 10005, 1);
    level_settle(&level, 20000);
    CU_ASSERT_EQUAL(level.high_water, 2);
    CU_ASSERT_EQUAL(level.time_ps[2], 3000);
    CU_ASSERT_EQUAL(level.time_ps[1], 5 + 999 * 7 + 7);
    CU_ASSERT_EQUAL(level.time_ps[0], 20000 - 10005);
    level_free(&level);
}

/* At one instant the way out comes first, whichever is told first. */
static void ties(void)
{
    for (int out_first = 0; out_first < 2; out_first++) {
        struct level level;
        level_init(&level, 2, 0);
        level_in(&level, 3, 1);
        if (out_first)
            level_out(&level, 9, 1);
        level_in(&level, 9, 1);
        level_settle(&level, 9); /* nothing before 9 can still be told, but something at 9 can */
        if (!out_first)
            level_out(&level, 9, 1);
        level_out(&level, 12, 1);
        level_settle(&level, 20);
        CU_ASSERT_EQUAL(level.high_water, 1);
        CU_ASSERT_EQUAL(level.time_ps[1], 9);
        level_free(&level);
    }
}

void suite_kernel_level(void)
{
    CU_pSuite suite = CU_add_suite("kernel level", NULL, NULL);
    CU_add_test(suite, "random orders of telling", random_orders);
    CU_add_test(suite, "far ahead", far_ahead);
    CU_add_test(suite, "ties", ties);
}
