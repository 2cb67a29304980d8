/* Reads items out of a VCD (IEEE 1364-2005, clause 18): valid, with ready where there is one, and last where there is one; else an item is a
 * stretch of valid. With a clock, a beat is a cycle at whose end valid and ready are high, and its instant the cycle's beginning. Without, an
 * item begins when valid rises or the last one's last falls, and its tail is where last rises. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/compare/compare.h"

#define WORD_BYTES 512
#define DEPTH_MAX 64
#define ROLES 3
#define CLOCK_ROLE ROLES

enum role { VALID, LAST, READY };

struct wire { /* what a VCD's code stands for; one code may be several signals */
    char code[16];
    size_t fifo; /* in `state` */
    int role;
};

struct state { /* of a FIFO's signals */
    struct compare_fifo *fifo;
    const char *signal;
    int has[ROLES], value[ROLES];
    int is_inside, has_tail;
    int64_t head_ps, tail_ps;
};

struct vcd {
    const struct compare_options *options;
    FILE *file;
    char word[WORD_BYTES];
    char scope[DEPTH_MAX][WORD_BYTES / 4];
    int depth, line;
    double ps_per_tick;
    struct wire *wires;
    size_t wire_count, wire_room;
    struct state *states;
    size_t state_count;
    int64_t now_ps, cycle_ps; /* cycle_ps: the clock's last rising edge; -1: none yet */
    int has_clock, clock, failed;
};

static int next_word(struct vcd *vcd)
{
    int c, used = 0;
    while ((c = fgetc(vcd->file)) != EOF && isspace(c))
        vcd->line += c == '\n';
    for (; c != EOF && !isspace(c); c = fgetc(vcd->file))
        if (used < WORD_BYTES - 1)
            vcd->word[used++] = (char)c;
    vcd->line += c == '\n';
    vcd->word[used] = 0;
    return used > 0;
}

static int skip_to_end(struct vcd *vcd)
{
    while (strcmp(vcd->word, "$end") != 0)
        if (!next_word(vcd))
            return -1;
    return 0;
}

static int fail(const struct vcd *vcd, const char *what)
{
    return cli_fail("%s:%d: %s", vcd->options->measured, vcd->line, what);
}

/* ---- declarations ---- */

static int read_timescale(struct vcd *vcd)
{
    char text[64] = "", unit[8];
    double number;
    while (next_word(vcd) && strcmp(vcd->word, "$end") != 0)
        if (strlen(text) + strlen(vcd->word) < sizeof text - 1)
            strcat(text, vcd->word);
    if (sscanf(text, "%lf%7s", &number, unit) != 2)
        return fail(vcd, "no timescale, as in \"1 ps\"");
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"fs", 1e-3}, {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0)
            vcd->ps_per_tick = number * units[i].ps;
    return vcd->ps_per_tick > 0 ? CLI_DONE : fail(vcd, "a timescale in another unit than fs, ps, ns, us, ms, s");
}

static int add_wire(struct vcd *vcd, const char *code, size_t fifo, int role)
{
    if (vcd->wire_count == vcd->wire_room) {
        size_t room = vcd->wire_room == 0 ? 64 : 2 * vcd->wire_room;
        struct wire *larger = realloc(vcd->wires, room * sizeof *larger);
        if (larger == NULL)
            return fail(vcd, "out of memory");
        vcd->wires = larger;
        vcd->wire_room = room;
    }
    struct wire *wire = &vcd->wires[vcd->wire_count++];
    *wire = (struct wire){.fifo = fifo, .role = role};
    snprintf(wire->code, sizeof wire->code, "%.15s", code);
    return CLI_DONE;
}

/* Without a map, a scope that ends with the FIFO's name; with one, the signal's beginning. 1: it is this role's signal. */
static int is_signal(const struct state *state, const char *full, enum role role)
{
    static const char *const names[ROLES][2] = {{"valid", "tvalid"}, {"last", "tlast"}, {"ready", "tready"}};
    size_t length = strlen(full);
    for (int i = 0; i < 2; i++) {
        char end[COMPARE_NAME_BYTES * 2 + 16];
        const char *base = state->signal != NULL ? state->signal : state->fifo->name;
        for (int dot = state->signal == NULL; dot < 2; dot++) {
            snprintf(end, sizeof end, "%s%s%s", base, dot || state->signal == NULL ? "." : "", names[role][i]);
            size_t end_length = strlen(end);
            if (state->signal != NULL ? strcmp(full, end) == 0
                                      : length >= end_length && strcmp(full + length - end_length, end) == 0 &&
                                            (length == end_length || full[length - end_length - 1] == '.'))
                return 1;
        }
    }
    return 0;
}

static int take_variable(struct vcd *vcd, const char *code, const char *full)
{
    int result = CLI_DONE;
    if (vcd->options->clock != NULL && strcmp(full, vcd->options->clock) == 0) {
        vcd->has_clock = 1;
        return add_wire(vcd, code, 0, CLOCK_ROLE);
    }
    for (size_t i = 0; result == CLI_DONE && i < vcd->state_count; i++)
        for (int role = 0; result == CLI_DONE && role < ROLES; role++)
            if (!vcd->states[i].has[role] && is_signal(&vcd->states[i], full, (enum role)role)) {
                vcd->states[i].has[role] = 1;
                result = add_wire(vcd, code, i, role);
            }
    return result;
}

