/* The simulation: one wake time for each decider, the earliest runs next; no event objects, nothing to cancel.
 *
 * Times are picoseconds, signed 64 bit. The rules that make it exact (why, with measurements: model/DESIGN.md):
 *  R1  a stage has one writer and one reader, serves in FIFO order, and knows its service time when it starts
 *  R2  request times at a stage never go backwards
 *  R3  every choice is a decider; arithmetic runs ahead only past the last point that can still stop an item
 *  R4  at least one cycle lies between two deciders; ties go by picosecond, then by index
 *  R5  randomness is a function of (seed, entity, ordinal, attempt), never of call order
 *  R6  horizon: a decider commits every grant that no other input can change
 *  R7  a path ends at a FIFO owned by its reader; an item that needs a release not yet decided parks, the release resumes
 *  R8  sim_wake only lowers and lies in the future; decide() returns its next wake; spurious wakes change nothing
 *  R9  resources are passive with one owner; all that a grant needs are taken in one decide, or none
 *  R10 admission that depends on occupancy is decided at the arrival instant; earlier
 *      only where no later fact can change it (space that is told is there)
 *  R11 what is seen outside goes through one outbox, released in time order */
#ifndef KERNEL_SIM_H
#define KERNEL_SIM_H

#include "kernel/clk.h"

#include <setjmp.h>
#include <stdint.h>

#define SIM_DECIDERS_MAX 4096
#define SIM_NO_DECIDER (-1)

/* Takes everything due at `now` (ps) and returns its next wake, SIM_NEVER if only another can wake it. */
typedef int64_t sim_decide_fn(void *self, int64_t now);

struct sim_decider {
    sim_decide_fn *decide;
    void *self;
    const char *name;
    /* No decision of anybody at t reaches an input of this decider before t + lookahead_ps (>= 1). */
    int64_t lookahead_ps;
    /* With sim_reach() declared: who reaches it sooner than itself around a loop (echo_ps), over any way, nearest first; the last entry
     * is as far as itself. */
    struct sim_source *source;
    int sources;
    int64_t echo_ps;
    int declared;
};

struct sim_source {
    uint64_t distance_ps;
    const int64_t *wake;
};

/* In which way a decision reaches another decider. */
enum sim_way {
    SIM_FORWARD,
    /* Only by giving back space that the other one waits for; `from` promises to commit nothing ahead while anybody waits for its
     * space, so this way around back to itself does not count. */
    SIM_BY_RELEASE,
    /* By giving back space without which the other one stops altogether: nothing that it commits can depend on it. */
    SIM_UNBLOCKS
};

struct sim_edge {
    int32_t from, to;
    int64_t least_ps;
    enum sim_way way;
};

struct sim {
    int64_t now;
    int64_t until;                /* of the run under way: nothing outside can act before it */
    int64_t outside_lookahead_ps; /* what is put in from outside at t reaches no decider before t + this */
    uint64_t seed;
    uint64_t decisions;
    int horizon_off;
    int stop; /* set by a decider to end sim_run() after this instant's decision */
    uint64_t spurious_seed;
    uint64_t spurious_count;
    int count;
    int outside;     /* see sim_add_outside(); SIM_DECIDERS_MAX: nobody */
    int64_t last_at; /* the others run up to here: `until`, or the wake of that */
    int leaves;      /* a power of two >= count */
    struct sim_decider *decider;
    int64_t *wake;
    /* tournament tree: node 1 is the decider with the earliest wake, node leaves + i is i */
    int64_t *match_wake;
    int32_t *match_decider;
    struct sim_edge *edge;
    int edges, edge_room;
    int prepared;
    int failed;
    char failure[400];
    jmp_buf *on_failure;
};

int sim_init(struct sim *sim, uint64_t seed);
void sim_free(struct sim *sim);
/* Before the first run. Returns the decider's index, or -1 when there are too many or lookahead_ps < 1 (R4). */
int sim_add(struct sim *sim, sim_decide_fn *decide, void *self, const char *name, int64_t lookahead_ps);
/* The one that shows the world outside what has happened (R11). It runs behind all others of an instant, and has no place among them:
 * nearly every decision of its ends a run. It is woken with sim_wake_outside() only. */
int sim_add_outside(struct sim *sim, sim_decide_fn *decide, void *self, const char *name);
/* It decides so from now on: for a part that is added, without which it need not be looked for. */
void sim_replace(struct sim *sim, int decider, sim_decide_fn *decide);
/* A decision of `from` at t reaches `to` at t + least_ps (>= 1) at the earliest. A decider that is so declared is reached by nobody else;
 * the lookahead then follows from all declarations together. Before the first run; between two runs only for ways that nothing can go
 * before what is put in from outside afterwards. Returns -1 without memory. */
int sim_reach(struct sim *sim, int from, int to, int64_t least_ps, enum sim_way way);
/* Lowers a wake; asserts at > now (R8). */
void sim_wake(struct sim *sim, int decider, int64_t at);
void sim_wake_outside(struct sim *sim, int64_t at);
/* The earliest wake of anybody. */
int64_t sim_next_at(const struct sim *sim);
/* From inside decide(): the last instant (ps, >= now) up to which this decider knows all its inputs (R6). */
int64_t sim_horizon(const struct sim *sim, int decider);
/* Runs all decisions at or before `until`; ends early after one that sets sim->stop. now becomes `until`, or the
 * instant of the stop. */
void sim_run(struct sim *sim, int64_t until);

/* The model found itself wrong: keeps the text and jumps to sim->on_failure. Never returns. */
_Noreturn void sim_fail(struct sim *sim, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Always on. The text says which stage and item. */
#define model_assert(sim, condition, ...)                     \
    do {                                                      \
        if (__builtin_expect(!(condition), 0))                \
            sim_fail((sim), __FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

#endif