/* $var wire 1 ! name $end */
static int read_variable(struct vcd *vcd)
{
    char words[4][WORD_BYTES / 4] = {"", "", "", ""}, full[WORD_BYTES * 4];
    size_t used = 0;
    for (int i = 0; i < 4; i++) {
        if (!next_word(vcd))
            return fail(vcd, "ends in the middle of a $var");
        snprintf(words[i], sizeof words[i], "%.*s", (int)sizeof words[i] - 1, vcd->word);
    }
    for (int i = 0; i < vcd->depth && used < sizeof full - WORD_BYTES; i++)
        used += (size_t)snprintf(full + used, sizeof full - used, "%s.", vcd->scope[i]);
    snprintf(full + used, sizeof full - used, "%s", words[3]);
    if (skip_to_end(vcd) != 0)
        return fail(vcd, "ends in the middle of a $var");
    return strcmp(words[1], "1") == 0 ? take_variable(vcd, words[2], full) : CLI_DONE;
}

static int read_scope(struct vcd *vcd)
{
    if (!next_word(vcd) || !next_word(vcd) || vcd->depth == DEPTH_MAX)
        return fail(vcd, "a $scope without a name, or too many in each other");
    snprintf(vcd->scope[vcd->depth], sizeof vcd->scope[0], "%.*s", (int)sizeof vcd->scope[0] - 1, vcd->word);
    vcd->depth++;
    return skip_to_end(vcd) == 0 ? CLI_DONE : fail(vcd, "ends in the middle of a $scope");
}

static int read_declarations(struct vcd *vcd)
{
    int result = CLI_DONE;
    while (result == CLI_DONE) {
        if (!next_word(vcd))
            return fail(vcd, "no $enddefinitions: this is no VCD");
        if (strcmp(vcd->word, "$enddefinitions") == 0)
            return skip_to_end(vcd) == 0 ? CLI_DONE : fail(vcd, "ends behind its declarations");
        if (strcmp(vcd->word, "$scope") == 0)
            result = read_scope(vcd);
        else if (strcmp(vcd->word, "$var") == 0)
            result = read_variable(vcd);
        else if (strcmp(vcd->word, "$timescale") == 0)
            result = read_timescale(vcd);
        else if (vcd->word[0] != '$')
            return fail(vcd, "a word before any $scope: this is no VCD");
        else {
            if (strcmp(vcd->word, "$upscope") == 0 && vcd->depth > 0)
                vcd->depth--;
            result = skip_to_end(vcd) == 0 ? CLI_DONE : fail(vcd, "ends in its declarations");
        }
    }
    return result;
}

/* ---- changes ---- */

static void end_item(struct vcd *vcd, struct state *state)
{
    if (state->is_inside)
        vcd->failed |= compare_add(state->fifo, state->head_ps, state->has_tail ? state->tail_ps : state->head_ps) != 0;
    state->is_inside = state->has_tail = 0;
}

static void begin_item(struct state *state, int64_t at_ps)
{
    state->is_inside = 1;
    state->has_tail = 0;
    state->head_ps = at_ps;
}

static void change_freely(struct vcd *vcd, struct state *state, int role, int value)
{
    int before = state->value[role];
    state->value[role] = value;
    if (role == VALID && value && !before)
        begin_item(state, vcd->now_ps);
    else if (role == VALID && !value) {
        state->is_inside &= state->head_ps < vcd->now_ps; /* else only last fell before valid, at one instant */
        end_item(vcd, state);
    } else if (role == LAST && value && !before) {
        state->tail_ps = vcd->now_ps;
        state->has_tail = 1;
    } else if (role == LAST && !value && before && state->is_inside) {
        end_item(vcd, state);
        if (state->value[VALID])
            begin_item(state, vcd->now_ps);
    }
}

/* The clock rises: what the signals were until now was one cycle. */
static void end_cycle(struct vcd *vcd)
{
    for (size_t i = 0; vcd->cycle_ps >= 0 && i < vcd->state_count; i++) {
        struct state *state = &vcd->states[i];
        int is_beat = state->value[VALID] && (!state->has[READY] || state->value[READY]);
        if (is_beat && !state->is_inside)
            begin_item(state, vcd->cycle_ps);
        if (is_beat) {
            state->tail_ps = vcd->cycle_ps;
            state->has_tail = 1;
        }
        if ((is_beat && state->has[LAST] && state->value[LAST]) || (!state->has[LAST] && !is_beat))
            end_item(vcd, state);
    }
    vcd->cycle_ps = vcd->now_ps;
}

static void change(struct vcd *vcd, const char *code, int value)
{
    for (size_t i = 0; i < vcd->wire_count; i++) {
        const struct wire *wire = &vcd->wires[i];
        if (strcmp(wire->code, code) != 0)
            continue;
        if (wire->role == CLOCK_ROLE) {
            if (value && !vcd->clock)
                end_cycle(vcd);
            vcd->clock = value;
        } else if (vcd->has_clock) {
            vcd->states[wire->fifo].value[wire->role] = value;
        } else {
            change_freely(vcd, &vcd->states[wire->fifo], wire->role, value);
        }
    }
}

/* A clock that rises at an instant is told first or last among the changes of that instant: registers change behind it. So at each instant
 * the clock is looked at first. */
struct pending {
    char code[16];
    int value;
};

static int is_clock(const struct vcd *vcd, const char *code)
{
    for (size_t i = 0; i < vcd->wire_count; i++)
        if (vcd->wires[i].role == CLOCK_ROLE && strcmp(vcd->wires[i].code, code) == 0)
            return 1;
    return 0;
}

static int read_changes(struct vcd *vcd)
{
    struct pending *pending = NULL;
    size_t count = 0, room = 0;
    int goes_on = 1;
    while (goes_on && !vcd->failed) {
        goes_on = next_word(vcd);
        char first = vcd->word[0];
        if (!goes_on || first == '#') {
            for (int pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < count; i++)
                    if (is_clock(vcd, pending[i].code) == (pass == 0))
                        change(vcd, pending[i].code, pending[i].value);
            count = 0;
            vcd->now_ps = goes_on ? (int64_t)(strtod(vcd->word + 1, NULL) * vcd->ps_per_tick + 0.5) : vcd->now_ps;
        } else if (first == 'b' || first == 'B' || first == 'r' || first == 'R') {
            goes_on = next_word(vcd); /* of several bits: of none of our signals */
        } else if (strchr("01xXzZ", first) != NULL) {
            if (count == room) {
                room = room == 0 ? 256 : 2 * room;
                struct pending *larger = realloc(pending, room * sizeof *larger);
                vcd->failed |= larger == NULL;
                pending = larger != NULL ? larger : pending;
            }
            if (!vcd->failed) {
                snprintf(pending[count].code, sizeof pending[0].code, "%.15s", vcd->word + 1);
                pending[count++].value = first == '1';
            }
        }
    }
    for (size_t i = 0; i < vcd->state_count; i++)
        end_item(vcd, &vcd->states[i]);
    free(pending);
    return vcd->failed ? fail(vcd, "out of memory") : CLI_DONE;
}

/* ---- the whole ---- */

static int prepare(struct vcd *vcd, struct compare_set *set, const struct compare_set *predicted)
{
    vcd->states = calloc(predicted->count + 1, sizeof *vcd->states);
    if (vcd->states == NULL)
        return cli_fail("out of memory for the signals");
    for (size_t i = 0; i < predicted->count; i++) {
        struct state *state = &vcd->states[vcd->state_count++];
        state->fifo = compare_find(set, predicted->fifos[i].name, 1);
        for (size_t k = 0; k < vcd->options->map_count; k++)
            if (strcmp(vcd->options->maps[k].name, state->fifo->name) == 0)
                state->signal = vcd->options->maps[k].signal;
    }
    return CLI_DONE;
}

static int check_signals(const struct vcd *vcd)
{
    int found = 0;
    for (size_t i = 0; i < vcd->state_count; i++) {
        const struct state *state = &vcd->states[i];
        found += state->has[VALID];
        if (state->signal != NULL && !state->has[VALID])
            return cli_fail("%s: --map %s=%s: there is no signal %s.valid, .tvalid, nor %svalid",
                            vcd->options->measured, state->fifo->name, state->signal, state->signal, state->signal);
    }
    if (vcd->options->clock != NULL && !vcd->has_clock)
        return cli_fail("%s: --clock %s: there is no such signal of one bit", vcd->options->measured,
                        vcd->options->clock);
    return found > 0
               ? CLI_DONE
               : cli_fail("%s: no signal NIC.PATH.FIFO.valid of a FIFO in %s; --map NIC.PATH.FIFO=SIGNAL names one",
                          vcd->options->measured, vcd->options->predicted);
}

int compare_read_vcd(struct compare_set *set, const struct compare_set *predicted,
                     const struct compare_options *options)
{
    struct vcd vcd = {.options = options, .line = 1, .ps_per_tick = 0, .cycle_ps = -1};
    vcd.file = fopen(options->measured, "re");
    if (vcd.file == NULL)
        return cli_fail("%s: %s", options->measured, strerror(errno));
    set->has_tails = 1;
    int result = prepare(&vcd, set, predicted);
    if (result == CLI_DONE)
        result = read_declarations(&vcd);
    if (result == CLI_DONE && vcd.ps_per_tick <= 0)
        result = fail(&vcd, "no $timescale");
    if (result == CLI_DONE)
        result = check_signals(&vcd);
    if (result == CLI_DONE)
        result = read_changes(&vcd);
    /* what has no signals was not measured */
    for (size_t i = 0; i < vcd.state_count; i++)
        if (!vcd.states[i].has[VALID])
            vcd.states[i].fifo->name[0] = 0;
    fclose(vcd.file);
    free(vcd.wires);
    free(vcd.states);
    return result;
}
